#include "ad/jit/jit.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <mutex>

#include "ad/jit/library.hpp"
#include "ad/jit/object.hpp"
#include "ad/jit/streaming.hpp"
#include "ad/support/cache_file.hpp"
#include "ad/tensor/kernels/kernels.hpp"

namespace tare::ad::jit {
namespace {

using Compile = bool (*)(const graph::Kernel&, const graph::KernelPlan&, const std::string&, std::string&);

// Raised when the same kernel would become other code.
constexpr int code_version = 4;
constexpr char magic[] = "tare kernel\n";

std::string isa() {
  return kernels::best().name;
}

struct Shared {
  std::mutex mutex;
  std::map<std::string, graph::MachineCode> known;
  Stats stats;
  std::vector<std::string> messages;
  bool opened = false;
  Compile compile = nullptr;

  void say(std::string message) {
    if (std::ranges::find(messages, message) == messages.end()) messages.push_back(std::move(message));
  }
};
Shared& shared() {
  static Shared one;
  return one;
}

/// Places where the module may be: as asked for, beside an installed program, where it was built.
std::vector<std::string> module_places() {
  std::vector<std::string> places;
  if (const char* asked = std::getenv("TARE_JIT_MODULE"); asked != nullptr) return {asked};
  std::error_code failed;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (!failed) places.push_back((program.parent_path().parent_path() / "lib/tare/libtare_jit.so").string());
#ifdef TARE_JIT_BUILT_MODULE
  places.emplace_back(TARE_JIT_BUILT_MODULE);
#endif
  return places;
}

Compile open_module(Shared& s) {
  if (std::exchange(s.opened, true)) return s.compile;
  std::string reasons;
  for (const auto& place : module_places()) {
    if (void* module = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL); module != nullptr) {
      if (void* found = dlsym(module, "tare_jit_compile"); found != nullptr) {
        s.compile = reinterpret_cast<Compile>(found);
        return s.compile;
      }
    }
    if (const char* why = dlerror(); why != nullptr)
      reasons += fmt::format("{}{}", reasons.empty() ? "" : "; ", why);
  }
  s.say(fmt::format("kernels are interpreted: no code generator ({})",
                    reasons.empty() ? "not built" : reasons));
  return nullptr;
}

std::string key_of(const graph::Kernel& kernel) {
  return fmt::format("version {}, {}\n{}", code_version, isa(), graph::text_of(kernel));
}
std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t sum = 0xCBF29CE484222325U;
  for (const char c : bytes) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  return sum;
}
std::string path_of(const std::string& key) {
  return cache_path(fmt::format("kernels/{:016x}.bin", checksum(key)));
}

std::string number_bytes(std::uint64_t n) {
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &n, 8);
  return bytes;
}
/// What is kept on disk: the key in full, since two keys may share a name, the code, and a checksum of both.
std::string packed(const std::string& key, const std::string& object) {
  std::string bytes = magic + number_bytes(key.size()) + key + number_bytes(object.size()) + object;
  return bytes + number_bytes(checksum(bytes));
}
std::optional<std::string> unpacked(const std::string& bytes, const std::string& key) {
  const std::string head = magic + number_bytes(key.size()) + key;
  if (bytes.size() < head.size() + 16 || bytes.compare(0, head.size(), head) != 0) return {};
  const auto body = bytes.substr(0, bytes.size() - 8);
  if (number_bytes(checksum(body)) != bytes.substr(bytes.size() - 8)) return {};
  std::uint64_t size = 0;
  std::memcpy(&size, bytes.data() + head.size(), 8);
  if (size != body.size() - head.size() - 8) return {};
  return body.substr(head.size() + 8);
}

// Code of programs that are long gone should not pile up.
constexpr std::size_t most_files = 4000;

/// Removes the older half when there are too many. Others may do the same at the same time.
void thin_out(const std::string& path) {
  std::error_code failed;
  std::vector<std::pair<std::filesystem::file_time_type, std::filesystem::path>> files;
  for (const auto& file :
       std::filesystem::directory_iterator(std::filesystem::path(path).parent_path(), failed))
    if (const auto time = file.last_write_time(failed); !failed) files.emplace_back(time, file.path());
  if (files.size() <= most_files) return;
  std::ranges::sort(files);
  for (std::size_t i = 0; i < files.size() / 2; ++i) std::filesystem::remove(files[i].second, failed);
}

graph::MachineCode loaded(Shared& s, const std::string& object, const graph::Kernel& kernel) {
  std::string why;
  void* entry = load_object(std::as_bytes(std::span(object.data(), object.size())), why);
  if (entry == nullptr) {
    s.say("a kernel is interpreted: its code cannot be loaded: " + why);
    return {};
  }
  return {reinterpret_cast<graph::KernelFunction>(entry), library_table(), streams(kernel) ? 64U : 1U};
}

graph::MachineCode find_or_generate(Shared& s, const std::string& key, const graph::Kernel& kernel,
                                    const graph::KernelPlan& plan) {
  const auto path = path_of(key);
  if (const auto bytes = path.empty() ? std::nullopt : read_file(path))
    if (const auto object = unpacked(*bytes, key))
      if (const auto code = loaded(s, *object, kernel); code.function != nullptr) {
        ++s.stats.from_disk;
        return code;
      }
  const auto compile = open_module(s);
  if (compile == nullptr) return {};
  std::string object;
  if (!compile(kernel, plan, isa(), object)) {
    s.say("a kernel is interpreted: " + object);
    return {};
  }
  const auto code = loaded(s, object, kernel);
  if (code.function == nullptr) return {};
  ++s.stats.generated;
  if (!path.empty() && !replace_file(path, packed(key, object)))
    s.say(fmt::format("code is generated anew in every process: {} cannot be written", path));
  if (!path.empty() && s.stats.generated % 64 == 1) thin_out(path);
  return code;
}

}  // namespace

graph::MachineCode compile_kernel(const graph::Kernel& kernel, const graph::KernelPlan& plan) {
  const auto start = std::chrono::steady_clock::now();
  auto& s = shared();
  const std::lock_guard lock(s.mutex);
  const auto key = key_of(kernel);
  const auto [place, unknown] = s.known.try_emplace(key);
  if (!unknown) {
    ++s.stats.from_memory;
    return place->second;
  }
  place->second = find_or_generate(s, key, kernel, plan);
  if (place->second.function == nullptr) ++s.stats.failed;
  s.stats.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return place->second;
}

Stats stats() {
  const std::lock_guard lock(shared().mutex);
  return shared().stats;
}
std::vector<std::string> messages() {
  const std::lock_guard lock(shared().mutex);
  return shared().messages;
}
bool available() {
  const std::lock_guard lock(shared().mutex);
  return open_module(shared()) != nullptr;
}
void forget_code() {
  const std::lock_guard lock(shared().mutex);
  shared().known.clear();
}

}  // namespace tare::ad::jit
