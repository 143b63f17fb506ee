// Splits a kernel among threads and adds up what its parts folded.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <fmt/format.h>

#include "ad/graph/kernel.hpp"
#include "ad/support/error.hpp"
#include "ad/support/threads.hpp"
#include "ad/tensor/body.hpp"
#include "ad/tensor/kernels/kernels.hpp"

namespace tare::ad::graph {
namespace {

constexpr std::int64_t part_numbers = 32768;  ///< below that another thread is not worth its waking
constexpr std::int64_t most_folded_parts = 16;

/// Memory of this thread that grows and stays.
std::byte* scratch_of_thread(std::size_t bytes) {
  thread_local std::vector<std::byte> memory;
  if (memory.size() < bytes + 64) memory.resize(bytes + 64);
  const auto at = reinterpret_cast<std::uintptr_t>(memory.data());
  return memory.data() + (64 - at % 64) % 64;
}

std::int64_t scratch_row(const Kernel& kernel) {
  return (kernel.columns + 15) / 16 * 16;
}

template <class T>
void combine(const RunnableKernel& k, std::byte* const* operands, const std::byte* partials,
             std::int64_t parts) {
  const auto& loops = kernels::best().of<T>();
  const auto* numbers = reinterpret_cast<const T*>(partials);
  for (std::size_t f = 0; f < k.plan.final_folds.size(); ++f) {
    const auto at = k.plan.final_folds[f];
    const auto& node = k.kernel.nodes[static_cast<std::size_t>(at)];
    const auto count = node.access == Access::column ? k.kernel.columns : 1;
    const auto add = node.op == Op::amax   ? loops.max_row
                     : node.op == Op::amin ? loops.min_row
                                           : loops.add_row;
    for (std::size_t o = 0; o < k.kernel.outputs.size(); ++o) {
      if (k.kernel.outputs[o] != at) continue;
      auto* to = reinterpret_cast<T*>(operands[static_cast<std::size_t>(k.kernel.reads) + o]);
      const T* from = numbers + k.plan.partial_offsets[f];
      std::copy_n(from, count, to);
      for (std::int64_t p = 1; p < parts; ++p) add(to, from + p * k.plan.partials, count);
      if (node.first == 1) continue;
      const T scale = static_cast<T>(node.first);
      for (std::int64_t i = 0; i < count; ++i) to[i] *= scale;
    }
  }
}

[[noreturn]] void throw_index(const RunnableKernel& k, std::byte* const* operands) {
  for (const auto& node : k.kernel.nodes) {
    if (node.kind != KernelNode::Kind::load || node.dtype != DType::i64) continue;
    const auto* index =
        reinterpret_cast<const std::int64_t*>(operands[static_cast<std::size_t>(node.operand)]);
    for (std::int64_t r = 0; r < k.kernel.rows; ++r)
      if (index[r] < 0 || index[r] >= k.kernel.columns)
        throw AdError(
            fmt::format("gather: index {} of row {} is not below {}", index[r], r, k.kernel.columns));
  }
  throw AdError("gather: an index is out of range");
}

bool aligned(const RunnableKernel& k, std::byte* const* operands) {
  for (auto at = static_cast<std::size_t>(k.kernel.reads); at < k.kernel.operands.size(); ++at)
    if (reinterpret_cast<std::uintptr_t>(operands[at]) % k.code.alignment != 0) return false;
  return true;
}

}  // namespace

KernelParts parts_of(const Kernel& kernel, const KernelPlan& plan) {
  if (kernel.rows == 1) {
    const bool folds_row = plan.passes.size() > 1 || !plan.after.empty() ||
                           std::ranges::any_of(plan.passes[0].folds, [&](std::int32_t at) {
                             return !is_final(kernel.nodes[static_cast<std::size_t>(at)]);
                           });
    if (folds_row) return {1, 1, false};
    auto grain = part_numbers;
    if (plan.partials > 0) grain = std::max(grain, (kernel.columns / most_folded_parts + 1023) / 1024 * 1024);
    return {kernel.columns, grain, true};
  }
  auto grain = std::max<std::int64_t>(1, part_numbers / kernel.columns);
  if (plan.partials > 0) grain = std::max(grain, (kernel.rows + most_folded_parts - 1) / most_folded_parts);
  return {kernel.rows, grain, false};
}

KernelRun::KernelRun(const RunnableKernel& kernel)
    : kernel_(kernel), parts_(parts_of(kernel.kernel, kernel.plan)) {
  const auto width = static_cast<std::int64_t>(size_of(kernel.kernel.dtype));
  if (kernel.plan.partials > 0)
    folded_ = Tensor::empty({kernel.plan.partials * parts_.count() * width}, DType::u8);
}

void KernelRun::run(std::byte* const* operands, std::int64_t from, std::int64_t to) {
  const auto& k = kernel_;
  const auto width = static_cast<std::int64_t>(size_of(k.kernel.dtype));
  std::byte* partials = folded_.defined() ? folded_.body()->data : nullptr;
  const auto scratch = static_cast<std::size_t>(scratch_row(k.kernel) * width) * k.plan.scratch.size();
  const bool compiled = k.code.function != nullptr && aligned(k, operands);
  std::atomic<std::int64_t> outside{0};
  parallel_for(to - from, parts_.grain, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t bad = 0;
    KernelCall call{operands, 0, k.kernel.rows, 0, k.kernel.columns, nullptr, nullptr, &bad, k.code.library};
    (parts_.by_column ? call.column_begin : call.row_begin) = from + begin;
    (parts_.by_column ? call.column_end : call.row_end) = from + end;
    if (scratch != 0) call.scratch = scratch_of_thread(scratch);
    if (partials != nullptr)
      call.partials = partials + (from + begin) / parts_.grain * k.plan.partials * width;
    if (compiled) {
      k.code.function(&call);
    } else {
      interpret(k.kernel, k.plan, call);
    }
    if (bad != 0) outside.store(1, std::memory_order_relaxed);
  });
  if (outside.load() != 0) throw_index(k, operands);
}

void KernelRun::finish(std::byte* const* operands) {
  if (!folded_.defined()) return;
  if (kernel_.kernel.dtype == DType::f32) {
    combine<float>(kernel_, operands, folded_.body()->data, parts_.count());
  } else {
    combine<double>(kernel_, operands, folded_.body()->data, parts_.count());
  }
}

}  // namespace tare::ad::graph
