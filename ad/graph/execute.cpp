#include "ad/graph/execute.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ad/graph/kernel_cost.hpp"
#include "ad/graph/layout.hpp"
#include "ad/tensor/apply.hpp"
#include "ad/tensor/mode.hpp"
#include "ad/tensor/ops.hpp"

namespace tare::ad::graph {
namespace {

using detail::Body;

struct Prepared {
  const OpRow* row = nullptr;  ///< null: a kernel, or parts
  const Instruction* instruction = nullptr;
  const Instruction* numbers = nullptr;  ///< op and attributes to run
  std::vector<Body*> inputs;             ///< of a kernel: all its operands
  std::vector<Body*> outputs;
  RunnableKernel kernel;
  std::vector<std::pair<Body*, Body*>> packs;  ///< copied into row-major order first
  std::string label;
  std::vector<Prepared> parts;  ///< in turns, `block` of `rows` at a time
  std::vector<Body*> passed;    ///< from part to part: `block` rows of it are there
  std::int64_t rows = 0;
  std::int64_t block = 0;
};

void run_instruction(const Prepared& step) {
  Call call{step.numbers->op, step.inputs, step.numbers->attributes};
  call.output_count = static_cast<int>(step.outputs.size());
  std::copy(step.outputs.begin(), step.outputs.end(), call.outputs.begin());
  detail::run_row(call, *step.row);
}

void pack(Body* from, Body* to) {
  const Attributes none{};
  Call call{Op::copy, std::span(&from, 1), none};
  call.outputs[0] = to;
  row_of(Op::copy).run(call);
}

double flops_of(const Kernel& kernel) {
  double flops = 0;
  for (const auto& node : kernel.nodes) {
    if (node.kind != KernelNode::Kind::op && node.kind != KernelNode::Kind::fold) continue;
    const auto from = node.kind == KernelNode::Kind::fold
                          ? kernel.nodes[static_cast<std::size_t>(node.inputs[0])].access
                          : node.access;
    const double count = from == Access::element  ? static_cast<double>(kernel.rows * kernel.columns)
                         : from == Access::row    ? static_cast<double>(kernel.rows)
                         : from == Access::column ? static_cast<double>(kernel.columns)
                                                  : 1;
    flops += count * (node.kind == KernelNode::Kind::fold ? 1 : cost_of(node));
  }
  return flops;
}

/// Tells a kernel, or a piece of one, as an event where somebody traces.
template <class F>
void told(const Prepared& step, double share, F run) {
  if (detail::mode.events == nullptr) [[likely]]
    return run();
  const auto start = detail::now_ns();
  run();
  const auto taken = detail::now_ns() - start;
  Event event{Op::custom, {}, step.kernel.kernel.dtype, start, taken, share * flops_of(step.kernel.kernel), 0,
              step.label};
  for (const Body* operand : step.inputs) {
    event.bytes += share * static_cast<double>(operand->bytes());
    event.shapes.push_back(operand->shape);
  }
  detail::mode.events->push_back(std::move(event));
}

using Operands = std::array<std::byte*, 64>;

void run_fused(const Prepared& step) {
  for (const auto& [from, to] : step.packs) pack(from, to);
  Operands operands;
  for (std::size_t k = 0; k < step.inputs.size(); ++k) operands[k] = step.inputs[k]->data;
  told(step, 1, [&] { KernelRun(step.kernel).run(operands.data()); });
}

/// Steps in turns, a block of rows after the other.
class RowByRow {
 public:
  explicit RowByRow(const Prepared& step) : step_(step) {
    for (const auto& part : step.parts) {
      runs_.emplace_back();
      if (part.row == nullptr) runs_.back().emplace(part.kernel);
    }
  }

  void run() {
    for (std::int64_t from = 0; from < step_.rows; from += step_.block) {
      const auto to = std::min(step_.rows, from + step_.block);
      for (std::size_t p = 0; p < step_.parts.size(); ++p) {
        const auto& part = step_.parts[p];
        if (part.row == nullptr) {
          run_kernel(part, *runs_[p], from, to);
        } else if (part.instruction->op == Op::add_matmul || !part.inputs[0]->contiguous) {
          add_product(part, from, to);
        } else {
          run_product(part, from, to);
        }
      }
    }
    for (std::size_t p = 0; p < step_.parts.size(); ++p)
      if (runs_[p]) runs_[p]->finish(operands(step_.parts[p], 0).data());
  }

 private:
  [[nodiscard]] bool is_passed(const std::byte* data) const {
    return std::ranges::any_of(step_.passed, [&](const Body* b) { return b->data == data; });
  }
  [[nodiscard]] std::int64_t row_bytes(const Body& b) const { return b.bytes() / step_.rows; }

  /// A kernel counts rows from the first, also in what only has those of the block.
  [[nodiscard]] Operands operands(const Prepared& part, std::int64_t from) const {
    Operands all;
    for (std::size_t k = 0; k < part.inputs.size(); ++k) {
      const Body& b = *part.inputs[k];
      all[k] = is_passed(b.data) ? b.data - from * row_bytes(b) : b.data;
    }
    return all;
  }
  void run_kernel(const Prepared& part, KernelRun& run, std::int64_t from, std::int64_t to) const {
    const auto each = parts_of(part.kernel.kernel, part.kernel.plan).total / step_.rows;
    const auto share = static_cast<double>(to - from) / static_cast<double>(step_.rows);
    told(part, share, [&] { run.run(operands(part, from).data(), from * each, to * each); });
  }

  /// Rows of a matrix, or of the matrix that it is the transpose of.
  void show_rows(Body& block, const Body& whole, std::int64_t from, std::int64_t to) const {
    const auto columns = whole.count() / step_.rows;
    block.dtype = whole.dtype;
    block.data = is_passed(whole.data) ? whole.data : whole.data + from * row_bytes(whole);
    if (whole.contiguous) {
      block.shape = {to - from, columns};
    } else {
      block.shape = {columns, to - from};
      block.strides = {1, columns};
      block.contiguous = false;
    }
  }
  static void carry_out(const Instruction& numbers, std::span<Body* const> inputs, Body* output) {
    Call call{numbers.op, inputs, numbers.attributes};
    call.outputs[0] = output;
    detail::run_row(call, row_of(numbers.op));
  }
  void run_product(const Prepared& part, std::int64_t from, std::int64_t to) const {
    Body a, c;
    show_rows(a, *part.inputs[0], from, to);
    show_rows(c, *part.outputs[0], from, to);
    auto inputs = part.inputs;
    inputs[0] = &a;
    carry_out(*part.numbers, inputs, &c);
  }
  /// A sum over the rows goes on where the block before ended.
  void add_product(const Prepared& part, std::int64_t from, std::int64_t to) const {
    Body a, b;
    const auto at = part.inputs.size() - 2;
    show_rows(a, *part.inputs[at], from, to);
    show_rows(b, *part.inputs[at + 1], from, to);
    std::array<Body*, 3> inputs{part.inputs[0], &a, &b};
    if (from == 0) return carry_out(*part.numbers, std::span(inputs).subspan(1 - at), part.outputs[0]);
    static const Instruction add_once = [] {
      Instruction made{Op::add_matmul, {}, {}, {}};
      made.attributes.first = 1;
      return made;
    }();
    inputs[0] = part.outputs[0];
    carry_out(part.numbers->op == Op::add_matmul ? *part.numbers : add_once, inputs, part.outputs[0]);
  }

  const Prepared& step_;
  std::vector<std::optional<KernelRun>> runs_;  ///< of parts that are kernels
};

std::string label_of(const Graph& graph, const Step& step) {
  std::vector<std::string_view> names;
  for (const auto at : step.instructions)
    names.push_back(name_of(graph.instructions[static_cast<std::size_t>(at)].op));
  return fmt::format("{}", fmt::join(names, "+"));
}

}  // namespace

struct Executable::State {
  State(const Graph& from, const Passes& passes, KernelCompiler compiler) : graph(from) {
    plan = fuse(graph, passes);
    layout = lay_out(graph, plan, passes);
    for (const auto& step : plan) steps.push_back(prepared(step, passes, compiler));
    for (const auto& p : layout.packed) {
      steps[p.step].packs.emplace_back(&body(p.from), &layout.bodies[p.body]);
      steps[p.step].inputs[p.operand] = &layout.bodies[p.body];
    }
    find_used();
  }

  Body& body(ValueId id) { return layout.bodies[static_cast<std::size_t>(id)]; }
  Place& place(ValueId id) { return layout.places[static_cast<std::size_t>(id)]; }
  ValueId owner(ValueId id) {
    while (place(id).home == Home::view) id = place(id).base;
    return id;
  }

  Prepared prepared(const Step& step, const Passes& passes, KernelCompiler compiler) {
    Prepared made;
    if (!step.parts.empty()) {
      for (const auto& part : step.parts) made.parts.push_back(prepared(part, passes, compiler));
      for (const auto id : step.passed) made.passed.push_back(&body(id));
      made.rows = step.rows;
      made.block = step.block;
      return made;
    }
    made.label = label_of(graph, step);
    if (step.kernel) {
      made.kernel = {step.kernel->kernel, plan_kernel(step.kernel->kernel), {}};
      if (compiler != nullptr && passes.compile)
        made.kernel.code = compiler(made.kernel.kernel, made.kernel.plan);
      for (const auto id : step.kernel->operands) made.inputs.push_back(&body(id));
    } else {
      made.instruction = &graph.instructions[static_cast<std::size_t>(step.instructions[0])];
      // A reshape that is a step has to copy.
      static const Instruction plain_copy{Op::copy, {}, {}, {}};
      const auto& code = made.instruction->op == Op::reshape ? plain_copy : *made.instruction;
      made.row = &row_of(code.op);
      made.numbers = &code;
      for (const auto id : made.instruction->inputs) made.inputs.push_back(&body(id));
      for (const auto id : made.instruction->outputs) made.outputs.push_back(&body(id));
    }
    return made;
  }

  /// Values whose place must be known at a call, bases before their views.
  void find_used() {
    std::vector<int> depth(layout.bodies.size(), 0);
    for (std::size_t v = 0; v < depth.size(); ++v) {
      if (layout.places[v].home != Home::outside) used.push_back(v);
      for (auto id = static_cast<ValueId>(v); place(id).home == Home::view; id = place(id).base) ++depth[v];
    }
    std::ranges::sort(used, {}, [&](std::size_t v) { return std::pair(depth[v], v); });
  }

  Graph graph;
  std::vector<Step> plan;
  Layout layout;
  std::vector<Prepared> steps;
  std::vector<std::size_t> used;
};

Executable::Executable(const Graph& graph, const Passes& passes, KernelCompiler compiler)
    : state_(std::make_unique<State>(graph, passes, compiler)) {}
Executable::~Executable() = default;
Executable::Executable(Executable&&) noexcept = default;
Executable& Executable::operator=(Executable&&) noexcept = default;

std::int64_t Executable::planned_bytes() const {
  return state_->layout.arena_bytes;
}
namespace {

std::string text_of(const Prepared& step) {
  if (!step.parts.empty()) {
    std::string text = fmt::format("in turns, {} of {} rows at a time:\n", step.block, step.rows);
    for (const auto& part : step.parts) text += "  " + text_of(part);
    return text;
  }
  if (step.row != nullptr) return step.label + "\n";
  const auto& k = step.kernel;
  return fmt::format("{} × {} {}: {} read, {} written, {} pass{}: {}\n", k.kernel.rows, k.kernel.columns,
                     k.code.function != nullptr ? "compiled" : "interpreted", k.kernel.reads,
                     k.kernel.outputs.size(), k.plan.passes.size(), k.plan.passes.size() == 1 ? "" : "es",
                     step.label);
}

}  // namespace

std::string Executable::steps_text() const {
  std::string text;
  for (const auto& step : state_->steps) text += text_of(step);
  return text;
}
std::vector<std::string> Executable::groups() const {
  std::vector<std::string> names(state_->graph.instructions.size());
  std::size_t kernels = 0;
  const auto name = [&](const Step& step, auto&& self) -> void {
    for (const auto& part : step.parts) self(part, self);
    if (!step.kernel) return;
    for (const auto at : step.instructions)
      names[static_cast<std::size_t>(at)] = fmt::format("kernel {}", kernels);
    ++kernels;
  };
  for (const auto& step : state_->plan) name(step, name);
  return names;
}

std::vector<Tensor> Executable::run(std::span<const Tensor> arguments, std::span<Tensor> captured,
                                    std::span<const std::int64_t> seeds) {
  auto& s = *state_;
  const NoGrad quiet;
  const ModeScope plainly(&Mode::tracer, static_cast<Tracer*>(nullptr));
  // What comes from outside, in row-major order: the views were planned for that.
  std::vector<Tensor> held;
  const auto from_outside = [&](ValueId id, const Tensor& given) {
    if (given.is_contiguous()) {
      s.body(id).data = given.body()->data;
    } else {
      held.push_back(contiguous(given));
      s.body(id).data = held.back().body()->data;
    }
  };
  for (std::size_t i = 0; i < s.graph.arguments.size(); ++i) from_outside(s.graph.arguments[i], arguments[i]);
  for (std::size_t i = 0; i < s.graph.captured.size(); ++i) from_outside(s.graph.captured[i], captured[i]);
  for (std::size_t i = 0; i < s.graph.seeds.size(); ++i)
    s.body(s.graph.seeds[i]).data = reinterpret_cast<std::byte*>(const_cast<std::int64_t*>(&seeds[i]));

  const Tensor arena = Tensor::empty({s.layout.arena_bytes}, DType::u8);
  std::vector<std::pair<std::size_t, Tensor>> whole;
  for (const auto v : s.used) {
    const auto& place = s.layout.places[v];
    auto& body = s.layout.bodies[v];
    if (place.home == Home::arena) {
      body.data = arena.body()->data + place.offset;
    } else if (place.home == Home::result) {
      whole.emplace_back(v, Tensor::empty(body.shape, body.dtype));
      body.data = whole.back().second.body()->data;
    } else if (place.home == Home::assigned) {
      body.data = s.body(s.graph.captured[place.captured]).data;
    } else {
      body.data = s.body(place.base).data + place.offset;
    }
  }
  for (const auto& step : s.steps) {
    if (!step.parts.empty()) {
      RowByRow(step).run();
    } else if (step.row != nullptr) {
      run_instruction(step);
    } else {
      run_fused(step);
    }
  }

  std::vector<Tensor> results;
  for (const auto id : s.graph.results) {
    const auto known =
        std::ranges::find(whole, static_cast<std::size_t>(id), &std::pair<std::size_t, Tensor>::first);
    results.push_back(known != whole.end() ? known->second : copy(Tensor::from(&s.body(id))));
  }
  // A value from outside that goes to another tensor is read before any of them changes.
  std::vector<Tensor> moved(s.graph.assignments.size());
  for (std::size_t i = 0; i < moved.size(); ++i) {
    const auto id = s.graph.assignments[i].value;
    if (s.place(s.owner(id)).home == Home::outside) moved[i] = copy(Tensor::from(&s.body(id)));
  }
  for (std::size_t i = 0; i < moved.size(); ++i) {
    const auto& a = s.graph.assignments[i];
    if (moved[i].defined()) {
      captured[a.captured].copy_(moved[i]);
    } else if (s.place(a.value).home == Home::assigned && captured[a.captured].is_contiguous()) {
      if (auto* buffer = captured[a.captured].body()->buffer; buffer != nullptr) ++buffer->version;
    } else {
      captured[a.captured].copy_(Tensor::from(&s.body(a.value)));
    }
  }
  return results;
}

}  // namespace tare::ad::graph
