// Products of unsigned by signed 8-bit numbers, summed exactly at 32 bits. CPUs without VNNI add pairs of
// products at 16 bits, which 255·127·2 does not fit into; there a matrix with numbers above 128 is taken as
// the sum of two without.
#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <vector>

#include "ad/support/threads.hpp"
#include "ad/tensor/kernels/gemm.hpp"
#include "ad/tensor/kernels/gemm_library.hpp"

namespace tare::ad::kernels {
namespace {

constexpr std::int64_t row_block = 64;

struct Task {
  GemmShape shape;
  const std::uint8_t* a;
  std::int64_t lda;
  const std::int8_t* b;
  std::int64_t ldb;
  float* c;
  std::int64_t ldc;
};

void plain(const Task& t) {
  const auto& s = t.shape;
  for (std::int64_t i = 0; i < s.m; ++i) {
    for (std::int64_t j = 0; j < s.n; ++j) {
      std::int32_t sum = 0;
      for (std::int64_t l = 0; l < s.k; ++l)
        sum += (s.a_transposed ? t.a[l * t.lda + i] : t.a[i * t.lda + l]) *
               (s.b_transposed ? t.b[j * t.ldb + l] : t.b[l * t.ldb + j]);
      t.c[i * t.ldc + j] = static_cast<float>(sum);
    }
  }
}

/// A as the sum of two parts, each at most 128.
bool in_two_parts(const Task& t, std::int32_t* sums) {
  const auto& s = t.shape;
  const auto rows = s.a_transposed ? s.k : s.m, columns = s.a_transposed ? s.m : s.k;
  thread_local std::vector<std::uint8_t> part;
  part.resize(static_cast<std::size_t>(rows * columns));
  const auto fill = [&](auto f) {
    for (std::int64_t i = 0; i < rows; ++i)
      std::transform(t.a + i * t.lda, t.a + i * t.lda + columns, part.begin() + i * columns, f);
  };
  fill([](std::uint8_t v) { return std::min<std::uint8_t>(v, 127); });
  if (!run_u8i8(s, part.data(), columns, t.b, t.ldb, sums, t.ldc, false)) return false;
  fill([](std::uint8_t v) { return static_cast<std::uint8_t>(v - std::min<std::uint8_t>(v, 127)); });
  return run_u8i8(s, part.data(), columns, t.b, t.ldb, sums, t.ldc, true);
}

bool is_small(const Task& t) {
  const auto& s = t.shape;
  const auto rows = s.a_transposed ? s.k : s.m, columns = s.a_transposed ? s.m : s.k;
  for (std::int64_t i = 0; i < rows; ++i)
    if (std::any_of(t.a + i * t.lda, t.a + i * t.lda + columns, [](std::uint8_t v) { return v > 128; }))
      return false;
  return true;
}

/// Whole numbers where they stand. In blocks of one size, which the compiler converts several at a time.
void to_floats(float* values, std::int64_t n) {
  constexpr std::int64_t block = 16;
  const auto convert = [](float* at, auto size) {
    std::array<std::int32_t, size()> sums;
    std::memcpy(sums.data(), at, sizeof sums);
    for (std::size_t i = 0; i < size(); ++i) at[i] = static_cast<float>(sums[i]);
  };
  std::int64_t j = 0;
  for (; j + block <= n; j += block) convert(values + j, std::integral_constant<std::size_t, block>());
  for (; j < n; ++j) convert(values + j, std::integral_constant<std::size_t, 1>());
}

void product(const Task& t) {
  // The whole sums stand where their float values will.
  auto* sums = reinterpret_cast<std::int32_t*>(t.c);
  const bool done = u8i8_saturates() && !is_small(t)
                        ? in_two_parts(t, sums)
                        : run_u8i8(t.shape, t.a, t.lda, t.b, t.ldb, sums, t.ldc, false);
  if (!done) return plain(t);
  for (std::int64_t i = 0; i < t.shape.m; ++i) to_floats(t.c + i * t.ldc, t.shape.n);
}

}  // namespace

void gemm_u8i8(const GemmShape& s, const std::uint8_t* a, std::int64_t lda, const std::int8_t* b,
               std::int64_t ldb, float* c, std::int64_t ldc) {
  if (s.m <= 0 || s.n <= 0) return;
  if (s.k <= 0) {
    for (std::int64_t i = 0; i < s.m; ++i) std::fill_n(c + i * ldc, s.n, 0.0F);
    return;
  }
  const bool small = s.m * s.n * s.k < 65536;
  // Whole sums have no order to keep: threads share rows as they come.
  const auto block = small ? s.m : std::max(row_block, (s.m + threads_here() - 1) / threads_here());
  parallel_for(s.m, block, [&](std::int64_t begin, std::int64_t end) {
    GemmShape part = s;
    part.m = end - begin;
    product({part, a + (s.a_transposed ? begin : begin * lda), lda, b, ldb, c + begin * ldc, ldc});
  });
}

}  // namespace tare::ad::kernels
