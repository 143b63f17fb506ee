// What the derivative of several slices adds up, each padded with zeros, is one concatenation where the
// slices lie side by side.
#include <algorithm>
#include <optional>

#include "ad/graph/passes.hpp"

namespace tare::ad::graph {
namespace {

class Joining {
 public:
  explicit Joining(Graph& graph) : graph_(graph), by_(definitions(graph)), uses_(use_counts(graph)) {}

  void run() {
    // Whole sums before their parts.
    for (auto at = graph_.instructions.rbegin(); at != graph_.instructions.rend(); ++at) {
      if (at->op != Op::add) continue;
      std::vector<const Instruction*> pads;
      if (!collect(*at, pads) || pads.size() > most_parts) continue;
      const auto axis = common_axis(pads);
      if (!axis) continue;
      std::ranges::sort(pads, {}, [&](const Instruction* pad) { return pad->attributes.sizes[*axis]; });
      if (!side_by_side(pads, *axis)) continue;
      at->op = Op::concat;
      at->inputs.clear();
      for (const auto* pad : pads) at->inputs.push_back(pad->inputs[0]);
      at->attributes = {};
      at->attributes.axes = {*axis};
    }
  }

 private:
  static constexpr std::size_t most_parts = most_inputs;

  const Shape& shape(ValueId id) const { return graph_.values[static_cast<std::size_t>(id)].shape; }

  bool collect(const Instruction& sum, std::vector<const Instruction*>& pads) const {
    for (const auto id : sum.inputs) {
      const auto at = by_[static_cast<std::size_t>(id)];
      if (at < 0 || !(shape(id) == shape(sum.outputs[0]))) return false;
      const auto& part = graph_.instructions[static_cast<std::size_t>(at)];
      if (part.op == Op::pad && part.attributes.first == 0) {
        pads.push_back(&part);
      } else if (part.op != Op::add || uses_[static_cast<std::size_t>(id)] != 1 || !collect(part, pads)) {
        return false;
      }
    }
    return true;
  }

  /// The one axis along which all are padded.
  std::optional<int> common_axis(const std::vector<const Instruction*>& pads) const {
    std::optional<int> axis;
    for (const auto* pad : pads)
      for (int i = 0; i < pad->attributes.sizes.rank; ++i) {
        if (pad->attributes.sizes[i] == 0 && pad->attributes.extents[i] == 0) continue;
        if (axis && *axis != i) return {};
        axis = i;
      }
    return axis;
  }

  bool side_by_side(const std::vector<const Instruction*>& pads, int axis) const {
    std::int64_t at = 0;
    for (const auto* pad : pads) {
      if (pad->attributes.sizes[axis] != at) return false;
      at += shape(pad->inputs[0])[axis];
    }
    return at == shape(pads.front()->outputs[0])[axis];
  }

  Graph& graph_;
  std::vector<std::int32_t> by_;
  std::vector<std::int32_t> uses_;
};

}  // namespace

void join_pads(Graph& graph) {
  Joining(graph).run();
}

}  // namespace tare::ad::graph
