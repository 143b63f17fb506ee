// A submission to a contest: what was measured, raw samples included, the model's file, and a signature over
// both.
//
// The file, all lengths in bytes as decimal digits without leading zeros:
//   tare submission 1\n
//   DOCUMENT MODEL\n            the lengths of the two parts
//   …                          the document, JSON
//   …                          the model's file as it is
//   32 + 64 bytes              the signer's public key; the signature of everything before it
// There are no names of files in it, so that reading it writes nowhere; the document's `model_name` is only
// shown, and refused when it is more than a plain name. Lengths are checked against limits before anything is
// read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/model/run.hpp"
#include "bench/submission/signature.hpp"

namespace tare {

inline constexpr std::size_t longest_document = std::size_t{64} << 20U;
inline constexpr std::size_t longest_model = std::size_t{128} << 20U;

/// What its author states; everything here must follow from the raw samples.
struct Figures {
  double baseline_ns = 0, optimised_ns = 0;
  double baseline_accuracy = 0, optimised_accuracy = 0;
  double baseline_bytes = 0, optimised_bytes = 0;
  std::vector<NormalisedMetric> normalised;  ///< speed-up, compression, accuracy delta, efficiency, …

  bool operator==(const Figures&) const = default;
};

struct Submission {
  std::string event;     ///< "latency_sprint", …
  std::string division;  ///< "closed" or "open"
  std::string athlete;
  std::string repository;  ///< may be empty, with a warning
  std::vector<std::string> techniques;
  Run run;  ///< with two results: the baseline, then the optimised
  Figures figures;
  std::string model_name;
  std::string model_hash;
  std::vector<std::byte> model;
  std::string signer;  ///< public key; filled by unpack()

  [[nodiscard]] const BenchmarkResult& baseline() const { return run.results.at(0); }
  [[nodiscard]] const BenchmarkResult& optimised() const { return run.results.at(1); }
};

/// From summarised results, which must have a time, an accuracy and model_bytes.
Result<Figures> figures_of(const BenchmarkResult& baseline, const BenchmarkResult& optimised);

std::vector<std::byte> pack(const Submission& submission, const SigningKey& key);

/// Why a file is no submission, and which check found it: "size", "format", "signature" or "schema".
struct Refusal {
  std::string check;
  std::string message;
};
Result<Submission, Refusal> unpack(std::span<const std::byte> bytes);
/// The same from a file, whose size is looked at first.
Result<Submission, Refusal> read_submission(const std::string& path);

}  // namespace tare
