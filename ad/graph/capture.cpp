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
      if (row_of(call.op).view) shows(output, call.inputs[0]);
    }
    to_.graph.instructions.push_back(std::move(instruction));
  }

  void assign(Body* target, const Tensor& value) override {
    refuse_shared(target);
    const auto id = value_of(value.body());
    if (target->traced != detail::not_traced) {
      // A value of the graph: the handle stands for the new one from here on.
      if (target->node != nullptr) throw CaptureError("a value with a recorded history is changed in place");
      target->traced = id;
      return;
    }
    (void)value_of(target);
    if (target->buffer != nullptr && !target->contiguous)
      throw CaptureError("a view of a captured tensor is changed in place: change the whole tensor");
    current_[target] = id;
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
    shows(handle, base);
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
  void shows(Body* view, Body* base) {
    bases_[view] = base;
    views_[base].push_back(view);
  }
  /// A graph's values do not change: a change that others would see through shared memory cannot be held.
  void refuse_shared(Body* target) const {
    if (bases_.contains(target))
      throw CaptureError("a view is changed in place, and with it the tensor that it shows");
    const auto views = views_.find(target);
    if (views == views_.end()) return;
    for (const Body* view : views->second)
      if (view->users.load() > 0)
        throw CaptureError("a tensor is changed in place while a view of it is held");
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
  std::vector<const Body*> left_;                              ///< gradients that are results
  std::unordered_map<const Body*, Body*> bases_;               ///< of views and handles without history
  std::unordered_map<const Body*, std::vector<Body*>> views_;  ///< the other way round
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
