#include "ad/graph/memory_plan.hpp"

#include <algorithm>
#include <numeric>

namespace tare::ad::graph {
namespace {

constexpr std::int64_t alignment = 64;

struct Placed {
  std::int64_t offset, bytes;
};

/// The lowest gap that holds `bytes` between the blocks in use.
std::int64_t lowest_gap(std::vector<Placed>& busy, std::int64_t bytes) {
  std::ranges::sort(busy, {}, &Placed::offset);
  std::int64_t at = 0;
  for (const auto& block : busy) {
    if (block.offset - at >= bytes) break;
    at = std::max(at, block.offset + block.bytes);
  }
  return at;
}

}  // namespace

MemoryPlan plan_memory(std::span<const Lifetime> lifetimes, bool reuse) {
  MemoryPlan plan;
  plan.offsets.assign(lifetimes.size(), 0);
  const auto rounded = [&](std::size_t i) {
    return (lifetimes[i].bytes + alignment - 1) / alignment * alignment;
  };
  if (!reuse) {
    for (std::size_t i = 0; i < lifetimes.size(); ++i) {
      plan.offsets[i] = plan.bytes;
      plan.bytes += rounded(i);
    }
    return plan;
  }
  // Large values first: small ones fit into what is left between them.
  std::vector<std::size_t> order(lifetimes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return lifetimes[a].bytes != lifetimes[b].bytes ? lifetimes[a].bytes > lifetimes[b].bytes : a < b;
  });
  std::vector<char> placed(lifetimes.size(), 0);
  const auto replaces = [&](std::size_t a, std::size_t b) {
    const auto &x = lifetimes[a], &y = lifetimes[b];
    return x.may_replace == static_cast<std::int32_t>(b) && y.last == x.first && rounded(a) == rounded(b);
  };
  const auto overlap = [&](std::size_t a, std::size_t b) {
    return lifetimes[a].first <= lifetimes[b].last && lifetimes[b].first <= lifetimes[a].last;
  };
  std::vector<Placed> busy;
  for (const auto i : order) {
    // In another's place exactly, or beside it: half over it, elements would be lost before they are read.
    std::vector<std::int64_t> shared;
    busy.clear();
    for (std::size_t other = 0; other < lifetimes.size(); ++other) {
      if (placed[other] == 0 || !overlap(i, other)) continue;
      busy.push_back({plan.offsets[other], rounded(other)});
      if (replaces(i, other) || replaces(other, i)) shared.push_back(plan.offsets[other]);
    }
    const auto free_but_for_it = [&](std::int64_t offset) {
      return std::ranges::count_if(busy, [&](const Placed& block) {
               return offset < block.offset + block.bytes && block.offset < offset + rounded(i);
             }) == 1;
    };
    const auto taken = std::ranges::find_if(shared, free_but_for_it);
    plan.offsets[i] = taken != shared.end() ? *taken : lowest_gap(busy, rounded(i));
    placed[i] = 1;
    plan.bytes = std::max(plan.bytes, plan.offsets[i] + rounded(i));
  }
  return plan;
}

}  // namespace tare::ad::graph
