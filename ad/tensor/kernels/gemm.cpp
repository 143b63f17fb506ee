#include "ad/tensor/kernels/gemm.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <limits>
#include <memory>
#include <optional>

#include "ad/support/error.hpp"
#include "ad/support/threads.hpp"
#include "ad/tensor/kernels/gemm_choice.hpp"
#include "ad/tensor/kernels/gemm_library.hpp"
#include "ad/tensor/mode.hpp"
#include "ad/tensor/tensor.hpp"

namespace tare::ad::kernels {
namespace {

// Up to this many multiplications nothing is measured: the call is the cost, and OpenBLAS's is the shortest.
constexpr double tiny = 512;
// Below this many another thread is not worth its waking.
constexpr double worth_splitting = 65536;
// Blocks of deterministic mode: the same for any number of threads.
constexpr std::int64_t fixed_block = 256;

double work_of(const GemmShape& s) {
  return static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
}

/// A part for each thread, in whole tiles of the libraries' inner kernels.
std::int64_t share(std::int64_t count, std::int64_t threads, std::int64_t tile) {
  return ((count + threads - 1) / threads + tile - 1) / tile * tile;
}

template <class T>
void run_split(GemmLibrary library, Split split, const Product<T>& p, std::int64_t block) {
  if (split == Split::whole) return run(library, p);
  const bool rows = split == Split::rows;
  parallel_for(rows ? p.shape.m : p.shape.n, block, [&](std::int64_t begin, std::int64_t end) {
    run(library, rows ? p.rows(begin, end) : p.columns(begin, end));
  });
}

template <class T>
void run_plan(Plan plan, const Product<T>& p, int threads) {
  const bool rows = plan.split == Split::rows;
  run_split(plan.library, plan.split, p, share(rows ? p.shape.m : p.shape.n, threads, rows ? 8 : 16));
}

Split larger_side(const GemmShape& s) {
  if (work_of(s) < worth_splitting) return Split::whole;
  return s.m >= s.n ? Split::rows : Split::columns;
}

/// Without measuring. oneDNN and BLIS know more CPUs than OpenBLAS of the same age does.
GemmLibrary fixed_library(const GemmShape& s, bool f64, bool beside_others) {
  if (computes(GemmLibrary::own, s, f64)) return GemmLibrary::own;
  if (work_of(s) <= tiny && computes(GemmLibrary::openblas, s, f64) &&
      (!beside_others || serves_many(GemmLibrary::openblas)))
    return GemmLibrary::openblas;
  for (const auto library : {GemmLibrary::onednn, GemmLibrary::blis, GemmLibrary::openblas})
    if (computes(library, s, f64)) return library;
  return GemmLibrary::plain;
}

/// Threads as the table of choices counts them.
int threads_of_key() {
  const int here = threads_here();
  return here == 1 && thread_count() > 1 ? -1 : here;
}

struct Candidate {
  Plan plan;
  double seconds = std::numeric_limits<double>::infinity();
};

/// Rounds in which every candidate has its turn, until the answer has been paid for; the least time wins. One
/// that is far behind is not asked again.
template <class T>
Plan measure(Product<T> p, int threads, bool beside_others) {
  const bool f64 = sizeof(T) == 8;
  std::vector<Candidate> candidates;
  const bool splits = threads > 1 && work_of(p.shape) >= worth_splitting;
  for (const auto library : gemm_libraries()) {
    if (library == GemmLibrary::plain || !computes(library, p.shape, f64)) continue;
    if (beside_others && !serves_many(library)) continue;
    candidates.push_back({{library, Split::whole}});
    if (!serves_many(library)) continue;
    if (splits && p.shape.m > 8) candidates.push_back({{library, Split::rows}});
    if (splits && p.shape.n > 16) candidates.push_back({{library, Split::columns}});
  }
  if (candidates.empty()) return {GemmLibrary::plain, splits ? larger_side(p.shape) : Split::whole};
  if (candidates.size() == 1) return candidates.front().plan;
  std::unique_ptr<T[]> scratch;
  if (p.beta != T(0)) {
    scratch.reset(new (std::nothrow) T[static_cast<std::size_t>(p.shape.m * p.shape.n)]());
    if (!scratch)
      return {fixed_library(p.shape, f64, beside_others), splits ? larger_side(p.shape) : Split::whole};
    p.c = scratch.get();
    p.ldc = p.shape.n;
  }
  // One thread's own time does not count what else the machine does; of several, only the wall clock knows.
  const auto now = [clock = threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC] {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  constexpr double enough = 6e-3, sample = 5e-5, slow = 3e-2, long_call = 1e-3;
  constexpr int most_rounds = 40;
  double best = std::numeric_limits<double>::infinity(), spent = 0;
  for (int round = 0; round < most_rounds; ++round) {
    for (auto& candidate : candidates) {
      // A short call may be disturbed several times in a row; a long one tells at once.
      if (round > (best > long_call ? 1 : 5) && candidate.seconds > 1.4 * best) continue;
      const int calls = round == 0 ? 1 : static_cast<int>(std::clamp(sample / best, 1.0, 200.0));
      const double start = now();
      for (int i = 0; i < calls; ++i) run_plan(candidate.plan, p, threads);
      const double taken = now() - start;
      // The first call of a library also sets it up.
      if (round > 0) spent += taken;
      candidate.seconds = round == 1 ? taken / calls : std::min(candidate.seconds, taken / calls);
    }
    best = std::numeric_limits<double>::infinity();
    for (const auto& candidate : candidates) best = std::min(best, candidate.seconds);
    if (best > slow || (round >= 2 && spent > enough * static_cast<double>(candidates.size()))) break;
  }
  return std::min_element(candidates.begin(), candidates.end(),
                          [](const auto& a, const auto& b) { return a.seconds < b.seconds; })
      ->plan;
}

/// What TARE_GEMM asks for.
std::optional<GemmLibrary> forced() {
  static const std::optional<GemmLibrary> asked = []() -> std::optional<GemmLibrary> {
    const char* name = std::getenv("TARE_GEMM");
    if (name == nullptr || *name == '\0') return std::nullopt;
    std::string known;
    for (const auto library : gemm_libraries()) {
      if (std::strcmp(name, name_of(library)) == 0) return library;
      known += std::string(known.empty() ? "" : ", ") + name_of(library);
    }
    throw AdError(std::string("matmul: TARE_GEMM=") + name + " is not one of those that work here: " + known);
  }();
  return asked;
}

/// The plans this thread used last.
struct Recent {
  ChoiceKey key;
  Chosen chosen;
  std::uint32_t generation = 0;
};
constinit thread_local std::array<Recent, 128> recent{};

/// A matrix with one row or column beside it is read once, whoever computes: nothing to choose. Measured
/// again and again it would lie in a cache where it does not lie in use.
Plan plan_of_vector(const GemmShape& s, int threads) {
  // Waking a thread takes as long as reading some hundred kilobytes.
  const bool splits = threads > 1 && work_of(s) >= 16 * worth_splitting;
  return {GemmLibrary::own, !splits ? Split::whole : s.m == 1 ? Split::columns : Split::rows};
}

template <class T>
Plan plan_of(const Product<T>& p, int threads) {
  if (computes(GemmLibrary::own, p.shape, sizeof(T) == 8)) return plan_of_vector(p.shape, threads);
  const ChoiceKey key{
      p.shape.m,      p.shape.n,     p.shape.k, threads_of_key(), p.shape.a_transposed, p.shape.b_transposed,
      p.beta != T(0), sizeof(T) == 8};
  const bool beside_others = key.threads < 0;
  auto& slot = recent[hash_of(key) % recent.size()];
  bool again = false;
  const auto generation = choices_generation.load(std::memory_order_relaxed);
  if (slot.key == key && slot.generation == generation) [[likely]] {
    if (slot.chosen.calls_left < 0) return slot.chosen.plan;
    --slot.chosen.calls_left;
    if (slot.chosen.calls_left > 0) return slot.chosen.plan;
    again = true;
  }
  const Plan fixed{fixed_library(p.shape, key.f64, beside_others),
                   threads > 1 ? larger_side(p.shape) : Split::whole};
  const Chosen chosen = choose(key, again, fixed, [&] { return measure(p, threads, beside_others); });
  slot = {key, chosen, generation};
  return chosen.plan;
}

/// Nothing to multiply: what is left of the task.
template <class T>
bool is_done(const Product<T>& p) {
  if (p.shape.m <= 0 || p.shape.n <= 0) return true;
  if (p.shape.k > 0) return false;
  if (p.beta == T(0))
    for (std::int64_t i = 0; i < p.shape.m; ++i) std::fill_n(p.c + i * p.ldc, p.shape.n, T(0));
  return true;
}

template <class T>
void multiply(const Product<T>& p) {
  if (is_done(p)) return;
  const bool f64 = sizeof(T) == 8;
  const auto library = forced();
  // Whether a call stands beside others depends on the threads, so the fixed plan takes it for granted.
  if (detail::mode.deterministic)
    return run_split(library.value_or(fixed_library(p.shape, f64, true)), larger_side(p.shape), p,
                     fixed_block);
  const int threads = threads_here();
  if (library) return run_plan({*library, threads > 1 ? larger_side(p.shape) : Split::whole}, p, threads);
  if (work_of(p.shape) <= tiny) return run(fixed_library(p.shape, f64, threads_of_key() < 0), p);
  run_plan(plan_of(p, threads), p, threads);
}

template <class T>
void multiply_by(GemmLibrary library, const Product<T>& p) {
  const auto all = gemm_libraries();
  if (std::find(all.begin(), all.end(), library) == all.end())
    throw AdError(std::string("gemm: ") + name_of(library) + " is not installed");
  if (is_done(p)) return;
  const int threads = threads_here();
  run_plan({library, threads > 1 ? larger_side(p.shape) : Split::whole}, p, threads);
}

}  // namespace

void gemm(const GemmShape& shape, const float* a, std::int64_t lda, const float* b, std::int64_t ldb,
          float* c, std::int64_t ldc, float beta, float alpha) {
  multiply(Product<float>{shape, a, lda, b, ldb, c, ldc, beta, alpha});
}
void gemm(const GemmShape& shape, const double* a, std::int64_t lda, const double* b, std::int64_t ldb,
          double* c, std::int64_t ldc, double beta, double alpha) {
  multiply(Product<double>{shape, a, lda, b, ldb, c, ldc, beta, alpha});
}
void gemm(GemmLibrary library, const GemmShape& shape, const float* a, std::int64_t lda, const float* b,
          std::int64_t ldb, float* c, std::int64_t ldc, float beta) {
  multiply_by(library, Product<float>{shape, a, lda, b, ldb, c, ldc, beta});
}
void gemm(GemmLibrary library, const GemmShape& shape, const double* a, std::int64_t lda, const double* b,
          std::int64_t ldb, double* c, std::int64_t ldc, double beta) {
  multiply_by(library, Product<double>{shape, a, lda, b, ldb, c, ldc, beta});
}

const char* gemm_choice(const GemmShape& shape, float beta) {
  if (const auto library = forced()) return name_of(*library);
  const int threads = threads_of_key();
  const Plan fixed{fixed_library(shape, false, threads < 0 || detail::mode.deterministic)};
  if (detail::mode.deterministic || work_of(shape) <= tiny || fixed.library == GemmLibrary::own)
    return name_of(fixed.library);
  const ChoiceKey key{shape.m,   shape.n, shape.k, threads, shape.a_transposed, shape.b_transposed,
                      beta != 0, false};
  return name_of(known_choice(key).value_or(fixed).library);
}

}  // namespace tare::ad::kernels
