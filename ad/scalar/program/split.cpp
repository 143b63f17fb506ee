#include "ad/scalar/program/split.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace tare::ad::detail {
namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

/// The places of a node's arguments that are nodes.
template <class F>
void each_argument(Node& node, std::vector<std::uint32_t>& arguments, F f) {
  if (node.code == OpCode::Input || node.code == OpCode::Constant) return;
  if (node.code == OpCode::LogSumExp) {
    for (std::uint32_t i = 0; i < node.b; ++i) f(arguments[node.a + i]);
    return;
  }
  f(node.a);
  // A node of one argument has it twice, or an exponent.
  if (node.code != OpCode::PowInt) f(node.b);
}

class Splitting {
 public:
  Splitting(const Program& program, std::size_t shared)
      : program_(program), shared_(shared), uniform_(program.nodes.size()), arguments_(program.arguments) {}

  SplitProgram run() {
    find_uniform();
    find_frontier();
    result_.uniform.inputs = shared_;
    result_.uniform.customs = program_.customs;
    result_.varying.inputs = frontier_.size() + program_.inputs - shared_;
    result_.varying.customs = program_.customs;
    fill(result_.uniform, true);
    fill(result_.varying, false);
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool is_constant(std::uint32_t i) const { return program_.nodes[i].code == OpCode::Constant; }

  void find_uniform() {
    for (std::size_t i = 0; i < program_.nodes.size(); ++i) {
      Node node = program_.nodes[i];
      uniform_[i] = node.code != OpCode::Input || i < shared_ ? 1 : 0;
      each_argument(node, arguments_, [&](std::uint32_t& used) { uniform_[i] &= uniform_[used]; });
    }
  }

  /// Uniform values the varying part reads.
  void find_frontier() {
    std::vector<std::uint8_t> wanted(program_.nodes.size());
    for (std::size_t i = 0; i < program_.nodes.size(); ++i) {
      if (uniform_[i] != 0) continue;
      Node node = program_.nodes[i];
      each_argument(node, arguments_, [&](std::uint32_t& used) { wanted[used] |= uniform_[used]; });
    }
    for (const Guard& guard : program_.guards) {
      if (both_uniform(guard)) continue;
      wanted[guard.a] |= uniform_[guard.a];
      wanted[guard.b] |= uniform_[guard.b];
    }
    for (const std::uint32_t output : program_.outputs) wanted[output] |= uniform_[output];
    for (std::uint32_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i] != 0 && !is_constant(i)) frontier_.push_back(i);
    }
  }
  [[nodiscard]] bool both_uniform(const Guard& guard) const {
    return uniform_[guard.a] != 0 && uniform_[guard.b] != 0;
  }

  void fill(Program& part, bool uniform) {
    std::vector<std::uint32_t> place(program_.nodes.size(), none);
    const auto add = [&](const Node& node) {
      part.nodes.push_back(node);
      return static_cast<std::uint32_t>(part.nodes.size() - 1);
    };
    if (!uniform) {
      for (const std::uint32_t each : frontier_) place[each] = add({});
    }
    part.constants = program_.constants;
    part.arguments = program_.arguments;
    for (std::uint32_t i = 0; i < program_.nodes.size(); ++i) {
      Node node = program_.nodes[i];
      if (place[i] != none || (!is_constant(i) && (uniform_[i] != 0) != uniform)) continue;
      each_argument(node, part.arguments, [&](std::uint32_t& used) { used = place[used]; });
      if (node.code == OpCode::Input) node.a = static_cast<std::uint32_t>(part.nodes.size());
      place[i] = add(node);
    }
    for (Guard guard : program_.guards) {
      if (both_uniform(guard) != uniform) continue;
      guard.a = place[guard.a];
      guard.b = place[guard.b];
      part.guards.push_back(guard);
    }
    for (const std::uint32_t each : uniform ? frontier_ : program_.outputs)
      part.outputs.push_back(place[each]);
  }

  const Program& program_;
  std::size_t shared_;
  std::vector<std::uint8_t> uniform_;
  std::vector<std::uint32_t> arguments_;
  std::vector<std::uint32_t> frontier_;
  SplitProgram result_;
};

}  // namespace

SplitProgram split(const Program& program, std::size_t shared) {
  return Splitting(program, shared).run();
}

}  // namespace tare::ad::detail
