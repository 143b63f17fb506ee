// Kernels against the tape over all points: shared inputs, data points, stencils, chunks, threads, guards.
#include "ad/scalar/program/kernel.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "ad/scalar/derivatives.hpp"
#include "ad/scalar/functions.hpp"

namespace tare::ad {
namespace {

std::vector<double> random_numbers(std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> x(n);
  for (double& each : x) each = uniform(random);
  return x;
}

/// A small mixture: shared inputs through exp, a reduction over components, data that has no derivative.
constexpr std::size_t components = 3;
constexpr std::size_t dimension = 2;
constexpr std::size_t parameters = components * (1 + 2 * dimension);
template <class T>
T mixture(std::span<const T> shared, std::span<const T> point) {
  std::vector<T> terms;
  for (std::size_t k = 0; k < components; ++k) {
    const std::span<const T> own = shared.subspan(k * (1 + 2 * dimension));
    T term = own[0];
    for (std::size_t i = 0; i < dimension; ++i) {
      const T scaled = (point[i] - own[1 + i]) * exp(own[1 + dimension + i]);
      term += own[1 + dimension + i] - 0.5 * scaled * scaled;
    }
    terms.push_back(term);
  }
  return logsumexp(std::span<const T>(terms));
}

struct Expected {
  double value;
  std::vector<double> shared;
  std::vector<double> points;
};
Expected by_tape(const std::vector<double>& shared, const std::vector<double>& points) {
  std::vector<double> all = shared;
  all.insert(all.end(), points.begin(), points.end());
  std::vector<double> g(all.size());
  Recorder<double> recorder;
  const double value = gradient<double>(
      [&](std::span<const Real<double>> x) {
        Real<double> sum = 0.0;
        for (std::size_t p = parameters; p < x.size(); p += dimension) {
          sum += mixture(x.first(parameters), x.subspan(p, dimension));
        }
        return sum;
      },
      std::span<const double>(all), g, recorder);
  return {value, {g.begin(), g.begin() + parameters}, {g.begin() + parameters, g.end()}};
}
Kernel mixture_kernel(const KernelOptions& options) {
  const std::vector<double> at = random_numbers(parameters, 1);
  return make_kernel(
      {at, {}, std::span(at).first(dimension)},
      [](const KernelArguments<Symbol>& x) { return mixture(x.shared, x.point); }, options);
}

void expect_near(std::span<const double> a, std::span<const double> b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-12 * (1 + std::abs(b[i]))) << i;
}

class KernelOf : public testing::TestWithParam<std::tuple<std::size_t, bool>> {};

TEST_P(KernelOf, points_gives_the_gradient_of_their_sum) {
  const auto [count, jit] = GetParam();
  const Kernel kernel = mixture_kernel({{.use_jit = jit}, true});
  const std::vector<double> shared = random_numbers(parameters, 2);
  const std::vector<double> points = random_numbers(count * dimension, 3);
  const Expected expected = by_tape(shared, points);
  std::vector<double> shared_bar(shared.size());
  std::vector<double> points_bar(points.size());
  const double value = kernel.gradient({shared, points, {}, nullptr}, {shared_bar, {}, points_bar});
  EXPECT_NEAR(value, expected.value, 1e-12 * (1 + std::abs(value)));
  EXPECT_NEAR(kernel.value({shared, points, {}, nullptr}), value, 1e-12 * (1 + std::abs(value)));
  expect_near(shared_bar, expected.shared);
  expect_near(points_bar, expected.points);
}
INSTANTIATE_TEST_SUITE_P(Counts, KernelOf,
                         testing::Combine(testing::Values(1, 3, 4, 8, 63, 64, 65, 1000, 5003),
                                          testing::Bool()));

TEST(Kernel, computes_what_depends_on_shared_inputs_alone_once) {
  static int calls = 0;
  const std::vector<double> at{2.0, 1.0};
  const auto body = [](const KernelArguments<Symbol>& x) {
    const Symbol counted = custom(
        "counted", x.shared[0], [](double v) { return ++calls, v * v; }, [](double v) { return 2 * v; });
    return counted * x.point[0];
  };
  const Kernel kernel = make_kernel({std::span(at).first(1), {}, std::span(at).last(1)}, body);
  const std::vector<double> points(1000, 0.5);
  calls = 0;
  EXPECT_EQ(kernel.value({std::span(at).first(1), points, {}, nullptr}), 2000);
  EXPECT_EQ(calls, 1);
  std::vector<double> bar(1);
  kernel.gradient({std::span(at).first(1), points, {}, nullptr}, {bar, {}, {}});
  EXPECT_EQ(bar[0], 2000);
}

TEST(Kernel, gives_the_same_bits_on_any_number_of_threads) {
  const std::vector<double> shared = random_numbers(parameters, 2);
  const std::vector<double> points = random_numbers(3001 * dimension, 3);
  std::vector<double> first(parameters);
  std::vector<double> other(parameters);
  const double value = mixture_kernel({}).gradient({shared, points, {}, nullptr}, {first, {}, {}});
  for (const unsigned threads : {2U, 3U, 5U}) {
    const Kernel kernel = mixture_kernel({{.threads = threads}});
    for (int repeat = 0; repeat < 5; ++repeat) {
      EXPECT_EQ(kernel.gradient({shared, points, {}, nullptr}, {other, {}, {}}), value);
      EXPECT_EQ(other, first);
    }
  }
}

/// A ring of cells, each reading itself and its neighbours.
template <class T>
T cell(std::span<const T> shared, std::span<const T> near, std::span<const T> own) {
  const T flow = shared[0] * (near[0] - 2.0 * near[1] + near[2]) + near[1] * near[1] * shared[1];
  return flow * flow * own[0];
}

TEST(Kernel, sums_derivatives_of_gathered_values_over_all_readers) {
  for (const bool jit : {true, false}) {
    for (const std::size_t n : {3U, 10U, 257U}) {
      const std::vector<double> shared{0.3, -0.7};
      const std::vector<double> field = random_numbers(n, 5);
      const std::vector<double> own = random_numbers(n, 6);
      std::vector<std::uint32_t> indices;
      for (std::size_t i = 0; i < n; ++i) {
        for (const std::size_t j : {(i + n - 1) % n, i, (i + 1) % n}) {
          indices.push_back(static_cast<std::uint32_t>(j));
        }
      }
      const Stencil stencil(n, 3, indices);
      const std::vector<double> at{1, 2, 3};
      const Kernel kernel =
          make_kernel({std::span(at).first(2), at, std::span(at).first(1)},
                      [](const KernelArguments<Symbol>& x) { return cell(x.shared, x.gathered, x.point); },
                      {{.use_jit = jit, .threads = 2}});

      std::vector<double> all = shared;
      all.insert(all.end(), field.begin(), field.end());
      const auto f = [&](std::span<const Real<double>> x) {
        Real<double> sum = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
          const Real<double> near[] = {x[2 + indices[3 * i]], x[2 + indices[3 * i + 1]],
                                       x[2 + indices[3 * i + 2]]};
          const Real<double> mine[] = {Real<double>(own[i])};
          sum += cell<Real<double>>(x.first(2), near, mine);
        }
        return sum;
      };
      const std::vector<double> expected = gradient<double>(f, std::span<const double>(all));
      std::vector<double> shared_bar(2);
      std::vector<double> field_bar(n);
      kernel.gradient({shared, own, field, &stencil}, {shared_bar, field_bar, {}});
      expect_near(shared_bar, std::span(expected).first(2));
      expect_near(field_bar, std::span(expected).subspan(2));
    }
  }
}

TEST(Kernel, tells_which_point_went_another_way) {
  const std::vector<double> at{2.0, 1.0};
  const auto body = [](const KernelArguments<Symbol>& x) {
    return x.point[0] < x.shared[0] ? x.point[0] * x.shared[0] : x.shared[0];
  };
  const Kernel kernel = make_kernel({std::span(at).first(1), {}, std::span(at).last(1)}, body);
  const std::vector<double> shared{2.0};
  std::vector<double> points(100, 1.0);
  EXPECT_EQ(kernel.value({shared, points, {}, nullptr}), 200);
  points[57] = 3.5;
  points[80] = 7.5;
  try {
    static_cast<void>(kernel.value({shared, points, {}, nullptr}));
    FAIL() << "went unnoticed";
  } catch (const ReplayError& error) {
    EXPECT_NE(std::string(error.what()).find("3.5 < 2"), std::string::npos) << error.what();
  }
}

TEST(Kernel, tells_when_shared_inputs_went_another_way) {
  const std::vector<double> at{2.0, 1.0};
  const auto body = [](const KernelArguments<Symbol>& x) {
    return x.shared[0] > 1.0 ? x.point[0] * x.shared[0] : x.point[0];
  };
  const Kernel kernel = make_kernel({std::span(at).first(1), {}, std::span(at).last(1)}, body);
  const std::vector<double> points(5, 1.0);
  const std::vector<double> shared{0.5};
  EXPECT_THROW(static_cast<void>(kernel.value({shared, points, {}, nullptr})), ReplayError);
}

TEST(Kernel, refuses_what_does_not_fit) {
  const Kernel kernel = mixture_kernel({});
  const std::vector<double> shared = random_numbers(parameters, 2);
  const std::vector<double> points = random_numbers(10 * dimension, 3);
  std::vector<double> wrong(3);
  std::vector<double> bar(points.size());
  EXPECT_THROW(static_cast<void>(kernel.value({wrong, points, {}, nullptr})), AdError);
  EXPECT_THROW(static_cast<void>(kernel.value({shared, wrong, {}, nullptr})), AdError);
  EXPECT_THROW(static_cast<void>(kernel.gradient({shared, points, {}, nullptr}, {wrong, {}, {}})), AdError);
  EXPECT_THROW(static_cast<void>(kernel.gradient({shared, points, {}, nullptr}, {{}, {}, bar})), AdError);
  const std::uint32_t outside[] = {0, 7};
  EXPECT_THROW(Stencil(5, 2, outside), AdError);
  EXPECT_THROW(Stencil(5, 0, outside), AdError);
}

TEST(Kernel, of_no_points_is_zero) {
  const Kernel kernel = mixture_kernel({});
  const std::vector<double> shared = random_numbers(parameters, 2);
  std::vector<double> bar(parameters, 1);
  EXPECT_EQ(kernel.gradient({shared, {}, {}, nullptr}, {bar, {}, {}}), 0);
  EXPECT_EQ(bar, std::vector<double>(parameters));
}

}  // namespace
}  // namespace tare::ad
