#include "ad/tensor/check.hpp"

#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "ad/tensor/autograd.hpp"
#include "ad/tensor/ops.hpp"

namespace tare::ad {
namespace {

/// Inputs as f64 leaves, and which of them take part.
struct Prepared {
  std::vector<Tensor> inputs;
  std::vector<Tensor> active;
  std::vector<std::size_t> positions;
};

Prepared prepare(std::span<const Tensor> inputs) {
  Prepared p;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Tensor x = inputs[i];
    if (is_floating(x.dtype())) {
      if (x.dtype() != DType::f64 || !x.is_leaf() || !x.is_contiguous()) {
        x = copy(cast(x.detach(), DType::f64));
      } else if (!x.needs_grad()) {
        x = x.detach();  // the same numbers; the caller's own stays as it was
      }
      x.requires_grad();
      p.active.push_back(x);
      p.positions.push_back(i);
    }
    p.inputs.push_back(std::move(x));
  }
  if (p.active.empty())
    throw AdError("check_gradients: none of the inputs is f32 or f64, so that there is nothing to check");
  return p;
}

/// Σ t·weights, the weights drawn from a seed.
Tensor weighed(const Tensor& t, std::uint64_t seed) {
  if (t.count() == 1) return sum(cast(t, DType::f64));
  Generator generator(seed);
  return sum(mul(cast(t, DType::f64), Tensor::randn(t.shape(), generator, DType::f64)));
}

/// What is differentiated: f itself, or its gradient in a fixed direction.
Tensor measured(const TensorFunction& f, const Prepared& p, int order) {
  const Tensor result = f(p.inputs);
  if (!result.defined()) throw AdError("check_gradients: the function gave an undefined tensor");
  Tensor y = weighed(result, 1);
  if (order == 1) return y;
  if (!y.needs_grad()) return Tensor::zeros({}, DType::f64);
  const auto gradients = gradient(y, p.active, {}, {.differentiable = true});
  Tensor total;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    const Tensor part = weighed(gradients[i], 2 + i);
    total = total.defined() ? add(total, part) : part;
  }
  return total;
}

void check_order(const TensorFunction& f, Prepared& p, const GradientCheckOptions& options, int order,
                 GradientCheckReport& report) {
  const Tensor y = measured(f, p, order);
  const double scale = std::max(1.0, std::abs(y.item()));
  std::vector<Tensor> analytic;
  if (y.needs_grad()) {
    analytic = gradient(y, p.active);
  } else {
    for (const Tensor& x : p.active) analytic.push_back(Tensor::zeros(x.shape(), DType::f64));
  }
  for (std::size_t k = 0; k < p.active.size(); ++k) {
    const auto given = analytic[k].to_vector();
    const auto count = p.active[k].count();
    const auto stride =
        options.most_elements <= 0 ? 1 : std::max<std::int64_t>(1, count / options.most_elements);
    for (std::int64_t i = 0; i < count; i += stride) {
      const auto at = static_cast<std::size_t>(i);
      const double here = p.active[k].values<double>()[at];
      const auto moved = [&](double step) {
        {
          const NoGrad quiet;
          p.active[k].mutable_values<double>()[at] = here + step;
        }
        if (order == 2) return measured(f, p, order).item();
        const NoGrad quiet;
        return measured(f, p, order).item();
      };
      const double h = options.step;
      double numeric = 0;
      try {
        numeric = (8 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12 * h);
      } catch (...) {
        const NoGrad quiet;
        p.active[k].mutable_values<double>()[at] = here;
        throw;
      }
      const NoGrad quiet;
      p.active[k].mutable_values<double>()[at] = here;
      double error = std::abs(given[at] - numeric) / std::max(scale, std::abs(numeric));
      if (std::isnan(error)) error = std::numeric_limits<double>::infinity();
      if (error >= report.error)
        report = {error <= options.tolerance, order, p.positions[k], i, given[at], numeric, error};
    }
  }
}

}  // namespace

std::string GradientCheckReport::text() const {
  return fmt::format("{} of input {} at element {}: backward gives {}, differences give {} (error {:.2g})",
                     order == 1 ? "gradient" : "second derivative", input, index, analytic, numeric, error);
}

GradientCheckReport compare_gradients(const TensorFunction& f, std::span<const Tensor> inputs,
                                      const GradientCheckOptions& options) {
  if (!(options.step > 0))
    throw AdError(fmt::format("check_gradients: a step of {} is not positive", options.step));
  const ModeScope recording(&Mode::grad, true);
  Prepared p = prepare(inputs);
  GradientCheckReport report;
  check_order(f, p, options, 1, report);
  if (options.second_order) check_order(f, p, options, 2, report);
  return report;
}

GradientCheckReport check_gradients(const TensorFunction& f, std::span<const Tensor> inputs,
                                    const GradientCheckOptions& options) {
  auto report = compare_gradients(f, inputs, options);
  if (!report.agrees) throw AdError("check_gradients: " + report.text());
  return report;
}

}  // namespace tare::ad
