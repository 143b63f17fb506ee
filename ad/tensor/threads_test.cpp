// Results do not depend on the number of threads, to the last bit.
#include "ad/support/threads.hpp"

#include <cstring>
#include <gtest/gtest.h>

#include "ad/tensor/autograd.hpp"
#include "ad/tensor/kernels/kernels.hpp"
#include "ad/tensor/ops.hpp"

namespace tare::ad {
namespace {

/// The value and the gradient of Σ result·weights, as bits.
template <class F>
std::vector<double> value_and_gradients(F f, const std::vector<Tensor>& inputs) {
  std::vector<Tensor> leaves;
  for (const Tensor& input : inputs)
    leaves.push_back(is_floating(input.dtype()) ? copy(input).requires_grad() : input);
  const Tensor y = f(leaves);
  Generator generator(9);
  y.backward(Tensor::randn(y.shape(), generator, y.dtype()));
  auto all = y.to_vector();
  for (const Tensor& x : leaves) {
    if (!is_floating(x.dtype())) continue;
    const auto g = x.grad().to_vector();
    all.insert(all.end(), g.begin(), g.end());
  }
  return all;
}

struct Program {
  const char* name;
  std::function<Tensor(const std::vector<Tensor>&)> run;
  std::vector<Tensor> inputs;
};

std::vector<Program> programs() {
  Generator generator(1);
  const auto draw = [&](const Shape& shape) { return Tensor::randn(shape, generator); };
  const Tensor row = draw({600001}), matrix = draw({700, 901}), tall = draw({90001, 7}),
               cube = draw({60, 70, 80});
  const Tensor classes = argmax(draw({700, 901}), 1);
  using In = const std::vector<Tensor>&;
  return {
      {"sum of a row", [](In x) { return sum(x[0]); }, {row}},
      {"sum of rows", [](In x) { return sum(x[0], {1}); }, {matrix}},
      {"sum of columns", [](In x) { return sum(x[0], {0}); }, {tall}},
      {"sum of the middle", [](In x) { return sum(x[0], {1}); }, {cube}},
      {"sum around the middle", [](In x) { return sum(x[0], {0, 2}); }, {cube}},
      {"mean", [](In x) { return mean(x[0]); }, {row}},
      {"norm", [](In x) { return norm(x[0]); }, {row}},
      {"variance", [](In x) { return var(x[0], {0}); }, {tall}},
      {"product", [](In x) { return prod(x[0], {1}); }, {tall}},
      {"largest", [](In x) { return amax(x[0]); }, {row}},
      {"logsumexp", [](In x) { return logsumexp(x[0], {1}); }, {matrix}},
      {"softmax", [](In x) { return softmax(x[0]); }, {matrix}},
      {"log softmax", [](In x) { return log_softmax(x[0]); }, {matrix}},
      {"cross entropy", [](In x) { return cross_entropy(x[0], x[1]); }, {matrix, classes}},
      {"layer norm", [](In x) { return layer_norm(x[0], x[1], x[2]); }, {matrix, draw({901}), draw({901})}},
      {"RMS norm", [](In x) { return rms_norm(x[0], x[1]); }, {matrix, draw({901})}},
      {"batch norm", [](In x) { return batch_norm(x[0], x[1], x[2]).y; }, {cube, draw({70}), draw({70})}},
      {"broadcast", [](In x) { return mul(x[0], x[1]); }, {matrix, draw({901})}},
      {"gelu", [](In x) { return gelu(x[0]); }, {row}}};
}

TEST(Threads, AnyNumberGivesTheSameBits) {
  const int before = thread_count();
  for (const auto& program : programs()) {
    set_thread_count(1);
    const auto expected = value_and_gradients(program.run, program.inputs);
    for (const int threads : {2, 3, 8}) {
      set_thread_count(threads);
      const auto got = value_and_gradients(program.run, program.inputs);
      ASSERT_EQ(got.size(), expected.size());
      EXPECT_EQ(std::memcmp(got.data(), expected.data(), got.size() * sizeof(double)), 0)
          << program.name << " on " << threads << " threads";
    }
  }
  set_thread_count(before);
}

TEST(Threads, RandomNumbersAreTheSame) {
  const int before = thread_count();
  std::vector<double> first;
  for (const int threads : {1, 3}) {
    set_thread_count(threads);
    Generator generator(4);
    const auto values = Tensor::randn({200003}, generator).to_vector();
    if (first.empty()) first = values;
    EXPECT_EQ(first, values);
  }
  set_thread_count(before);
}

/// Beyond the caches results are written past them, in larger chunks, and every thread's part must be there.
TEST(Threads, ResultsBeyondTheCachesAreComplete) {
  const int before = thread_count();
  const std::int64_t n = kernels::streaming_bytes / 4 + 5;
  std::vector<float> numbers(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i % 1021) - 500;
  const auto expect = [&](const char* what, const Tensor& y, auto value) {
    const auto* got = y.body()->values<float>();
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) wrong += got[i] == value(numbers[i]) ? 0 : 1;
    EXPECT_EQ(wrong, 0) << what << " on " << thread_count() << " threads";
  };
  for (const int threads : {1, 2}) {
    set_thread_count(threads);
    Tensor x = Tensor::of(std::span<const float>(numbers), {n});
    expect("unary", square(x), [](float v) { return v * v; });
    expect("binary", x + x, [](float v) { return v + v; });
    expect("with a number", x * 2.0, [](float v) { return 2 * v; });
    const Tensor columns = transpose(reshape(Tensor::of(std::span<const float>(numbers), {n}), {1, n}));
    expect("of a view", neg(columns), [](float v) { return -v; });
    x.requires_grad();
    relu(x).backward(Tensor::ones({n}));
    expect("derivative", x.grad(), [](float v) { return v > 0 ? 1.0F : 0.0F; });
  }
  set_thread_count(before);
}

TEST(Threads, NormsBeyondTheCachesAreThoseOfTheirRows) {
  const int before = thread_count();
  constexpr std::int64_t last = 40;
  // The second does not begin its rows where registers do.
  for (const std::int64_t columns : {1024, 1021}) {
    const std::int64_t rows = kernels::streaming_bytes / (4 * columns) + 3;
    Generator generator(5);
    const Tensor x = Tensor::randn({rows, columns}, generator), g = Tensor::randn({rows, columns}, generator);
    const Tensor w = Tensor::randn({columns}, generator), b = Tensor::randn({columns}, generator);
    const auto norms = [&](const Tensor& some, const Tensor& seed) {
      const Tensor leaf = some.detach().requires_grad();
      const Tensor y = layer_norm(leaf, w, b);
      y.backward(seed);
      const Tensor rms = rms_norm(some, w);
      return std::array{y.detach(), leaf.grad(), rms};
    };
    set_thread_count(1);
    const auto end = [&](const Tensor& t) { return copy(slice(t, 0, rows - last, rows)); };
    const auto few = norms(end(x), end(g));
    for (const int threads : {1, 2}) {
      set_thread_count(threads);
      const auto all = norms(x, g);
      for (std::size_t k = 0; k < all.size(); ++k)
        EXPECT_LT(amax(abs(end(all[k]) - few[k])).item(), 2e-6) << k << ", " << columns << ", " << threads;
    }
  }
  set_thread_count(before);
}

TEST(Threads, AnErrorInOneOfThemReachesTheCaller) {
  const int before = thread_count();
  set_thread_count(4);
  EXPECT_THROW(parallel_for(100, 1,
                            [](std::int64_t begin, std::int64_t) {
                              if (begin == 57) throw AdError("chunk 57");
                            }),
               AdError);
  EXPECT_EQ(sum(Tensor::ones({1 << 20})).item(), 1 << 20);
  set_thread_count(before);
}

}  // namespace
}  // namespace tare::ad
