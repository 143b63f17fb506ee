#include "ad/scalar/program/library.hpp"

#include <array>
#include <cmath>

#if defined(__x86_64__)
#include <immintrin.h>
#define TARE_AD_PACKED 1
#define TARE_AD_TARGET [[gnu::target("avx2,fma")]]
#endif

// The C library's vector functions. Only their addresses are taken here: their true type needs AVX.
#if TARE_AD_PACKED && TARE_AD_MVEC
#define TARE_AD_DECLARED(name) void _ZGVdN4v_##name();
#define TARE_AD_DECLARED2(name) void _ZGVdN4vv_##name();
extern "C" {
TARE_AD_LIBRARY_UNARY(TARE_AD_DECLARED)
TARE_AD_LIBRARY_BINARY(TARE_AD_DECLARED2)
}
#undef TARE_AD_DECLARED
#undef TARE_AD_DECLARED2
#endif

namespace tare::ad::detail {
namespace {

#define TARE_AD_WRAPPED(name)    \
  double lane_##name(double a) { \
    return std::name(a);         \
  }
TARE_AD_LIBRARY_UNARY(TARE_AD_WRAPPED)
TARE_AD_WRAPPED(round)
#undef TARE_AD_WRAPPED
#define TARE_AD_WRAPPED(name)              \
  double lane_##name(double a, double b) { \
    return std::name(a, b);                \
  }
TARE_AD_LIBRARY_BINARY(TARE_AD_WRAPPED)
TARE_AD_WRAPPED(copysign)
#undef TARE_AD_WRAPPED
double lane_pow_left(double a, double b, double y) {
  return ops::Pow{}.left(a, b, y);
}
#if !defined(__GLIBC__)
void sincos(double a, double* sine, double* cosine) {
  *sine = std::sin(a);
  *cosine = std::cos(a);
}
#endif
double lane_custom(const CustomFunction* f, double a, double b) {
  return (*f)(a, b);
}

#if TARE_AD_PACKED

/// f lane by lane.
template <auto f, class... V>
TARE_AD_TARGET __m256d by_lane(V... v) {
  alignas(32) double in[sizeof...(V)][4];
  alignas(32) double out[4];
  int row = 0;
  (_mm256_store_pd(in[row++], v), ...);
  for (int lane = 0; lane < 4; ++lane) {
    if constexpr (sizeof...(V) == 1) {
      out[lane] = f(in[0][lane]);
    } else if constexpr (sizeof...(V) == 2) {
      out[lane] = f(in[0][lane], in[1][lane]);
    } else {
      out[lane] = f(in[0][lane], in[1][lane], in[2][lane]);
    }
  }
  return _mm256_load_pd(out);
}
TARE_AD_TARGET __m256d packed_custom(const CustomFunction* f, __m256d a, __m256d b) {
  alignas(32) double x[4];
  alignas(32) double y[4];
  _mm256_store_pd(x, a);
  _mm256_store_pd(y, b);
  for (int lane = 0; lane < 4; ++lane) x[lane] = (*f)(x[lane], y[lane]);
  return _mm256_load_pd(x);
}

using V = __m256d;
#endif

template <class F>
const void* address(F* f) {
  return reinterpret_cast<const void*>(f);
}

// The C library's own functions, not the wrappers above: one jump less at every call.
#define TARE_AD_ONE1(name) address(static_cast<double (*)(double)>(&std::name))
#define TARE_AD_ONE2(name) address(static_cast<double (*)(double, double)>(&std::name))
#if !TARE_AD_PACKED
#define TARE_AD_ENTRY1(name) Entry4{TARE_AD_ONE1(name), nullptr},
#define TARE_AD_ENTRY2(name) Entry4{TARE_AD_ONE2(name), nullptr},
#define TARE_AD_BY_LANE(name, ...) Entry4{address(&lane_##name), nullptr},
#else
#define TARE_AD_BY_LANE(name, ...) \
  Entry4{address(&lane_##name), address(&by_lane<&lane_##name, __VA_ARGS__>)},
#if TARE_AD_MVEC
#define TARE_AD_ENTRY1(name) Entry4{TARE_AD_ONE1(name), address(&_ZGVdN4v_##name)},
#define TARE_AD_ENTRY2(name) Entry4{TARE_AD_ONE2(name), address(&_ZGVdN4vv_##name)},
#else
#define TARE_AD_ENTRY1(name) TARE_AD_BY_LANE(name, V)
#define TARE_AD_ENTRY2(name) TARE_AD_BY_LANE(name, V, V)
#endif
#endif

}  // namespace

Entry4 library_entry(Function function) {
  static const std::array entries{TARE_AD_LIBRARY_UNARY(TARE_AD_ENTRY1) TARE_AD_LIBRARY_BINARY(TARE_AD_ENTRY2)
                                      TARE_AD_BY_LANE(round, V) TARE_AD_BY_LANE(copysign, V, V)
                                          TARE_AD_BY_LANE(pow_left, V, V, V)};
  return entries.at(static_cast<std::size_t>(function));
}

const void* sincos_entry() {
  return address(&sincos);
}

double call_scalar(Function function, double a, double b, double c) {
  switch (function) {
#define TARE_AD_CASE(name) \
  case Function::name:     \
    return lane_##name(a);
    TARE_AD_LIBRARY_UNARY(TARE_AD_CASE)
    TARE_AD_CASE(round)
#undef TARE_AD_CASE
#define TARE_AD_CASE(name) \
  case Function::name:     \
    return lane_##name(a, b);
    TARE_AD_LIBRARY_BINARY(TARE_AD_CASE)
    TARE_AD_CASE(copysign)
#undef TARE_AD_CASE
    case Function::pow_left:
      return lane_pow_left(a, b, c);
    case Function::custom:
      break;
  }
  return 0;
}

const CustomFunction& custom_function(const Code& code, std::uint32_t index) {
  const ScalarCustomOp& op = (*code.customs)[index / 3];
  return index % 3 == 0 ? op.value : index % 3 == 1 ? op.left : op.right;
}

#if TARE_AD_PACKED

bool has_packed() {
  static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return has;
}

TARE_AD_TARGET void call_packed(Function function, const double* a, const double* b, const double* c,
                                double* result) {
  const void* const f = library_entry(function).packed;
  V y;
  if (function == Function::pow_left) {
    y = reinterpret_cast<V (*)(V, V, V)>(const_cast<void*>(f))(_mm256_loadu_pd(a), _mm256_loadu_pd(b),
                                                               _mm256_loadu_pd(c));
  } else if (arguments_of({Prim::call, static_cast<std::uint8_t>(function)}) == 2) {
    y = reinterpret_cast<V (*)(V, V)>(const_cast<void*>(f))(_mm256_loadu_pd(a), _mm256_loadu_pd(b));
  } else {
    y = reinterpret_cast<V (*)(V)>(const_cast<void*>(f))(_mm256_loadu_pd(a));
  }
  _mm256_storeu_pd(result, y);
}

const void* custom_entry(bool packed) {
  return packed ? address(&packed_custom) : address(&lane_custom);
}

#else

bool has_packed() {
  return false;
}
void call_packed(Function, const double*, const double*, const double*, double*) {}
const void* custom_entry(bool) {
  return address(&lane_custom);
}

#endif

}  // namespace tare::ad::detail
