// The models suite: every variant of every model on held-out data, one benchmark each, named
// "mlp/variant=int8/batch=1"; the decoder writes 128 characters.
//   tare run build/release/bin/models --filter '^mlp/'
//   tare pareto last --filter '^mlp/.*batch=1$' --of variant --base fp32
//   tare compare build/release/bin/models --vary variant=fp32,int8 --allow precision
// Trained models are kept (engines/models/models.hpp); without them the first process trains its own, in
// seconds. Accuracy is always that of the file that was measured, on data it never learnt from; a variant
// below its model's floor fails its check and gets no time. $TARE_MODEL_FILE stands in for the file of every
// variant but the baseline, to measure what somebody else made.
#include "engines/models/models.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fmt/format.h>

#include "ad/support/threads.hpp"
#include "ad/tensor/memory.hpp"
#include "ad/tensor/ops.hpp"
#include "bench/bench.hpp"
#include "bench/measure/meters/allocation.hpp"

namespace {

using namespace tare::models;
using tare::workloads::Task;

constexpr std::int64_t prompt_length = 16, written_length = 128;

/// Quantiles of single calls: a sample of many calls has lost them. Absent when 60 ms hold
/// fewer calls than its p99 needs.
template <class Body>
void add_latencies(tare::Context& c, const Body& body) {
  using Clock = std::chrono::steady_clock;
  constexpr std::size_t least = 200, most = 2000;
  std::vector<double> calls;
  const auto begin = Clock::now();
  // A quantile of a few calls is none; a model that answers slowly gets a second for them.
  const auto goes_on = [&](Clock::time_point now) {
    const auto spent = now - begin;
    return calls.size() < most && (spent < std::chrono::milliseconds(60) ||
                                   (calls.size() < least && spent < std::chrono::seconds(1)));
  };
  for (auto before = begin; goes_on(before);) {
    body();
    const auto after = Clock::now();
    calls.push_back(std::chrono::duration<double, std::nano>(after - before).count());
    before = after;
  }
  if (calls.size() < least) return;
  std::ranges::sort(calls);
  for (const int percent : {50, 90, 99}) {
    const auto place = calls.size() * static_cast<std::size_t>(percent) / 100;
    c.counter(
        {fmt::format("latency_p{}", percent), calls[place], "ns", tare::Better::less, tare::Nature::noisy});
  }
}

/// The most bytes alive at once while a model is loaded and answers, weights included: of tensors and, where
/// it can be seen, of the heap. At most: the two need not be at their largest together.
template <class Use>
void add_peak(tare::Context& c, const Use& load_and_answer) {
  const auto before = tare::ad::memory_stats().live_bytes;
  tare::ad::reset_peak_memory();
  const bool sees_heap = tare::AllocationMeter::available();
  if (sees_heap) tare::AllocationMeter::start();
  load_and_answer();
  auto peak = tare::ad::memory_stats().peak_bytes - before;
  if (sees_heap) peak += tare::AllocationMeter::stop().peak_live_bytes.value_or(0);
  c.counter({"peak_live", static_cast<double>(peak), "B", tare::Better::less, tare::Nature::noisy});
}

void describe(tare::Context& c, const Task& task, std::int64_t batch, const Variant& variant) {
  auto& workload = c.workload();
  workload.shape = {batch};
  workload.shape.insert(workload.shape.end(), task.shape.begin(), task.shape.end());
  workload.dtype = "f32";
  workload.precision = variant.dtype == "f32" ? "" : variant.dtype;
  workload.batch = batch;
  workload.data_hash = task.hash;
  c.items(static_cast<double>(batch));
}

Deployed deploy_here(const Model& model, const Variant& variant) {
  const char* given = std::getenv("TARE_MODEL_FILE");
  if (given == nullptr || given[0] == '\0' || variant.name == all_variants().front().name)
    return deploy(model, variant);
  return deploy_file(model, variant, given);
}

void measure(tare::Context& c, const Model& model, const Variant& variant) {
  tare::ad::set_thread_count(1);
  const tare::ad::NoGrad quiet;
  const auto batch = c.param("batch");
  const auto& task = model.task();
  describe(c, task, batch, variant);
  const auto deployed = deploy_here(model, variant);
  const auto x = tare::ad::contiguous(tare::ad::slice(batch_of(task, task.test).x, 0, 0, batch));
  const auto infer = [&] { tare::keep(deployed.infer(x)); };
  add_peak(c, [&] { tare::keep(deploy_here(model, variant).infer(x)); });

  const auto score = score_of(deployed, model, task.test);
  c.share("accuracy", static_cast<std::uint64_t>(score.right), static_cast<std::uint64_t>(score.of));
  c.counter({"parameters", static_cast<double>(deployed.parameters)});
  c.counter({"model_bytes", static_cast<double>(deployed.file_bytes), "B"});
  const auto count = static_cast<double>(batch);
  c.flops(deployed.cost.flops * count);
  c.bytes(deployed.cost.activation_bytes * count + static_cast<double>(deployed.weight_bytes));
  c.check([&]() -> tare::CheckResult {
    const auto again = score_of(deployed, model, task.test);
    const double accuracy = static_cast<double>(again.right) / static_cast<double>(again.of);
    return {accuracy >= model.floor,
            fmt::format("accuracy {:.4f} is below the floor of {}", accuracy, model.floor),
            {}};
  });
  add_latencies(c, infer);
  c.measure(infer);
}

/// The characters of the held-out text from a place on, [batch, prompt_length].
tare::ad::Tensor prompts(std::uint64_t place, std::int64_t batch) {
  const auto& text = tare::workloads::sentences().test;
  const auto size = static_cast<std::size_t>(batch * prompt_length);
  return tare::ad::Tensor::of(std::span(text).subspan(place % (text.size() - size), size),
                              {batch, prompt_length});
}

void measure_writing(tare::Context& c, bool cached) {
  tare::ad::set_thread_count(1);
  const tare::ad::NoGrad quiet;
  const auto batch = c.param("batch");
  const auto& text = tare::workloads::sentences();
  auto decoder = trained_decoder();
  const auto prompt = prompts(0, batch);
  const auto write_all = [&] { tare::keep(write(decoder, prompt, written_length, cached)); };
  add_peak(c, [&] {
    auto loaded = trained_decoder();
    tare::keep(write(loaded, prompt, written_length, cached));
  });

  c.workload().shape = {batch, prompt_length, written_length};
  c.workload().dtype = "f32";
  c.workload().batch = batch;
  c.workload().data_hash = text.hash;
  c.share("accuracy", static_cast<std::uint64_t>(guessed(decoder, text.test, cached)), text.test.size() - 1);
  c.counter({"parameters", static_cast<double>(tare::ad::nn::learnt_count(decoder.parameters()))});
  c.counter({"model_bytes", static_cast<double>(std::filesystem::file_size(decoder_file())), "B"});
  c.items(static_cast<double>(batch * written_length));
  c.flops(flops_of_writing(decoder.shape(), batch, prompt_length, written_length, cached));
  c.check([&](std::uint64_t seed) -> tare::CheckResult {
    const auto other = prompts(seed, 1);
    return {write(decoder, other, 32, true).to_vector() == write(decoder, other, 32, false).to_vector(),
            "the text written with a cache differs from the text written without",
            {}};
  });
  add_latencies(c, write_all);
  c.measure(write_all);
}

[[maybe_unused]] const bool registered = [] {
  for (const auto& model : all_models()) {
    for (const auto& variant : all_variants()) {
      if (!variant.fits(model)) continue;
      tare::registry()
          .add(
              model.name, [&](tare::Context& c) { measure(c, model, variant); }, tare::build_of_this_file())
          .param("variant", {variant.name})
          .param("batch", {"1", "64"})
          .label(variant.label);
    }
  }
  for (const bool cached : {false, true}) {
    tare::registry()
        .add(
            "decoder", [cached](tare::Context& c) { measure_writing(c, cached); }, tare::build_of_this_file())
        .param("variant", {cached ? "kv_cache" : "fp32"})
        .param("batch", cached ? tare::ParameterValues{"1", "8"} : tare::ParameterValues{"1"})
        .label(cached ? "keys and values of earlier characters kept"
                      : "everything before computed again for each character");
  }
  return true;
}();

}  // namespace
