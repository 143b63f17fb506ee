// Compiled functions against the same functions executed eagerly: every row of the op table forward and
// backward, updates in place, random numbers, and everything a graph cannot hold.
#include "ad/compile.hpp"

#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>

#include "ad/support/threads.hpp"
#include "ad/tensor/autograd.hpp"
#include "ad/tensor/drawn_of_test.hpp"
#include "ad/tensor/ops.hpp"

namespace tare::ad {
namespace {

void expect_same(const Tensor& a, const Tensor& b, double tolerance = 1e-12) {
  ASSERT_EQ(a.shape(), b.shape());
  ASSERT_EQ(a.dtype(), b.dtype());
  const auto x = a.to_vector(), y = b.to_vector();
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(x[i], y[i], tolerance * std::max(1.0, std::abs(x[i]))) << i;
}

class EveryRow : public testing::TestWithParam<RowCase> {};

/// The op, a weighed sum of its result, and the gradients of all inputs.
TEST_P(EveryRow, GraphIsEagerForwardAndBackward) {
  const auto [op, at] = GetParam();
  const Case c = row_of(op).cases()[at];
  const bool differentiable = row_of(op).vjp != nullptr && op != Op::cast;
  const graph::Function function = [&, op = op](std::span<const Tensor> given) {
    std::vector<Tensor> inputs(given.begin(), given.end());
    std::vector<Tensor> leaves;
    for (auto& input : inputs) {
      if (!differentiable || !is_floating(input.dtype())) continue;
      input = copy(input.detach());
      input.requires_grad();
      leaves.push_back(input);
    }
    const Tensor y = apply(op, inputs, c.attributes);
    std::vector<Tensor> results{y};
    if (leaves.empty() || !is_floating(y.dtype())) return results;
    for (auto& g : gradient(sum(mul(y, y)), leaves)) results.push_back(g);
    return results;
  };
  for (const auto& [dtype, tolerance] : {std::pair(DType::f64, 1e-10), std::pair(DType::f32, 1e-4)}) {
    CompiledFunction compiled(function, {.on_break = OnBreak::error});
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const auto inputs = draw(op, c, dtype, seed);
      const auto expected = function(inputs), got = compiled(inputs);
      ASSERT_EQ(got.size(), expected.size());
      for (std::size_t k = 0; k < got.size(); ++k) expect_same(got[k], expected[k], tolerance);
    }
    EXPECT_EQ(compiled.stats().graph_calls, 3U);
    EXPECT_EQ(compiled.stats().captures, 2U);
  }
}

INSTANTIATE_TEST_SUITE_P(Table, EveryRow, testing::ValuesIn(all_cases()), [](const auto& info) {
  return std::string(name_of(info.param.op)) + "_" + std::to_string(info.param.at);
});

TEST(Compile, TrainsLikeEager) {
  const auto train = [](bool compiled) {
    Generator generator(7);
    Tensor w = Tensor::randn({4, 3}, generator, DType::f64).requires_grad();
    Tensor b = Tensor::zeros({3}, DType::f64).requires_grad();
    const auto step = [&](const Tensor& x, const Tensor& y) {
      const Tensor d = tanh(linear(x, w, b)) - y;
      const Tensor loss = mean(square(d));
      loss.backward();
      {
        const NoGrad quiet;
        w.add_(w.grad(), -0.5);
        b.add_(b.grad(), -0.5);
      }
      w.zero_grad();
      b.zero_grad();
      return loss;
    };
    auto graph_step = compile(step);
    std::vector<double> losses;
    for (int i = 0; i < 10; ++i) {
      const Tensor x = Tensor::randn({8, 4}, generator, DType::f64),
                   y = Tensor::rand({8, 3}, generator, DType::f64);
      losses.push_back((compiled ? graph_step(x, y) : step(x, y)).item());
    }
    if (compiled) {
      EXPECT_EQ(graph_step.function().stats().graph_calls, 10U);
      EXPECT_EQ(graph_step.function().stats().captures, 2U);
      EXPECT_TRUE(graph_step.function().messages().empty());
    }
    for (const double v : w.to_vector()) losses.push_back(v);
    return losses;
  };
  const auto eager = train(false), graph = train(true);
  ASSERT_EQ(eager.size(), graph.size());
  for (std::size_t i = 0; i < eager.size(); ++i) EXPECT_NEAR(eager[i], graph[i], 1e-12) << i;
  EXPECT_LT(eager[9], eager[0]);
}

TEST(Compile, LeavesGradientsWhereEagerDoes) {
  Tensor w = Tensor::of({1.0, 2.0, 3.0}, {3}).requires_grad();
  auto f = compile([&](const Tensor& x) {
    const Tensor y = sum(mul(w, x));
    y.backward();
    return y;
  });
  const Tensor x = Tensor::of({4.0, 5.0, 6.0}, {3});
  for (int i = 0; i < 4; ++i) {
    w.zero_grad();
    EXPECT_EQ(f(x).item(), 32);
    EXPECT_EQ(w.grad().to_vector(), (std::vector<double>{4, 5, 6}));
  }
}

TEST(Compile, AddsToGradientsThatAreThere) {
  Tensor w = Tensor::of({1.0, 2.0}, {2}).requires_grad();
  Tensor v = Tensor::of({1.0, 2.0}, {2}).requires_grad();
  const auto loss = [](Tensor& p, const Tensor& x) {
    const Tensor y = sum(square(p) * x);
    y.backward();
    return y;
  };
  auto f = compile([&](const Tensor& x) { return loss(w, x); });
  const Tensor x = Tensor::of({3.0, 5.0}, {2});
  for (int i = 0; i < 6; ++i) {
    if (i == 4) {
      w.zero_grad();
      v.zero_grad();
    }
    f(x);
    loss(v, x);
    EXPECT_EQ(w.grad().to_vector(), v.grad().to_vector()) << i;
  }
  EXPECT_EQ(f.function().stats().graph_calls, 6U);
}

TEST(Compile, ClearsGradientsFirst) {
  Tensor w = Tensor::of({1.0, 2.0}, {2}).requires_grad();
  auto f = compile([&](const Tensor& x) {
    w.zero_grad();
    const Tensor y = sum(square(w) * x);
    y.backward();
    return y;
  });
  const Tensor x = Tensor::of({3.0, 5.0}, {2});
  for (int i = 0; i < 5; ++i) {
    f(x);
    EXPECT_EQ(w.grad().to_vector(), (std::vector<double>{6, 20})) << i;
  }
  EXPECT_EQ(f.function().stats().graph_calls, 5U);
  EXPECT_LE(f.function().stats().captures, 4U);
  auto clear = compile([&](const Tensor& given) {
    w.zero_grad();
    return given * 2.0;
  });
  clear(x);
  EXPECT_FALSE(w.grad().defined());
}

TEST(Compile, GivesGradientsToArguments) {
  auto f = compile([](const Tensor& given) {
    const Tensor y = sum(square(given));
    y.backward();
    return y;
  });
  for (int i = 0; i < 4; ++i) {
    Tensor x = Tensor::of({1.0, static_cast<double>(i)}, {2}).requires_grad();
    f(x);
    EXPECT_EQ(x.grad().to_vector(), (std::vector<double>{2, 2.0 * i}));
    f(x);
    EXPECT_EQ(x.grad().to_vector(), (std::vector<double>{4, 4.0 * i}));
  }
}

TEST(Compile, CapturesAgainForAnotherSignatureAndSaysSo) {
  auto f = compile([](const Tensor& x) { return sum(square(x)); });
  EXPECT_EQ(f(Tensor::ones({3})).item(), 3);
  EXPECT_EQ(f(Tensor::ones({5})).item(), 5);
  EXPECT_EQ(f(Tensor::ones({3})).item(), 3);
  EXPECT_EQ(f(Tensor::ones({3}, DType::f64)).item(), 3);
  EXPECT_EQ(f.function().stats().signatures, 3U);
  ASSERT_EQ(f.function().messages().size(), 2U);
  EXPECT_NE(f.function().messages()[0].find("f32 [5]"), std::string::npos);
}

TEST(Compile, SignaturesThatNeverRepeatAreExecutedEagerly) {
  auto f = compile([](const Tensor& x) { return sum(x); }, {.most_signatures = 3});
  for (std::int64_t n = 1; n < 9; ++n) EXPECT_EQ(f(Tensor::ones({n})).item(), static_cast<double>(n));
  EXPECT_EQ(f.function().stats().signatures, 3U);
  EXPECT_EQ(f.function().stats().eager_calls, 5U);
}

TEST(Compile, BranchingOnValuesFallsBackAndNamesTheOp) {
  const auto branching = [](const Tensor& x) {
    const Tensor total = sum(x);
    return total.item() > 0 ? x * 2.0 : x * 3.0;
  };
  auto f = compile(branching);
  EXPECT_EQ(f(Tensor::ones({1})).item(), 2);
  EXPECT_EQ(f(-Tensor::ones({1})).item(), -3);
  EXPECT_EQ(f.function().stats().eager_calls, 2U);
  ASSERT_EQ(f.function().messages().size(), 1U);
  EXPECT_NE(f.function().messages()[0].find("sum"), std::string::npos);
  auto strict = compile(branching, {.on_break = OnBreak::error});
  EXPECT_THROW(strict(Tensor::ones({1})), graph::CaptureError);
}

TEST(Compile, StateKeptOutsideIsRightAndEager) {
  Tensor h = Tensor::ones({2}, DType::f64);
  auto f = compile([&](const Tensor& x) {
    h = tanh(h + x);
    return sum(h);
  });
  Tensor expected = Tensor::ones({2}, DType::f64);
  const Tensor x = Tensor::of({0.1, 0.2}, {2});
  for (int i = 0; i < 4; ++i) {
    expected = tanh(expected + x);
    EXPECT_NEAR(f(x).item(), sum(expected).item(), 1e-15);
    expect_same(h, expected);
  }
  ASSERT_EQ(f.function().messages().size(), 1U);
}

TEST(Compile, ANumberThatChangesBetweenCallsIsNoticed) {
  double scale = 1;
  auto f = compile([&](const Tensor& x) { return x * scale; });
  EXPECT_EQ(f(Tensor::ones({1})).item(), 1);
  scale = 2;
  EXPECT_EQ(f(Tensor::ones({1})).item(), 2);
  scale = 5;
  EXPECT_EQ(f(Tensor::ones({1})).item(), 5);
  EXPECT_EQ(f.function().messages().size(), 1U);
}

TEST(Compile, ANumberThatChangesLateIsNoticedInTheEnd) {
  double scale = 1;
  auto f = compile([&](const Tensor& x) { return x * scale; });
  for (int i = 0; i < 50; ++i) f(Tensor::ones({1}));
  scale = 3;
  double last = 0;
  for (int i = 0; i < 50; ++i) last = f(Tensor::ones({1})).item();
  EXPECT_EQ(last, 3);
  EXPECT_EQ(f.function().messages().size(), 1U);
}

TEST(Compile, DropoutDrawsAnewAndAsEagerDoes) {
  Generator compiled_source(3), eager_source(3);
  const Tensor x = Tensor::ones({100});
  auto f = compile([&](const Tensor& given) { return dropout(given, 0.5, compiled_source); });
  std::vector<double> before;
  for (int i = 0; i < 4; ++i) {
    const auto got = f(x).to_vector();
    EXPECT_EQ(got, dropout(x, 0.5, eager_source).to_vector());
    EXPECT_NE(got, before);
    before = got;
  }
}

TEST(Compile, SwapsTensorsThroughEachOther) {
  Tensor a = Tensor::of({1.0}, {1}), b = Tensor::of({2.0}, {1});
  auto f = compile([&](const Tensor& x) {
    const Tensor old = a + 0.0;
    a.copy_(b);
    b.copy_(old);
    return x + a;
  });
  EXPECT_EQ(f(Tensor::zeros({1}, DType::f64)).item(), 2);
  EXPECT_EQ(f(Tensor::zeros({1}, DType::f64)).item(), 1);
  EXPECT_EQ(f(Tensor::zeros({1}, DType::f64)).item(), 2);
  EXPECT_EQ(a.item(), 2);
  EXPECT_EQ(b.item(), 1);
}

/// Both ways give the same, four times in turn, and leave the same in `state`.
template <class F>
void expect_same_changes(const Shape& shape, F f, const char* reason = nullptr) {
  Tensor state = Tensor::zeros(shape, DType::f64), expected = Tensor::zeros(shape, DType::f64);
  auto compiled = compile([&](const Tensor& x) { return f(state, x); });
  for (int i = 1; i < 5; ++i) {
    const Tensor x = Tensor::full({3}, i, DType::f64);
    expect_same(compiled(x), f(expected, x));
    expect_same(state, expected);
  }
  const auto messages = compiled.function().messages();
  if (reason == nullptr) {
    EXPECT_TRUE(messages.empty()) << messages.at(0);
    EXPECT_EQ(compiled.function().stats().eager_calls, 0U);
  } else {
    ASSERT_FALSE(messages.empty());
    EXPECT_NE(messages[0].find(reason), std::string::npos) << messages[0];
  }
}

TEST(Compile, ChangesThroughViewsReachTheTensorAndItsOtherViews) {
  expect_same_changes({2, 3}, [](Tensor& state, const Tensor& x) {
    slice(state, 0, 1, 2).copy_(reshape(x, {1, 3}));
    return state * 2.0;
  });
  expect_same_changes({3}, [](Tensor& state, const Tensor& x) {
    const Tensor first = slice(state, 0, 0, 1);
    state.copy_(state + x);
    return first * 2.0;
  });
  expect_same_changes(
      {3, 4},
      [](Tensor& state, const Tensor& x) {
        const Tensor turned = transpose(state), other = slice(state, 1, 0, 4, 2);
        Tensor row = reshape(slice(turned, 0, 2, 3), {3});
        row.copy_(x);
        return sum(other) + sum(turned * turned) + sum(row);
      },
      "reshape");
  expect_same_changes({3, 4}, [](Tensor& state, const Tensor& x) {
    const Tensor turned = transpose(state), other = slice(state, 1, 0, 4, 2);
    slice(turned, 0, 2, 3).copy_(reshape(x, {1, 3}));
    slice(turned, 0, 1, 2).add_(reshape(x, {1, 3}));
    return sum(other) + sum(turned * turned);
  });
  expect_same_changes({6}, [](Tensor& state, const Tensor& x) {
    Tensor rows = reshape(state, {2, 3}).detach();
    slice(rows, 0, 0, 1).copy_(reshape(x, {1, 3}));
    return state + 1.0;
  });
  expect_same_changes({3}, [](Tensor& state, const Tensor& x) {
    Tensor y = x * 3.0;
    slice(y, 0, 1, 3).copy_(slice(y, 0, 0, 2));
    state.add_(y);
    return y;
  });
}

TEST(Compile, WhatProductsAndKernelsPassByRowsIsNeverThereAsAWhole) {
  Generator generator(3);
  const Tensor x = Tensor::randn({4, 700, 128}, generator), w = Tensor::randn({128, 128}, generator) * 0.1,
               b = Tensor::randn({128}, generator), z = Tensor::randn({2800, 128}, generator);
  Tensor sum_of_all = Tensor::zeros({128, 128});
  using F = std::function<Tensor()>;
  const std::vector<std::pair<const char*, F>> programs{
      {"kernel, product", [&] { return matmul(gelu(x * 2.0), w); }},
      {"product, kernel", [&] { return relu(matmul(x, w) + b) * x; }},
      {"product, kernel with sums", [&] { return sum(square(matmul(x, w) + b), {0, 1}); }},
      {"kernel, product, kernel, product", [&] { return matmul(tanh(matmul(gelu(x + b), w) + b), w); }},
      {"kernel, sum over rows", [&] { return matmul(transpose(reshape(exp(x * 0.1), {2800, 128})), z); }},
      {"kernel, sum over rows, in place",
       [&] {
         const Tensor g = matmul(transpose(reshape(exp(x * 0.1), {2800, 128})), z);
         sum_of_all.add_(g, 0.5);
         return sum(sum_of_all);
       }},
  };
  const int threads_before = thread_count();
  for (const auto& [name, f] : programs) {
    for (const bool compile_it : {true, false}) {
      for (const int threads : {1, 2}) {
        SCOPED_TRACE(fmt::format("{}, {}, {}", name, compile_it, threads));
        set_thread_count(threads);
        graph::Passes whole, by_rows;
        whole.by_rows = false;
        whole.compile = by_rows.compile = compile_it;
        by_rows.by_rows_beyond = 100'000;  // what is passed has 1 MB
        auto plain = compile(f, {.passes = whole, .on_break = OnBreak::error});
        auto turns = compile(f, {.passes = by_rows, .on_break = OnBreak::error});
        for (int i = 0; i < 3; ++i) {
          sum_of_all.fill_(i);
          const Tensor expected = f(), changed = copy(sum_of_all);
          for (auto* way : {&plain, &turns}) {
            sum_of_all.fill_(i);
            expect_same((*way)(), expected, 1e-4);
            expect_same(sum_of_all, changed, 1e-4);
          }
        }
        EXPECT_EQ(plain.function().steps_text().find("rows at a time"), std::string::npos);
        EXPECT_NE(turns.function().steps_text().find("rows at a time"), std::string::npos)
            << turns.function().steps_text();
        EXPECT_LT(turns.function().planned_bytes(), plain.function().planned_bytes() / 3)
            << plain.function().steps_text() << turns.function().steps_text();
      }
    }
  }
  set_thread_count(threads_before);
}

TEST(Compile, TensorsThatShareMemoryOutsideAreExecutedEagerly) {
  Tensor whole = Tensor::zeros({4}, DType::f64), part = slice(whole, 0, 0, 2);
  auto f = compile([&](const Tensor& x) {
    part.copy_(x);
    return sum(whole);
  });
  for (int i = 1; i < 5; ++i) EXPECT_EQ(f(Tensor::full({2}, i, DType::f64)).item(), 2 * i);
  EXPECT_NE(f.function().messages().at(0).find("shares its memory"), std::string::npos);
  auto g = compile([&](const Tensor& x) {
    whole.fill_(1);
    return sum(x * 1.0);
  });
  const Tensor apart = Tensor::full({4}, 7, DType::f64);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(g(apart).item(), 28);
  whole.fill_(7);
  EXPECT_EQ(g(whole).item(), 4);
}

TEST(Compile, AnArgumentThatIsChangedIsChanged) {
  auto f = compile([](const Tensor& x) { return sum(Tensor(x).mul_(2.0)); });
  Tensor x = Tensor::ones({3}, DType::f64);
  for (int i = 1; i < 5; ++i) EXPECT_EQ(f(x).item(), 3 * (1 << i));
  EXPECT_NE(f.function().messages().at(0).find("argument 0 is changed"), std::string::npos);
}

TEST(Compile, WhatBackwardNeedsMustNotChange) {
  Tensor w = Tensor::ones({3}, DType::f64).requires_grad();
  const auto f = [&](const Tensor& x) {
    Tensor y = x * 2.0;
    const Tensor loss = sum(y * w);
    y.add_(Tensor::ones({3}, DType::f64));
    loss.backward();
    return loss;
  };
  auto compiled = compile(f);
  const Tensor x = Tensor::ones({3}, DType::f64);
  EXPECT_THROW(f(x), AdError);
  EXPECT_THROW(compiled(x), AdError);
}

TEST(Compile, ErrorsOfTheFunctionReachTheCaller) {
  auto f = compile([](const Tensor& x, const Tensor& y) { return matmul(x, y); });
  EXPECT_THROW(f(Tensor::ones({2, 3}), Tensor::ones({2, 3})), AdError);
  expect_same(f(Tensor::ones({2, 3}), Tensor::ones({3, 1})), Tensor::full({2, 1}, 3));
}

TEST(Compile, PassesRemoveWhatIsNotNeeded) {
  auto f = compile([](const Tensor& x) {
    const Tensor unused = exp(x);
    const Tensor a = tanh(x), b = tanh(x);
    return (a + b) * 1.0 + (Tensor::scalar(2) * Tensor::scalar(3));
  });
  const Tensor x = Tensor::of({0.5F}, {1});
  EXPECT_NEAR(f(x).item(), 2 * std::tanh(0.5) + 6, 1e-6);
  const auto text = f.function().graph_text();
  EXPECT_EQ(text.find("exp"), std::string::npos) << text;
  EXPECT_EQ(text.find("mul"), std::string::npos) << text;
  EXPECT_EQ(text.find("tanh"), text.rfind("tanh")) << text;
}

TEST(Compile, SlicesGoBackAsOneConcatenation) {
  auto f = compile([](const Tensor& x) {
    const Tensor a = x.detach().requires_grad();
    const Tensor y = sum(slice(a, 1, 2, 4) * 2.0) + sum(slice(a, 1, 0, 2)) + sum(square(slice(a, 1, 4, 6)));
    return gradient(y, a);
  });
  const Tensor x = Tensor::of({1.0, 2.0, 3.0, 4.0, 5.0, 6.0}, {1, 6});
  EXPECT_EQ(f(x).to_vector(), (std::vector<double>{1, 1, 2, 2, 10, 12}));
  const auto text = f.function().graph_text();
  EXPECT_NE(text.find("concat"), std::string::npos) << text;
  EXPECT_EQ(text.find("pad"), std::string::npos) << text;
}

TEST(Compile, ABiasNobodyElseReadsIsAddedByItsProduct) {
  Generator generator(3);
  const auto draw = [&](const Shape& shape) { return Tensor::randn(shape, generator); };
  const Tensor w1 = draw({6, 4}), b1 = draw({4}), w2 = draw({4, 3}), b2 = draw({3}), x = draw({2, 5, 6});
  const auto net = [&](const Tensor& at) { return relu(linear(linear(at, w1, b1), w2, b2)); };
  auto f = compile(net);
  expect_same(f(x), net(x), 1e-6);
  const auto text = f.function().graph_text();
  // The first goes into another product; the second's sum is read by a kernel, which adds for nothing.
  EXPECT_EQ(text.find("linear("), text.rfind("linear(")) << text;
  EXPECT_NE(text.find("linear("), std::string::npos) << text;
  EXPECT_NE(text.find("matmul("), std::string::npos) << text;
  // A product that somebody else reads too stays one of its own.
  auto g = compile([&](const Tensor& at) {
    const Tensor product = matmul(at, w1);
    return std::vector<Tensor>{product + b1, product};
  });
  const auto both = g(x);
  expect_same(both[0], linear(x, w1, b1), 1e-6);
  EXPECT_EQ(g.function().graph_text().find("linear("), std::string::npos);
}

TEST(Compile, NeedsLessMemoryThanEager) {
  Generator generator(1);
  const std::int64_t batch = 64, width = 128;
  std::vector<Tensor> weights;
  for (int i = 0; i < 4; ++i) weights.push_back(Tensor::randn({width, width}, generator).requires_grad());
  const auto step = [&](const Tensor& x) {
    Tensor h = x;
    for (const auto& w : weights) h = gelu(matmul(h, w) * 0.1);
    const Tensor loss = mean(square(h));
    loss.backward();
    const NoGrad quiet;
    for (auto& w : weights) {
      w.add_(w.grad(), -0.1);
      w.zero_grad();
    }
    return loss;
  };
  const Tensor x = Tensor::randn({batch, width}, generator);
  auto compiled = compile(step);
  const auto peak = [&](auto&& f) {
    f(x);
    f(x);
    reset_peak_memory();
    const auto before = memory_stats().live_bytes;
    f(x);
    return memory_stats().peak_bytes - before;
  };
  EXPECT_LT(static_cast<double>(peak(compiled)), 0.7 * static_cast<double>(peak(step)));
}

TEST(Verify, FindsWhatIsWrong) {
  graph::Graph g;
  g.values = {{DType::f32, {2}}, {DType::f32, {2}}};
  g.arguments = {0};
  g.instructions = {{Op::exp, {0}, {1}, {}}};
  g.results = {1};
  EXPECT_EQ(verify(g), "");
  auto wrong = g;
  wrong.values[1].shape = {3};
  EXPECT_NE(verify(wrong), "");
  wrong = g;
  wrong.instructions[0].inputs = {1};
  EXPECT_NE(verify(wrong), "");
  wrong = g;
  wrong.results = {7};
  EXPECT_NE(verify(wrong), "");
  wrong = g;
  wrong.instructions.push_back({Op::exp, {0}, {1}, {}});
  EXPECT_NE(verify(wrong), "");
}

}  // namespace
}  // namespace tare::ad
