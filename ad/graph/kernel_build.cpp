// Finds the space of rows × columns in which a set of instructions is one kernel: every suffix of the largest
// shape is tried as the columns, the flat space first. Views are looked through, constants become numbers.
#include <algorithm>
#include <map>
#include <set>

#include "ad/graph/kernel.hpp"
#include "ad/graph/kernel_access.hpp"
#include "ad/tensor/op.hpp"

namespace tare::ad::graph {
namespace {

using Kind = KernelNode::Kind;

// A row longer than this is worth splitting among threads.
constexpr std::int64_t longest_single_row = 16384;

bool is_pointwise(Op op) {
  switch (op) {
    case Op::clamp:
    case Op::power:
    case Op::powi:
    case Op::less:
    case Op::less_equal:
    case Op::equal:
    case Op::not_equal:
    case Op::logical_not:
    case Op::where:
    case Op::cast:
    case Op::copy:
      return true;
    default:
      return is_unary(op) || is_binary(op);
  }
}
bool is_fold(Op op) {
  return op == Op::sum || op == Op::mean || op == Op::amax || op == Op::amin;
}

class Builder {
 public:
  Builder(const GraphIndex& index, std::span<const std::int32_t> members, std::int64_t rows,
          std::int64_t columns)
      : index_(index), graph_(*index.graph), members_(members) {
    kernel_.rows = rows;
    kernel_.columns = columns;
  }

  bool build() {
    if (!choose_dtype()) return false;
    for (const auto member : members_)
      if (!add(graph_.instructions[static_cast<std::size_t>(member)])) return false;
    return add_outputs();
  }
  BoundKernel take() && { return {std::move(kernel_), std::move(operands_)}; }

 private:
  const Type& type(ValueId id) const { return graph_.values[static_cast<std::size_t>(id)]; }
  std::int64_t count(ValueId id) const { return type(id).shape.count(); }
  std::int64_t all() const { return kernel_.rows * kernel_.columns; }
  const Instruction* maker(ValueId id) const {
    const auto at = index_.definitions[static_cast<std::size_t>(id)];
    return at < 0 ? nullptr : &graph_.instructions[static_cast<std::size_t>(at)];
  }
  KernelNode& node(std::int32_t at) { return kernel_.nodes[static_cast<std::size_t>(at)]; }

  std::int32_t push(KernelNode made) {
    for (const auto input : made.inputs)
      if (input >= 0) made.level = std::max(made.level, node(input).level);
    if (made.kind == Kind::fold && made.access == Access::row) ++made.level;
    kernel_.nodes.push_back(made);
    return static_cast<std::int32_t>(kernel_.nodes.size()) - 1;
  }

  bool choose_dtype() {
    for (const auto member : members_) {
      const auto& i = graph_.instructions[static_cast<std::size_t>(member)];
      for (const auto* list : {&i.inputs, &i.outputs})
        for (const auto id : *list)
          if (is_floating(type(id).dtype)) {
            kernel_.dtype = type(id).dtype;
            return true;
          }
    }
    return false;
  }
  bool accept_dtype(DType dtype) const { return dtype == DType::boolean || dtype == kernel_.dtype; }

  std::int32_t operand_of(ValueId id, Access access, DType dtype) {
    for (std::size_t i = 0; i < operands_.size(); ++i)
      if (operands_[i] == id && kernel_.operands[i].access == access) return static_cast<std::int32_t>(i);
    operands_.push_back(id);
    kernel_.operands.push_back({access, dtype});
    return kernel_.reads++;
  }

  std::optional<std::int32_t> load(ValueId id, Access access) {
    const auto dtype = type(id).dtype;
    if (!accept_dtype(dtype)) return {};
    if (kernel_.rows == 1 && access == Access::column) access = Access::element;
    const std::pair key(id, access);
    if (const auto known = loads_.find(key); known != loads_.end()) return known->second;
    const auto made = push(
        {.kind = Kind::load, .access = access, .dtype = dtype, .operand = operand_of(id, access, dtype)});
    return loads_[key] = made;
  }
  std::int32_t number(double value) {
    return push({.kind = Kind::number, .access = Access::scalar, .dtype = kernel_.dtype, .first = value});
  }

  /// A constant, whatever its shape.
  std::optional<double> constant(ValueId id) const {
    const auto* by = maker(id);
    if (by == nullptr) return {};
    if (by->op == Op::full && is_floating(type(id).dtype)) return by->attributes.first;
    if (is_seen_through(*by)) return constant(by->inputs[0]);
    return {};
  }

  /// May a node of one access stand where another is asked for?
  bool fits(Access has, Access wanted) const {
    if (has == wanted || has == Access::scalar) return true;
    return kernel_.rows == 1 && wanted == Access::scalar && has == Access::row;
  }

  std::optional<std::int32_t> usable(std::int32_t at, Access wanted) {
    if (is_final(node(at)) || !fits(node(at).access, wanted)) return {};
    return at;
  }

  /// A value read as an operand of rows × columns (`wanted` element), or as one of the smaller kinds.
  std::optional<std::int32_t> read(ValueId id, Access wanted) {
    if (const auto value = constant(id)) {
      if (!accept_dtype(type(id).dtype)) return {};
      return number(*value);
    }
    if (const auto known = nodes_.find(id); known != nodes_.end()) {
      if (is_final(node(known->second))) return {};
      // A full shape may be made of fewer numbers.
      if (wanted == Access::element) return known->second;
      return usable(known->second, wanted);
    }
    const auto* by = maker(id);
    if (by == nullptr || !is_seen_through(*by)) return load(id, wanted);
    const auto inner = by->inputs[0];
    if (by->op == Op::reshape || count(inner) == count(id)) {
      // Numbers stay in their order; one that is not ours is read as the view that it is.
      if (!reaches_member(inner) && !shows_fewer(inner)) return load(id, wanted);
      return read(inner, wanted);
    }
    // expand
    if (wanted != Access::element) {
      if (count(inner) != 1) return {};
      return read(inner, Access::scalar);
    }
    const auto split = split_of(type(id).shape, kernel_.columns);
    if (!split) return {};
    const auto access = access_of(type(inner).shape, type(id).shape, *split);
    if (!access) return {};
    return read(inner, *access);
  }

  bool reaches_member(ValueId id) const {
    for (;;) {
      if (nodes_.contains(id)) return true;
      const auto* by = maker(id);
      if (by == nullptr || !is_seen_through(*by)) return false;
      id = by->inputs[0];
    }
  }
  /// A view that repeats numbers is not laid out in memory.
  bool shows_fewer(ValueId id) const {
    for (;;) {
      const auto* by = maker(id);
      if (by == nullptr || !is_seen_through(*by)) return false;
      if (count(by->inputs[0]) != count(id)) return true;
      id = by->inputs[0];
    }
  }

  bool add(const Instruction& i) {
    if (i.outputs.size() != 1) return false;
    if (is_fold(i.op)) return add_fold(i);
    if (i.op == Op::gather) return add_pick(i);
    if (i.op == Op::scatter_add) return add_one_hot(i);
    return add_pointwise(i);
  }

  static Access joined(Access a, Access b) {
    if (a == b || b == Access::scalar) return a;
    return a == Access::scalar ? b : Access::element;
  }

  /// Which of the smaller kinds a shape of that many numbers is; nothing where it could be two.
  std::optional<Access> small_access(std::int64_t numbers) const {
    if (numbers == 1) return Access::scalar;
    if (kernel_.rows == kernel_.columns) return {};
    if (numbers == kernel_.rows) return Access::row;
    if (numbers == kernel_.columns) return Access::column;
    return {};
  }

  static bool takes_booleans(Op op, std::size_t input) {
    return op == Op::cast || op == Op::copy || op == Op::logical_not || (op == Op::where && input == 0);
  }
  std::int32_t as_number(std::int32_t at) {
    if (node(at).dtype != DType::boolean) return at;
    return push({.kind = Kind::op,
                 .op = Op::cast,
                 .access = node(at).access,
                 .dtype = kernel_.dtype,
                 .inputs = {at, -1, -1}});
  }

  bool add_pointwise(const Instruction& i) {
    const auto out = i.outputs[0];
    const Shape& shape = type(out).shape;
    KernelNode made{.kind = Kind::op,
                    .op = i.op,
                    .dtype = type(out).dtype,
                    .first = i.attributes.first,
                    .second = i.attributes.second,
                    .number = i.attributes.number};
    if (!accept_dtype(made.dtype)) return false;
    const bool full = count(out) == all();
    const auto split = split_of(shape, kernel_.columns);
    if (full && !split) return false;
    std::optional<Access> small;
    if (!full) {
      small = small_access(count(out));
      // Square spaces: what is known of an input decides.
      for (std::size_t k = 0; !small && k < i.inputs.size(); ++k)
        if (const auto known = nodes_.find(i.inputs[k]); known != nodes_.end())
          small = node(known->second).access;
      if (!small || *small == Access::element) return false;
    }
    Access access = Access::scalar;
    for (std::size_t k = 0; k < i.inputs.size(); ++k) {
      const auto id = i.inputs[k];
      std::optional<Access> wanted;
      if (full) {
        wanted = access_of(type(id).shape, shape, *split);
      } else {
        wanted = count(id) == count(out) ? small
                 : count(id) == 1        ? std::optional(Access::scalar)
                                         : std::nullopt;
      }
      if (!wanted) return false;
      const auto from = read(id, *wanted);
      if (!from) return false;
      made.inputs[k] = takes_booleans(i.op, k) ? *from : as_number(*from);
      access = joined(access, node(*from).access);
    }
    // Numbers into booleans, or of another width.
    if (i.op == Op::cast && node(made.inputs[0]).dtype != DType::boolean &&
        node(made.inputs[0]).dtype != made.dtype)
      return false;
    if (i.op == Op::logical_not && node(made.inputs[0]).dtype != DType::boolean) return false;
    if (i.op == Op::where && node(made.inputs[0]).dtype != DType::boolean) return false;
    if (i.op == Op::copy || (i.op == Op::cast && node(made.inputs[0]).dtype == made.dtype)) {
      nodes_[out] = made.inputs[0];
      return true;
    }
    made.access = access;
    nodes_[out] = push(made);
    return true;
  }

  bool add_fold(const Instruction& i) {
    const auto in = i.inputs[0], out = i.outputs[0];
    const Shape& shape = type(in).shape;
    if (type(in).dtype != type(out).dtype || !accept_dtype(type(out).dtype) ||
        type(out).dtype == DType::boolean)
      return false;
    double scale = 1;
    if (i.op == Op::mean) scale = static_cast<double>(count(out)) / static_cast<double>(count(in));
    KernelNode made{.kind = Kind::fold,
                    .op = i.op == Op::mean ? Op::sum : i.op,
                    .dtype = type(out).dtype,
                    .first = scale};
    const auto reduced = [&](int axis) {
      return std::ranges::find(i.attributes.axes.list(), axis) != i.attributes.axes.list().end();
    };
    if (count(in) != all()) {
      // Numbers of rows into one.
      if (count(out) != 1 || kernel_.rows == 1) return false;
      const auto from = read(in, Access::row);
      if (!from || node(*from).access != Access::row) return false;
      made.access = Access::scalar;
      made.inputs[0] = *from;
      nodes_[out] = push(made);
      return true;
    }
    const auto split = split_of(shape, kernel_.columns);
    if (!split) return false;
    bool rows = true, columns = true, no_rows = true, no_columns = true;
    for (int axis = 0; axis < shape.rank; ++axis) {
      if (shape[axis] == 1) continue;
      (axis < *split ? (reduced(axis) ? no_rows : rows) : (reduced(axis) ? no_columns : columns)) = false;
    }
    if (columns && no_rows) {
      made.access = Access::row;
      // A single long row is split among threads: its sum is complete only at the end.
      if (kernel_.rows == 1 && kernel_.columns > longest_single_row) made.access = Access::scalar;
    } else if (rows && columns) {
      made.access = Access::scalar;
    } else if (rows && no_columns) {
      made.access = Access::column;
    } else {
      return false;
    }
    const auto from = read(in, Access::element);
    if (!from) return false;
    made.inputs[0] = *from;
    nodes_[out] = push(made);
    return true;
  }

  /// An index with one entry a row, along the columns.
  std::optional<std::int32_t> row_index(ValueId id, const Shape& shape, const Attributes& a) {
    if (shape.rank == 0 || a.axes[0] != shape.rank - 1 || shape[shape.rank - 1] != kernel_.columns) return {};
    Shape one_each = shape;
    one_each[shape.rank - 1] = 1;
    if (!(type(id).shape == one_each) || type(id).dtype != DType::i64 || nodes_.contains(id)) return {};
    const std::pair key(id, Access::row);
    if (const auto known = loads_.find(key); known != loads_.end()) return known->second;
    return loads_[key] = push({.kind = Kind::load,
                               .access = Access::row,
                               .dtype = DType::i64,
                               .operand = operand_of(id, Access::row, DType::i64)});
  }

  bool add_pick(const Instruction& i) {
    const auto in = i.inputs[0], out = i.outputs[0];
    if (count(in) != all() || !accept_dtype(type(in).dtype) || type(in).dtype == DType::boolean) return false;
    const auto index = row_index(i.inputs[1], type(in).shape, i.attributes);
    if (!index) return false;
    const auto from = read(in, Access::element);
    if (!from) return false;
    if (node(*from).kind == Kind::load && node(*from).access == Access::element) {
      nodes_[out] = push({.kind = Kind::pick,
                          .access = Access::row,
                          .dtype = type(in).dtype,
                          .operand = node(*from).operand,
                          .inputs = {*index, -1, -1}});
      return true;
    }
    const auto chosen = chosen_or_zero(*index, *from);
    nodes_[out] = push({.kind = Kind::fold,
                        .op = Op::sum,
                        .access = Access::row,
                        .dtype = type(in).dtype,
                        .inputs = {chosen, -1, -1},
                        .first = 1});
    return true;
  }

  std::int32_t chosen_or_zero(std::int32_t index, std::int32_t value) {
    const auto is = push({.kind = Kind::column_is,
                          .access = Access::element,
                          .dtype = DType::boolean,
                          .inputs = {index, -1, -1}});
    const auto zero = number(0);
    return push({.kind = Kind::op,
                 .op = Op::where,
                 .access = Access::element,
                 .dtype = kernel_.dtype,
                 .inputs = {is, value, zero}});
  }

  bool add_one_hot(const Instruction& i) {
    const auto out = i.outputs[0];
    if (count(out) != all() || !accept_dtype(type(out).dtype) || type(out).dtype == DType::boolean)
      return false;
    const auto index = row_index(i.inputs[1], type(out).shape, i.attributes);
    if (!index) return false;
    const auto source = read(i.inputs[2], kernel_.rows == 1 ? Access::scalar : Access::row);
    if (!source) return false;
    const auto hot = chosen_or_zero(*index, *source);
    if (const auto base = constant(i.inputs[0]); base && *base == 0) {
      nodes_[out] = hot;
      return true;
    }
    const auto base = read(i.inputs[0], Access::element);
    if (!base) return false;
    nodes_[out] = push({.kind = Kind::op,
                        .op = Op::add,
                        .access = Access::element,
                        .dtype = kernel_.dtype,
                        .inputs = {*base, hot, -1}});
    return true;
  }

  /// Does anything but the kernel itself read the value, directly or through views?
  bool needed_outside(ValueId id) const {
    if (index_.leaves[static_cast<std::size_t>(id)] != 0) return true;
    for (const auto at : index_.users[static_cast<std::size_t>(id)]) {
      const auto& user = graph_.instructions[static_cast<std::size_t>(at)];
      if (is_seen_through(user) ? needed_outside(user.outputs[0]) : !std::ranges::binary_search(members_, at))
        return true;
    }
    return false;
  }

  bool add_outputs() {
    for (const auto member : members_) {
      const auto id = graph_.instructions[static_cast<std::size_t>(member)].outputs[0];
      if (!needed_outside(id)) continue;
      const auto at = nodes_.at(id);
      Access access = node(at).access;
      if (!is_final(node(at))) {
        if (count(id) == all() && !(kernel_.rows == 1 && access == Access::row)) {
          access = Access::element;
        } else if (access != Access::row || count(id) != kernel_.rows) {
          return false;
        }
      }
      kernel_.operands.push_back({access, node(at).dtype});
      kernel_.outputs.push_back(at);
      operands_.push_back(id);
    }
    return !kernel_.outputs.empty();
  }

  const GraphIndex& index_;
  const Graph& graph_;
  std::span<const std::int32_t> members_;
  Kernel kernel_;
  std::vector<ValueId> operands_;
  std::map<ValueId, std::int32_t> nodes_;  ///< of the members' results
  std::map<std::pair<ValueId, Access>, std::int32_t> loads_;
};

}  // namespace

bool is_seen_through(const Instruction& instruction) {
  return instruction.op == Op::reshape || instruction.op == Op::expand;
}

bool is_fusable(const Graph& graph, const Instruction& i) {
  if (i.outputs.size() != 1) return false;
  const auto fits = [&](ValueId id) {
    const auto& type = graph.values[static_cast<std::size_t>(id)];
    return type.shape.count() > 0 && (is_floating(type.dtype) || type.dtype == DType::boolean);
  };
  if (!fits(i.outputs[0])) return false;
  if (i.op == Op::gather || i.op == Op::scatter_add) return true;
  if (!is_pointwise(i.op) && !is_fold(i.op)) return false;
  return std::ranges::all_of(i.inputs, fits);
}

std::optional<BoundKernel> build_kernel(const GraphIndex& index, std::span<const std::int32_t> members) {
  const Graph& graph = *index.graph;
  std::int64_t most = 0;
  const auto count = [&](ValueId id) { return graph.values[static_cast<std::size_t>(id)].shape.count(); };
  for (const auto member : members) {
    const auto& i = graph.instructions[static_cast<std::size_t>(member)];
    for (const auto id : i.inputs) most = std::max(most, count(id));
    for (const auto id : i.outputs) most = std::max(most, count(id));
  }
  std::set<std::int64_t, std::greater<>> columns{most};
  const auto suffixes = [&](const Shape& shape) {
    if (shape.count() != most) return;
    std::int64_t product = 1;
    for (int axis = shape.rank - 1; axis >= 0; --axis) {
      product *= shape[axis];
      if (product > 1) columns.insert(product);
    }
  };
  for (const auto member : members) {
    const auto& i = graph.instructions[static_cast<std::size_t>(member)];
    for (const auto id : i.inputs) suffixes(graph.values[static_cast<std::size_t>(id)].shape);
    for (const auto id : i.outputs) suffixes(graph.values[static_cast<std::size_t>(id)].shape);
  }
  for (const auto size : columns) {
    Builder builder(index, members, most / size, size);
    if (builder.build()) return std::move(builder).take();
  }
  return {};
}

}  // namespace tare::ad::graph
