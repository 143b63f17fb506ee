// The sweep over a record, from one value to the leaves or to given targets.
#include <algorithm>
#include <fmt/format.h>

#include "ad/tensor/apply.hpp"
#include "ad/tensor/autograd.hpp"
#include "ad/tensor/mode.hpp"
#include "ad/tensor/ops.hpp"

namespace tare::ad {
namespace detail {
namespace {

/// A leaf whose gradient somebody waits for.
struct HookedLeaf {
  Tensor leaf;
  Tensor sum{};
  std::int32_t pending = 0;  ///< consumers not yet visited
};

/// Lists a sweep needs, kept for the next one.
struct Scratch {
  std::vector<Tensor> given;
  std::vector<HookedLeaf> hooked;
  std::vector<Node*> ready;
  std::vector<Node*> reached;
};
thread_local std::vector<std::unique_ptr<Scratch>> kept_scratch;

class ScratchScope {
 public:
  ScratchScope() {
    if (kept_scratch.empty()) {
      scratch_ = std::make_unique<Scratch>();
    } else {
      scratch_ = std::move(kept_scratch.back());
      kept_scratch.pop_back();
    }
  }
  ~ScratchScope() {
    scratch_->given.clear();
    scratch_->hooked.clear();
    scratch_->ready.clear();
    scratch_->reached.clear();
    kept_scratch.push_back(std::move(scratch_));
  }
  ScratchScope(const ScratchScope&) = delete;
  ScratchScope& operator=(const ScratchScope&) = delete;
  Scratch* operator->() { return scratch_.get(); }

 private:
  std::unique_ptr<Scratch> scratch_;
};

struct SweepOptions {
  bool retain = false;
  bool differentiable = false;
  bool ends_at_targets = false;  ///< what lies behind the targets is somebody else's
};

/// A derivative that is computed without other ops is told as an event of its own. It moves the gradients
/// that come and go and what was saved; of its operations, only one for each of their elements is known.
void tell_derivative(Node& node, std::span<const Tensor> given, std::int64_t start_ns) {
  Event event{node.op, {}, DType::f32, start_ns, now_ns() - start_ns, 0, 0, {}};
  const auto is_passed_on = [&](const Tensor& grad) {
    return !grad.defined() || std::ranges::any_of(node.grads, [&](const Tensor& came) {
      return came.defined() && came.body() == grad.body();
    });
  };
  if (std::ranges::all_of(given, is_passed_on)) return;
  event.kernel = fmt::format("{} backward", name_of(node.op));
  const auto move = [&](const Tensor& x) {
    if (!x.defined()) return;
    event.dtype = x.dtype();
    event.bytes += static_cast<double>(x.body()->bytes());
    event.flops += static_cast<double>(x.count());
  };
  for (std::size_t k = 0; k < node.output_count; ++k) {
    if (node.grads[k].defined()) event.shapes.push_back(node.grads[k].shape());
    move(node.grads[k]);
  }
  for (const Tensor& grad : given) move(grad);
  for (const auto& input : node.inputs())
    if (input.saved) event.bytes += static_cast<double>(input.body->bytes());
  mode.events->push_back(std::move(event));
}

/// One sweep from one value.
class Sweep {
 public:
  Sweep(std::span<const Tensor> targets, SweepOptions options)
      : targets_(targets), found_(targets.size()), options_(options) {}
  ~Sweep() {
    // After a failure half of the gradients are still there.
    for (Node* node : scratch_->reached)
      for (auto& grad : node->grads) grad = {};
    for (Node* node : scratch_->reached) drop_ref(node);
  }
  Sweep(const Sweep&) = delete;
  Sweep& operator=(const Sweep&) = delete;

  void run(const Tensor& y, Tensor seed) {
    static std::atomic<std::uint32_t> marks{0};
    mark_ = marks.fetch_add(1) + 1;
    arrive(y.body(), std::move(seed));
    if (descends(y.body())) {
      count_consumers(y.body()->node);
      auto& ready = scratch_->ready;
      ready.push_back(y.body()->node);
      while (!ready.empty()) {
        Node* node = ready.back();
        ready.pop_back();
        visit(*node);
        for (auto& input : node->inputs()) {
          Node* next = descends(input.body) ? input.body->node : nullptr;
          if (next != nullptr && --next->pending == 0) ready.push_back(next);
        }
        if (!options_.retain && !options_.differentiable) release_saved(*node);
        for (auto& input : node->inputs())
          if (HookedLeaf* leaf = hooked(input.body); leaf != nullptr && --leaf->pending == 0) settle(*leaf);
      }
    }
    for (auto& leaf : scratch_->hooked) settle(leaf);
  }
  std::vector<Tensor>& found() { return found_; }

 private:
  [[nodiscard]] bool descends(const Body* body) const {
    return body->node != nullptr && (!options_.ends_at_targets || target_of(body) < 0);
  }
  [[nodiscard]] std::ptrdiff_t target_of(const Body* body) const {
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      // A derivative that reads an output sees it through another body with the same history.
      const Body* target = targets_[i].body();
      if (target == body ||
          (body->node != nullptr && target->node == body->node && target->output == body->output))
        return static_cast<std::ptrdiff_t>(i);
    }
    return -1;
  }

  void reach(Node* node) {
    node->mark = mark_;
    node->pending = 0;
    add_ref(node);
    scratch_->reached.push_back(node);
  }
  void count_consumers(Node* root) {
    const auto from = scratch_->reached.size();
    reach(root);
    for (std::size_t at = from; at < scratch_->reached.size(); ++at) {
      for (auto& input : scratch_->reached[at]->inputs()) {
        if (HookedLeaf* leaf = hooked(input.body); leaf != nullptr) ++leaf->pending;
        if (!descends(input.body)) continue;
        Node* next = input.body->node;
        if (next->mark != mark_) reach(next);
        ++next->pending;
      }
    }
  }

  void visit(Node& node) {
    bool any = false;
    for (std::size_t k = 0; k < node.output_count; ++k) {
      if (!node.grads[k].defined()) continue;
      any = true;
      if (node.hooks[k] != nullptr) call_hooks(*node.hooks[k], node.grads[k]);
    }
    if (any) {
      if (node.released) throw_released(node);
      scratch_->given.clear();
      scratch_->given.resize(node.input_count);
      static const Attributes none{};
      VjpContext context{node, node.attributes != nullptr ? *node.attributes : none, scratch_->given,
                         options_.differentiable || mode.tracer != nullptr,
                         options_.retain || options_.differentiable};
      const auto told = mode.events == nullptr ? 0 : mode.events->size();
      const auto start = mode.events == nullptr ? 0 : now_ns();
      row_of(node.op).vjp(context);
      if (mode.events != nullptr && mode.events->size() == told) [[unlikely]]
        tell_derivative(node, scratch_->given, start);
      for (std::size_t i = 0; i < node.input_count; ++i)
        if (scratch_->given[i].defined()) arrive(node.inputs()[i].body, std::move(scratch_->given[i]));
    }
    for (auto& grad : node.grads) grad = {};
  }

  void arrive(Body* body, Tensor grad) {
    if (const auto at = target_of(body); at >= 0) {
      Tensor shared = grad;
      add_to(found_[static_cast<std::size_t>(at)], shared);
      if (options_.ends_at_targets) return;
    }
    if (body->node != nullptr) {
      add_to(body->node->grads[body->output], grad);
    } else if (targets_.empty() && body->leaf_requires_grad) {
      if (HookedLeaf* leaf = hooked(body); leaf != nullptr) {
        add_to(leaf->sum, grad);
      } else {
        accumulate(body, std::move(grad));
      }
    }
  }

  static void call_hooks(const Hooks& hooks, Tensor& grad) {
    for (const auto& hook : hooks.list) {
      Tensor changed = hook(grad);
      if (!changed.defined()) continue;
      if (!(changed.shape() == grad.shape()) || changed.dtype() != grad.dtype()) {
        throw AdError(fmt::format("backward: a hook gave {} {} in place of a gradient of {} {}",
                                  name_of(changed.dtype()), text_of(changed.shape()), name_of(grad.dtype()),
                                  text_of(grad.shape())));
      }
      grad = std::move(changed);
    }
  }

  /// The entry of a leaf with hooks; none when there is nobody to call.
  HookedLeaf* hooked(Body* body) {
    if (body->hooks == nullptr || body->node != nullptr || !targets_.empty()) [[likely]]
      return nullptr;
    for (auto& leaf : scratch_->hooked)
      if (leaf.leaf.body() == body) return &leaf;
    scratch_->hooked.push_back({Tensor::from(body)});
    return &scratch_->hooked.back();
  }
  /// All of its gradient has arrived.
  void settle(HookedLeaf& at) {
    if (!at.sum.defined()) return;
    Tensor sum = std::move(at.sum);
    const Hooks& hooks = *at.leaf.body()->hooks;
    call_hooks(hooks, sum);
    if (hooks.taker) {
      hooks.taker(at.leaf, sum);
    } else {
      accumulate(at.leaf.body(), std::move(sum));
    }
  }

  void add_to(Tensor& sum, Tensor& grad) const {
    if (!sum.defined()) {
      sum = std::move(grad);
    } else if (owned(sum)) {
      sum.add_(grad);
    } else {
      sum = add(sum, grad);
    }
  }
  [[nodiscard]] bool owned(const Tensor& t) const {
    return !options_.differentiable && mode.tracer == nullptr && is_sole_owner(t);
  }
  void accumulate(Body* leaf, Tensor grad) const {
    Tensor sum = Tensor::adopt(std::exchange(leaf->grad, nullptr));
    if (!sum.defined()) {
      sum = owned(grad) || options_.differentiable || mode.tracer != nullptr ? std::move(grad) : copy(grad);
    } else {
      add_to(sum, grad);
    }
    leaf->grad = sum.release();
  }

  std::span<const Tensor> targets_;
  std::vector<Tensor> found_;
  ScratchScope scratch_;
  SweepOptions options_;
  std::uint32_t mark_ = 0;
};

Tensor seed_for(const Tensor& y, const Tensor& seed) {
  if (!is_floating(y.dtype()))
    throw AdError(
        fmt::format("backward: a tensor of {} has no gradient; start from f32 or f64", name_of(y.dtype())));
  if (!y.needs_grad()) {
    throw AdError(fmt::format("backward: the tensor {} does not depend on any that requires_grad()",
                              text_of(y.shape())));
  }
  if (!seed.defined()) {
    if (y.count() != 1) {
      throw AdError(fmt::format(
          "backward: a tensor of shape {} needs a seed of its shape; only one element can do without",
          text_of(y.shape())));
    }
    return Tensor::ones(y.shape(), y.dtype());
  }
  if (!(seed.shape() == y.shape())) {
    throw AdError(fmt::format("backward: a seed of shape {} for a tensor of shape {}", text_of(seed.shape()),
                              text_of(y.shape())));
  }
  return cast(seed, y.dtype());
}

}  // namespace

void run_backward(const Tensor& y, const Tensor& seed, bool retain) {
  const NoGrad quiet;
  Sweep sweep({}, {.retain = retain});
  sweep.run(y, seed_for(y, seed));
}

namespace {

std::vector<Tensor> gradients(const Tensor& y, std::span<const Tensor> xs, const Tensor& seed,
                              SweepOptions options) {
  const ModeScope recording(&Mode::grad, options.differentiable);
  Sweep sweep(xs, options);
  sweep.run(y, seed_for(y, seed));
  auto found = std::move(sweep.found());
  for (std::size_t i = 0; i < xs.size(); ++i)
    if (!found[i].defined()) found[i] = Tensor::zeros(xs[i].shape(), xs[i].dtype());
  return found;
}

}  // namespace

void vjp_by_decomposition(VjpContext& c) {
  const OpRow& row = row_of(c.node.op);
  std::vector<Tensor> inputs, wanted;
  for (int i = 0; i < c.inputs(); ++i) {
    inputs.push_back(c.input(i));
    if (c.wants(i)) wanted.push_back(inputs.back());
  }
  // Recorded even inside a plain backward: this is the only way to the derivative.
  std::vector<Tensor> outputs;
  {
    const ModeScope recording(&Mode::grad, true);
    outputs = row.decompose(inputs, c.attributes);
  }
  std::vector<Tensor> sums(wanted.size());
  for (std::size_t k = 0; k < outputs.size() && k < most_outputs; ++k) {
    const Tensor& g = c.grad(static_cast<int>(k));
    if (!g.defined() || !outputs[k].needs_grad()) continue;
    auto parts = gradients(outputs[k], wanted, g,
                           {.retain = true, .differentiable = c.differentiable, .ends_at_targets = true});
    for (std::size_t i = 0; i < parts.size(); ++i)
      sums[i] = sums[i].defined() ? add(sums[i], parts[i]) : parts[i];
  }
  std::size_t at = 0;
  for (int i = 0; i < c.inputs(); ++i)
    if (c.wants(i)) c.give(i, std::move(sums[at++]));
}

}  // namespace detail

std::vector<Tensor> gradient(const Tensor& y, std::span<const Tensor> xs, const Tensor& seed,
                             GradientOptions options) {
  for (const Tensor& x : xs) {
    if (!x.defined() || !x.needs_grad())
      throw AdError("gradient: with respect to a tensor that does not require one: call requires_grad()");
  }
  return detail::gradients(y, xs, seed, {.retain = options.retain, .differentiable = options.differentiable});
}

}  // namespace tare::ad
