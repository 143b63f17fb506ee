// Learning tasks as plain values: examples to learn from, examples held out, and a hash of all of them. The
// split is fixed, and the same on every machine: generated inputs are multiples of 1/64, so that the last bit
// of somebody's sine does not matter.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tare::workloads {

struct Examples {
  std::vector<float> inputs;  ///< one after the other
  std::vector<std::int64_t> labels;

  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(labels.size()); }
};

struct Task {
  std::string name;
  std::string about;                ///< where it comes from and how hard it is
  std::vector<std::int64_t> shape;  ///< of one input
  std::int64_t classes = 0;
  Examples train;
  Examples test;  ///< nothing is ever learnt or chosen from these
  std::string hash;
};

/// Handwritten digits, 8×8, ten classes: data/digits.txt, every fourth image held out.
const Task& digits();
/// Eight made-up words as 16 frames of 16 bands, stretched, shifted and in noise: as in keyword spotting.
const Task& keywords();
/// Whether a figure with a head stands in a 16×16 picture full of its parts: as in visual wake words.
const Task& figures();
/// Spectra of a machine, 64 bands. Only sound ones are learnt from; half of those held out have a fault
/// (label 1): as in anomaly detection.
const Task& anomalies();

/// Characters by their place in the alphabet.
struct Text {
  std::string alphabet;
  std::vector<std::int64_t> train;
  std::vector<std::int64_t> test;
  std::string hash;
};
/// Sentences of a small grammar.
const Text& sentences();

/// XXH3 of everything learnt from and held out, 32 hex digits.
std::string hash_of(const Examples& train, const Examples& test);
std::string hash_of(std::string_view bytes);

}  // namespace tare::workloads
