// The models, their variants, and where trained ones are kept. A variant is one entry of a table: how its
// file is made from the trained network, and how the file is run. Whatever is measured or judged was read
// from its file.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "engines/models/decoder.hpp"
#include "engines/models/fit.hpp"

namespace tare::models {

/// A network for a task, with the settings of its variants.
struct Model {
  std::string name;
  const workloads::Task& (*task)();
  std::string structure;
  std::string student;    ///< structure of the distilled variant; empty: none
  double floor = 0;       ///< accuracy that every variant must keep to be measured
  Recipe recipe;          ///< of the network itself
  int further = 5;        ///< epochs of variants that are trained further, with half the rate
  double pruned = 0.9;    ///< share of weights that become zero
  double kept = 0.5;      ///< share of units that stay when narrowed
  std::int64_t rank = 0;  ///< of the low-rank variant; 0: none
  bool copies = false;    ///< an auto-encoder: its answer is held against its input
};
const std::vector<Model>& all_models();
const Model& model_named(std::string_view name);

using Infer = std::function<ad::Tensor(const ad::Tensor&)>;

/// A model as it runs.
struct Deployed {
  Infer infer;                  ///< [n, shape…] to [n, outputs]
  std::int64_t parameters = 0;  ///< numbers that were learnt and are stored
  std::int64_t weight_bytes = 0;
  std::int64_t file_bytes = 0;
  Cost cost;             ///< of one input
  double threshold = 0;  ///< of an auto-encoder: a larger difference is a fault
};

struct Variant {
  std::string name;
  std::string label;
  std::string dtype;  ///< of the arithmetic
  bool (*fits)(const Model&);
  ad::Safetensors (*make)(const Model&, const Network& trained);
  Deployed (*run)(const ad::Safetensors&, const std::vector<std::int64_t>& shape);
};
/// The baseline first.
const std::vector<Variant>& all_variants();
const Variant& variant_named(std::string_view name);

/// Right answers of a model on examples, 64 at a time.
struct Score {
  std::int64_t right = 0, of = 0;
};
Score score_of(const Deployed& deployed, const Model& model, const workloads::Examples& examples);

/// Where trained models are kept: $TARE_MODELS, else tare/models in $XDG_CACHE_HOME or ~/.cache. A file's
/// name holds the hash of the data and of everything its making depends on.
std::filesystem::path model_file(const Model& model, const Variant& variant);
std::filesystem::path decoder_file();
/// From its file, which is made first (seconds) when it is not there.
Deployed deploy(const Model& model, const Variant& variant);
/// A file somebody else made, which is believed nothing.
Deployed deploy_file(const Model& model, const Variant& variant, const std::filesystem::path& file);
Decoder trained_decoder();

}  // namespace tare::models
