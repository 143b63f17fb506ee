// Which library computes which product: a table from shapes to plans, in memory and on disk. A shape is
// measured when nothing near it is known; else it borrows the answer of its neighbourhood (sizes that agree
// in their leading three bits) and is measured itself once it has come back often enough to repay that. The
// file is read once and rewritten after each measurement, together with what other processes added meanwhile;
// one that cannot be read, written or understood is as good as none.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ad/tensor/kernels/gemm.hpp"

namespace tare::ad::kernels {

enum class Split : std::uint8_t { whole, rows, columns };

/// Who computes a product, and what the threads share.
struct Plan {
  GemmLibrary library = GemmLibrary::plain;
  Split split = Split::whole;
  friend bool operator==(const Plan&, const Plan&) = default;
};

/// What a plan depends on.
struct ChoiceKey {
  std::int64_t m = 0, n = 0, k = 0;
  std::int32_t threads = 0;  ///< −1: beside others, in a chunk of a parallel loop; 0: no key
  bool a_transposed = false, b_transposed = false, adds = false, f64 = false;
  friend bool operator==(const ChoiceKey&, const ChoiceKey&) = default;
};
std::size_t hash_of(const ChoiceKey& key);

/// Calls that a borrowed plan serves before the shape is measured itself.
inline constexpr int borrowed_calls = 16;

struct Chosen {
  Plan plan;
  int calls_left = -1;  ///< of a borrowed plan; −1: measured, for good
};

/// The plan for a key. `measure` is called without a lock of the table when the shape is not known or
/// `again` says that its borrowed plan has served; while another thread measures, the answer is `fixed`.
Chosen choose(const ChoiceKey& key, bool again, Plan fixed, const std::function<Plan()>& measure);

/// What is known of a shape or its neighbourhood.
std::optional<Plan> known_choice(const ChoiceKey& key);

/// Where the table is kept: $XDG_CACHE_HOME or ~/.cache, tare/gemm-<cpu>-<libraries>.txt; empty when there is
/// neither.
std::string choice_file();
/// Lines of a file as far as they are understood; wrong ones are left out.
std::vector<std::pair<ChoiceKey, Plan>> parse_choices(const std::string& text);
std::string text_of_choices(const std::vector<std::pair<ChoiceKey, Plan>>& choices);
/// Forgets what is in memory; the file is read again at the next use. For tests.
void forget_choices();
/// Grows when choices are forgotten: what was kept elsewhere is stale then.
extern std::atomic<std::uint32_t> choices_generation;

}  // namespace tare::ad::kernels
