#include "bench/measure/machine/roof_loops.hpp"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace tare {
namespace {

// Enough chains to hide a latency of four cycles on two units, and few enough for 16 registers.
constexpr int chains = 12;

template <class V>
[[gnu::always_inline]] inline float fma_rounds(std::int64_t rounds, float factor, float addend) {
  const V f = V{} + factor, a = V{} + addend;
  V sums[chains];
  for (int i = 0; i < chains; ++i) sums[i] = V{} + static_cast<float>(i);
  for (std::int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
    for (int i = 0; i < chains; ++i) sums[i] = sums[i] * f + a;
  }
  V all = sums[0];
  for (int i = 1; i < chains; ++i) all += sums[i];
  float total = 0;
  for (std::size_t i = 0; i < sizeof(V) / sizeof(float); ++i) total += all[i];
  return total;
}

template <class V>
[[gnu::always_inline]] inline float read_floats(const float* a, std::size_t count) {
  constexpr std::size_t lanes = sizeof(V) / sizeof(float);
  const V* from = reinterpret_cast<const V*>(a);
  V sums[4] = {};
  for (std::size_t i = 0; i < count / lanes; i += 4) {
#pragma GCC unroll 4
    for (std::size_t j = 0; j < 4; ++j) sums[j] += from[i + j];
  }
  const V all = sums[0] + sums[1] + sums[2] + sums[3];
  return all[0] + all[lanes - 1];
}

template <class V>
[[gnu::always_inline]] inline float triad_floats(float* to, const float* a, const float* b,
                                                 std::size_t count) {
  constexpr std::size_t lanes = sizeof(V) / sizeof(float);
  V* out = reinterpret_cast<V*>(to);
  const V *x = reinterpret_cast<const V*>(a), *y = reinterpret_cast<const V*>(b), three = V{} + 3.0F;
  for (std::size_t i = 0; i < count / lanes; i += 4) {
#pragma GCC unroll 4
    for (std::size_t j = 0; j < 4; ++j) out[i + j] = x[i + j] + three * y[i + j];
  }
  return to[0];
}

using V4 [[gnu::vector_size(16), gnu::may_alias]] = float;
float fma_4(std::int64_t rounds, float factor, float addend) {
  return fma_rounds<V4>(rounds, factor, addend);
}
float read_4(float*, const float* a, const float*, std::size_t count) {
  return read_floats<V4>(a, count);
}
float triad_4(float* to, const float* a, const float* b, std::size_t count) {
  return triad_floats<V4>(to, a, b, count);
}

#if defined(__x86_64__)
using V8 [[gnu::vector_size(32), gnu::may_alias]] = float;
using V16 [[gnu::vector_size(64), gnu::may_alias]] = float;
[[gnu::target("avx2,fma")]] float fma_8(std::int64_t rounds, float factor, float addend) {
  return fma_rounds<V8>(rounds, factor, addend);
}
[[gnu::target("avx2,fma")]] float read_8(float*, const float* a, const float*, std::size_t count) {
  return read_floats<V8>(a, count);
}
[[gnu::target("avx2,fma")]] float triad_8(float* to, const float* a, const float* b, std::size_t count) {
  return triad_floats<V8>(to, a, b, count);
}
[[gnu::target("avx512f,fma")]] float fma_16(std::int64_t rounds, float factor, float addend) {
  return fma_rounds<V16>(rounds, factor, addend);
}
[[gnu::target("avx512f,fma")]] float read_16(float*, const float* a, const float*, std::size_t count) {
  return read_floats<V16>(a, count);
}
[[gnu::target("avx512f,fma")]] float triad_16(float* to, const float* a, const float* b, std::size_t count) {
  return triad_floats<V16>(to, a, b, count);
}
/// Stores of 16 bytes fill whole lines as well as wider ones do.
float stream(float* to, const float* a, const float* b, std::size_t count) {
  const __m128 three = _mm_set1_ps(3);
  for (std::size_t i = 0; i < count; i += 4)
    _mm_stream_ps(to + i, _mm_add_ps(_mm_load_ps(a + i), _mm_mul_ps(three, _mm_load_ps(b + i))));
  _mm_sfence();
  return to[0];
}
#endif

struct Loops {
  FmaLoop fma;
  MemoryLoop read, triad, stream;
};

constexpr double flops_of(int lanes) {
  return 2.0 * chains * lanes;
}

Loops choose() {
  Loops loops{
      {"baseline", flops_of(4), fma_4}, {"read", 4, read_4}, {"triad", 12, triad_4}, {"triad", 12, triad_4}};
#if defined(__x86_64__)
  loops.stream = {"stream", 12, stream};
  if (__builtin_cpu_supports("avx512f")) {
    loops.fma = {"AVX-512", flops_of(16), fma_16};
    loops.read.run = read_16;
    loops.triad.run = triad_16;
  } else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    loops.fma = {"AVX2", flops_of(8), fma_8};
    loops.read.run = read_8;
    loops.triad.run = triad_8;
  }
#endif
  return loops;
}

const Loops& best() {
  static const Loops chosen = choose();
  return chosen;
}

}  // namespace

const FmaLoop& best_fma_loop() {
  return best().fma;
}
const MemoryLoop& read_loop() {
  return best().read;
}
const MemoryLoop& triad_loop() {
  return best().triad;
}
const MemoryLoop& stream_loop() {
  return best().stream;
}

}  // namespace tare
