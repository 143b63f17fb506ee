#include "ad/scalar/program/program.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <string_view>

namespace tare::ad {
namespace {

std::string_view sign_of(Comparison comparison) {
  constexpr std::string_view signs[] = {
      "<", "<=", ">", ">=", "==", "!=", "isnan", "isinf", "isfinite", "signbit"};
  return signs[static_cast<std::size_t>(comparison)];
}

double value_of_node(const Program& program, const Node& node, const std::vector<double>& v) {
  switch (node.code) {
#define TARE_AD_CASE(Op, name) \
  case OpCode::Op:             \
    return ops::Op{}.value(v[node.a]);
    TARE_AD_CASE(Neg, )
    TARE_AD_UNARY_OPS(TARE_AD_CASE)
#undef TARE_AD_CASE
#define TARE_AD_CASE(Op, name) \
  case OpCode::Op:             \
    return ops::Op{}.value(v[node.a], v[node.b]);
    TARE_AD_OPERATORS(TARE_AD_CASE)
    TARE_AD_BINARY_OPS(TARE_AD_CASE)
#undef TARE_AD_CASE
    case OpCode::PowInt:
      return ops::PowInt{std::bit_cast<std::int32_t>(node.b)}.value(v[node.a]);
    case OpCode::LogSumExp:
      return ops::LogSumExp{}
          .parts<double>(node.b, [&](std::size_t i) { return v[program.arguments[node.a + i]]; })
          .value();
    case OpCode::Custom:
      return program.customs[node.c].value(v[node.a], v[node.b]);
    case OpCode::Constant:
      return program.constants[node.a];
    case OpCode::Floor:
      return std::floor(v[node.a]);
    case OpCode::Ceil:
      return std::ceil(v[node.a]);
    case OpCode::Round:
    case OpCode::StraightThroughRound:
      return std::round(v[node.a]);
    case OpCode::Trunc:
      return std::trunc(v[node.a]);
    case OpCode::StopGradient:
    case OpCode::Input:
      return v[node.a];
  }
  return 0;
}

}  // namespace

std::vector<double> node_values(const Program& program, std::span<const double> x) {
  if (x.size() != program.inputs) detail::throw_size("node_values", program.inputs, x.size());
  std::vector<double> values(x.begin(), x.end());
  values.reserve(program.nodes.size());
  for (std::size_t i = program.inputs; i < program.nodes.size(); ++i) {
    values.push_back(value_of_node(program, program.nodes[i], values));
  }
  return values;
}

std::size_t operations(const Program& program) {
  return static_cast<std::size_t>(
      std::count_if(program.nodes.begin(), program.nodes.end(),
                    [](const Node& n) { return n.code != OpCode::Input && n.code != OpCode::Constant; }));
}

void throw_diverged(const Program& program, std::size_t guard, std::span<const double> x) {
  const Guard& g = program.guards.at(guard);
  const std::vector<double> values = node_values(program, x);
  const bool predicate = g.comparison >= Comparison::is_nan;
  const std::string text = predicate
                               ? fmt::format("{}({})", sign_of(g.comparison), values[g.a])
                               : fmt::format("{} {} {}", values[g.a], sign_of(g.comparison), values[g.b]);
  throw ReplayError(fmt::format(
      "replay: comparison {} of {}, after {} recorded operations, was {} in the recording and is {} "
      "for these inputs ({}); record the program again for this branch",
      guard, program.guards.size(), g.position, g.outcome, !g.outcome, text));
}

}  // namespace tare::ad
