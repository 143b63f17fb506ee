// Passes over a row: what is known only after a reduction of the row waits for the next pass. Values of an
// earlier pass are computed again where that is cheap, else kept in a scratch row.
#include <algorithm>
#include <fmt/format.h>

#include "ad/graph/kernel.hpp"
#include "ad/graph/kernel_cost.hpp"

namespace tare::ad::graph {
namespace {

using Kind = KernelNode::Kind;

// About what writing and reading a number in the first-level cache costs.
constexpr double worth_keeping = 10;

class Planner {
 public:
  explicit Planner(const Kernel& kernel)
      : kernel_(kernel), again_(kernel.nodes.size(), 0), first_(kernel.nodes.size(), -1) {
    for (std::size_t i = 0; i < kernel.nodes.size(); ++i) {
      const auto& node = kernel.nodes[i];
      again_[i] = cost_of(node);
      for (const auto input : node.inputs)
        if (input >= 0 && by_column(input)) again_[i] += again_[static_cast<std::size_t>(input)];
    }
  }

  KernelPlan plan() {
    const auto last = last_level();
    made_.passes.resize(static_cast<std::size_t>(last) + 1);
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(kernel_.nodes.size()); ++i) place_small(i);
    for (std::int32_t level = 0; level <= last; ++level) plan_pass(level);
    for (std::size_t k = 0; k < kernel_.outputs.size(); ++k) {
      const auto& n = node(kernel_.outputs[k]);
      if (!is_final(n)) continue;
      made_.final_folds.push_back(kernel_.outputs[k]);
      made_.partial_offsets.push_back(made_.partials);
      made_.partials += n.access == Access::column ? (kernel_.columns + 15) / 16 * 16 : 16;
    }
    return std::move(made_);
  }

 private:
  const KernelNode& node(std::int32_t at) const { return kernel_.nodes[static_cast<std::size_t>(at)]; }
  bool by_column(std::int32_t at) const {
    const auto& n = node(at);
    if (n.kind == Kind::fold) return false;
    return n.access == Access::element || n.access == Access::column;
  }
  std::int32_t last_level() const {
    std::int32_t last = 0;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(kernel_.nodes.size()); ++i)
      if (by_column(i)) last = std::max(last, node(i).level);
    for (std::size_t k = 0; k < kernel_.outputs.size(); ++k)
      if (stored_by_column(k)) last = std::max(last, node(kernel_.outputs[k]).level);
    for (const auto& n : kernel_.nodes)
      if (n.kind == Kind::fold && folds_columns(n)) last = std::max(last, node(n.inputs[0]).level);
    return last;
  }
  bool stored_by_column(std::size_t output) const {
    return kernel_.operands[static_cast<std::size_t>(kernel_.reads) + output].access == Access::element;
  }
  /// Folds over the columns of a row, or adds rows up column by column.
  bool folds_columns(const KernelNode& n) const {
    return n.kind == Kind::fold && !(n.access == Access::scalar && node(n.inputs[0]).access == Access::row);
  }

  void place_small(std::int32_t at) {
    const auto& n = node(at);
    if (n.kind == Kind::fold && folds_columns(n)) return;
    if (by_column(at)) return;
    if (n.access == Access::scalar && n.kind != Kind::fold) {
      made_.once.push_back(at);
    } else if (static_cast<std::size_t>(n.level) < made_.passes.size()) {
      made_.passes[static_cast<std::size_t>(n.level)].before.push_back(at);
    } else {
      made_.after.push_back(at);
    }
  }

  void plan_pass(std::int32_t level) {
    pass_ = &made_.passes[static_cast<std::size_t>(level)];
    level_ = level;
    visited_.assign(kernel_.nodes.size(), 0);
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(kernel_.nodes.size()); ++i) {
      const auto& n = node(i);
      if (n.kind != Kind::fold || !folds_columns(n) || node(n.inputs[0]).level != level) continue;
      visit(n.inputs[0]);
      pass_->folds.push_back(i);
    }
    for (std::size_t k = 0; k < kernel_.outputs.size(); ++k) {
      const auto at = kernel_.outputs[k];
      if (!stored_by_column(k) || node(at).level != level) continue;
      visit(at);
      pass_->stores.push_back(static_cast<std::int32_t>(k));
    }
    std::ranges::sort(pass_->nodes);
  }

  void visit(std::int32_t at) {
    if (!by_column(at) || std::exchange(visited_[static_cast<std::size_t>(at)], 1) != 0) return;
    const auto& n = node(at);
    auto& first = first_[static_cast<std::size_t>(at)];
    if (first >= 0 && n.kind != Kind::load && again_[static_cast<std::size_t>(at)] > worth_keeping) {
      auto& saves = made_.passes[static_cast<std::size_t>(first)].saves;
      if (std::ranges::find(saves, at) == saves.end()) saves.push_back(at);
      if (std::ranges::find(made_.scratch, at) == made_.scratch.end()) made_.scratch.push_back(at);
      pass_->reloads.push_back(at);
      return;
    }
    if (first < 0) first = level_;
    pass_->nodes.push_back(at);
    for (const auto input : n.inputs)
      if (input >= 0) visit(input);
  }

  const Kernel& kernel_;
  std::vector<double> again_;        ///< cost of computing a node from what is loaded
  std::vector<std::int32_t> first_;  ///< pass that computes it first
  KernelPlan made_;
  KernelPass* pass_ = nullptr;
  std::int32_t level_ = 0;
  std::vector<char> visited_;
};

std::string node_text(const KernelNode& n) {
  std::string inputs;
  for (const auto input : n.inputs)
    if (input >= 0) inputs += fmt::format("{}%{}", inputs.empty() ? "" : ", ", input);
  switch (n.kind) {
    case Kind::load:
      return fmt::format("load @{}", n.operand);
    case Kind::number:
      return fmt::format("{:a}", n.first);
    case Kind::pick:
      return fmt::format("pick @{} at {}", n.operand, inputs);
    case Kind::column_is:
      return fmt::format("column is {}", inputs);
    case Kind::fold:
      return fmt::format("{:a} * {} of {}", n.first, name_of(n.op), inputs);
    default:
      return fmt::format("{}({}{})", name_of(n.op), inputs,
                         n.first == 0 && n.second == 0 && n.number == 0
                             ? ""
                             : fmt::format("; {:a}, {:a}, {}", n.first, n.second, n.number));
  }
}

}  // namespace

const char* name_of(Access access) {
  constexpr std::array names{"element", "row", "column", "scalar"};
  return names[static_cast<std::size_t>(access)];
}

KernelPlan plan_kernel(const Kernel& kernel) {
  return Planner(kernel).plan();
}

std::string text_of(const Kernel& kernel) {
  std::string text =
      fmt::format("kernel {} rows, {} columns, {}\n", kernel.rows, kernel.columns, name_of(kernel.dtype));
  for (std::size_t i = 0; i < kernel.operands.size(); ++i)
    text +=
        fmt::format("  @{} {} {} {}\n", i, static_cast<std::int32_t>(i) < kernel.reads ? "reads" : "writes",
                    name_of(kernel.operands[i].dtype), name_of(kernel.operands[i].access));
  for (std::size_t i = 0; i < kernel.nodes.size(); ++i)
    text += fmt::format("  %{} = {} : {} {}\n", i, node_text(kernel.nodes[i]), name_of(kernel.nodes[i].dtype),
                        name_of(kernel.nodes[i].access));
  for (std::size_t k = 0; k < kernel.outputs.size(); ++k)
    text += fmt::format("  @{} = %{}\n", static_cast<std::size_t>(kernel.reads) + k, kernel.outputs[k]);
  return text;
}

}  // namespace tare::ad::graph
