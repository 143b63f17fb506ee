// Small files of /proc and /sys as text and numbers. What cannot be read is empty: on one machine or another
// every one of them is missing.
#pragma once

#include <charconv>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tare {

/// The whole file, at most 1 MiB of it.
std::optional<std::string> read_text(const std::filesystem::path& path);
/// The first line without blanks or NUL bytes around it; empty when there is none.
std::string read_line(const std::filesystem::path& path);

/// The text as one number, with nothing around it.
template <class T>
std::optional<T> to_number(std::string_view text) {
  T value{};
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != text.data() + text.size())
    return std::nullopt;
  return value;
}

template <class T>
std::optional<T> read_number(const std::filesystem::path& path) {
  return to_number<T>(read_line(path));
}

/// The value after "key<blanks>:" or "key=" at the start of a line, trimmed and without quotes.
std::string value_of(std::string_view text, std::string_view key, char separator = ':');

/// "0-3,8" as {0, 1, 2, 3, 8}; empty when the text is not such a list or names more than 65536 CPUs.
std::vector<int> parse_cpu_list(std::string_view text);

/// Entries of a directory in the order of their names; empty when it cannot be read.
std::vector<std::filesystem::path> entries(const std::filesystem::path& directory);

}  // namespace tare
