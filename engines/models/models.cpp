#include "engines/models/models.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

#include "ad/support/cache_file.hpp"
#include "ad/tensor/ops.hpp"

namespace tare::models {
namespace {

/// Grows when the same settings give other weights than before.
constexpr int generation = 1;

constexpr DecoderShape decoder_shape{};
constexpr int decoder_steps = 600;
constexpr double decoder_rate = 3e-3;
constexpr std::uint64_t decoder_seed = 7;

std::filesystem::path cache_folder() {
  if (const char* own = std::getenv("TARE_MODELS"); own != nullptr && own[0] != '\0') return own;
  if (auto folder = ad::cache_path("models"); !folder.empty()) return folder;
  return std::filesystem::temp_directory_path() / "tare-models";
}

std::filesystem::path cached(const std::string& name, const std::string& all_settings) {
  return cache_folder() /
         fmt::format("{}-{}.safetensors", name, workloads::hash_of(all_settings).substr(0, 16));
}

/// The differences of copies from their inputs, [n].
ad::Tensor differences(const ad::Tensor& answer, const ad::Tensor& x) {
  return ad::mean(ad::square(answer - x), {1});
}

Network trained_network(const Model& model) {
  const auto& task = model.task();
  ad::Generator generator(model.recipe.seed);
  Network network = make_network(parse_structure(model.structure), generator);
  fit(network, batch_of(task, task.train), model.recipe, model.copies ? wrong_copies : wrong_labels);
  return network;
}

/// 95 of 100 sound examples that it learnt from stay below.
double threshold_of(const Deployed& deployed, const Model& model) {
  const ad::NoGrad quiet;
  const auto x = batch_of(model.task(), model.task().train).x;
  auto values = differences(deployed.infer(x), x).to_vector();
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(values.size() * 95 / 100);
  std::ranges::nth_element(values, place);
  return *place;
}

ad::Safetensors made(const Model& model, const Variant& variant) {
  const auto& baseline = all_variants().front();
  const bool base = variant.name == baseline.name;
  const Network network =
      base ? trained_network(model) : network_of(ad::load_safetensors(model_file(model, baseline)));
  auto file = variant.make(model, network);
  if (model.copies)
    file.metadata["threshold"] =
        fmt::format("{}", threshold_of(variant.run(file, model.task().shape), model));
  return file;
}

void make_file(const Model& model, const Variant& variant) {
  const auto path = model_file(model, variant);
  if (std::filesystem::exists(path)) return;
  if (const auto& baseline = all_variants().front(); variant.name != baseline.name)
    make_file(model, baseline);
  std::filesystem::create_directories(path.parent_path());
  const auto file = made(model, variant);
  ad::save_safetensors(path, file.tensors, file.metadata);
}

template <class T>
const T& named(const std::vector<T>& all, std::string_view name, const char* what) {
  const auto found = std::ranges::find(all, name, &T::name);
  if (found == all.end()) throw ad::AdError(fmt::format("there is no {} '{}'", what, name));
  return *found;
}

}  // namespace

const std::vector<Model>& all_models() {
  static const std::vector<Model> models{
      {.name = "mlp",
       .task = workloads::digits,
       .structure = "flatten, linear 64 512, relu, linear 512 256, relu, linear 256 10",
       .student = "flatten, linear 64 48, relu, linear 48 10",
       .floor = 0.95,
       .recipe = {.epochs = 25},
       .rank = 32},
      {.name = "cnn",
       .task = workloads::digits,
       .structure =
           "convolution 1 16, relu, convolution 16 32, relu, pool, convolution 32 32, relu, pool, flatten, "
           "linear 128 10",
       .student = "convolution 1 8, relu, pool, convolution 8 16, relu, pool, flatten, linear 64 10",
       .floor = 0.95,
       .recipe = {.epochs = 20, .rate = 3e-3},
       .pruned = 0.8},
      {.name = "keyword_cnn",
       .task = workloads::keywords,
       .structure = "convolution 1 16, relu, pool, convolution 16 32, relu, pool, flatten, linear 512 64, "
                    "relu, linear 64 8",
       .student = "convolution 1 8, relu, pool, convolution 8 16, relu, pool, flatten, linear 256 8",
       .floor = 0.85,
       .recipe = {.epochs = 10, .rate = 2e-3},
       .rank = 16},
      {.name = "figure_cnn",
       .task = workloads::figures,
       .structure = "convolution 1 16, relu, pool, convolution 16 32, relu, pool, flatten, linear 512 32, "
                    "relu, linear 32 2",
       .student = "convolution 1 8, relu, pool, convolution 8 16, relu, pool, flatten, linear 256 2",
       .floor = 0.8,
       .recipe = {.epochs = 12, .rate = 2e-3},
       .rank = 8},
      {.name = "autoencoder",
       .task = workloads::anomalies,
       .structure = "linear 64 128, relu, linear 128 8, linear 8 128, relu, linear 128 64",
       .student = "",
       .floor = 0.8,
       .recipe = {.epochs = 30, .rate = 3e-3, .decay = 1e-4},
       .pruned = 0.7,
       .copies = true},
  };
  return models;
}

const Model& model_named(std::string_view name) {
  return named(all_models(), name, "model");
}
const Variant& variant_named(std::string_view name) {
  return named(all_variants(), name, "variant");
}

Score score_of(const Deployed& deployed, const Model& model, const workloads::Examples& examples) {
  const ad::NoGrad quiet;
  Score score;
  for (const auto& batch : ad::nn::batches_of(batch_of(model.task(), examples), 64)) {
    const ad::Tensor answer = deployed.infer(batch.x);
    const auto wanted = batch.y.to_vector();
    const auto got = (model.copies ? differences(answer, batch.x) : ad::argmax(answer, 1)).to_vector();
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const double label = model.copies ? (got[i] > deployed.threshold ? 1 : 0) : got[i];
      score.right += label == wanted[i] ? 1 : 0;
    }
    score.of += static_cast<std::int64_t>(wanted.size());
  }
  return score;
}

std::filesystem::path model_file(const Model& model, const Variant& variant) {
  const auto& r = model.recipe;
  return cached(
      fmt::format("{}-{}", model.name, variant.name),
      fmt::format("{} {} {} | {} | {} | {} {} {} {} {} | {} {} {} {} {}", generation, model.task().hash,
                  variant.name, model.structure, model.student, r.epochs, r.rate, r.decay, r.batch, r.seed,
                  model.further, model.pruned, model.kept, model.rank, model.copies));
}

std::filesystem::path decoder_file() {
  const auto& s = decoder_shape;
  return cached("decoder", fmt::format("{} {} {} {} {} {} {} {} {} {}", generation,
                                       workloads::sentences().hash, s.characters, s.context, s.width, s.heads,
                                       s.blocks, decoder_steps, decoder_rate, decoder_seed));
}

Deployed deploy_file(const Model& model, const Variant& variant, const std::filesystem::path& path) {
  const auto file = ad::load_safetensors(path);
  Deployed deployed = variant.run(file, model.task().shape);
  deployed.file_bytes = static_cast<std::int64_t>(std::filesystem::file_size(path));
  for (const auto& [name, tensor] : file.tensors) deployed.weight_bytes += tensor.body()->bytes();
  if (model.copies) deployed.threshold = std::strtod(text_in(file, "threshold").c_str(), nullptr);
  return deployed;
}

Deployed deploy(const Model& model, const Variant& variant) {
  make_file(model, variant);
  return deploy_file(model, variant, model_file(model, variant));
}

Decoder trained_decoder() {
  ad::Generator generator(decoder_seed);
  Decoder decoder(decoder_shape, generator);
  const auto path = decoder_file();
  if (!std::filesystem::exists(path)) {
    fit(decoder, workloads::sentences(), decoder_steps, decoder_rate, decoder_seed);
    std::filesystem::create_directories(path.parent_path());
    ad::nn::save_parameters(path, decoder.parameters());
  }
  ad::nn::load_parameters(path, decoder.parameters());
  return decoder;
}

}  // namespace tare::models
