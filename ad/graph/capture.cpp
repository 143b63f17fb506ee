#include "ad/graph/capture.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>

#include "ad/tensor/autograd.hpp"
#include "ad/tensor/mode.hpp"

namespace tare::ad::graph {
namespace {

using detail::Body;

class Recorder final : public Tracer {
 public:
  explicit Recorder(Captured& to) : to_(to) {}
  ~Recorder() override {
    // Gradients of tensors outside are what they were.
    for (auto& [body, before] : gradients_before_)
      Tensor during = Tensor::adopt(std::exchange(body->grad, before.release()));
    for (Body* body : traced_) detail::drop_ref(body);
  }
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  Tensor argument(const Tensor& like) {
    Tensor blank = fresh({like.dtype(), like.shape()});
    if (like.needs_grad()) blank.requires_grad();
    to_.graph.arguments.push_back(blank.body()->traced);
    arguments_.push_back(blank);
    return blank;
  }

  void record(Call& call) override {
    Instruction instruction{call.op, {}, {}, call.attributes};
    for (Body* input : call.inputs) instruction.inputs.push_back(value_of(input));
    for (int k = 0; k < call.output_count; ++k) {
      Body* output = call.outputs[static_cast<std::size_t>(k)];
      instruction.outputs.push_back(add_value({output->dtype, output->shape}));
      track(output, instruction.outputs.back());
      if (row_of(call.op).view) shows(output, {call.inputs[0], call.op, call.attributes});
    }
    to_.graph.instructions.push_back(std::move(instruction));
  }

  void assign(Body* target, const Tensor& value) override {
    auto id = value_of(value.body());
    // A change through a view changes the tensor that it shows, and so what every other view of it shows.
    Body* root = target;
    for (auto view = views_.find(root); view != views_.end(); view = views_.find(root)) {
      id = seen_from_base(view->second, id);
      root = view->second.base;
    }
    if (root->traced != detail::not_traced) {
      // A value of the graph: the handle stands for the new one from here on.
      if (root->node != nullptr) throw CaptureError("a value with a recorded history is changed in place");
      root->traced = id;
    } else {
      (void)value_of(root);
      if (root->buffer != nullptr && !root->contiguous)
        throw CaptureError("a view of a captured tensor is changed in place: change the whole tensor");
      current_[root] = id;
    }
    show_again(root);
  }

  [[noreturn]] void refuse_value(const char* what, const Body* body) override {
    throw CaptureError(
        fmt::format("{}() asks for the numbers of {}, a {} {} that is not computed yet: the function "
                    "branches on values or reads them",
                    what, origin_of(body->traced), name_of(body->dtype), ad::text_of(body->shape)));
  }

  Tensor draw(Generator& generator) override {
    Tensor seed = fresh({DType::i64, {}});
    to_.graph.seeds.push_back(seed.body()->traced);
    to_.generators.push_back(&generator);
    return seed;
  }

  void finish(const std::vector<Tensor>& results) {
    for (const Tensor& result : results) {
      if (!result.defined()) throw CaptureError("the function returned an undefined tensor");
      to_.graph.results.push_back(value_of(result.body()));
    }
    to_.result_count = results.size();
    for (std::size_t i = 0; i < arguments_.size(); ++i)
      if (arguments_[i].body()->traced != to_.graph.arguments[i])
        throw CaptureError(fmt::format("argument {} is changed in place", i));
    refuse_shared_memory();
    for (std::size_t i = 0; i < to_.tensors.size(); ++i) {
      Body* body = to_.tensors[i].body();
      if (const auto changed = current_.find(body); changed != current_.end())
        to_.graph.assignments.push_back({i, changed->second});
      const Tensor& before = gradients_before_[i].second;
      if (body->leaf_requires_grad) to_.leaves.emplace_back(i, before.defined());
      if (before.defined())
        if (const auto old = captured_.find(before.body()); old != captured_.end())
          to_.old_gradients.emplace_back(index_of(old->second), i);
      if (leave_gradient(body)) {
        to_.gradients.push_back(i);
      } else if (body->grad == nullptr && before.defined()) {
        to_.cleared.push_back(i);
      } else if (body->grad != nullptr && !(before.defined() && body->grad == before.body())) {
        throw CaptureError("the gradient of a tensor is set to one from outside");
      }
    }
    for (std::size_t i = 0; i < arguments_.size(); ++i)
      if (leave_gradient(arguments_[i].body())) to_.argument_gradients.push_back(i);
    arguments_.clear();
  }

  void touch(Body* body) override { (void)value_of(body); }
  void alias(Body* handle, Body* base) override {
    track(handle, value_of(base));
    shows(handle, {base, Op::copy, {}});
  }

  /// Values of the graph that somebody outside still holds, once results and arguments are gone.
  void find_escaped() {
    // Values that nobody holds let go of their history, and with it of what that history saved.
    for (auto at = traced_.rbegin(); at != traced_.rend(); ++at)
      if ((*at)->users.load() == 0 && (*at)->node != nullptr)
        detail::drop_ref(std::exchange((*at)->node, nullptr));
    for (Body* body : traced_) {
      if (body->users.load() == 0 || is_gradient(body)) continue;
      to_.escaped.push_back(Tensor::from(body));
      to_.graph.results.push_back(body->traced);
    }
  }

 private:
  /// How a body shows another's memory; Op::copy: as it is.
  struct View {
    Body* base;
    Op op;
    Attributes attributes;
  };
  void shows(Body* view, View how) {
    shown_by_[how.base].push_back(view);
    views_[view] = std::move(how);
  }
  /// Does it lie in row-major order? Only then is a reshape known to be a view.
  [[nodiscard]] bool is_dense(const Body* body) const {
    for (auto view = views_.find(body); view != views_.end(); view = views_.find(body)) {
      if (view->second.op != Op::reshape && view->second.op != Op::copy) return false;
      body = view->second.base;
    }
    return body->buffer == nullptr || body->contiguous;
  }
  /// What the base becomes when the view becomes `id`.
  ValueId seen_from_base(const View& view, ValueId id) {
    Attributes back;
    switch (view.op) {
      case Op::copy:
        return id;
      case Op::slice:
        return emit(Op::put_slice, {value_of(view.base), id}, view.attributes);
      case Op::permute:
        back.axes = view.attributes.axes;
        for (int i = 0; i < back.axes.rank; ++i) back.axes[static_cast<int>(view.attributes.axes[i])] = i;
        return emit(Op::permute, {id}, back);
      case Op::reshape:
        if (!is_dense(view.base)) break;
        back.sizes = view.base->shape;
        return emit(Op::reshape, {id}, back);
      default:
        break;
    }
    throw CaptureError(fmt::format(
        "a view made by {} is changed in place, and with it the tensor that it shows", name_of(view.op)));
  }
  /// Views of a changed tensor show its new values.
  void show_again(Body* base) {
    const auto shown = shown_by_.find(base);
    if (shown == shown_by_.end()) return;
    for (Body* view : shown->second) {
      const auto& how = views_.at(view);
      if (view->users.load() > 0 && (view->node != nullptr || (how.op == Op::reshape && !is_dense(base))))
        throw CaptureError("a tensor is changed in place while a view of it is held");
      view->traced = how.op == Op::copy ? value_of(base) : emit(how.op, {value_of(base)}, how.attributes);
      show_again(view);
    }
  }
  ValueId emit(Op op, std::vector<ValueId> inputs, const Attributes& attributes) {
    Instruction made{op, std::move(inputs), {}, attributes};
    made.outputs = {add_value(inferred_types(to_.graph, made).front())};
    to_.graph.instructions.push_back(made);
    return made.outputs[0];
  }

  /// The graph takes captured tensors for independent of each other.
  void refuse_shared_memory() const {
    for (const auto& [changed, id] : current_)
      for (const Tensor& other : to_.tensors)
        if (other.body() != changed && other.body()->buffer != nullptr &&
            other.body()->buffer == changed->buffer)
          throw CaptureError("a captured tensor is changed in place that shares its memory with another");
  }
  bool leave_gradient(const Body* body) {
    if (body->grad == nullptr || body->grad->traced == detail::not_traced) return false;
    to_.graph.results.push_back(body->grad->traced);
    left_.push_back(body->grad);
    return true;
  }
  std::size_t index_of(ValueId captured) const {
    return static_cast<std::size_t>(std::ranges::find(to_.graph.captured, captured) -
                                    to_.graph.captured.begin());
  }
  ValueId add_value(Type type) {
    to_.graph.values.push_back(std::move(type));
    return static_cast<ValueId>(to_.graph.values.size()) - 1;
  }
  void track(Body* body, ValueId id) {
    body->traced = id;
    detail::add_ref(body);
    traced_.push_back(body);
  }
  Tensor fresh(const Type& type) {
    Body* body = detail::make_body();
    body->dtype = type.dtype;
    body->shape = type.shape;
    track(body, add_value(type));
    return Tensor::adopt(body);
  }

  /// The value a body stands for; one from outside becomes a captured tensor.
  ValueId value_of(Body* body) {
    if (body->traced != detail::not_traced && body->buffer == nullptr) return body->traced;
    if (const auto known = current_.find(body); known != current_.end()) return known->second;
    if (const auto known = captured_.find(body); known != captured_.end()) return known->second;
    const auto id = add_value({body->dtype, body->shape});
    captured_[body] = id;
    to_.graph.captured.push_back(id);
    to_.tensors.push_back(Tensor::from(body));
    gradients_before_.emplace_back(body, body->grad == nullptr ? Tensor() : Tensor::from(body->grad));
    return id;
  }

  [[nodiscard]] bool is_gradient(const Body* body) const {
    return std::ranges::find(left_, body) != left_.end();
  }

  [[nodiscard]] std::string origin_of(ValueId id) const {
    for (const auto& instruction : to_.graph.instructions)
      for (const auto output : instruction.outputs)
        if (output == id) return fmt::format("%{} = {}(..)", id, name_of(instruction.op));
    return fmt::format("argument %{}", id);
  }

  Captured& to_;
  std::unordered_map<Body*, ValueId> captured_;
  std::unordered_map<Body*, ValueId> current_;
  std::vector<std::pair<Body*, Tensor>> gradients_before_;  ///< of each captured tensor
  std::vector<Tensor> arguments_;
  std::vector<const Body*> left_;                ///< gradients that are results
  std::unordered_map<const Body*, View> views_;  ///< and handles without history
  std::unordered_map<const Body*, std::vector<Body*>> shown_by_;
  std::vector<Body*> traced_;
};

}  // namespace

Captured capture(const Function& function, std::span<const Tensor> arguments) {
  Captured captured;
  Recorder recorder(captured);
  {
    std::vector<Tensor> given;
    for (const Tensor& argument : arguments) given.push_back(recorder.argument(argument));
    const ModeScope capturing(&Mode::tracer, static_cast<Tracer*>(&recorder));
    recorder.finish(function(given));
  }
  recorder.find_escaped();
  if (auto wrong = verify(captured.graph); !wrong.empty())
    throw CaptureError("the captured graph is not valid: " + wrong);
  return captured;
}

}  // namespace tare::ad::graph
