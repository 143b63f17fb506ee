#include "bench/measure/machine/files.hpp"

#include <algorithm>
#include <fstream>

#include "bench/support/text.hpp"

namespace tare {
namespace {

std::string_view without(std::string_view text, std::string_view unwanted) {
  const std::size_t first = text.find_first_not_of(unwanted);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(unwanted) - first + 1);
}

constexpr std::string_view blanks{" \t\r\n\0", 5};

}  // namespace

std::optional<std::string> read_text(const std::filesystem::path& path) {
  // Files of /proc say size 0, so they are read until they end.
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text(1 << 20, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad() || (file.gcount() == 0 && !file.eof())) return std::nullopt;
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

std::string read_line(const std::filesystem::path& path) {
  const auto text = read_text(path);
  if (!text) return {};
  return std::string(without(std::string_view(*text).substr(0, text->find('\n')), blanks));
}

std::string value_of(std::string_view text, std::string_view key, char separator) {
  for (const std::string& line : split(text, '\n')) {
    const std::size_t at = line.find(separator);
    if (at == std::string::npos || without(std::string_view(line).substr(0, at), blanks) != key) continue;
    return std::string(without(without(std::string_view(line).substr(at + 1), blanks), "\"'"));
  }
  return {};
}

std::vector<int> parse_cpu_list(std::string_view text) {
  constexpr int most = 65536;
  std::vector<int> cpus;
  for (const std::string& part : split(without(text, blanks), ',')) {
    const std::size_t dash = part.find('-');
    const auto first = to_number<int>(std::string_view(part).substr(0, dash));
    const auto last =
        dash == std::string::npos ? first : to_number<int>(std::string_view(part).substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last >= most) return {};
    for (int cpu = *first; cpu <= *last; ++cpu) cpus.push_back(cpu);
    if (cpus.size() > most) return {};
  }
  return cpus;
}

std::vector<std::filesystem::path> entries(const std::filesystem::path& directory) {
  std::error_code error;
  std::vector<std::filesystem::path> found;
  for (std::filesystem::directory_iterator it(directory, error), end; !error && it != end;
       it.increment(error))
    found.push_back(it->path());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace tare
