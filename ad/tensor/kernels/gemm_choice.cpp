#include "ad/tensor/kernels/gemm_choice.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <mutex>
#include <sstream>
#include <sys/file.h>
#include <unistd.h>
#include <unordered_map>

#include "ad/support/cache_file.hpp"
#include "ad/tensor/kernels/gemm_library.hpp"

namespace tare::ad::kernels {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_kept = 4096;

struct Hash {
  std::size_t operator()(const ChoiceKey& key) const { return hash_of(key); }
};
using Choices = std::unordered_map<ChoiceKey, Plan, Hash>;

struct Table {
  std::mutex mutex;      // of the maps
  std::mutex measuring;  // held while one thread measures
  bool loaded = false;
  Choices measured, near;
};
Table& table() {
  static Table one;
  return one;
}

std::int64_t leading_bits(std::int64_t value) {
  const int drop = std::max(0, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(value))) - 3);
  return value >> drop << drop;
}
/// One row or column is a problem of its own, however near two are.
ChoiceKey neighbourhood(ChoiceKey key) {
  key.m = leading_bits(key.m);
  key.n = leading_bits(key.n);
  key.k = leading_bits(key.k);
  return key;
}

constexpr std::array splits{"whole", "rows", "columns"};

// The number is raised when our own loops change speed: what was measured before is then measured anew.
std::string header() {
  return "tare-gemm 3; " + library_versions();
}

void add(Table& t, const ChoiceKey& key, Plan plan) {
  t.measured.insert_or_assign(key, plan);
  t.near.try_emplace(neighbourhood(key), plan);
}

void load(Table& t) {
  if (t.loaded) return;
  t.loaded = true;
  const auto path = choice_file();
  if (path.empty()) return;
  for (const auto& [key, plan] : parse_choices(read_file(path).value_or("")))
    if (t.measured.size() < most_kept) add(t, key, plan);
}

/// A lock on the folder, so that two processes do not lose each other's lines; without it nothing is written.
class FolderLock {
 public:
  explicit FolderLock(const fs::path& folder)
      : file_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    held_ = file_ >= 0 && ::flock(file_, LOCK_EX | LOCK_NB) == 0;
  }
  ~FolderLock() {
    if (file_ >= 0) ::close(file_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  [[nodiscard]] bool held() const { return held_; }

 private:
  int file_;
  bool held_ = false;
};

void save(const Choices& known) {
  const fs::path path = choice_file();
  if (path.empty()) return;
  std::error_code failed;
  fs::create_directories(path.parent_path(), failed);
  const FolderLock lock(path.parent_path());
  if (!lock.held()) return;
  Choices all = known;
  for (const auto& [key, plan] : parse_choices(read_file(path.string()).value_or("")))
    all.try_emplace(key, plan);
  const auto text = text_of_choices({all.begin(), all.end()});
  replace_file(path.string(), text);
}

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  std::string line, name;
  while (std::getline(file, line)) {
    if (!line.starts_with("model name")) continue;
    for (const char c : line.substr(line.find(':') + 1)) {
      if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
        name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      } else if (!name.empty() && name.back() != '-') {
        name += '-';
      }
    }
    break;
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  return name.empty() ? "cpu" : name;
}

// A build for debugging measures its own loops wrongly slow; it keeps to itself.
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
constexpr const char* kind = "";
#else
constexpr const char* kind = "-debug";
#endif

}  // namespace

std::size_t hash_of(const ChoiceKey& key) {
  auto h = static_cast<std::uint64_t>(key.m) * 0x9E3779B97F4A7C15U;
  h = (h ^ static_cast<std::uint64_t>(key.n)) * 0xC2B2AE3D27D4EB4FU;
  h = (h ^ static_cast<std::uint64_t>(key.k)) * 0x165667B19E3779F9U;
  const auto flags = static_cast<std::uint64_t>(key.threads) << 4 | static_cast<unsigned>(key.a_transposed) |
                     static_cast<unsigned>(key.b_transposed) << 1 | static_cast<unsigned>(key.adds) << 2 |
                     static_cast<unsigned>(key.f64) << 3;
  h = (h ^ flags) * 0x9E3779B97F4A7C15U;
  return static_cast<std::size_t>(h ^ h >> 32);
}

Chosen choose(const ChoiceKey& key, bool again, Plan fixed, const std::function<Plan()>& measure) {
  auto& t = table();
  {
    const std::lock_guard lock(t.mutex);
    load(t);
    if (const auto found = t.measured.find(key); found != t.measured.end()) return {found->second};
    if (const auto near = t.near.find(neighbourhood(key)); !again && near != t.near.end())
      return {near->second, borrowed_calls};
  }
  const std::unique_lock turn(t.measuring, std::try_to_lock);
  if (!turn.owns_lock()) return {fixed, 1};
  const Plan plan = measure();
  Choices known;
  {
    const std::lock_guard lock(t.mutex);
    if (t.measured.size() >= most_kept) return {plan, borrowed_calls * borrowed_calls};
    add(t, key, plan);
    known = t.measured;
  }
  save(known);
  return {plan};
}

std::optional<Plan> known_choice(const ChoiceKey& key) {
  auto& t = table();
  const std::lock_guard lock(t.mutex);
  load(t);
  if (const auto found = t.measured.find(key); found != t.measured.end()) return found->second;
  if (const auto near = t.near.find(neighbourhood(key)); near != t.near.end()) return near->second;
  return std::nullopt;
}

std::string choice_file() {
  // Other libraries, or the same ones told to take this for another CPU, have a table of their own: two such
  // programs that run by turns would throw each other's away.
  static const std::string name = fmt::format("gemm-{}{}-{:08x}.txt", cpu_name(), kind,
                                              std::hash<std::string>{}(library_versions()) & 0xffffffffU);
  return cache_path(name);
}

std::vector<std::pair<ChoiceKey, Plan>> parse_choices(const std::string& text) {
  std::vector<std::pair<ChoiceKey, Plan>> choices;
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != header()) return choices;
  while (std::getline(lines, line)) {
    if (lines.eof()) break;  // cut off
    std::istringstream fields(line);
    std::string type, kinds, library, split, rest;
    ChoiceKey key;
    if (!(fields >> type >> key.m >> key.n >> key.k >> kinds >> key.threads >> library >> split) ||
        fields >> rest)
      continue;
    if ((type != "f32" && type != "f64") || kinds.size() != 3 || std::min({key.m, key.n, key.k}) < 1 ||
        (key.threads < 1 && key.threads != -1))
      continue;
    key.f64 = type == "f64";
    key.a_transposed = kinds[0] == 't';
    key.b_transposed = kinds[1] == 't';
    key.adds = kinds[2] == '+';
    const GemmShape shape{key.m, key.n, key.k, key.a_transposed, key.b_transposed};
    for (const auto candidate : gemm_libraries())
      for (std::size_t i = 0; i < splits.size(); ++i)
        if (library == name_of(candidate) && split == splits[i] && computes(candidate, shape, key.f64))
          choices.push_back({key, {candidate, static_cast<Split>(i)}});
  }
  return choices;
}

std::string text_of_choices(const std::vector<std::pair<ChoiceKey, Plan>>& choices) {
  std::vector<std::string> lines;
  for (const auto& [key, plan] : choices)
    lines.push_back(fmt::format("{} {} {} {} {}{}{} {} {} {}\n", key.f64 ? "f64" : "f32", key.m, key.n, key.k,
                                key.a_transposed ? 't' : 'n', key.b_transposed ? 't' : 'n',
                                key.adds ? '+' : '=', key.threads, name_of(plan.library),
                                splits[static_cast<std::size_t>(plan.split)]));
  std::sort(lines.begin(), lines.end());
  std::string text = header() + "\n";
  for (const auto& line : lines) text += line;
  return text;
}

std::atomic<std::uint32_t> choices_generation{0};

void forget_choices() {
  choices_generation.fetch_add(1);
  auto& t = table();
  const std::lock_guard lock(t.mutex);
  t.loaded = false;
  t.measured.clear();
  t.near.clear();
}

}  // namespace tare::ad::kernels
