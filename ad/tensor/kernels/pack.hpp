// Pack<T>: a vector register of numbers with the arithmetic and functions that the op rules ask for. The
// width is the instruction set's this file is compiled for; everything stands in a namespace of that name, so
// that instances for several sets can live in one program.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "ad/ops/vector_math.hpp"

#ifndef TARE_ISA
#error "compile with -DTARE_ISA=name"
#endif

namespace tare::ad::kernels::TARE_ISA {

#if defined(__AVX512F__)
inline constexpr int register_bytes = 64;
#elif defined(__AVX__)
inline constexpr int register_bytes = 32;
#else
inline constexpr int register_bytes = 16;
#endif

template <class T>
struct WholeOf;
template <>
struct WholeOf<float> {
  using type = std::int32_t;
};
template <>
struct WholeOf<double> {
  using type = std::int64_t;
};

template <class T>
struct Mask {
  using Whole = typename WholeOf<T>::type;
  typedef Whole Register __attribute__((vector_size(register_bytes)));
  Register bits;
};

template <class T>
struct Pack {
  using Whole = typename WholeOf<T>::type;
  typedef T Register __attribute__((vector_size(register_bytes)));
  typedef Whole WholeRegister __attribute__((vector_size(register_bytes)));
  typedef T Unaligned __attribute__((vector_size(register_bytes), aligned(alignof(T)), may_alias));
  static constexpr int width = register_bytes / static_cast<int>(sizeof(T));

  Register v;

  Pack() = default;
  explicit Pack(Register r) : v(r) {}
  explicit Pack(double x) : v(Register{} + static_cast<T>(x)) {}
  explicit Pack(float x) : v(Register{} + static_cast<T>(x)) {}
  explicit Pack(int x) : v(Register{} + static_cast<T>(x)) {}

  static Pack load(const T* at) { return Pack(Register(*reinterpret_cast<const Unaligned*>(at))); }
  void store(T* at) const { *reinterpret_cast<Unaligned*>(at) = v; }
  /// Past the caches; `at` is aligned to the register.
  void stream(T* at) const {
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 4) {
      _mm512_stream_ps(at, v);
    } else {
      _mm512_stream_pd(at, v);
    }
#elif defined(__AVX__)
    if constexpr (sizeof(T) == 4) {
      _mm256_stream_ps(at, v);
    } else {
      _mm256_stream_pd(at, v);
    }
#else
    store(at);
#endif
  }
  /// The first `n` numbers; the others are `rest`.
  static Pack load_some(const T* at, std::int64_t n, T rest = T(0)) {
    Pack p(rest);
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 4) {
      p.v = _mm512_mask_loadu_ps(p.v, static_cast<__mmask16>((1U << n) - 1U), at);
    } else {
      p.v = _mm512_mask_loadu_pd(p.v, static_cast<__mmask8>((1U << n) - 1U), at);
    }
#else
    alignas(register_bytes) T lanes[width];
    std::memcpy(lanes, &p.v, sizeof lanes);
    for (std::int64_t i = 0; i < n; ++i) lanes[i] = at[i];
    std::memcpy(&p.v, lanes, sizeof lanes);
#endif
    return p;
  }
  void store_some(T* at, std::int64_t n) const {
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 4) {
      _mm512_mask_storeu_ps(at, static_cast<__mmask16>((1U << n) - 1U), v);
    } else {
      _mm512_mask_storeu_pd(at, static_cast<__mmask8>((1U << n) - 1U), v);
    }
#else
    alignas(register_bytes) T lanes[width];
    std::memcpy(lanes, &v, sizeof lanes);
    for (std::int64_t i = 0; i < n; ++i) at[i] = lanes[i];
#endif
  }

  friend Pack operator+(const Pack& a, const Pack& b) { return Pack(a.v + b.v); }
  friend Pack operator-(const Pack& a, const Pack& b) { return Pack(a.v - b.v); }
  friend Pack operator*(const Pack& a, const Pack& b) { return Pack(a.v * b.v); }
  friend Pack operator/(const Pack& a, const Pack& b) { return Pack(a.v / b.v); }
  friend Pack operator-(const Pack& a) { return Pack(-a.v); }
  friend Mask<T> operator<(const Pack& a, const Pack& b) { return {a.v < b.v}; }
  friend Mask<T> operator<=(const Pack& a, const Pack& b) { return {a.v <= b.v}; }
  friend Mask<T> operator>(const Pack& a, const Pack& b) { return {a.v > b.v}; }
  friend Mask<T> operator>=(const Pack& a, const Pack& b) { return {a.v >= b.v}; }
  friend Mask<T> operator==(const Pack& a, const Pack& b) { return {a.v == b.v}; }
  friend Mask<T> operator!=(const Pack& a, const Pack& b) { return {a.v != b.v}; }
};

#if defined(__AVX__)
inline float lanes_sum(__m256 x) {
  const __m128 four = _mm256_castps256_ps128(x) + _mm256_extractf128_ps(x, 1);
  const __m128 two = four + _mm_movehl_ps(four, four);
  return two[0] + two[1];
}
inline double lanes_sum(__m256d x) {
  const __m128d two = _mm256_castpd256_pd128(x) + _mm256_extractf128_pd(x, 1);
  return two[0] + two[1];
}
#endif
/// The lanes' sum, by halves.
template <class T>
T across(const Pack<T>& x) {
#if defined(__AVX512F__)
  const auto v = x.v;
  if constexpr (sizeof(T) == 4) {
    return lanes_sum(__m256(__builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7)) +
                     __m256(__builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15)));
  } else {
    return lanes_sum(__m256d(__builtin_shufflevector(v, v, 0, 1, 2, 3)) +
                     __m256d(__builtin_shufflevector(v, v, 4, 5, 6, 7)));
  }
#elif defined(__AVX__)
  return lanes_sum(x.v);
#else
  T sum = x.v[0];
  for (int i = 1; i < Pack<T>::width; ++i) sum += x.v[i];
  return sum;
#endif
}

template <class T>
Pack<T> select(const Mask<T>& m, const Pack<T>& a, const Pack<T>& b) {
  return Pack<T>(m.bits ? a.v : b.v);
}
template <class T>
Mask<T> operator&(const Mask<T>& a, const Mask<T>& b) {
  return {a.bits & b.bits};
}
template <class T>
bool any(const Mask<T>& m) {
  typename WholeOf<T>::type sum = 0;
  for (int i = 0; i < Pack<T>::width; ++i) sum |= m.bits[i];
  return sum != 0;
}

inline bool all(const Mask<float>& m) {
#if defined(__AVX__) && !defined(__AVX512F__)
  return _mm256_movemask_ps(__m256(m.bits)) == 0xFF;
#elif defined(__SSE2__) && !defined(__AVX512F__)
  return _mm_movemask_ps(__m128(m.bits)) == 0xF;
#else
  std::int32_t both = -1;
  for (int i = 0; i < Pack<float>::width; ++i) both &= m.bits[i];
  return both != 0;
#endif
}

template <class T>
Pack<T> fused(const Pack<T>& a, const Pack<T>& b, const Pack<T>& c) {
  return Pack<T>(a.v * b.v + c.v);  // contracted where the set has it
}
template <class T>
Pack<T> magnitude(const Pack<T>& x) {
  using P = Pack<T>;
  using Bits = typename P::WholeRegister;
  const Bits sign = ~((Bits{} + 1) << (8 * sizeof(T) - 1));
  return P(typename P::Register(Bits(x.v) & sign));
}

// Each lane by a function of one number; GCC turns simple ones into one instruction.
template <class T, class F>
Pack<T> each(const Pack<T>& x, F f) {
  Pack<T> y;
  for (int i = 0; i < Pack<T>::width; ++i) y.v[i] = f(x.v[i]);
  return y;
}
template <class T, class F>
Pack<T> each(const Pack<T>& a, const Pack<T>& b, F f) {
  Pack<T> y;
  for (int i = 0; i < Pack<T>::width; ++i) y.v[i] = f(a.v[i], b.v[i]);
  return y;
}

// What vector_math.hpp asks for, in single precision.
inline Pack<float> held(Pack<float> x) {
  __asm__("" : "+x"(x.v));
  return x;
}
inline Pack<float> nearest(const Pack<float>& x) {
  const Pack<float> magic(lanes::rounding);
  return held(x + magic) - magic;
}
inline Pack<float> times_power(const Pack<float>& x, const Pack<float>& t) {
#if defined(__AVX512F__)
  return Pack<float>(
      Pack<float>::Register(_mm512_maskz_scalef_ps(0xFFFF, x.v, (t - Pack<float>(lanes::rounding)).v)));
#else
  // In two steps: 2ⁿ alone may overflow or be subnormal where the result does not.
  using Bits = Pack<float>::WholeRegister;
  const Bits n = Bits(t.v), half = n >> 1;
  const Pack<float> power(Pack<float>::Register((half << 23) + 0x3F800000));
  return Pack<float>(Pack<float>::Register(Bits(x.v) + ((n - half) << 23))) * power;
#endif
}
inline constexpr bool may_branch(const Pack<float>&) {
#if defined(__AVX512F__)
  return false;  // times_power is one instruction
#else
  return true;
#endif
}
inline Pack<float> lifted(const Pack<float>& x, const Pack<float>& t) {
  using Bits = Pack<float>::WholeRegister;
  return Pack<float>(Pack<float>::Register(Bits(x.v) + (Bits(t.v) << 23)));
}
inline Pack<float> signed_as(const Pack<float>& x, const Pack<float>& y) {
  using Bits = Pack<float>::WholeRegister;
  const Bits sign = (Bits{} + 1) << 31;
  return Pack<float>(Pack<float>::Register((Bits(x.v) & ~sign) | (Bits(y.v) & sign)));
}
template <class F, class G>
[[gnu::always_inline]] inline Pack<float> usually(const Mask<float>& c, F f, G g) {
  return all(c) ? f() : g();
}
inline Pack<float> exponent(const Pack<float>& x) {
  using Bits = Pack<float>::WholeRegister;
  const Bits e = ((Bits(x.v) >> 23) & 0xFF) - 127;
  return Pack<float>(__builtin_convertvector(e, Pack<float>::Register));
}
inline Pack<float> significand(const Pack<float>& x) {
  using Bits = Pack<float>::WholeRegister;
  return Pack<float>(Pack<float>::Register((Bits(x.v) & 0x007FFFFF) | 0x3F800000));
}

template <class T>
Pack<T> sqrt(const Pack<T>& x) {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 4) {
    return Pack<T>(typename Pack<T>::Register(_mm512_sqrt_ps(x.v)));
  } else {
    return Pack<T>(typename Pack<T>::Register(_mm512_sqrt_pd(x.v)));
  }
#elif defined(__AVX__)
  if constexpr (sizeof(T) == 4) {
    return Pack<T>(typename Pack<T>::Register(_mm256_sqrt_ps(x.v)));
  } else {
    return Pack<T>(typename Pack<T>::Register(_mm256_sqrt_pd(x.v)));
  }
#else
  return each(x, [](T v) { return std::sqrt(v); });
#endif
}
template <class T>
Pack<T> abs(const Pack<T>& x) {
  return magnitude(x);
}

#define TARE_LANEWISE(name)                                           \
  template <class T>                                                  \
  Pack<T> name(const Pack<T>& x) {                                    \
    return each(x, [](T v) { return static_cast<T>(std::name(v)); }); \
  }
TARE_LANEWISE(exp2)
TARE_LANEWISE(log2)
TARE_LANEWISE(log10)
TARE_LANEWISE(cbrt)
TARE_LANEWISE(erfc)
TARE_LANEWISE(tan)
TARE_LANEWISE(asin)
TARE_LANEWISE(acos)
TARE_LANEWISE(atan)
TARE_LANEWISE(sinh)
TARE_LANEWISE(cosh)
TARE_LANEWISE(asinh)
TARE_LANEWISE(acosh)
TARE_LANEWISE(atanh)
TARE_LANEWISE(floor)
#undef TARE_LANEWISE

// Double precision by the C library; single precision by our own polynomials.
#define TARE_BY_LANES(name)                                \
  inline Pack<double> name(const Pack<double>& x) {        \
    return each(x, [](double v) { return std::name(v); }); \
  }                                                        \
  TARE_INLINE Pack<float> name(const Pack<float>& x) {     \
    return lanes::name(x);                                 \
  }
TARE_BY_LANES(exp)
TARE_BY_LANES(expm1)
TARE_BY_LANES(log)
TARE_BY_LANES(log1p)
TARE_BY_LANES(tanh)
TARE_BY_LANES(erf)
#undef TARE_BY_LANES

// Beyond the range the reduction holds for, or without fused products, the C library.
#define TARE_ANGLE(name)                                                                         \
  inline Pack<double> name(const Pack<double>& x) {                                              \
    return each(x, [](double v) { return std::name(v); });                                       \
  }                                                                                              \
  inline Pack<float> name(const Pack<float>& x) {                                                \
    if (!fused_products || any(magnitude(x) > Pack<float>(lanes::largest_angle)) || any(x != x)) \
      return each(x, [](float v) { return std::name(v); });                                      \
    return lanes::name(x);                                                                       \
  }
#if defined(__FMA__)
inline constexpr bool fused_products = true;
#else
inline constexpr bool fused_products = false;
#endif
TARE_ANGLE(sin)
TARE_ANGLE(cos)
#undef TARE_ANGLE

template <class T>
Pack<T> pow(const Pack<T>& a, const Pack<T>& b) {
  return each(a, b, [](T x, T y) { return std::pow(x, y); });
}
template <class T>
Pack<T> atan2(const Pack<T>& a, const Pack<T>& b) {
  return each(a, b, [](T x, T y) { return std::atan2(x, y); });
}
template <class T>
Pack<T> hypot(const Pack<T>& a, const Pack<T>& b) {
  return each(a, b, [](T x, T y) { return std::hypot(x, y); });
}

}  // namespace tare::ad::kernels::TARE_ISA
