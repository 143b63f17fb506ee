// train_models: makes every model and variant that is not there yet, and says what each became.
//   build/release/bin/train_models
// train_models MODEL VARIANT: the file of one of them, made if it is not there.
#include <chrono>
#include <cstdio>
#include <exception>
#include <fmt/format.h>

#include "engines/models/models.hpp"

int main(int argc, char** argv) {
  using namespace tare::models;
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const auto print = [](const std::string& line) { std::fputs(line.c_str(), stdout), std::fflush(stdout); };
  try {
    if (argc == 3) {
      const auto& model = model_named(argv[1]);
      const auto& variant = variant_named(argv[2]);
      (void)deploy(model, variant);
      print(model_file(model, variant).string() + "\n");
      return 0;
    }
    for (const auto& model : all_models()) {
      for (const auto& variant : all_variants()) {
        if (!variant.fits(model)) continue;
        const double begun = seconds();
        const auto deployed = deploy(model, variant);
        const auto score = score_of(deployed, model, model.task().test);
        print(fmt::format("{:12} {:10} {:7} parameters {:8} bytes   {:4} of {:4} right   {:5.1f} s\n",
                          model.name, variant.name, deployed.parameters, deployed.file_bytes, score.right,
                          score.of, seconds() - begun));
      }
    }
    const double begun = seconds();
    auto decoder = trained_decoder();
    const auto& text = tare::workloads::sentences().test;
    print(fmt::format("{:12} {:10} {:7} parameters {:8} bytes   {:4} of {:4} right   {:5.1f} s\n", "decoder",
                      "fp32", tare::ad::nn::learnt_count(decoder.parameters()),
                      std::filesystem::file_size(decoder_file()), guessed(decoder, text, false),
                      text.size() - 1, seconds() - begun));
    print(fmt::format("All in {:.1f} s, kept in {}\n", seconds(), decoder_file().parent_path().string()));
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "train_models: %s\n", problem.what());
    return 2;
  }
}
