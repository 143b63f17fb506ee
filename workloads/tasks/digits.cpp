// The digits of data/digits.txt, put into the program by the assembler, and the hashes of all tasks.
#define XXH_INLINE_ALL
#include <stdexcept>
#include <xxhash.h>

#include "workloads/tasks/task.hpp"

__asm__(
    ".pushsection .rodata\n.global tare_digits_begin\n.global tare_digits_end\ntare_digits_begin:\n"
    ".incbin \"" TARE_DIGITS "\"\ntare_digits_end:\n.byte 0\n.popsection\n");
extern "C" const char tare_digits_begin[];
extern "C" const char tare_digits_end[];

namespace tare::workloads {
namespace {

constexpr std::size_t pixels = 64;
constexpr std::size_t line_length = 2 + pixels + 1;  // "7 abc…\n"
constexpr std::size_t held_out = 4;                  // every so-manieth

Task read_digits() {
  Task task{
      "digits",  "handwritten digits, 8×8 pixels (Alpaydin and Kaynak 1998); every fourth image held out",
      {1, 8, 8}, 10,
      {},        {},
      ""};
  const std::string_view text(tare_digits_begin,
                              static_cast<std::size_t>(tare_digits_end - tare_digits_begin));
  if (text.size() % line_length != 0)
    throw std::runtime_error("data/digits.txt: a line is not 66 characters long");
  for (std::size_t at = 0; at < text.size() / line_length; ++at) {
    const auto line = text.substr(at * line_length, line_length);
    auto& part = at % held_out == held_out - 1 ? task.test : task.train;
    part.labels.push_back(line[0] - '0');
    for (const char pixel : line.substr(2, pixels))
      part.inputs.push_back(static_cast<float>(pixel - 'a') / 16.0F);
  }
  task.hash = hash_of(task.train, task.test);
  return task;
}

std::string hex_of(XXH128_hash_t hash) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, hash);
  std::string text;
  for (const auto byte : canonical.digest) {
    text += "0123456789abcdef"[byte >> 4U];
    text += "0123456789abcdef"[byte & 15U];
  }
  return text;
}

template <class T>
std::string_view bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

}  // namespace

const Task& digits() {
  static const Task task = read_digits();
  return task;
}

std::string hash_of(std::string_view bytes) {
  return hex_of(XXH3_128bits(bytes.data(), bytes.size()));
}

std::string hash_of(const Examples& train, const Examples& test) {
  std::string all;
  for (const auto* part : {&train, &test}) {
    all += bytes_of(part->inputs);
    all += bytes_of(part->labels);
  }
  return hash_of(all);
}

}  // namespace tare::workloads
