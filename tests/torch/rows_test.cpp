// Every row of the op table against libtorch: value and gradients on randomly shaped cases, half of them in
// f32, half of the inputs and seeds scattered in memory. An element may differ by the tolerance times the
// largest magnitude in its tensor (at least 1): 1e-11 in f64, 2e-5 in f32, nothing for whole numbers and
// bools.
#include <cmath>
#include <gtest/gtest.h>

#include "ad/tensor/autograd.hpp"
#include "ad/tensor/drawn_of_test.hpp"
#include "tests/torch/peer.hpp"
#include "tests/torch/random_case.hpp"

namespace tare::ad {
namespace {

constexpr int cases_per_row = 150;

double tolerance_of(DType type) {
  return type == DType::f64 ? 1e-11 : type == DType::f32 ? 2e-5 : 0;
}

std::vector<Op> compared_rows() {
  std::vector<Op> rows;
  for (int code = 0; code < op_count; ++code)
    if (libtorch_has(static_cast<Op>(code))) rows.push_back(static_cast<Op>(code));
  return rows;
}

void expect_near(const Tensor& got, const Tensor& want, const char* what) {
  ASSERT_EQ(got.shape(), want.shape()) << what;
  ASSERT_EQ(name_of(got.dtype()), name_of(want.dtype())) << what;
  const auto a = got.to_vector(), b = want.to_vector();
  double largest = 1;
  for (const double value : b) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < a.size(); ++i)
    ASSERT_NEAR(a[i], b[i], largest * tolerance_of(want.dtype())) << what << " element " << i;
}

class AgainstLibtorch : public testing::TestWithParam<Op> {};

TEST_P(AgainstLibtorch, ValueAndGradients) {
  const Op op = GetParam();
  RandomCases cases(static_cast<std::uint64_t>(op) + 1);
  for (int at = 0; at < cases_per_row; ++at) {
    const Case c = cases.of(op);
    std::string shapes;
    for (const auto& input : c.inputs) shapes += text_of(input.shape) + " ";
    SCOPED_TRACE(testing::Message() << name_of(op) << " case " << at << ": " << shapes);
    const auto seed = static_cast<std::uint64_t>(at);
    auto inputs = draw(op, c, at % 2 == 0 ? DType::f32 : DType::f64, seed);
    if (op == Op::matmul_i8) {
      inputs[0] = cast(inputs[0], DType::u8);
      inputs[1] = cast(inputs[1], DType::i8);
    }
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (((at >> 1) + static_cast<int>(i)) % 2 == 0) inputs[i] = scattered(inputs[i]);
    bool differentiates = row_of(op).vjp != nullptr;
    for (auto& input : inputs)
      if (is_floating(input.dtype())) input.requires_grad();
    const Tensor got = call(op, inputs, c.attributes)[0];
    differentiates = differentiates && is_floating(got.dtype()) && got.needs_grad();
    Tensor weights;
    if (differentiates) {
      Generator generator(seed);
      weights = Tensor::randn(got.shape(), generator, got.dtype());
      if (at % 3 == 0) weights = scattered(weights);
    }
    const auto want = ask_libtorch(op, inputs, c.attributes, weights);
    expect_near(got, want.value, "value");
    if (HasFatalFailure()) return;
    if (!differentiates) continue;
    got.backward(weights);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (!want.gradients[i].defined()) continue;
      const Tensor grad =
          inputs[i].grad().defined() ? inputs[i].grad() : Tensor::zeros(inputs[i].shape(), inputs[i].dtype());
      expect_near(grad, want.gradients[i], "gradient");
      if (HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, AgainstLibtorch, testing::ValuesIn(compared_rows()),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST(AgainstLibtorchAsAWhole, IsTenThousandCases) {
  EXPECT_GE(compared_rows().size() * cases_per_row, 10000U);
}

}  // namespace
}  // namespace tare::ad
