#include "ad/graph/layout.hpp"

#include <algorithm>
#include <array>

#include "ad/graph/by_rows.hpp"
#include "ad/graph/memory_plan.hpp"
#include "ad/tensor/apply.hpp"

namespace tare::ad::graph {
namespace {

using detail::Body;

bool by_element(Op op) {
  return is_unary(op) || is_binary(op) || op == Op::clamp || op == Op::power || op == Op::powi;
}

/// When a kernel reads and writes its operands, in passes over a row.
struct Moments {
  std::vector<std::int32_t> last_read;
  std::vector<std::int32_t> written;

  explicit Moments(const Kernel& kernel)
      : last_read(kernel.operands.size(), -1), written(kernel.operands.size(), -1) {
    const auto plan = plan_kernel(kernel);
    for (std::size_t p = 0; p < plan.passes.size(); ++p) {
      const auto pass = static_cast<std::int32_t>(p);
      for (const auto at : plan.passes[p].nodes)
        if (const auto& node = kernel.nodes[static_cast<std::size_t>(at)];
            node.kind == KernelNode::Kind::load)
          last_read[static_cast<std::size_t>(node.operand)] = pass;
      for (const auto k : plan.passes[p].stores)
        written[static_cast<std::size_t>(kernel.reads) + static_cast<std::size_t>(k)] = pass;
    }
    // Read anywhere in the row.
    for (const auto& node : kernel.nodes)
      if (node.kind == KernelNode::Kind::pick)
        last_read[static_cast<std::size_t>(node.operand)] = static_cast<std::int32_t>(plan.passes.size());
  }
};

class Planner {
 public:
  Planner(const Graph& graph, std::vector<Step>& steps, const Passes& passes)
      : graph_(graph),
        steps_(steps),
        passes_(passes),
        made_{std::deque<Body>(graph.values.size()), {}, {}, 0} {
    made_.places.resize(graph.values.size());
    for (std::size_t v = 0; v < graph.values.size(); ++v) describe(made_.bodies[v], graph.values[v]);
    for (const auto* list : {&graph.arguments, &graph.captured, &graph.seeds})
      for (const auto id : *list) place(id).home = Home::outside;
  }

  Layout run() {
    find_views();
    if (passes_.by_rows) pass_by_rows(graph_, made_, steps_, passes_.by_rows_beyond);
    pack_operands();
    find_lives();
    for (const auto id : graph_.results)
      // Given away whole when nothing else shows it.
      if (place(id).home == Home::arena) place(id).home = Home::result;
    for (const auto& a : graph_.assignments) write_through(a);
    plan_arena();
    return std::move(made_);
  }

 private:
  static void describe(Body& body, const Type& type) {
    body.dtype = type.dtype;
    body.shape = type.shape;
  }
  Place& place(ValueId id) { return made_.places[static_cast<std::size_t>(id)]; }
  Body& body(ValueId id) { return made_.bodies[static_cast<std::size_t>(id)]; }
  const Type& type(ValueId id) const { return graph_.values[static_cast<std::size_t>(id)]; }
  /// The value that owns the memory.
  ValueId owner(ValueId id) {
    while (place(id).home == Home::view) id = place(id).base;
    return id;
  }

  void find_views() {
    for (const auto& instruction : graph_.instructions)
      if (row_of(instruction.op).view) show(instruction);
    std::erase_if(steps_, [&](const Step& step) {
      const auto& first = graph_.instructions[static_cast<std::size_t>(step.instructions[0])];
      return !step.kernel && place(first.outputs[0]).home == Home::view;
    });
  }

  /// Asks a view's row for strides and offset, on a base at an invented address. A reshape that must copy is
  /// a step instead.
  void show(const Instruction& instruction) {
    static std::byte anywhere[1];
    Body& base = body(instruction.inputs[0]);
    Body& view = body(instruction.outputs[0]);
    if (instruction.op == Op::reshape && !detail::reshapes_in_place(base, view.shape)) return;
    base.data = anywhere;
    std::array<Body*, 1> inputs{&base};
    Call call{instruction.op, inputs, instruction.attributes};
    call.outputs[0] = &view;
    row_of(instruction.op).run(call);
    base.data = nullptr;
    place(instruction.outputs[0]) = {Home::view, instruction.inputs[0], view.data - anywhere, 0};
    view.data = nullptr;
  }

  /// Kernels read row-major operands.
  void pack_operands() {
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      if (!steps_[s].kernel) continue;  // those in parts read nothing else
      const auto& bound = *steps_[s].kernel;
      for (std::size_t k = 0; k < static_cast<std::size_t>(bound.kernel.reads); ++k) {
        const auto id = bound.operands[k];
        if (body(id).contiguous) continue;
        made_.packed.push_back({s, k, id, made_.bodies.size()});
        made_.bodies.emplace_back();
        describe(made_.bodies.back(), type(id));
        made_.places.emplace_back();
      }
    }
  }

  void find_lives() {
    const auto end = static_cast<std::int32_t>(steps_.size());
    first_.assign(made_.bodies.size(), -1);
    last_.assign(made_.bodies.size(), -1);
    for (std::int32_t s = 0; s < end; ++s) {
      const auto& step = steps_[static_cast<std::size_t>(s)];
      for (const auto id : reads_of(graph_, step)) last(owner(id)) = s;
      for (const auto id : writes_of(graph_, step)) {
        first(id) = s;
        last(id) = std::max(last(id), s);
      }
    }
    for (const auto& p : made_.packed) first_[p.body] = last_[p.body] = static_cast<std::int32_t>(p.step);
    for (const auto& a : graph_.assignments) last(owner(a.value)) = end;
    for (const auto id : graph_.results) last(owner(id)) = end;
  }
  std::int32_t& first(ValueId id) { return first_[static_cast<std::size_t>(id)]; }
  std::int32_t& last(ValueId id) { return last_[static_cast<std::size_t>(id)]; }

  /// May a step write `made` where `old` lies, which it may read itself?
  bool may_write_over(const Step& step, ValueId made, ValueId old) {
    if (!(type(made) == type(old))) return false;
    if (!step.parts.empty()) {
      // Only where no other part, at these rows or at others, reads the old values.
      return std::ranges::all_of(step.parts, [&](const Step& part) {
        const bool writes = std::ranges::count(writes_of(graph_, part), made) > 0;
        return writes ? may_write_over(part, made, old)
                      : std::ranges::none_of(reads_of(graph_, part),
                                             [&](ValueId id) { return owner(id) == old; });
      });
    }
    if (!step.kernel) {
      const auto& i = graph_.instructions[static_cast<std::size_t>(step.instructions[0])];
      const bool changes_first = i.op == Op::add_matmul || i.op == Op::put_slice;
      if (!by_element(i.op) && !(changes_first && i.inputs[0] == old)) return false;
      if (changes_first &&
          std::any_of(i.inputs.begin() + 1, i.inputs.end(), [&](ValueId id) { return owner(id) == old; }))
        return false;
      // Read through a view, the old values may already be overwritten.
      return std::ranges::all_of(i.inputs, [&](ValueId id) { return owner(id) != old || id == old; });
    }
    const auto& bound = *step.kernel;
    const Moments moments(bound.kernel);
    const auto out = static_cast<std::size_t>(
        std::ranges::find(bound.operands.begin() + bound.kernel.reads, bound.operands.end(), made) -
        bound.operands.begin());
    if (bound.kernel.operands[out].access != Access::element) return false;
    for (std::size_t k = 0; k < static_cast<std::size_t>(bound.kernel.reads); ++k) {
      if (owner(bound.operands[k]) != old) continue;
      if (body(bound.operands[k]).contiguous == false) continue;  // packed before the kernel runs
      if (place(bound.operands[k]).offset != 0 && bound.operands[k] != old) return false;
      if (bound.kernel.operands[k].access != Access::element || moments.last_read[k] > moments.written[out])
        return false;
    }
    return true;
  }

  /// A value that replaces a captured tensor is written there at once where nobody reads the old one later.
  void write_through(const Assignment& a) {
    auto& p = place(a.value);
    const auto old = graph_.captured[a.captured];
    const auto step = first(a.value);
    if (p.home != Home::arena || step < 0 || last(old) > step) return;
    if (!may_write_over(steps_[static_cast<std::size_t>(step)], a.value, old)) return;
    for (const auto& other : graph_.assignments)
      if (other.captured == a.captured && other.value != a.value) return;
    p.home = Home::assigned;
    p.captured = a.captured;
  }

  void plan_arena() {
    std::vector<Lifetime> lifetimes;
    std::vector<std::size_t> of;  // the value of each lifetime
    std::vector<std::int32_t> index(made_.bodies.size(), -1);
    for (std::size_t v = 0; v < made_.bodies.size(); ++v) {
      if (made_.places[v].home != Home::arena || first_[v] < 0) continue;
      index[v] = static_cast<std::int32_t>(lifetimes.size());
      lifetimes.push_back({made_.bodies[v].bytes(), first_[v], last_[v], -1});
      of.push_back(v);
    }
    for (const auto& step : steps_)
      for (const auto id : step.passed) {
        auto& only_rows = lifetimes[static_cast<std::size_t>(index[static_cast<std::size_t>(id)])];
        only_rows.bytes = only_rows.bytes / step.rows * step.block;
        index[static_cast<std::size_t>(id)] = -1;  // neither it nor its place is another's
      }
    for (std::size_t v = 0; v < graph_.values.size(); ++v) {
      if (index[v] < 0) continue;
      const auto& step = steps_[static_cast<std::size_t>(first_[v])];
      for (const auto id : reads_of(graph_, step)) {
        const auto o = owner(id);
        if (index[static_cast<std::size_t>(o)] >= 0 && last(o) == first_[v] &&
            may_write_over(step, static_cast<ValueId>(v), o))
          lifetimes[static_cast<std::size_t>(index[v])].may_replace = index[static_cast<std::size_t>(o)];
      }
    }
    const auto memory = plan_memory(lifetimes, passes_.reuse_memory);
    made_.arena_bytes = memory.bytes;
    for (std::size_t i = 0; i < of.size(); ++i) made_.places[of[i]].offset = memory.offsets[i];
  }

  const Graph& graph_;
  std::vector<Step>& steps_;
  const Passes& passes_;
  Layout made_;
  std::vector<std::int32_t> first_, last_;
};

}  // namespace

Layout lay_out(const Graph& graph, std::vector<Step>& steps, const Passes& passes) {
  return Planner(graph, steps, passes).run();
}

}  // namespace tare::ad::graph
