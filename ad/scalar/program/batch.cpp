#include "ad/scalar/program/batch.hpp"

#include <algorithm>
#include <array>

#include "ad/scalar/program/library.hpp"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tare::ad::detail {
namespace {

/// Calls move(first number, lane offset) for every four lanes of rows.
template <class F>
void each_four(const BatchView& view, std::size_t first, std::size_t lanes, F move) {
  for (std::size_t l = 0; l < lanes; l += 4) move((first + l) * view.width, l);
}

#if defined(__x86_64__)

struct Four {
  __m256d a, b, c, d;
};
[[gnu::target("avx2"), gnu::always_inline]] inline void transpose(Four& m) {
  const __m256d ab_low = _mm256_unpacklo_pd(m.a, m.b);
  const __m256d ab_high = _mm256_unpackhi_pd(m.a, m.b);
  const __m256d cd_low = _mm256_unpacklo_pd(m.c, m.d);
  const __m256d cd_high = _mm256_unpackhi_pd(m.c, m.d);
  m.a = _mm256_permute2f128_pd(ab_low, cd_low, 0x20);
  m.b = _mm256_permute2f128_pd(ab_high, cd_high, 0x20);
  m.c = _mm256_permute2f128_pd(ab_low, cd_low, 0x31);
  m.d = _mm256_permute2f128_pd(ab_high, cd_high, 0x31);
}
// Lanes are written in one store each: native code reads them in one load, which cannot be served from two.
[[gnu::target("avx2")]] void pack_four(const double* rows, std::size_t width, std::size_t lanes,
                                       double* block) {
  const std::array row{rows, rows + width, rows + 2 * width, rows + 3 * width};
  std::size_t i = 0;
  for (; i + 4 <= width; i += 4) {
    Four m{_mm256_loadu_pd(row[0] + i), _mm256_loadu_pd(row[1] + i), _mm256_loadu_pd(row[2] + i),
           _mm256_loadu_pd(row[3] + i)};
    transpose(m);
    _mm256_storeu_pd(block + i * lanes, m.a);
    _mm256_storeu_pd(block + (i + 1) * lanes, m.b);
    _mm256_storeu_pd(block + (i + 2) * lanes, m.c);
    _mm256_storeu_pd(block + (i + 3) * lanes, m.d);
  }
  for (; i < width; ++i) {
    _mm256_storeu_pd(block + i * lanes, _mm256_set_pd(row[3][i], row[2][i], row[1][i], row[0][i]));
  }
}
[[gnu::target("avx2")]] void unpack_four(const double* block, std::size_t width, std::size_t lanes,
                                         double* rows) {
  const std::array row{rows, rows + width, rows + 2 * width, rows + 3 * width};
  std::size_t i = 0;
  for (; i + 4 <= width; i += 4) {
    Four m{_mm256_loadu_pd(block + i * lanes), _mm256_loadu_pd(block + (i + 1) * lanes),
           _mm256_loadu_pd(block + (i + 2) * lanes), _mm256_loadu_pd(block + (i + 3) * lanes)};
    transpose(m);
    _mm256_storeu_pd(row[0] + i, m.a);
    _mm256_storeu_pd(row[1] + i, m.b);
    _mm256_storeu_pd(row[2] + i, m.c);
    _mm256_storeu_pd(row[3] + i, m.d);
  }
  for (; i < width; ++i) {
    for (std::size_t l = 0; l < 4; ++l) row[l][i] = block[i * lanes + l];
  }
}
[[gnu::target("avx2")]] void move_columns(const double* from, std::size_t from_stride, double* to,
                                          std::size_t to_stride, std::size_t width, std::size_t lanes) {
  for (std::size_t i = 0; i < width; ++i) {
    for (std::size_t l = 0; l < lanes; l += 4) {
      _mm256_storeu_pd(to + i * to_stride + l, _mm256_loadu_pd(from + i * from_stride + l));
    }
  }
}

#endif

}  // namespace

void pack(const BatchView& view, const double* batch, std::size_t first, std::size_t lanes, double* block) {
#if defined(__x86_64__)
  if (first + lanes <= view.count && lanes % 4 == 0 && has_packed()) {
    if (view.layout == Layout::columns) {
      return move_columns(batch + first, view.count, block, lanes, view.width, lanes);
    }
    return each_four(view, first, lanes, [&](std::size_t from, std::size_t l) {
      pack_four(batch + from, view.width, lanes, block + l);
    });
  }
#endif
  for (std::size_t i = 0; i < view.width; ++i) {
    for (std::size_t l = 0; l < lanes; ++l) {
      block[i * lanes + l] = batch[view.at(std::min(first + l, view.count - 1), i)];
    }
  }
}

void unpack(const BatchView& view, const double* block, std::size_t first, std::size_t lanes, double* batch) {
#if defined(__x86_64__)
  if (first + lanes <= view.count && lanes % 4 == 0 && has_packed()) {
    if (view.layout == Layout::columns) {
      return move_columns(block, lanes, batch + first, view.count, view.width, lanes);
    }
    return each_four(view, first, lanes, [&](std::size_t to, std::size_t l) {
      unpack_four(block + l, view.width, lanes, batch + to);
    });
  }
#endif
  for (std::size_t i = 0; i < view.width; ++i) {
    for (std::size_t l = 0; l < lanes && first + l < view.count; ++l) {
      batch[view.at(first + l, i)] = block[i * lanes + l];
    }
  }
}

}  // namespace tare::ad::detail
