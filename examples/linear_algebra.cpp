// Floating-point work with its flops and bytes stated, checked against a reference, on one and two threads.
#include <cmath>
#include <vector>

#include "bench/bench.hpp"

namespace {

using Matrix = std::vector<float>;

/// Never inlined: every thread count measures the same machine code.
[[gnu::noinline]] void multiply(const Matrix& a, const Matrix& b, Matrix& c, std::size_t n) {
  std::fill(c.begin(), c.end(), 0.0F);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      const float x = a[i * n + k];
      for (std::size_t j = 0; j < n; ++j) c[i * n + j] += x * b[k * n + j];
    }
  }
}

void matmul(tare::Context& c) {
  const auto n = c.param<std::size_t>("n");
  Matrix a(n * n, 0.5F);
  Matrix b(n * n, 2.0F);
  c.workload().shape = {static_cast<std::int64_t>(n), static_cast<std::int64_t>(n)};
  c.workload().dtype = "f32";
  c.flops(2.0 * static_cast<double>(n * n * n) * c.threads());
  c.check([&] {
    Matrix product(n * n);
    multiply(a, b, product, n);
    double worst = 0;
    for (const float x : product)
      worst = std::max(worst, std::fabs(static_cast<double>(x) - static_cast<double>(n)));
    return tare::CheckResult{worst < 1e-3 * static_cast<double>(n), "a row times a column is not n", worst};
  });
  std::vector<Matrix> products(static_cast<std::size_t>(c.threads()), Matrix(n * n));
  c.measure([&](int thread) {
    auto& product = products[static_cast<std::size_t>(thread)];
    multiply(a, b, product, n);
    tare::keep(product);
  });
}
TARE_BENCHMARK("matmul/naive", matmul)
    .param("n", tare::list({16, 64, 128}))
    .threads({1, 2})
    .tag("kind", "compute");

TARE_BENCHMARK("dot",
               [](tare::Context& c) {
                 const auto n = c.param<std::size_t>("n");
                 const std::vector<double> x(n, 1.5);
                 const std::vector<double> y(n, 2.0);
                 c.flops(2.0 * static_cast<double>(n)).bytes(16.0 * static_cast<double>(n));
                 c.measure([&] {
                   double sum = 0;
                   for (std::size_t i = 0; i < n; ++i) sum += x[i] * y[i];
                   tare::keep(sum);
                 });
               })
    .param("n", tare::range(1'000, 1'000'000, 10))
    .tag("kind", "compute");

}  // namespace
