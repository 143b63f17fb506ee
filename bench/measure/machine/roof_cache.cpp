#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <sys/file.h>
#include <unistd.h>

#include "bench/measure/machine/files.hpp"
#include "bench/measure/machine/roofs.hpp"
#include "bench/model/breakdown_json.hpp"

namespace tare {
namespace {

/// One process at a time, for as long as it lives; without a lock when the file cannot be made.
class Lock {
 public:
  explicit Lock(const std::filesystem::path& path)
      : file_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
    while (file_ >= 0 && ::flock(file_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  ~Lock() {
    if (file_ >= 0) ::close(file_);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  int file_;
};

/// Empty when there is none, or none that makes sense.
std::optional<MachineRoofs> read_roofs(const std::filesystem::path& path, const std::string& fingerprint) {
  const auto text = read_text(path);
  if (!text) return std::nullopt;
  const auto json = parse_json(*text);
  if (!json || field_or<std::string>(*json, "fingerprint", "") != fingerprint) return std::nullopt;
  auto roofs = roofs_from_json(field_or<Json>(*json, "roofs", Json()));
  if (!roofs || roofs->peaks.empty() || roofs->bandwidths.empty()) return std::nullopt;
  return *roofs;
}

/// All of it or nothing.
void write_roofs(const std::filesystem::path& path, const std::string& fingerprint,
                 const MachineRoofs& roofs) {
  const std::filesystem::path beside = fmt::format("{}.{}", path.string(), ::getpid());
  std::error_code problem;
  {
    std::ofstream file(beside);
    file << to_text({{"fingerprint", fingerprint}, {"roofs", to_json(roofs)}}, 2) << "\n";
    file.close();
    if (!file) {
      std::filesystem::remove(beside, problem);
      return;
    }
  }
  std::filesystem::rename(beside, path, problem);
  if (problem) std::filesystem::remove(beside, problem);
}

}  // namespace

std::filesystem::path user_cache() {
  if (const char* folder = std::getenv("XDG_CACHE_HOME"); folder != nullptr && *folder != '\0')
    return std::filesystem::path(folder) / "tare";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return std::filesystem::path(home) / ".cache" / "tare";
  return {};
}

MachineRoofs cached_roofs(const Machine& machine, const std::filesystem::path& folder,
                          const std::function<MachineRoofs()>& measure) {
  if (folder.empty()) return measure();
  const auto fingerprint = machine.fingerprint();
  const auto path = folder / fmt::format("roofs-{}.json", fingerprint);
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  const Lock alone(path.string() + ".lock");
  if (auto known = read_roofs(path, fingerprint)) return *known;
  const auto roofs = measure();
  write_roofs(path, fingerprint, roofs);
  return roofs;
}

}  // namespace tare
