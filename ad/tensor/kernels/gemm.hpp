// Dense matrix products in row-major order: C = alpha·A·B + beta·C. Each call goes to the fastest of the
// libraries that are installed for its shape: measured when the shape is first met, remembered on disk
// (gemm_choice.hpp). TARE_GEMM=openblas|blis|onednn|own|plain asks for one of them instead.
#pragma once

#include <cstdint>
#include <span>

namespace tare::ad::kernels {

struct GemmShape {
  std::int64_t m, n, k;
  bool a_transposed, b_transposed;
};

enum class GemmLibrary : std::uint8_t {
  plain,  ///< three loops, the reference
  own,    ///< products with one row or one column by the engine's inner loops; others as plain
  openblas,
  blis,
  onednn,  ///< f32 and 8 bits only; f64 as plain
};
const char* name_of(GemmLibrary library);
/// Those that work here; plain and own always do.
std::span<const GemmLibrary> gemm_libraries();

/// Strides are between rows of what lies in memory. beta is 0 or 1; with 0, C is not read.
void gemm(const GemmShape& shape, const float* a, std::int64_t lda, const float* b, std::int64_t ldb,
          float* c, std::int64_t ldc, float beta, float alpha = 1);
void gemm(const GemmShape& shape, const double* a, std::int64_t lda, const double* b, std::int64_t ldb,
          double* c, std::int64_t ldc, double beta, double alpha = 1);
/// By one library, its work split over the threads by the larger of m and n. For tests and measurements;
/// throws an AdError when the library is not installed.
void gemm(GemmLibrary library, const GemmShape& shape, const float* a, std::int64_t lda, const float* b,
          std::int64_t ldb, float* c, std::int64_t ldc, float beta);
void gemm(GemmLibrary library, const GemmShape& shape, const double* a, std::int64_t lda, const double* b,
          std::int64_t ldb, double* c, std::int64_t ldc, double beta);
/// Exact sums as long as they stay below 2²⁴.
void gemm_u8i8(const GemmShape& shape, const std::uint8_t* a, std::int64_t lda, const std::int8_t* b,
               std::int64_t ldb, float* c, std::int64_t ldc);

/// The library that f32 products of this shape go to with as many threads as a call from here would use.
const char* gemm_choice(const GemmShape& shape, float beta = 0);

}  // namespace tare::ad::kernels
