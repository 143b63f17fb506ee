#include "ad/graph/passes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <unordered_map>

#include "ad/graph/graph_index.hpp"
#include "ad/graph/kernel.hpp"
#include "ad/tensor/ops.hpp"

namespace tare::ad::graph {
namespace {

/// Values replaced by others; what is read goes through it.
class Renaming {
 public:
  explicit Renaming(std::size_t values) : to_(values) { std::iota(to_.begin(), to_.end(), 0); }
  ValueId operator()(ValueId id) {
    auto& next = to_[static_cast<std::size_t>(id)];
    return next == id ? id : next = (*this)(next);
  }
  void replace(ValueId id, ValueId by) { to_[static_cast<std::size_t>(id)] = by; }
  void read_by(std::vector<ValueId>& ids) {
    for (auto& id : ids) id = (*this)(id);
  }

 private:
  std::vector<ValueId> to_;
};

void rename_ends(Graph& graph, Renaming& renamed) {
  renamed.read_by(graph.results);
  for (auto& assignment : graph.assignments) assignment.value = renamed(assignment.value);
}

class Folding {
 public:
  explicit Folding(Graph& graph)
      : graph_(graph), renamed_(graph.values.size()), made_by_(graph.values.size(), nullptr) {}

  void run() {
    for (auto& instruction : graph_.instructions) {
      renamed_.read_by(instruction.inputs);
      if (instruction.outputs.size() == 1) {
        if (const auto same = identity(instruction)) {
          renamed_.replace(instruction.outputs[0], *same);
          continue;  // dead from here on
        }
        if (const auto number = constant_result(instruction)) become_constant(instruction, *number);
      }
      for (const auto id : instruction.outputs) made_by_[static_cast<std::size_t>(id)] = &instruction;
    }
    rename_ends(graph_, renamed_);
  }

 private:
  const Type& type(ValueId id) const { return graph_.values[static_cast<std::size_t>(id)]; }
  const Instruction* maker(ValueId id) const { return made_by_[static_cast<std::size_t>(id)]; }

  /// The number all elements of a value are, if it is a constant.
  [[nodiscard]] std::optional<double> number(ValueId id) const {
    const auto* by = maker(id);
    if (by == nullptr) return {};
    if (by->op == Op::full) return by->attributes.first;
    if (by->op == Op::expand || by->op == Op::reshape) return number(by->inputs[0]);
    return {};
  }
  [[nodiscard]] bool is(ValueId id, double value) const {
    const auto known = number(id);
    return known && *known == value;
  }

  /// A value that the instruction only repeats.
  std::optional<ValueId> identity(const Instruction& i) {
    const auto out = i.outputs[0];
    const auto stays = [&](ValueId id) { return type(id) == type(out); };
    switch (i.op) {
      case Op::add:
        if (is(i.inputs[1], 0) && stays(i.inputs[0])) return i.inputs[0];
        if (is(i.inputs[0], 0) && stays(i.inputs[1])) return i.inputs[1];
        return {};
      case Op::sub:
        if (is(i.inputs[1], 0) && stays(i.inputs[0])) return i.inputs[0];
        return {};
      case Op::mul:
        if (is(i.inputs[1], 1) && stays(i.inputs[0])) return i.inputs[0];
        if (is(i.inputs[0], 1) && stays(i.inputs[1])) return i.inputs[1];
        return {};
      case Op::div:
        if (is(i.inputs[1], 1) && stays(i.inputs[0])) return i.inputs[0];
        return {};
      case Op::neg:
        if (const auto* inner = maker(i.inputs[0]); inner != nullptr && inner->op == Op::neg)
          return inner->inputs[0];
        return {};
      case Op::copy:
      case Op::cast:
      case Op::reshape:
      case Op::expand:
      case Op::permute:
        return repeated_view(i);
      case Op::sum:
        if (stays(i.inputs[0]) && i.attributes.axes.rank == 0) return i.inputs[0];
        return {};
      default:
        return {};
    }
  }

  std::optional<ValueId> repeated_view(const Instruction& i) {
    const auto out = i.outputs[0];
    if (i.op != Op::permute && type(i.inputs[0]) == type(out)) return i.inputs[0];
    const auto* inner = maker(i.inputs[0]);
    if (i.op != Op::permute) return {};
    bool in_order = true;
    for (int axis = 0; axis < i.attributes.axes.rank; ++axis)
      in_order = in_order && i.attributes.axes[axis] == axis;
    if (in_order) return i.inputs[0];
    if (inner == nullptr || inner->op != Op::permute) return {};
    // One turn undoes the other?
    for (int axis = 0; axis < i.attributes.axes.rank; ++axis)
      if (inner->attributes.axes[static_cast<int>(i.attributes.axes[axis])] != axis) return {};
    return inner->inputs[0];
  }

  /// What a pointwise instruction on constants alone gives, by the row's own kernel.
  std::optional<double> constant_result(const Instruction& i) {
    if (!is_unary(i.op) && !is_binary(i.op) && i.op != Op::clamp && i.op != Op::power && i.op != Op::powi)
      return {};
    std::vector<Tensor> inputs;
    for (const auto id : i.inputs) {
      const auto known = number(id);
      if (!known) return {};
      inputs.push_back(Tensor::scalar(*known, type(id).dtype));
    }
    return apply(i.op, inputs, i.attributes).item();
  }
  void become_constant(Instruction& i, double value) {
    const Type& made = type(i.outputs[0]);
    i.op = Op::full;
    i.inputs.clear();
    i.attributes = {};
    i.attributes.first = value;
    i.attributes.sizes = made.shape;
    i.attributes.dtype = made.dtype;
  }

  Graph& graph_;
  Renaming renamed_;
  std::vector<const Instruction*> made_by_;
};

std::uint64_t key_of(const Instruction& i) {
  Graph alone;
  alone.instructions.push_back({i.op, i.inputs, {}, i.attributes});
  return hash_of(alone);
}

}  // namespace

void fold_constants(Graph& graph) {
  Folding(graph).run();
}

void share_common(Graph& graph) {
  Renaming renamed(graph.values.size());
  std::unordered_multimap<std::uint64_t, const Instruction*> seen;
  for (auto& instruction : graph.instructions) {
    renamed.read_by(instruction.inputs);
    const auto key = key_of(instruction);
    const Instruction* same = nullptr;
    const auto [from, to] = seen.equal_range(key);
    for (auto at = from; at != to && same == nullptr; ++at)
      if (at->second->op == instruction.op && at->second->inputs == instruction.inputs &&
          at->second->attributes == instruction.attributes)
        same = at->second;
    if (same == nullptr) {
      seen.emplace(key, &instruction);
      continue;
    }
    for (std::size_t k = 0; k < instruction.outputs.size(); ++k)
      renamed.replace(instruction.outputs[k], same->outputs[k]);
  }
  rename_ends(graph, renamed);
}

void remove_dead(Graph& graph) {
  std::vector<char> needed(graph.values.size(), 0);
  const auto need = [&](ValueId id) { needed[static_cast<std::size_t>(id)] = 1; };
  for (const auto id : graph.results) need(id);
  for (const auto& assignment : graph.assignments) need(assignment.value);
  std::vector<Instruction> kept;
  for (auto at = graph.instructions.rbegin(); at != graph.instructions.rend(); ++at) {
    bool used = false;
    for (const auto id : at->outputs) used = used || needed[static_cast<std::size_t>(id)] != 0;
    if (!used) continue;
    for (const auto id : at->inputs) need(id);
    kept.push_back(std::move(*at));
  }
  graph.instructions.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
}

namespace {

/// Who makes what, asked by passes that replace instructions in place.
struct Makers {
  explicit Makers(Graph& from) : graph(from), by(definitions(from)), uses(use_counts(from)) {}
  [[nodiscard]] Instruction* of(ValueId id) const {
    const auto at = by[static_cast<std::size_t>(id)];
    return at < 0 ? nullptr : &graph.instructions[static_cast<std::size_t>(at)];
  }
  [[nodiscard]] bool used_once(ValueId id) const { return uses[static_cast<std::size_t>(id)] == 1; }
  [[nodiscard]] const Type& type(ValueId id) const { return graph.values[static_cast<std::size_t>(id)]; }

  Graph& graph;
  std::vector<std::int32_t> by, uses;
};

}  // namespace

void absorb_updates(Graph& graph) {
  const Makers makers(graph);
  for (const auto& assignment : graph.assignments) {
    auto* sum = makers.of(assignment.value);
    const auto old = graph.captured[assignment.captured];
    if (sum == nullptr || sum->op != Op::add || !makers.used_once(assignment.value) || sum->inputs[0] != old)
      continue;
    auto* product = makers.of(sum->inputs[1]);
    double factor = 1;
    if (product == nullptr || !makers.used_once(sum->inputs[1])) continue;
    if (product->op == Op::mul) {
      const auto* number = makers.of(product->inputs[1]);
      if (number == nullptr || number->op != Op::full || !makers.used_once(product->inputs[0])) continue;
      factor = number->attributes.first;
      product = makers.of(product->inputs[0]);
    }
    const auto matrix = [&](ValueId id) {
      return makers.type(id).shape.rank == 2 && makers.type(id).dtype == makers.type(old).dtype;
    };
    if (product == nullptr || product->op != Op::matmul || !std::ranges::all_of(product->inputs, matrix) ||
        !matrix(old) || !is_floating(makers.type(old).dtype))
      continue;
    // The product has to wait for whoever still reads p: its factors live on meanwhile, and should be
    // smaller.
    const auto count = [&](ValueId id) { return makers.type(id).shape.count(); };
    if (count(old) < std::max(count(product->inputs[0]), count(product->inputs[1]))) continue;
    sum->op = Op::add_matmul;
    sum->inputs = {old, product->inputs[0], product->inputs[1]};
    sum->attributes = {};
    sum->attributes.first = factor;
  }
}

void absorb_biases(Graph& graph) {
  const Makers makers(graph);
  const GraphIndex index(graph);
  // Would the sum become part of a kernel, which then adds the bias for nothing?
  const auto is_fused = [&](ValueId id, auto&& self) -> bool {
    return std::ranges::any_of(index.users[static_cast<std::size_t>(id)], [&](std::int32_t at) {
      const auto& user = graph.instructions[static_cast<std::size_t>(at)];
      return is_seen_through(user) ? self(user.outputs[0], self) : is_fusable(graph, user);
    });
  };
  for (auto& sum : graph.instructions) {
    if (sum.op != Op::add || is_fused(sum.outputs[0], is_fused)) continue;
    const auto* product = makers.of(sum.inputs[0]);
    if (product == nullptr || product->op != Op::matmul || !makers.used_once(sum.inputs[0])) continue;
    const auto& out = makers.type(sum.outputs[0]);
    const auto& weight = makers.type(product->inputs[1]).shape;
    const auto& bias = makers.type(sum.inputs[1]);
    if (weight.rank != 2 || bias.shape.rank != 1 || bias.shape[0] != weight[1] || bias.dtype != out.dtype ||
        !is_floating(out.dtype) || makers.type(product->inputs[0]).dtype != out.dtype ||
        makers.type(product->inputs[1]).dtype != out.dtype || !(makers.type(sum.inputs[0]) == out))
      continue;
    sum.op = Op::linear;
    sum.inputs = {product->inputs[0], product->inputs[1], sum.inputs[1]};
    sum.attributes = {};
  }
}

std::vector<PassReport> simplify(Graph& graph, const Passes& passes) {
  std::vector<PassReport> reports;
  const auto run = [&](bool wanted, const char* name, void (*pass)(Graph&)) {
    if (!wanted) return;
    const auto before = graph.instructions.size();
    pass(graph);
    if (auto wrong = verify(graph); !wrong.empty())
      throw std::logic_error(std::string("pass ") + name + " broke the graph: " + wrong);
    reports.push_back({name, before, graph.instructions.size()});
  };
  run(passes.remove_dead, "remove dead code", remove_dead);
  run(passes.fold, "fold constants and identities", fold_constants);
  run(passes.share, "share common subexpressions", share_common);
  run(passes.fold, "join padded slices", join_pads);
  run(passes.absorb, "absorb updates into products", absorb_updates);
  run(passes.absorb, "absorb biases into products", absorb_biases);
  // What the others left behind.
  run(passes.remove_dead, "remove dead code", remove_dead);
  return reports;
}

}  // namespace tare::ad::graph
