// The cost of k-means: the sum over n points of the squared distance to the nearest of ten centres. Of ten
// distances computed for a point one has an influence: a filter by use would pay.
#pragma once

#include "workloads/workload.hpp"

namespace tare::workloads {

struct KMeans {
  static constexpr std::string_view name = "kmeans";
  static constexpr std::array<std::size_t, 2> sizes{10, 500};
  static constexpr std::size_t d = 4;
  static constexpr std::size_t k = 10;

  KMeans(std::size_t count, std::uint64_t seed) : n(count), points(Random(seed).uniforms(count * d, -1, 1)) {}
  std::size_t n;
  std::vector<double> points;

  [[nodiscard]] std::size_t inputs() const { return k * d; }
  [[nodiscard]] std::size_t scratch() const { return 0; }
  [[nodiscard]] std::size_t adjoint_scratch() const { return 0; }
  [[nodiscard]] std::vector<double> point(std::uint64_t seed) const {
    return Random(seed).uniforms(k * d, -1, 1);
  }
  [[nodiscard]] std::vector<Block> blocks() const { return {{"centres", 0, k * d}}; }

  template <class T>
  [[nodiscard]] T value(const T* x, T*) const {
    T y = 0.0;
    for (std::size_t i = 0; i < n; ++i) add_term(y, x, points.data() + i * d);
    return y;
  }
  /// The point's own coordinates may be of another type than the centres'.
  template <class T, class X>
  static void add_term(T& y, const T* centres, const X* point) {
    T nearest = distance(centres, point);
    for (std::size_t c = 1; c < k; ++c) {
      T here = distance(centres + c * d, point);
      nearest = Lesser<T>::of(nearest, here);
    }
    y += nearest;
  }
  double gradient(const double* x, double* g, double*) const {
    for (std::size_t i = 0; i < k * d; ++i) g[i] = 0;
    double y = 0;
    for (std::size_t i = 0; i < n; ++i) {
      std::size_t best = 0;
      const double* const point = points.data() + i * d;
      double nearest = distance(x, point);
      for (std::size_t c = 1; c < k; ++c) {
        const double here = distance(x + c * d, point);
        if (here >= nearest) continue;
        nearest = here;
        best = c;
      }
      y += nearest;
      for (std::size_t j = 0; j < d; ++j) g[best * d + j] += 2 * (x[best * d + j] - point[j]);
    }
    return y;
  }

 private:
  template <class T, class X>
  static T distance(const T* centre, const X* point) {
    T sum = 0.0;
    for (std::size_t j = 0; j < d; ++j) {
      T off = centre[j] - point[j];
      sum += off * off;
    }
    return sum;
  }
};

}  // namespace tare::workloads
