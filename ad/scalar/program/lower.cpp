#include "ad/scalar/program/lower.hpp"

#include <bit>
#include <limits>
#include <vector>

#include "ad/scalar/program/builder.hpp"
#include "ad/scalar/program/passes.hpp"

namespace tare::ad::detail {
namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

/// Ops whose derivative is infinite at an argument where the op is defined.
bool has_pole(const Node& node) {
  switch (node.code) {
    case OpCode::Log:
    case OpCode::Log1p:
    case OpCode::Log2:
    case OpCode::Log10:
    case OpCode::Sqrt:
    case OpCode::Cbrt:
    case OpCode::Asin:
    case OpCode::Acos:
    case OpCode::Acosh:
    case OpCode::Atanh:
    case OpCode::Atan2:
    case OpCode::Div:
    case OpCode::Pow:
    case OpCode::Custom:
      return true;
    case OpCode::PowInt:
      return std::bit_cast<std::int32_t>(node.b) < 0;
    default:
      return false;
  }
}

template <class Op>
Expr left_rule(const Op& op, const Expr& a, const Expr& b, const Expr& y) {
  return op.left(a, b, y);
}
/// This rule branches to spare a second pow: called, not written out.
Expr left_rule(const ops::Pow&, const Expr& a, const Expr& b, const Expr& y) {
  return Expr::of(Builder::current().call(Function::pow_left, a.id, b.id, y.id));
}

class Lowering {
 public:
  Lowering(const Program& program, Wanted wanted, const Passes& passes, Inputs inputs)
      : program_(program),
        wanted_(wanted),
        uniform_(static_cast<std::uint32_t>(inputs.uniform)),
        active_(static_cast<std::uint32_t>(program.inputs - inputs.passive)),
        builder_({passes.fold, passes.share}, 2 * program.nodes.size()),
        values_(program.nodes.size(), none),
        differentiable_(program.nodes.size()) {}

  Code run() {
    const auto outputs = static_cast<std::uint32_t>(program_.outputs.size());
    const bool by_tangents = wanted_ == Wanted::jacobian && active_ - uniform_ <= outputs;
    if (by_tangents) tangents_.assign(active_ - uniform_, {});
    for (std::uint32_t at = 0; at < program_.nodes.size(); ++at) {
      forward(at);
      // Beside the values they go with, so that both chains are computed at once.
      for (std::uint32_t i = 0; i < tangents_.size(); ++i) tangents_[i].push_back(tangent(at, i));
    }
    for (std::uint32_t k = 0; k < outputs; ++k) {
      builder_.store(Port::results, k, values_[program_.outputs[k]]);
    }
    builder_.store(Port::results, outputs, status().id);
    if (by_tangents) {
      store_tangents();
    } else if (wanted_ == Wanted::jacobian) {
      for (std::uint32_t k = 0; k < outputs; ++k) {
        start_sweep();
        seed(k, Expr(1.0));
        sweep(k * (active_ - uniform_));
      }
    } else if (wanted_ == Wanted::product) {
      start_sweep();
      for (std::uint32_t k = 0; k < outputs; ++k) {
        seed(k, Expr::of(builder_.load(Port::varying, varying_inputs() + k)));
      }
      sweep(0);
    }
    Code code = builder_.take();
    code.customs = std::make_shared<const std::vector<ScalarCustomOp>>(program_.customs);
    code.uniform = uniform_;
    code.varying = varying_inputs() + (wanted_ == Wanted::product ? outputs : 0);
    code.results = outputs + 1;
    const std::size_t rows = wanted_ == Wanted::value ? 0 : wanted_ == Wanted::jacobian ? outputs : 1;
    code.gradient = rows * (active_ - uniform_);
    return code;
  }

 private:
  [[nodiscard]] std::uint32_t varying_inputs() const {
    return static_cast<std::uint32_t>(program_.inputs) - uniform_;
  }
  [[nodiscard]] Expr value(std::uint32_t node) const { return Expr::of(values_[node]); }
  Expr custom(const Node& node, std::uint32_t which) {
    return Expr::of(builder_.call(Function::custom, values_[node.a], values_[node.b], 3 * node.c + which));
  }

  void forward(std::uint32_t at) {
    const Node& node = program_.nodes[at];
    if (node.code == OpCode::Input) {
      differentiable_[at] = at < active_ ? 1 : 0;
      values_[at] =
          at < uniform_ ? builder_.load(Port::uniform, at) : builder_.load(Port::varying, at - uniform_);
      return;
    }
    if (node.code == OpCode::Constant) {
      values_[at] = builder_.constant(program_.constants[node.a]);
      return;
    }
    each_argument(node, [&](std::uint32_t argument) { differentiable_[at] |= differentiable_[argument]; });
    values_[at] = computed_value(node, at).id;
  }

  template <class F>
  void each_argument(const Node& node, F f) const {
    if (node.code == OpCode::LogSumExp) {
      for (std::uint32_t i = 0; i < node.b; ++i) f(program_.arguments[node.a + i]);
      return;
    }
    f(node.a);
    const auto code = static_cast<std::size_t>(node.code);
    const bool binary = code >= UnaryOps::size && code < UnaryOps::size + BinaryOps::size;
    if (binary || (node.code == OpCode::Custom && program_.customs[node.c].arity == 2)) f(node.b);
  }

  Expr computed_value(const Node& node, std::uint32_t at) {
    switch (node.code) {
#define TARE_AD_CASE(Op, name) \
  case OpCode::Op:             \
    return ops::Op{}.value(value(node.a));
      TARE_AD_CASE(Neg, )
      TARE_AD_UNARY_OPS(TARE_AD_CASE)
#undef TARE_AD_CASE
#define TARE_AD_CASE(Op, name) \
  case OpCode::Op:             \
    return ops::Op{}.value(value(node.a), value(node.b));
      TARE_AD_OPERATORS(TARE_AD_CASE)
      TARE_AD_BINARY_OPS(TARE_AD_CASE)
#undef TARE_AD_CASE
      case OpCode::PowInt:
        return ops::PowInt{std::bit_cast<std::int32_t>(node.b)}.value(value(node.a));
      case OpCode::LogSumExp:
        return log_sum_exp(node).value();
      case OpCode::Custom:
        return custom(node, 0);
      case OpCode::StraightThroughRound:
        return Expr::of(builder_.call(Function::round, values_[node.a]));
      default:
        break;
    }
    // Steps, and stop_gradient: nothing passes back through them.
    differentiable_[at] = 0;
    switch (node.code) {
      case OpCode::Floor:
        return written(Prim::floor, value(node.a));
      case OpCode::Ceil:
        return written(Prim::ceil, value(node.a));
      case OpCode::Trunc:
        return written(Prim::trunc, value(node.a));
      case OpCode::Round:
        return Expr::of(builder_.call(Function::round, values_[node.a]));
      default:
        return value(node.a);
    }
  }
  [[nodiscard]] ops::LogSumExp::Parts<Expr> log_sum_exp(const Node& node) const {
    return ops::LogSumExp{}.parts<Expr>(node.b,
                                        [&](std::size_t i) { return value(program_.arguments[node.a + i]); });
  }

  /// The largest of "guards left" over all that failed: that of the first.
  Expr status() {
    Expr status(0.0);
    auto left = static_cast<double>(program_.guards.size());
    for (const Guard& guard : program_.guards) {
      const Mask holds = outcome_of(guard.comparison, value(guard.a), value(guard.b));
      const Expr failed = guard.outcome ? select(holds, Expr(0.0), Expr(left)) : keep(holds, Expr(left));
      status = select(status < failed, failed, status);
      left -= 1;
    }
    return status;
  }
  void start_sweep() { adjoints_.assign(program_.nodes.size(), none); }
  void seed(std::uint32_t output, const Expr& seed) { give(program_.outputs[output], seed); }
  void give(std::uint32_t node, const Expr& adjoint) {
    if (differentiable_[node] == 0) return;
    std::uint32_t& sum = adjoints_[node];
    sum = sum == none ? adjoint.id : (Expr::of(sum) + adjoint).id;
  }
  void sweep(std::uint32_t row) {
    for (auto at = static_cast<std::uint32_t>(program_.nodes.size()); at-- > program_.inputs;) {
      if (adjoints_[at] != none) backward(at);
    }
    for (std::uint32_t i = 0; i < active_; ++i) {
      const bool shared = i < uniform_;
      if (shared && adjoints_[i] == none) continue;
      const std::uint32_t adjoint = adjoints_[i] == none ? builder_.constant(0) : adjoints_[i];
      builder_.store(shared ? Port::sums : Port::gradient, shared ? i : row + i - uniform_, adjoint);
    }
  }

  /// What a derivative that comes with the factor gives through a partial one.
  static Expr through(const Node& node, const Expr& factor, const Expr& partial) {
    const Expr given = factor * partial;
    return has_pole(node) ? keep(factor != Expr(0.0), given) : given;
  }
  void backward(std::uint32_t at) {
    const Expr adjoint = Expr::of(adjoints_[at]);
    each_partial(at, [&](std::uint32_t to, auto partial) {
      if (differentiable_[to] != 0) give(to, through(program_.nodes[at], adjoint, partial()));
    });
  }

  /// ∂node/∂input, or none.
  std::uint32_t tangent(std::uint32_t at, std::uint32_t input) {
    if (at < program_.inputs) return at == uniform_ + input ? builder_.constant(1) : none;
    if (differentiable_[at] == 0) return none;
    std::uint32_t sum = none;
    each_partial(at, [&](std::uint32_t from, auto partial) {
      const std::uint32_t known = tangents_[input][from];
      if (known == none) return;
      const Expr given = through(program_.nodes[at], Expr::of(known), partial());
      sum = sum == none ? given.id : (Expr::of(sum) + given).id;
    });
    return sum;
  }
  void store_tangents() {
    const auto inputs = static_cast<std::uint32_t>(tangents_.size());
    for (std::uint32_t k = 0; k < program_.outputs.size(); ++k) {
      for (std::uint32_t i = 0; i < inputs; ++i) {
        const std::uint32_t tangent = tangents_[i][program_.outputs[k]];
        builder_.store(Port::gradient, k * inputs + i, tangent == none ? builder_.constant(0) : tangent);
      }
    }
  }

  /// pass(argument, function that writes ∂node/∂argument) for every argument.
  template <class F>
  void each_partial(std::uint32_t at, F pass) {
    const Node& node = program_.nodes[at];
    const Expr y = value(at);
    switch (node.code) {
#define TARE_AD_CASE(Op, name) \
  case OpCode::Op:             \
    return pass(node.a, [&] { return ops::Op{}.partial(value(node.a), y); });
      TARE_AD_CASE(Neg, )
      TARE_AD_UNARY_OPS(TARE_AD_CASE)
#undef TARE_AD_CASE
#define TARE_AD_CASE(Op, name)                                                           \
  case OpCode::Op:                                                                       \
    pass(node.a, [&] { return left_rule(ops::Op{}, value(node.a), value(node.b), y); }); \
    return pass(node.b, [&] { return ops::Op{}.right(value(node.a), value(node.b), y); });
      TARE_AD_OPERATORS(TARE_AD_CASE)
      TARE_AD_BINARY_OPS(TARE_AD_CASE)
#undef TARE_AD_CASE
      case OpCode::PowInt:
        return pass(node.a, [&] {
          return ops::PowInt{std::bit_cast<std::int32_t>(node.b)}.partial(value(node.a), y);
        });
      case OpCode::LogSumExp: {
        const auto parts = log_sum_exp(node);
        for (std::uint32_t i = 0; i < node.b; ++i) {
          const std::uint32_t argument = program_.arguments[node.a + i];
          pass(argument, [&] { return parts.partial(value(argument)); });
        }
        return;
      }
      case OpCode::Custom:
        pass(node.a, [&] { return custom(node, 1); });
        if (program_.customs[node.c].arity == 2) pass(node.b, [&] { return custom(node, 2); });
        return;
      case OpCode::StraightThroughRound:
        return pass(node.a, [&] { return Expr(1.0); });
      default:
        return;
    }
  }

  const Program& program_;
  Wanted wanted_;
  std::uint32_t uniform_;
  std::uint32_t active_;  ///< inputs before this one have derivatives
  Builder builder_;
  std::vector<std::uint32_t> values_;
  std::vector<std::uint8_t> differentiable_;
  std::vector<std::uint32_t> adjoints_;
  std::vector<std::vector<std::uint32_t>> tangents_;  ///< by input
};

}  // namespace

Code lower(const Program& program, Wanted wanted, const Passes& passes, Inputs inputs) {
  Code code = Lowering(program, wanted, passes, inputs).run();
  if (passes.dead_code) code = without_dead(std::move(code));
  if (passes.contract) code = contracted(std::move(code));
  return paired(std::move(code));
}

}  // namespace tare::ad::detail
