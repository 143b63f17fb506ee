// The table of variants. Adding one is adding an entry: how its file is made, and how the file is run.
#include <cmath>

#include "ad/compile.hpp"
#include "engines/models/models.hpp"
#include "engines/models/quantised.hpp"
#include "engines/models/shrink.hpp"
#include "engines/models/sparse.hpp"

namespace tare::models {
namespace {

bool always(const Model&) {
  return true;
}

void fit_further(const Model& model, const Network& network, const std::function<void()>& after_step = {}) {
  auto recipe = model.recipe;
  recipe.epochs = model.further;
  recipe.rate /= 2;
  fit(network, batch_of(model.task(), model.task().train), recipe, model.copies ? wrong_copies : wrong_labels,
      after_step);
}

ad::Safetensors make_plain(const Model&, const Network& trained) {
  return file_of(trained);
}

ad::Safetensors make_int8(const Model& model, const Network& trained) {
  const auto& task = model.task();
  return quantise(trained, task.shape, batch_of(task, task.train).x);
}

ad::Safetensors make_pruned(const Model& model, const Network& trained) {
  Network network = copy_of(trained);
  // Little by little: what is left after one cut decides the next.
  constexpr int cuts = 3;
  for (int cut = 1; cut <= cuts; ++cut) {
    const auto masks =
        magnitude_masks(network, 1 - std::pow(1 - model.pruned, static_cast<double>(cut) / cuts));
    apply_masks(network, masks);
    fit_further(model, network, [&] { apply_masks(network, masks); });
  }
  return sparse_file_of(network, model.task().shape);
}

ad::Safetensors make_narrow(const Model& model, const Network& trained) {
  const Network network = narrowed(trained, model.kept);
  fit_further(model, network);
  return file_of(network);
}

ad::Safetensors make_low_rank(const Model& model, const Network& trained) {
  const Network network = low_rank(trained, model.rank);
  fit_further(model, network);
  return file_of(network);
}

ad::Safetensors make_distilled(const Model& model, const Network& trained) {
  ad::Generator generator(model.recipe.seed + 1);
  const Network student = make_network(parse_structure(model.student), generator);
  auto recipe = model.recipe;
  recipe.epochs *= 2;
  recipe.rate = 3e-3;
  fit(student, batch_of(model.task(), model.task().train), recipe, unlike_teacher(trained));
  return file_of(student);
}

Deployed run_eager(const ad::Safetensors& file, const std::vector<std::int64_t>& shape) {
  const Network network = network_of(file);
  Deployed deployed;
  deployed.infer = network;
  for (const auto& [name, tensor] : network.parameters()) deployed.parameters += tensor.count();
  deployed.cost = cost_of(steps_of(network.structure(), shape), sizeof(float));
  return deployed;
}

Deployed run_graph(const ad::Safetensors& file, const std::vector<std::int64_t>& shape) {
  Deployed deployed = run_eager(file, shape);
  deployed.infer = ad::compile([network = network_of(file)](const ad::Tensor& x) { return network(x); });
  return deployed;
}

Deployed run_int8(const ad::Safetensors& file, const std::vector<std::int64_t>& shape) {
  Deployed deployed;
  deployed.infer = QuantisedNetwork(file, shape);
  const auto steps = steps_of(parse_structure(text_in(file, "structure")), shape);
  for (const auto& step : steps) deployed.parameters += (step.k + 1) * step.n;
  deployed.cost = cost_of(steps, 1);
  return deployed;
}

Deployed run_sparse(const ad::Safetensors& file, const std::vector<std::int64_t>& shape) {
  const SparseNetwork network(file, shape);
  Deployed deployed;
  deployed.parameters = network.weights();
  deployed.cost = cost_of(steps_of(parse_structure(text_in(file, "structure")), shape), sizeof(float));
  deployed.cost.flops = network.flops();
  deployed.infer = network;
  return deployed;
}

}  // namespace

const std::vector<Variant>& all_variants() {
  static const std::vector<Variant> variants{
      {"fp32", "as trained, op by op", "f32", always, make_plain, run_eager},
      {"graph", "as trained, compiled as one graph", "f32", always, make_plain, run_graph},
      {"int8", "8-bit weights and arithmetic, calibrated, not retrained", "i8", always, make_int8, run_int8},
      {"pruned", "most weights zero, not stored and not multiplied", "f32", always, make_pruned, run_sparse},
      {"narrow", "the least important units and channels taken out", "f32", always, make_narrow, run_eager},
      {"low_rank", "linear layers as products of thinner ones", "f32",
       [](const Model& m) { return m.rank > 0; }, make_low_rank, run_eager},
      {"distilled", "a small network that learnt from the large one", "f32",
       [](const Model& m) { return !m.student.empty(); }, make_distilled, run_eager},
  };
  return variants;
}

}  // namespace tare::models
