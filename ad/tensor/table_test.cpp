// Every row of the op table on every one of its cases: on dense and on scattered inputs, in f64 against
// finite differences of first and second order, in f32 against f64, fused against decomposed.
#include <cmath>
#include <gtest/gtest.h>

#include "ad/tensor/autograd.hpp"
#include "ad/tensor/drawn_of_test.hpp"

namespace tare::ad {
namespace {

/// Σ outputs·weights: a number every output has a part in.
Tensor weighed(const Outputs& outputs, int count, std::uint64_t seed) {
  Tensor total;
  for (int k = 0; k < count; ++k) {
    const Tensor& y = outputs[static_cast<std::size_t>(k)];
    if (!y.defined() || !is_floating(y.dtype())) continue;
    Generator generator(seed + static_cast<std::uint64_t>(k));
    const Tensor part = sum(mul(cast(y, DType::f64), Tensor::randn(y.shape(), generator, DType::f64)));
    total = total.defined() ? add(total, part) : part;
  }
  return total;
}

int outputs_to_weigh(Op op) {
  // The other outputs are by-products that no gradient is promised for.
  return op == Op::batch_norm ? 3 : 1;
}

double value_at(Op op, std::vector<Tensor> inputs, const Attributes& a) {
  const NoGrad quiet;
  return weighed(call(op, inputs, a), outputs_to_weigh(op), 5).item();
}

class EveryRow : public testing::TestWithParam<RowCase> {
 protected:
  [[nodiscard]] Op op() const { return GetParam().op; }
  [[nodiscard]] Case drawn() const { return row_of(op()).cases()[GetParam().at]; }
};

TEST_P(EveryRow, GivesTheSameOnScatteredViews) {
  const Case c = drawn();
  auto dense = draw(op(), c, DType::f64, 1);
  std::vector<Tensor> views;
  for (const auto& input : dense) views.push_back(scattered(input));
  const auto expected = call(op(), dense, c.attributes), got = call(op(), views, c.attributes);
  for (int k = 0; k < row_of(op()).outputs; ++k) {
    const auto a = expected[static_cast<std::size_t>(k)].to_vector(),
               b = got[static_cast<std::size_t>(k)].to_vector();
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
      EXPECT_NEAR(a[i], b[i], 1e-12 * std::max(1.0, std::abs(a[i]))) << i;
  }
}

TEST_P(EveryRow, SinglePrecisionIsNearDouble) {
  const Case c = drawn();
  auto wide = draw(op(), c, DType::f64, 2);
  std::vector<Tensor> narrow;
  for (auto& input : wide) {
    narrow.push_back(input.dtype() == DType::f64 ? cast(input, DType::f32) : input);
    if (input.dtype() == DType::f64) input = cast(narrow.back(), DType::f64);
  }
  const auto expected = call(op(), wide, c.attributes), got = call(op(), narrow, c.attributes);
  for (int k = 0; k < row_of(op()).outputs; ++k) {
    const auto a = expected[static_cast<std::size_t>(k)].to_vector(),
               b = got[static_cast<std::size_t>(k)].to_vector();
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
      EXPECT_NEAR(a[i], b[i], 3e-5 * std::max(1.0, std::abs(a[i]))) << i;
  }
}

TEST_P(EveryRow, FirstDerivativeIsTheDifferences) {
  const Case c = drawn();
  if (!c.smooth || row_of(op()).vjp == nullptr) return;
  auto inputs = draw(op(), c, DType::f64, 3);
  for (auto& input : inputs)
    if (input.dtype() == DType::f64) input.requires_grad();
  const Tensor y = weighed(call(op(), inputs, c.attributes), outputs_to_weigh(op()), 5);
  y.backward();
  for (std::size_t at = 0; at < inputs.size(); ++at) {
    if (inputs[at].dtype() != DType::f64) continue;
    const auto values = inputs[at].to_vector();
    const Tensor grad = inputs[at].grad();
    const auto got = grad.defined() ? grad.to_vector() : std::vector<double>(values.size(), 0.0);
    ASSERT_EQ(got.size(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto moved = [&](double step) {
        auto changed = values;
        changed[i] += step;
        auto copies = inputs;
        copies[at] = Tensor::of(std::span<const double>(changed), inputs[at].shape());
        return value_at(op(), copies, c.attributes);
      };
      const double h = 1e-5;
      const double slope = (8 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12 * h);
      EXPECT_NEAR(got[i], slope, 2e-7 * std::max({1.0, std::abs(slope), std::abs(y.item())}))
          << "input " << at << " element " << i;
    }
  }
}

/// The gradient in a fixed direction, as a function of the inputs; its own gradient is checked by
/// differences.
TEST_P(EveryRow, SecondDerivativeIsTheDifferencesOfTheFirst) {
  const Case c = drawn();
  if (!c.smooth || row_of(op()).vjp == nullptr) return;
  auto inputs = draw(op(), c, DType::f64, 4);
  std::vector<std::size_t> active;
  for (std::size_t at = 0; at < inputs.size(); ++at)
    if (inputs[at].dtype() == DType::f64) active.push_back(at);
  const auto directional = [&](std::vector<Tensor>& from, bool differentiable) {
    std::vector<Tensor> xs;
    for (const auto at : active) xs.push_back(from[at]);
    const Tensor y = weighed(call(op(), from, c.attributes), outputs_to_weigh(op()), 5);
    // A square first, so that even linear ops have something to show.
    const auto gradients = gradient(mul(y, y), xs, {}, {.differentiable = differentiable});
    Tensor total;
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      Generator generator(50 + i);
      const Tensor part = sum(mul(gradients[i], Tensor::randn(gradients[i].shape(), generator, DType::f64)));
      total = total.defined() ? add(total, part) : part;
    }
    return total;
  };
  for (const auto at : active) inputs[at].requires_grad();
  const Tensor total = directional(inputs, true);
  if (!total.needs_grad()) return;
  std::vector<Tensor> xs;
  for (const auto at : active) xs.push_back(inputs[at]);
  const auto second = gradient(total, xs, {});
  for (std::size_t k = 0; k < active.size(); ++k) {
    const auto values = xs[k].to_vector(), got = second[k].to_vector();
    // Some elements are enough: the first derivative was checked in all.
    for (std::size_t i = 0; i < values.size(); i += 1 + values.size() / 7) {
      const auto moved = [&](double step) {
        auto changed = values;
        changed[i] += step;
        auto copies = inputs;
        for (const auto at : active) {
          copies[at] = copy(inputs[at].detach());
          copies[at].requires_grad();
        }
        copies[active[k]] = Tensor::of(std::span<const double>(changed), xs[k].shape());
        copies[active[k]].requires_grad();
        return directional(copies, false).item();
      };
      const double h = 1e-4;
      const double slope = (8 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12 * h);
      EXPECT_NEAR(got[i], slope, 1e-5 * std::max({1.0, std::abs(slope), std::abs(total.item())}))
          << "input " << active[k] << " element " << i;
    }
  }
}

TEST_P(EveryRow, FusedIsDecomposed) {
  auto* const decompose = row_of(op()).decompose;
  if (decompose == nullptr) return;
  const Case c = drawn();
  auto inputs = draw(op(), c, DType::f64, 6);
  const auto fused = call(op(), inputs, c.attributes);
  const auto parts = decompose(inputs, c.attributes);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    EXPECT_EQ(parts[k].shape(), fused[k].shape());
    const auto a = fused[k].to_vector(), b = parts[k].to_vector();
    for (std::size_t i = 0; i < a.size(); ++i)
      EXPECT_NEAR(a[i], b[i], 1e-11 * std::max(1.0, std::abs(a[i]))) << i;
  }
}

TEST_P(EveryRow, CostsAreStated) {
  const Case c = drawn();
  auto inputs = draw(op(), c, DType::f32, 7);
  std::vector<Event> events;
  {
    const TraceEvents tracing(events);
    (void)call(op(), inputs, c.attributes);
  }
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(events.back().op, op());
  EXPECT_GE(events.back().flops, 0);
  EXPECT_GE(events.back().bytes, 0);
  EXPECT_GE(events.back().duration_ns, 0);
}

INSTANTIATE_TEST_SUITE_P(Table, EveryRow, testing::ValuesIn(all_cases()), [](const auto& info) {
  return std::string(name_of(info.param.op)) + "_" + std::to_string(info.param.at);
});

TEST(OpTable, EveryRowHasANameAndAKernel) {
  for (int code = 0; code < op_count; ++code) {
    const auto& r = row_of(static_cast<Op>(code));
    EXPECT_FALSE(r.name.empty()) << code;
    if (static_cast<Op>(code) == Op::custom) continue;
    EXPECT_NE(r.infer, nullptr) << r.name;
    EXPECT_NE(r.run, nullptr) << r.name;
    EXPECT_NE(r.cost, nullptr) << r.name;
  }
}

}  // namespace
}  // namespace tare::ad
