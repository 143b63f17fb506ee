// One matrix product by one library, on the calling thread. OpenBLAS and BLIS are opened when first needed
// and kept apart, since both export the same names; oneDNN is linked where CMake found it. All run on one
// thread: splitting is gemm.cpp's.
#pragma once

#include <string>

#include "ad/tensor/kernels/gemm.hpp"

namespace tare::ad::kernels {

/// A product and where its parts lie.
template <class T>
struct Product {
  GemmShape shape;
  const T* a;
  std::int64_t lda;
  const T* b;
  std::int64_t ldb;
  T* c;
  std::int64_t ldc;
  T beta;
  T alpha = 1;

  [[nodiscard]] Product rows(std::int64_t begin, std::int64_t end) const {
    Product part = *this;
    part.shape.m = end - begin;
    part.a += shape.a_transposed ? begin : begin * lda;
    part.c += begin * ldc;
    return part;
  }
  [[nodiscard]] Product columns(std::int64_t begin, std::int64_t end) const {
    Product part = *this;
    part.shape.n = end - begin;
    part.b += shape.b_transposed ? begin * ldb : begin;
    part.c += begin;
    return part;
  }
};

/// Whether it is there. A BLAS in its usual place is not opened for that: whoever loads another build of the
/// same library later, as libtorch does, would get ours.
bool is_installed(GemmLibrary library);
/// Whether the library itself computes such products, rather than plain in its place.
bool computes(GemmLibrary library, const GemmShape& shape, bool f64);
/// Whether threads may call it side by side. OpenBLAS built without threads keeps its buffers without a lock:
/// there, calls wait for each other.
bool serves_many(GemmLibrary library);
/// Sizes are at least 1.
void run(GemmLibrary library, const Product<float>& product);
void run(GemmLibrary library, const Product<double>& product);
/// Versions and kinds of CPU of all libraries: what was measured with others does not count.
std::string library_versions();
/// oneDNN's 8-bit product, C as whole numbers; false when oneDNN is not there.
bool run_u8i8(const GemmShape& shape, const std::uint8_t* a, std::int64_t lda, const std::int8_t* b,
              std::int64_t ldb, std::int32_t* c, std::int64_t ldc, bool add);
/// Whether that product may cut sums of two products off at 16 bits.
bool u8i8_saturates();

/// While it lives, OpenMP takes one thread in what this thread calls.
class OneThread {
 public:
  OneThread();
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

}  // namespace tare::ad::kernels
