// Random programs: eager, unfused, interpreted and compiled execution give the same values and gradients,
// with one thread and with two. Failing programs are shrunk.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include "ad/compile.hpp"
#include "ad/support/threads.hpp"
#include "ad/tensor/autograd.hpp"
#include "ad/tensor/ops.hpp"

namespace tare::ad {
namespace {

using Code = std::vector<std::array<std::uint8_t, 3>>;  ///< op, first and second operand

/// Tensors that programs start from: a matrix, a row, a column, a number.
struct Inputs {
  std::int64_t rows, columns;
  DType dtype;
  std::uint64_t seed;

  [[nodiscard]] std::vector<Tensor> make() const {
    Generator generator(seed);
    return {Tensor::randn({rows, columns}, generator, dtype), Tensor::randn({columns}, generator, dtype),
            Tensor::randn({rows, 1}, generator, dtype), Tensor::randn({}, generator, dtype)};
  }
};

/// One instruction; what does not fit the shapes leaves its operand as it is. Values stay bounded.
Tensor apply_code(std::uint8_t op, const Tensor& a, const Tensor& b) {
  const auto fits = [&] {
    try {
      (void)broadcast("add", a.shape(), b.shape());
      return broadcast("add", a.shape(), b.shape()).count() <= 20000;
    } catch (const AdError&) {
      return false;
    }
  };
  switch (op % 30) {
    case 0:
      return fits() ? a + b : a;
    case 1:
      return fits() ? a - b : a;
    case 2:
      return fits() ? tanh(a * b) : a;
    case 3:
      return fits() ? a / (1.0 + square(b)) : a;
    case 4:
      return fits() ? max(a, b) : a;
    case 5:
      return fits() ? where(less(a, b), sin(a), b) : a;
    case 6:
      return tanh(a);
    case 7:
      return exp(-square(a));
    case 8:
      return relu(a);
    case 9:
      return gelu(a);
    case 10:
      return sigmoid(a) - 0.5;
    case 11:
      return softplus(a) * 0.5;
    case 12:
      return abs(a);
    case 13:
      return a.rank() > 0 ? sum(a, {-1}, true) * (1.0 / static_cast<double>(a.size(-1))) : a;
    case 14:
      return a.rank() > 0 ? mean(a, {0}) : a;
    case 15:
      return mean(a);
    case 16:
      return a.rank() > 0 ? amax(a, {-1}, true) : a;
    case 17:
      return a.rank() > 0 ? softmax(a) : a;
    case 18:
      return a.rank() > 0 ? log_softmax(a) * 0.1 : a;
    case 19:
      return a.rank() == 2 ? transpose(a) : a;
    case 20:
      return reshape(a, {-1});
    case 21:
      return a.rank() > 0 && a.size(0) > 1 ? slice(a, 0, 0, a.size(0) / 2) : a;
    case 22:
      return a.rank() == 2 && a.count() <= 4000 ? tanh(matmul(a, transpose(a)) * 0.1) : a;
    case 23:
      return a.rank() > 0 ? rms_norm(a, Tensor::ones({a.size(-1)}, a.dtype()), 1e-2) : a;
    case 24:
      return a.rank() > 0 ? layer_norm(a, Tensor::ones({a.size(-1)}, a.dtype()),
                                       Tensor::zeros({a.size(-1)}, a.dtype()), 1e-2)
                          : a;
    case 25:
      return clamp(a, -0.5, 0.8);
    case 26:
      return erf(a) + cos(a);
    case 27:
      return fits() ? min(a, b) * 0.5 + log1p(square(a)) : a;
    case 28:
      return cast(less(a, number_beside(0.1, a)), a.dtype()) * a;
    default:
      return a.rank() == 2 ? expand(sum(a, {0}, true) * 0.1, a.shape()) : a;
  }
}

/// The last few values, and the gradients of their mean squares.
std::vector<Tensor> run(const Code& code, std::span<const Tensor> given) {
  std::vector<Tensor> values, leaves;
  for (const Tensor& x : given) {
    values.push_back(copy(x.detach()));
    values.back().requires_grad();
    leaves.push_back(values.back());
  }
  for (const auto& [op, a, b] : code)
    values.push_back(apply_code(op, values[a % values.size()], values[b % values.size()]));
  Tensor loss = Tensor::zeros({}, given[0].dtype());
  std::vector<Tensor> results;
  for (std::size_t i = std::max<std::size_t>(4, values.size() - std::min<std::size_t>(3, values.size()));
       i < values.size(); ++i) {
    results.push_back(values[i]);
    loss = loss + mean(square(values[i]));
  }
  if (!loss.needs_grad()) return results;
  for (auto& gradient : gradient(loss, leaves)) results.push_back(gradient);
  return results;
}

void expect_close(const std::vector<Tensor>& got, const std::vector<Tensor>& want, double tolerance,
                  const char* how) {
  RC_ASSERT(got.size() == want.size());
  for (std::size_t k = 0; k < got.size(); ++k) {
    RC_ASSERT(got[k].shape() == want[k].shape());
    const auto x = got[k].to_vector(), y = want[k].to_vector();
    double largest = 1;
    for (const double v : y) largest = std::max(largest, std::abs(v));
    for (std::size_t i = 0; i < x.size(); ++i) {
      const bool both_nan = std::isnan(x[i]) && std::isnan(y[i]);
      if (!both_nan && !(std::abs(x[i] - y[i]) <= tolerance * largest)) {
        RC_LOG() << how << ", result " << k << " at " << i << ": " << x[i] << " instead of " << y[i] << '\n';
        RC_FAIL("results differ");
      }
    }
  }
}

/// Code of random programs is not kept for the user.
class OwnCache : public testing::Environment {
 public:
  void SetUp() override { setenv("XDG_CACHE_HOME", folder_.c_str(), 1); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

 private:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("tare-programs-" + std::to_string(getpid()));
};
[[maybe_unused]] const auto* const own_cache = testing::AddGlobalTestEnvironment(new OwnCache);

struct Way {
  const char* name;
  graph::Passes passes;
};

void check(const Code& code, const Inputs& inputs) {
  const auto given = inputs.make();
  const graph::Function function = [&](std::span<const Tensor> x) { return run(code, x); };
  const auto want = function(given);
  if (want.empty()) return;
  const double tolerance = inputs.dtype == DType::f64 ? 1e-9 : 2e-3;
  for (const Way& way :
       {Way{"unfused", {.fuse = false, .compile = false}}, Way{"interpreted", {.compile = false}},
        Way{"every pass off",
            {.fold = false,
             .share = false,
             .remove_dead = false,
             .absorb = false,
             .fuse = false,
             .recompute = false,
             .reuse_memory = false,
             .compile = false}},
        Way{"nothing recomputed", {.recompute = false, .compile = false}}, Way{"compiled", {}}}) {
    CompiledFunction compiled(function, {.passes = way.passes, .on_break = OnBreak::error});
    for (const int threads : {1, 2}) {
      set_thread_count(threads);
      expect_close(compiled(given), want, tolerance, way.name);
    }
    RC_ASSERT(compiled.stats().eager_calls == 0U);
  }
}

// The same cases on every run; another RC_PARAMS in the environment looks further.
[[maybe_unused]] const int fixed_seed = setenv("RC_PARAMS", "seed=20170411", 0);

RC_GTEST_PROP(Programs, GiveTheSameInDoublePrecision, ()) {
  const auto code = *rc::gen::resize(24, rc::gen::arbitrary<Code>());
  check(code,
        {*rc::gen::element<std::int64_t>(1, 2, 5, 16, 37), *rc::gen::element<std::int64_t>(1, 3, 8, 33, 130),
         DType::f64, *rc::gen::inRange<std::uint64_t>(0, 1000)});
}

RC_GTEST_PROP(Programs, GiveTheSameInSinglePrecision, ()) {
  const auto code = *rc::gen::resize(16, rc::gen::arbitrary<Code>());
  check(code,
        {*rc::gen::element<std::int64_t>(1, 2, 5, 16, 37), *rc::gen::element<std::int64_t>(1, 3, 8, 33, 130),
         DType::f32, *rc::gen::inRange<std::uint64_t>(0, 1000)});
}

}  // namespace
}  // namespace tare::ad
