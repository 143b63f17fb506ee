#include "ad/graph/by_rows.hpp"

#include <algorithm>
#include <numeric>

namespace tare::ad::graph {
namespace {

using detail::Body;

constexpr std::int64_t fewest_blocks = 3;

class Joining {
 public:
  Joining(const Graph& graph, const Layout& layout, std::vector<Step>& steps, std::int64_t beyond)
      : graph_(graph), layout_(layout), steps_(steps), beyond_(beyond), held_(graph.values.size(), 0) {
    for (const auto id : graph.results) hold(id);
    for (const auto& a : graph.assignments) hold(a.value);
  }

  void run() {
    for (std::size_t value = 0; value < graph_.values.size(); ++value) join(static_cast<ValueId>(value));
  }

 private:
  const Place& place(ValueId id) const { return layout_.places[static_cast<std::size_t>(id)]; }
  const Body& body(ValueId id) const { return layout_.bodies[static_cast<std::size_t>(id)]; }
  ValueId owner(ValueId id) const {
    while (place(id).home == Home::view) id = place(id).base;
    return id;
  }
  void hold(ValueId id) { held_[static_cast<std::size_t>(owner(id))] = 1; }
  const Instruction& instruction(const Step& step) const {
    return graph_.instructions[static_cast<std::size_t>(step.instructions[0])];
  }
  bool reads(const Step& step, ValueId id) const {
    return std::ranges::any_of(reads_of(graph_, step), [&](ValueId r) { return owner(r) == id; });
  }
  bool writes(const Step& step, ValueId id) const {
    return std::ranges::count(writes_of(graph_, step), id) > 0;
  }

  void join(ValueId id) {
    if (place(id).home != Home::arena || held_[static_cast<std::size_t>(id)] != 0 ||
        body(id).bytes() <= beyond_)
      return;
    std::vector<std::size_t> makers, readers;
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      if (writes(steps_[s], id)) makers.push_back(s);
      if (reads(steps_[s], id)) readers.push_back(s);
    }
    if (makers.size() != 1 || readers.size() != 1 || makers[0] >= readers[0]) return;
    const auto i = makers[0], j = readers[0];
    // One of the two is a product.
    if (last_part(steps_[i]).kernel.has_value() == first_part(steps_[j]).kernel.has_value()) return;
    const bool later = may_wait(i, j);
    if (!later && !may_come_forward(j, i)) return;
    auto both = joined(steps_[i], steps_[j], id);
    if (both.parts.empty()) return;
    steps_[later ? j : i] = std::move(both);
    steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(later ? i : j));
  }

  static const Step& last_part(const Step& s) { return s.parts.empty() ? s : s.parts.back(); }
  static const Step& first_part(const Step& s) { return s.parts.empty() ? s : s.parts.front(); }

  /// Does a step write where another still reads, in a captured tensor that it replaces?
  bool replaces_what_is_read(const Step& writer, const Step& reader) const {
    return std::ranges::any_of(graph_.assignments, [&](const Assignment& a) {
      return writes(writer, a.value) && reads(reader, graph_.captured[a.captured]);
    });
  }
  bool is_read_by(const Step& made, const Step& reader) const {
    return std::ranges::any_of(writes_of(graph_, made), [&](ValueId id) { return reads(reader, id); });
  }
  /// May step i be carried out as late as step j?
  bool may_wait(std::size_t i, std::size_t j) const {
    for (auto s = i + 1; s < j; ++s)
      if (is_read_by(steps_[i], steps_[s]) || replaces_what_is_read(steps_[s], steps_[i])) return false;
    return true;
  }
  /// May step j be carried out as early as step i?
  bool may_come_forward(std::size_t j, std::size_t i) const {
    for (auto s = i + 1; s < j; ++s)
      if (is_read_by(steps_[s], steps_[j]) || replaces_what_is_read(steps_[j], steps_[s])) return false;
    return true;
  }

  /// How the value lies in rows of one length, if it does.
  std::optional<RowsOf> rows_of(ValueId id) const {
    const auto& b = body(id);
    if (b.shape.rank < 2 || b.count() == 0) return {};
    for (auto at = id; place(at).home == Home::view; at = place(at).base)
      if (place(at).offset != 0) return {};
    const auto whole = owner(id);
    if (!body(whole).contiguous || body(whole).count() != b.count()) return {};
    const auto last = b.shape[b.shape.rank - 1];
    if (b.contiguous) return RowsOf{whole, b.count() / last, last, false};
    if (b.shape.rank == 2 && b.strides[0] == 1 && b.strides[1] == b.shape[0])
      return RowsOf{whole, b.shape[1], b.shape[0], true};
    return {};
  }

  /// Rows of the space that a part goes through in order, and of how many at a time; 0: it does not.
  struct Pace {
    std::int64_t rows = 0;
    std::int64_t grain = 1;
  };
  Pace pace_of(const Step& part, ValueId passed, std::int64_t columns) const {
    const auto rows = body(passed).count() / columns;
    return part.kernel ? pace_of_kernel(*part.kernel, passed, rows) : pace_of_product(part, passed, rows);
  }
  Pace pace_of_kernel(const BoundKernel& bound, ValueId passed, std::int64_t rows) const {
    for (std::size_t k = 0; k < bound.operands.size(); ++k) {
      const auto id = bound.operands[k];
      if (!body(id).contiguous) return {};
      if (owner(id) == passed &&
          (bound.kernel.operands[k].access != Access::element || body(id).count() != body(passed).count()))
        return {};
    }
    for (const auto& node : bound.kernel.nodes)
      if (node.kind == KernelNode::Kind::pick) return {};
    const auto parts = parts_of(bound.kernel, plan_kernel(bound.kernel));
    if (parts.total % rows != 0) return {};
    const auto each = parts.total / rows;
    return {rows, parts.grain / std::gcd(parts.grain, each)};
  }
  Pace pace_of_product(const Step& part, ValueId passed, std::int64_t rows) const {
    const auto& i = instruction(part);
    const auto same_type = [&](ValueId id) { return body(id).dtype == body(passed).dtype; };
    if (!is_floating(body(passed).dtype) || !std::ranges::all_of(i.inputs, same_type)) return {};
    if (sums_over_rows(i)) {
      const auto at = i.inputs.size() - 2;
      const auto a = rows_of(i.inputs[at]), b = rows_of(i.inputs[at + 1]);
      if (!a || !a->transposed || !b || b->transposed || a->rows != rows || b->rows != rows) return {};
      return at > 0 && owner(i.inputs[0]) == passed ? Pace{} : Pace{rows, 1};
    }
    if (i.op != Op::matmul && i.op != Op::linear) return {};
    const auto a = rows_of(i.inputs[0]), c = rows_of(i.outputs[0]);
    if (!a || a->transposed || !c || c->transposed || body(i.inputs[1]).shape.rank != 2) return {};
    if (a->rows != rows || c->rows != rows || owner(i.inputs[1]) == passed) return {};
    return {rows, 1};
  }
  /// aᵀ·b of two matrices, or that added to a third: complete only after the last row.
  bool sums_over_rows(const Instruction& i) const {
    if (i.op == Op::add_matmul) return true;
    if (i.op != Op::matmul || body(i.inputs[0]).shape.rank != 2 || body(i.inputs[1]).shape.rank != 2)
      return false;
    const auto a = rows_of(i.inputs[0]);
    return a && a->transposed;
  }
  /// Of a product's operand, or of an operand of the kernel that it is joined with.
  std::int64_t columns_of(const Step& product, ValueId passed) const {
    const auto& i = instruction(product);
    for (const auto* list : {&i.inputs, &i.outputs})
      for (const auto id : *list)
        if (owner(id) == passed)
          if (const auto r = rows_of(id)) return r->columns;
    return 0;
  }

  /// Both in turns, or a step without parts.
  Step joined(const Step& first, const Step& second, ValueId passed) const {
    const auto& product = last_part(first).kernel ? first_part(second) : last_part(first);
    const auto columns = columns_of(product, passed);
    if (columns == 0) return {};
    Step made;
    for (const auto* step : {&first, &second}) {
      if (step->parts.empty()) {
        made.parts.push_back(*step);
      } else {
        made.parts.insert(made.parts.end(), step->parts.begin(), step->parts.end());
        made.passed.insert(made.passed.end(), step->passed.begin(), step->passed.end());
      }
    }
    made.passed.push_back(passed);
    made.rows = body(passed).count() / columns;
    // What goes on after a sum over the rows would have to wait for all of them.
    for (std::size_t p = 0; p + 1 < made.parts.size(); ++p)
      if (!made.parts[p].kernel && sums_over_rows(instruction(made.parts[p]))) return {};
    std::int64_t grain = 1, row_bytes = 1;
    for (const auto& part : made.parts) {
      const auto pace = pace_of(part, passed, columns);
      if (pace.rows != made.rows) return {};
      grain = std::lcm(grain, pace.grain);
    }
    for (const auto id : made.passed) row_bytes = std::max(row_bytes, body(id).bytes() / made.rows);
    const auto wanted = std::max<std::int64_t>(1, beyond_ / 4 / row_bytes);
    made.block = (wanted + grain - 1) / grain * grain;
    if (made.rows < fewest_blocks * made.block || reads_what_it_replaces(made)) return {};
    return made;
  }
  /// Would a part change what another part, or another block, still reads?
  bool reads_what_it_replaces(const Step& step) const {
    for (const auto& part : step.parts)
      for (const auto& other : step.parts)
        if (&part != &other && replaces_what_is_read(part, other)) return true;
    return false;
  }

  const Graph& graph_;
  const Layout& layout_;
  std::vector<Step>& steps_;
  std::int64_t beyond_;
  std::vector<char> held_;  ///< seen from outside
};

}  // namespace

void pass_by_rows(const Graph& graph, const Layout& layout, std::vector<Step>& steps, std::int64_t beyond) {
  Joining(graph, layout, steps, beyond).run();
}

}  // namespace tare::ad::graph
