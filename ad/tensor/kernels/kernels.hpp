// Inner loops on contiguous numbers, compiled once per instruction set and chosen when first asked for.
// Layouts, threads and shapes are the callers' business.
#pragma once

#include <array>
#include <cstdint>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "ad/tensor/op.hpp"

namespace tare::ad::kernels {

/// Results of this many bytes leave the caches anyway: written past them, they need not be read first.
inline constexpr std::int64_t streaming_bytes = std::int64_t{16} << 20;
/// They are computed in chunks of this many bytes, by which the loops know them.
inline constexpr std::int64_t streamed_chunk = std::int64_t{4} << 20;
/// What was written past the caches is there for other threads from here on.
inline void end_streaming() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

/// y = f(x). The two numbers are the op's own (clamp's bounds, power's exponent).
using Unary = void (*)(const void* x, void* y, std::int64_t n, const double* numbers);
/// out = g · f'(x), given y = f(x).
using UnaryGrad = void (*)(const void* g, const void* x, const void* y, void* out, std::int64_t n,
                           const double* numbers);
/// y = f(a, b); a step is 1, or 0 for one number that stands for all.
using Binary = void (*)(const void* a, const void* b, void* y, std::int64_t n, int a_step, int b_step);
using Compare = void (*)(const void* a, const void* b, bool* y, std::int64_t n, int a_step, int b_step);

/// Of one step of an optimiser; see ad/nn/optimiser.hpp.
struct SgdNumbers {
  double rate, momentum, decay;
};
struct AdamNumbers {
  double rate;  ///< divided by 1 − β₁ᵗ
  double beta1, beta2, epsilon;
  double scale;   ///< of √v: 1/√(1 − β₂ᵗ)
  double decay;   ///< times p, added to g
  double shrink;  ///< of p
};

/// Loops for one of float and double.
template <class T>
struct Loops {
  std::array<Unary, unary_ops> unary;
  std::array<UnaryGrad, unary_ops> unary_grad;
  Unary clamp, power, powi;
  UnaryGrad clamp_grad, power_grad, powi_grad;
  std::array<Binary, binary_ops> binary;
  Compare less, less_equal, equal, not_equal;

  void (*where)(const bool* c, const T* a, const T* b, T* y, std::int64_t n, int a_step, int b_step);
  /// y += factor · x
  void (*add_scaled)(T* y, const T* x, T factor, std::int64_t n);

  // Of one row. Sums run in a fixed order that does not depend on the caller.
  T (*sum)(const T* x, std::int64_t n);
  T (*max)(const T* x, std::int64_t n);
  T (*min)(const T* x, std::int64_t n);
  T (*prod)(const T* x, std::int64_t n);
  /// Σ exp(x − shift)
  T (*sum_exp)(const T* x, T shift, std::int64_t n);
  /// y = exp(x − shift); gives the sum
  T (*exp_shifted)(const T* x, T shift, T* y, std::int64_t n);
  /// y = factor · exp(x − shift)
  void (*scaled_exp)(const T* x, T shift, T factor, T* y, std::int64_t n);
  T (*dot)(const T* a, const T* b, std::int64_t n);

  // Column-wise: acc[j] = f(acc[j], x[j]).
  void (*add_row)(T* acc, const T* x, std::int64_t n);
  void (*max_row)(T* acc, const T* x, std::int64_t n);
  void (*min_row)(T* acc, const T* x, std::int64_t n);
  void (*mul_row)(T* acc, const T* x, std::int64_t n);

  /// Mean and 1/√(variance + ε) of a row.
  void (*moments)(const T* x, std::int64_t n, T epsilon, T* mean, T* rstd);
  /// y = (x − mean)·rstd·w + b; b may be null. Rows written past the caches are there for others after
  /// end_streaming().
  void (*normalise)(const T* x, T mean, T rstd, const T* w, const T* b, T* y, std::int64_t n,
                    bool past_caches);
  /// One row of a layer norm backwards: gx of the row; gw += g·x̂ and gb += g where not null. With centre
  /// false the mean is not part of the norm (RMS).
  void (*normalise_grad)(const T* g, const T* x, T mean, T rstd, const T* w, T* gx, T* gw, T* gb,
                         std::int64_t n, bool centre, bool past_caches);
  /// gx = y·(g − Σ g·y), a softmax backwards
  void (*softmax_grad)(const T* g, const T* y, T* gx, std::int64_t n);
  /// gx = g − exp(y)·Σg, a log-softmax backwards
  void (*log_softmax_grad)(const T* g, const T* y, T* gx, std::int64_t n);
  /// y[j] = Σᵢ x[i]·w[i, j], rows of w `stride` apart: a row vector times a matrix; onto what y holds, or not
  void (*row_times_matrix)(const T* x, const T* w, T* y, std::int64_t k, std::int64_t n, std::int64_t stride,
                           bool onto);
  /// y[i] = Σⱼ w[i, j]·x[j]: a matrix times a column vector
  void (*matrix_times_column)(const T* w, const T* x, T* y, std::int64_t m, std::int64_t k,
                              std::int64_t stride);

  /// p −= rate·(m = momentum·m + g + decay·p); without m: p −= rate·(g + decay·p)
  void (*sgd)(T* p, const T* g, T* m, std::int64_t n, const SgdNumbers& numbers);
  /// m and v moved towards g and g²; p = shrink·p − rate·m/(scale·√v + ε)
  void (*adam)(T* p, const T* g, T* m, T* v, std::int64_t n, const AdamNumbers& numbers);
};

struct Kernels {
  Loops<float> f32;
  Loops<double> f64;
  const char* name;

  template <class T>
  [[nodiscard]] const Loops<T>& of() const {
    if constexpr (sizeof(T) == 4) {
      return f32;
    } else {
      return f64;
    }
  }
};

/// The widest this CPU runs: "v4" (AVX-512), "v3" (AVX2, FMA) or "baseline". TARE_ISA=baseline|v3|v4 asks for
/// less.
const Kernels& best();
/// By name, or null where the CPU cannot run it.
const Kernels* named(const char* name);

}  // namespace tare::ad::kernels
