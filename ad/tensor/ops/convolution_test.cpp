// Convolutions and pools beyond the table's small cases: sizes at which oneDNN blocks and threads share,
// misuse, repeated calls.
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "ad/support/error.hpp"
#include "ad/support/threads.hpp"
#include "ad/tensor/autograd.hpp"
#include "ad/tensor/memory.hpp"
#include "ad/tensor/ops.hpp"

namespace tare::ad {
namespace {

class Convolution : public testing::Test {
 protected:
  void TearDown() override { set_thread_count(threads_); }

 private:
  int threads_ = thread_count();
};

struct Example {
  Shape x, w;
  Conv2d options;
};
const std::vector<Example> examples{
    {{4, 32, 14, 14}, {32, 32, 3, 3}, {1, 1, 1, 1}},  {{3, 3, 19, 23}, {16, 3, 7, 7}, {2, 3, 1, 1}},
    {{1, 48, 9, 9}, {64, 48, 3, 3}, {1, 1, 1, 1}},    {{5, 16, 10, 10}, {16, 1, 3, 3}, {1, 1, 1, 16}},
    {{2, 128, 4, 4}, {128, 128, 3, 3}, {1, 1, 1, 1}}, {{2, 12, 11, 9}, {18, 4, 3, 3}, {2, 2, 2, 3}},
    {{3, 40, 8, 8}, {24, 40, 1, 1}, {1, 0, 1, 1}}};

/// y, the gradient of x and of w.
std::vector<std::vector<double>> results(const Example& e, DType type) {
  Generator generator(11);
  Tensor x = cast(Tensor::randn(e.x, generator), type), w = cast(Tensor::randn(e.w, generator), type);
  x.requires_grad();
  w.requires_grad();
  const Tensor y = conv2d(x, w, {}, e.options);
  const Tensor seed = cast(Tensor::randn(y.shape(), generator), type);
  const std::vector<Tensor> xs{x, w};
  const auto gradients = gradient(y, xs, seed);
  return {y.to_vector(), gradients[0].to_vector(), gradients[1].to_vector()};
}

TEST_F(Convolution, SingleIsNearDoubleOnAnyNumberOfThreads) {
  for (const auto& e : examples) {
    set_thread_count(1);
    const auto expected = results(e, DType::f64);
    for (const int threads : {1, 2, 3}) {
      set_thread_count(threads);
      for (int again = 0; again < 2; ++again) {
        const auto got = results(e, DType::f32);
        for (std::size_t k = 0; k < got.size(); ++k) {
          SCOPED_TRACE(text_of(e.x) + " * " + text_of(e.w) + " part " + std::to_string(k) + ", threads " +
                       std::to_string(threads));
          ASSERT_EQ(got[k].size(), expected[k].size());
          double largest = 1;
          for (const double v : expected[k]) largest = std::max(largest, std::abs(v));
          for (std::size_t i = 0; i < got[k].size(); ++i)
            ASSERT_NEAR(got[k][i], expected[k][i], 1e-5 * largest) << i;
        }
      }
    }
  }
}

TEST_F(Convolution, DeterministicModeGivesTheSameBitsForAnyNumberOfThreads) {
  const Deterministic scope;
  for (const auto& e : examples) {
    for (const auto type : {DType::f32, DType::f64}) {
      set_thread_count(1);
      const auto one = results(e, type);
      for (const int threads : {2, 3}) {
        set_thread_count(threads);
        EXPECT_EQ(results(e, type), one) << text_of(e.x) << " * " << text_of(e.w);
      }
    }
  }
}

TEST_F(Convolution, AStepThatComesBackAsksForNoMemory) {
  if (!detail::keeps_memory) GTEST_SKIP() << "memory is not kept under AddressSanitizer";
  const Example e{{2, 16, 20, 20}, {16, 16, 3, 3}, {1, 1, 1, 1}};
  set_thread_count(1);  // a second thread may get its first part of the work at any time
  (void)results(e, DType::f32);
  (void)results(e, DType::f32);
  const auto before = memory_stats().system_calls;
  for (int i = 0; i < 3; ++i) (void)results(e, DType::f32);
  EXPECT_EQ(memory_stats().system_calls, before);
}

TEST_F(Convolution, TheBiasIsAddedPerChannel) {
  const Tensor x = Tensor::zeros({2, 3, 4, 4}), w = Tensor::zeros({2, 3, 3, 3});
  const Tensor bias = Tensor::of({1.0F, -2.0F}, {2});
  const auto y = conv2d(x, w, bias).to_vector();
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], i / 4 % 2 == 0 ? 1 : -2) << i;
}

template <class F>
std::string message(F f) {
  try {
    f();
  } catch (const AdError& error) {
    return error.what();
  }
  return "no error";
}

TEST_F(Convolution, MisuseIsNamed) {
  const Tensor x = Tensor::zeros({2, 4, 5, 6}), w = Tensor::zeros({6, 4, 3, 3});
  const auto says = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
    EXPECT_EQ(text.rfind("conv2d: ", 0), 0U) << text;
  };
  const auto error = [&](const Tensor& input, const Tensor& weight, const Conv2d& o,
                         const Tensor& bias = {}) {
    return message([&] { (void)conv2d(input, weight, bias, o); });
  };
  says(error(Tensor::zeros({4, 5, 6}), w, {}), "[4, 5, 6]");
  says(error(x, Tensor::zeros({6, 3, 3, 3}), {}), "[6, 3, 3, 3]");
  says(error(x, w, {1, 0, 1, 3}), "3 groups");
  says(error(x, w, {0, 0, 1, 1}), "stride 0");
  says(error(x, w, {1, -1, 1, 1}), "padding -1");
  says(error(x, w, {1, 0, 0, 1}), "dilation 0");
  says(error(x, w, {1, 0, 1, 0}), "groups 0");
  says(error(x, w, {1, 0, 4, 1}), "does not fit");
  says(error(x, w, {1, std::numeric_limits<std::int64_t>::max(), 1, 1}), "padding");
  says(error(x, w, {1, std::int64_t{1} << 30, 1, 1}), "too many elements");
  says(error(x, Tensor::zeros({6, 4, 0, 3}), {}), "[6, 4, 0, 3]");
  says(error(Tensor::zeros({2, 0, 5, 6}), Tensor::zeros({6, 0, 3, 3}), {}), "[2, 0, 5, 6]");
  says(error(x, cast(w, DType::f64), {}), "f64");
  says(error(cast(x, DType::i64), cast(w, DType::i64), {}), "i64");
  says(error(x, w, {}, Tensor::zeros({5})), "[5]");
}

TEST_F(Convolution, MisuseOfPoolsIsNamed) {
  const Tensor x = Tensor::zeros({2, 4, 5, 6});
  for (const bool largest : {true, false}) {
    const auto says = [&](const Tensor& input, const Pool2d& o, const char* part) {
      const auto text = message([&] { (void)(largest ? max_pool2d(input, o) : avg_pool2d(input, o)); });
      EXPECT_EQ(text.rfind(largest ? "max_pool2d: " : "avg_pool2d: ", 0), 0U) << text;
      EXPECT_NE(text.find(part), std::string::npos) << text;
    };
    says(Tensor::zeros({5, 6}), {}, "[5, 6]");
    says(x, {0, 1, 0}, "size 0");
    says(x, {2, 0, 0}, "stride 0");
    says(x, {2, 2, -1}, "padding -1");
    says(x, {3, 1, 2}, "padding 2");
    says(x, {7, 1, 0}, "does not fit");
    says(Tensor::zeros({2, 4, 0, 6}), {2, 2, 1}, "[2, 4, 0, 6]");
    says(x, {std::numeric_limits<std::int64_t>::max(), 1, 0}, "size");
    says(cast(x, DType::i64), {}, "i64");
  }
}

TEST_F(Convolution, ThePoolKeepsNaN) {
  Tensor x = Tensor::of({1.0F, std::nanf(""), 5.0F, 2.0F, 3.0F, 4.0F, 0.0F, -1.0F}, {1, 1, 2, 4});
  const auto y = max_pool2d(x).to_vector();
  EXPECT_TRUE(std::isnan(y[0]));
  EXPECT_EQ(y[1], 5);
}

TEST_F(Convolution, OfEqualValuesTheFirstTakesTheGradient) {
  Tensor x = Tensor::zeros({1, 1, 2, 2});
  x.requires_grad();
  EXPECT_EQ(gradient(sum(max_pool2d(x)), x).to_vector(), (std::vector<double>{1, 0, 0, 0}));
}

}  // namespace
}  // namespace tare::ad
