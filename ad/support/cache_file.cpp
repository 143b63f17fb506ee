#include "ad/support/cache_file.hpp"

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>
#include <utility>

namespace tare::ad {

std::string cache_path(const std::string& name) {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && cache[0] == '/')
    return std::string(cache) + "/tare/" + name;
  if (const char* home = std::getenv("HOME"); home != nullptr && home[0] == '/')
    return std::string(home) + "/.cache/tare/" + name;
  return "";
}

std::optional<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  // Through a stream: iterators would throw for a folder of that name.
  std::ostringstream bytes;
  bytes << file.rdbuf();
  if (file.bad()) return {};
  return std::move(bytes).str();
}

bool replace_file(const std::string& path, const std::string& bytes) {
  if (path.empty()) return false;
  static std::atomic<unsigned> number{0};
  std::error_code failed;
  const std::filesystem::path target(path);
  std::filesystem::create_directories(target.parent_path(), failed);
  const auto draft = path + "." + std::to_string(getpid()) + "." + std::to_string(number++);
  {
    std::ofstream file(draft, std::ios::binary | std::ios::trunc);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    if (!file) {
      std::filesystem::remove(draft, failed);
      return false;
    }
  }
  std::filesystem::rename(draft, target, failed);
  if (!failed) return true;
  std::error_code ignored;
  std::filesystem::remove(draft, ignored);
  return false;
}

}  // namespace tare::ad
