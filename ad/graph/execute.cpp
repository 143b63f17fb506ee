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
  const OpRow* row = nullptr;  ///< null: a kernel
  const Instruction* instruction = nullptr;
  const Instruction* numbers = nullptr;  ///< op and attributes to run
  std::vector<Body*> inputs;             ///< of a kernel: all its operands
  std::vector<Body*> outputs;
  RunnableKernel kernel;
  std::vector<std::pair<Body*, Body*>> packs;  ///< copied into row-major order first
  std::string label;
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

void run_fused(const Prepared& step) {
  for (const auto& [from, to] : step.packs) pack(from, to);
  std::array<std::byte*, 64> operands;
  for (std::size_t k = 0; k < step.inputs.size(); ++k) operands[k] = step.inputs[k]->data;
  if (detail::mode.events == nullptr) [[likely]]
    return run_kernel(step.kernel, operands.data());
  const auto start = detail::now_ns();
  run_kernel(step.kernel, operands.data());
  const auto taken = detail::now_ns() - start;
  Event event{Op::custom, {},        step.kernel.kernel.dtype, start, taken, flops_of(step.kernel.kernel),
              0,          step.label};
  for (const Body* operand : step.inputs) {
    event.bytes += static_cast<double>(operand->bytes());
    event.shapes.push_back(operand->shape);
  }
  detail::mode.events->push_back(std::move(event));
}

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
    layout = lay_out(graph, plan, passes.reuse_memory);
    for (std::size_t s = 0; s < plan.size(); ++s) prepare(s, passes, compiler);
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

  void prepare(std::size_t s, const Passes& passes, KernelCompiler compiler) {
    const auto& step = plan[s];
    Prepared made;
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
    steps.push_back(std::move(made));
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
std::string Executable::steps_text() const {
  std::string text;
  for (const auto& step : state_->steps) {
    if (step.row != nullptr) {
      text += step.label + "\n";
      continue;
    }
    const auto& k = step.kernel;
    text += fmt::format("{} × {} {}: {} read, {} written, {} pass{}: {}\n", k.kernel.rows, k.kernel.columns,
                        k.code.function != nullptr ? "compiled" : "interpreted", k.kernel.reads,
                        k.kernel.outputs.size(), k.plan.passes.size(), k.plan.passes.size() == 1 ? "" : "es",
                        step.label);
  }
  return text;
}
std::vector<std::string> Executable::groups() const {
  std::vector<std::string> names(state_->graph.instructions.size());
  for (std::size_t s = 0; s < state_->plan.size(); ++s)
    if (state_->plan[s].kernel)
      for (const auto at : state_->plan[s].instructions)
        names[static_cast<std::size_t>(at)] = fmt::format("kernel {}", s);
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
    if (step.row != nullptr) {
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
