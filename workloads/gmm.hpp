// The log-likelihood of a mixture of k Gaussians in d dimensions over n points, with a Wishart prior: the
// problem of ADBench (Šrajer, Kukelova, Fitzgibbon 2018) and GradBench. Inputs: mixture weights α (k), means
// μ (k·d), and the covariances' inverse factors as the logarithms q of their diagonals (k·d) and their
// strictly lower triangles l by columns (k·d(d−1)/2).
#pragma once

#include <numbers>
#include <utility>

#include "workloads/expression.hpp"

namespace tare::workloads {

struct Gmm {
  static constexpr std::string_view name = "gmm";
  static constexpr std::array<std::size_t, 2> sizes{20, 1000};

  Gmm(std::size_t points, std::uint64_t seed)
      : n(points), x(Random(seed).uniforms(points * d, -1, 1)), constant(find_constant()) {}
  /// Any problem of the kind.
  Gmm(std::size_t dimensions, std::size_t components, std::vector<double> data, double gamma, int m)
      : d(dimensions),
        k(components),
        n(data.size() / dimensions),
        wishart_gamma(gamma),
        wishart_m(m),
        x(std::move(data)),
        constant(find_constant()) {}

  std::size_t d = 10;
  std::size_t k = 25;
  std::size_t n;
  double wishart_gamma = 1;
  int wishart_m = 0;
  std::vector<double> x;
  double constant;  ///< of what does not depend on the inputs

  [[nodiscard]] std::size_t triangle() const { return d * (d - 1) / 2; }
  [[nodiscard]] std::size_t inputs() const { return k * (1 + 2 * d + triangle()); }
  [[nodiscard]] std::size_t scratch() const { return k * d + 2 * k + 2 * d; }
  [[nodiscard]] std::size_t adjoint_scratch() const { return 2 * k * d + 3 * k + 2 * d * k + d; }
  [[nodiscard]] std::vector<double> point(std::uint64_t seed) const {
    return Random(seed).uniforms(inputs(), -0.5, 0.5);
  }
  [[nodiscard]] std::vector<Block> blocks() const {
    return {{"alpha", 0, k}, {"mu", k, k * d}, {"q", k + k * d, k * d}, {"l", k + 2 * k * d, k * triangle()}};
  }

  template <class T>
  [[nodiscard]] T value(const T* in, T* s) const {
    return value(in, s, [](auto component) { return component(); });
  }
  /// `around(f)` gives f(), the logarithm of one component's density at one point: most of the work happens
  /// there, between few inputs and one output.
  template <class T, class Around>
  [[nodiscard]] T value(const T* in, T* s, Around around) const {
    prepare(in, s);
    T y = 0.0;
    for (std::size_t i = 0; i < n; ++i) y += point_term(in, x.data() + i * d, s, around);
    add_prior(y, in, s);
    return y;
  }
  /// What all points share, at the start of the scratch.
  template <class T>
  void prepare(const T* in, T* s) const {
    using std::exp;
    const T* const q = in + k + k * d;
    T* const diagonal = s;
    T* const sum_q = diagonal + k * d;
    for (std::size_t i = 0; i < k * d; ++i) diagonal[i] = exp(q[i]);
    for (std::size_t c = 0; c < k; ++c) {
      T sum = 0.0;
      for (std::size_t j = 0; j < d; ++j) sum += q[c * d + j];
      sum_q[c] = sum;
    }
  }
  /// The logarithm of the mixture's density at a point, whose coordinates may be of another type.
  template <class T, class X, class Around>
  [[nodiscard]] T point_term(const T* in, const X* point, T* s, Around around) const {
    T* const term = s + k * d + k;
    for (std::size_t c = 0; c < k; ++c) {
      term[c] = around([&] { return component_term(in, c, point, s); });
    }
    return LogSumExp::of(term, k);
  }
  template <class T, class X>
  [[nodiscard]] T component_term(const T* in, std::size_t c, const X* point, T* s) const {
    const T* const mu = in + k + c * d;
    const T* const diagonal = s + c * d;
    const T& sum_q = s[k * d + c];
    T* const centred = s + k * d + 2 * k;
    T* const scaled = centred + d;
    for (std::size_t j = 0; j < d; ++j) centred[j] = point[j] - mu[j];
    for (std::size_t j = 0; j < d; ++j) scaled[j] = diagonal[j] * centred[j];
    const T* below = in + k + 2 * k * d + c * triangle();
    for (std::size_t j = 0; j < d; ++j) {
      for (std::size_t r = j + 1; r < d; ++r) scaled[r] += *below++ * centred[j];
    }
    T norm = 0.0;
    for (std::size_t j = 0; j < d; ++j) norm += scaled[j] * scaled[j];
    T term = in[c] + sum_q - 0.5 * norm;
    return term;
  }
  template <class T>
  void add_prior(T& y, const T* in, const T* s) const {
    const T* const alpha = in;
    const T* const l = in + k + 2 * k * d;
    const T* const diagonal = s;
    const T* const sum_q = diagonal + k * d;
    y -= static_cast<double>(n) * LogSumExp::of(alpha, k);
    const double half = 0.5 * wishart_gamma * wishart_gamma;
    for (std::size_t c = 0; c < k; ++c) {
      T norm = 0.0;
      for (std::size_t j = 0; j < d; ++j) norm += diagonal[c * d + j] * diagonal[c * d + j];
      for (std::size_t j = 0; j < triangle(); ++j) norm += l[c * triangle() + j] * l[c * triangle() + j];
      y -= half * norm - static_cast<double>(wishart_m) * sum_q[c];
    }
    y += constant;
  }

  double gradient(const double* in, double* g, double* s) const {
    const double* const alpha = in;
    const double* const mu = in + k;
    const double* const q = mu + k * d;
    const double* const l = q + k * d;
    double* const to_alpha = g;
    double* const to_mu = g + k;
    double* const to_q = to_mu + k * d;
    double* const to_l = to_q + k * d;
    double* const diagonal = s;
    double* const to_diagonal = diagonal + k * d;
    double* const sum_q = to_diagonal + k * d;
    double* const term = sum_q + k;
    double* const weight = term + k;
    double* const scaled = weight + k;  // of every component
    double* const centred = scaled + k * d;
    double* const to_centred = centred + k * d;

    const double half = 0.5 * wishart_gamma * wishart_gamma;
    double y = constant;
    for (std::size_t i = 0; i < inputs(); ++i) g[i] = 0;
    for (std::size_t c = 0; c < k; ++c) {
      double sum = 0;
      for (std::size_t j = 0; j < d; ++j) {
        diagonal[c * d + j] = std::exp(q[c * d + j]);
        sum += q[c * d + j];
        to_diagonal[c * d + j] = -2 * half * diagonal[c * d + j];
        y -= half * diagonal[c * d + j] * diagonal[c * d + j];
      }
      sum_q[c] = sum;
      y += wishart_m * sum;
      for (std::size_t j = 0; j < triangle(); ++j) {
        const double here = l[c * triangle() + j];
        y -= half * here * here;
        to_l[c * triangle() + j] = -2 * half * here;
      }
    }
    const double lse = LogSumExp::adjoint(alpha, weight, k);
    y -= static_cast<double>(n) * lse;
    for (std::size_t c = 0; c < k; ++c) to_alpha[c] = -static_cast<double>(n) * weight[c];

    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t c = 0; c < k; ++c) {
        double* const z = scaled + c * d;
        double* const e = centred + c * d;
        for (std::size_t j = 0; j < d; ++j) {
          e[j] = x[i * d + j] - mu[c * d + j];
          z[j] = diagonal[c * d + j] * e[j];
        }
        const double* below = l + c * triangle();
        for (std::size_t j = 0; j < d; ++j) {
          for (std::size_t r = j + 1; r < d; ++r) z[r] += *below++ * e[j];
        }
        double norm = 0;
        for (std::size_t j = 0; j < d; ++j) norm += z[j] * z[j];
        term[c] = alpha[c] + sum_q[c] - 0.5 * norm;
      }
      y += LogSumExp::adjoint(term, weight, k);
      for (std::size_t c = 0; c < k; ++c) {
        const double w = weight[c];
        const double* const z = scaled + c * d;
        const double* const e = centred + c * d;
        to_alpha[c] += w;
        const double* below = l + c * triangle();
        double* to_below = to_l + c * triangle();
        for (std::size_t j = 0; j < d; ++j) {
          double sum = z[j] * diagonal[c * d + j];
          for (std::size_t r = j + 1; r < d; ++r) {
            sum += *below++ * z[r];
            *to_below++ -= w * z[r] * e[j];
          }
          to_centred[j] = sum;
        }
        for (std::size_t j = 0; j < d; ++j) {
          to_diagonal[c * d + j] -= w * z[j] * e[j];
          to_mu[c * d + j] += w * to_centred[j];
          to_q[c * d + j] += w;
        }
      }
    }
    for (std::size_t i = 0; i < k * d; ++i) to_q[i] += to_diagonal[i] * diagonal[i] + wishart_m;
    return y;
  }

 private:
  [[nodiscard]] double find_constant() const {
    const auto dims = static_cast<double>(d);
    const double freedom = dims + wishart_m + 1;
    double log_gamma = 0.25 * dims * (dims - 1) * std::log(std::numbers::pi);
    for (std::size_t j = 1; j <= d; ++j)
      log_gamma += std::lgamma(0.5 * freedom + 0.5 * (1 - static_cast<double>(j)));
    const double prior = freedom * dims * (std::log(wishart_gamma) - 0.5 * std::numbers::ln2) - log_gamma;
    return -static_cast<double>(n) * dims * 0.5 * std::log(2 * std::numbers::pi) +
           static_cast<double>(k) * prior;
  }
};

}  // namespace tare::workloads
