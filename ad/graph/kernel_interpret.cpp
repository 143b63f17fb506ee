// Kernels without machine code: the engine's inner loops on pieces of a row that stay in the first-level
// cache.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "ad/graph/kernel.hpp"
#include "ad/tensor/kernels/kernels.hpp"

namespace tare::ad::graph {
namespace {

using Kind = KernelNode::Kind;
constexpr std::int64_t piece = 256;

template <class T>
class Interpreter {
 public:
  Interpreter(const Kernel& kernel, const KernelPlan& plan, const KernelCall& call)
      : kernel_(kernel),
        plan_(plan),
        call_(call),
        loops_(kernels::best().of<T>()),
        values_(kernel.nodes.size()) {
    for (std::size_t i = 0; i < values_.size(); ++i) values_[i].width = 0;
    buffers_.resize(kernel.nodes.size() * piece);
    flags_ = std::make_unique<bool[]>(kernel.nodes.size() * piece);
    indices_.resize(kernel.nodes.size());
  }

  void run() {
    set_partials();
    for (const auto at : plan_.once) small(at);
    for (row_ = call_.row_begin; row_ < call_.row_end; ++row_) {
      for (const auto& pass : plan_.passes) {
        for (const auto at : pass.before) small(at);
        run_pass(pass);
      }
      for (const auto at : plan_.after) small(at);
      store_row();
    }
  }

 private:
  /// Where the numbers of a node are at the moment: `width` of them, or one that stands for all.
  struct Value {
    const void* data = nullptr;
    std::int64_t width = 0;
  };

  const KernelNode& node(std::int32_t at) const { return kernel_.nodes[static_cast<std::size_t>(at)]; }
  T* numbers(std::int32_t at) { return buffers_.data() + static_cast<std::int64_t>(at) * piece; }
  bool* flags(std::int32_t at) { return flags_.get() + static_cast<std::int64_t>(at) * piece; }
  Value& value(std::int32_t at) { return values_[static_cast<std::size_t>(at)]; }
  const T* data(std::int32_t at) { return static_cast<const T*>(value(at).data); }
  int step(std::int32_t at) { return value(at).width == 1 ? 0 : 1; }
  T* scratch(std::int32_t at) {
    const auto place = std::ranges::find(plan_.scratch, at) - plan_.scratch.begin();
    return reinterpret_cast<T*>(call_.scratch) + place * ((kernel_.columns + 15) / 16 * 16);
  }
  template <class U>
  const U* operand(std::int32_t at) const {
    return reinterpret_cast<const U*>(call_.operands[static_cast<std::size_t>(at)]);
  }

  static T neutral(Op op) {
    if (op == Op::amax) return -std::numeric_limits<T>::infinity();
    if (op == Op::amin) return std::numeric_limits<T>::infinity();
    return T(0);
  }
  /// NaN wins.
  static T combined(Op op, T a, T b) {
    if (op == Op::amax) return b > a || std::isnan(b) ? b : a;
    if (op == Op::amin) return b < a || std::isnan(b) ? b : a;
    return a + b;
  }

  T* partial(std::int32_t fold) {
    const auto place = std::ranges::find(plan_.final_folds, fold) - plan_.final_folds.begin();
    return reinterpret_cast<T*>(call_.partials) + plan_.partial_offsets[static_cast<std::size_t>(place)];
  }
  void set_partials() {
    for (const auto fold : plan_.final_folds)
      std::fill_n(partial(fold), node(fold).access == Access::column ? kernel_.columns : 1,
                  neutral(node(fold).op));
  }

  /// A node of one number: per row or in all.
  void small(std::int32_t at) {
    const auto& n = node(at);
    if (n.kind == Kind::fold) {
      auto* to = partial(at);
      *to = combined(n.op, *to, *data(n.inputs[0]));
      return;
    }
    evaluate(at, n.access == Access::row ? row_ : 0, 1);
    value(at).width = 1;
  }

  void evaluate(std::int32_t at, std::int64_t offset, std::int64_t count) {
    const auto& n = node(at);
    Value made{numbers(at), count};
    switch (n.kind) {
      case Kind::load:
        made.data = load(n, offset);
        if (n.dtype == DType::i64) check_index(at, *static_cast<const std::int64_t*>(made.data));
        break;
      case Kind::number:
        *numbers(at) = static_cast<T>(n.first);
        break;
      case Kind::pick:
        *numbers(at) =
            operand<T>(n.operand)[row_ * kernel_.columns + indices_[static_cast<std::size_t>(n.inputs[0])]];
        break;
      case Kind::column_is:
        for (std::int64_t i = 0; i < count; ++i)
          flags(at)[i] = column_ + i == indices_[static_cast<std::size_t>(n.inputs[0])];
        made.data = flags(at);
        break;
      default:
        if (n.dtype == DType::boolean) made.data = flags(at);
        compute(at, n, count);
    }
    value(at) = made;
  }

  const void* load(const KernelNode& n, std::int64_t offset) const {
    switch (n.dtype) {
      case DType::boolean:
        return operand<bool>(n.operand) + offset;
      case DType::i64:
        return operand<std::int64_t>(n.operand) + offset;
      default:
        return operand<T>(n.operand) + offset;
    }
  }
  void check_index(std::int32_t at, std::int64_t index) {
    const bool inside = index >= 0 && index < kernel_.columns;
    if (!inside) *call_.outside = 1;
    indices_[static_cast<std::size_t>(at)] = inside ? index : 0;
  }

  void compute(std::int32_t at, const KernelNode& n, std::int64_t count) {
    const auto a = n.inputs[0], b = n.inputs[1];
    const std::array fixed{n.op == Op::powi ? static_cast<double>(n.number) : n.first, n.second};
    switch (n.op) {
      case Op::less:
        return loops_.less(data(a), data(b), flags(at), count, step(a), step(b));
      case Op::less_equal:
        return loops_.less_equal(data(a), data(b), flags(at), count, step(a), step(b));
      case Op::equal:
        return loops_.equal(data(a), data(b), flags(at), count, step(a), step(b));
      case Op::not_equal:
        return loops_.not_equal(data(a), data(b), flags(at), count, step(a), step(b));
      case Op::logical_not:
        for (std::int64_t i = 0; i < count; ++i) flags(at)[i] = !condition(a, i);
        return;
      case Op::where:
        for (std::int64_t i = 0; i < count; ++i) {
          if (n.dtype == DType::boolean) {
            flags(at)[i] = condition(a, i) ? condition(b, i) : condition(n.inputs[2], i);
          } else {
            numbers(at)[i] =
                condition(a, i) ? data(b)[i * step(b)] : data(n.inputs[2])[i * step(n.inputs[2])];
          }
        }
        return;
      case Op::cast:
        for (std::int64_t i = 0; i < count; ++i) numbers(at)[i] = condition(a, i) ? T(1) : T(0);
        return;
      case Op::clamp:
        return unary(loops_.clamp, at, a, count, fixed.data());
      case Op::power:
        return unary(loops_.power, at, a, count, fixed.data());
      case Op::powi:
        return unary(loops_.powi, at, a, count, fixed.data());
      default:
        if (is_unary(n.op))
          return unary(loops_.unary[static_cast<std::size_t>(n.op)], at, a, count, fixed.data());
        loops_.binary[static_cast<std::size_t>(n.op) - unary_ops](data(a), data(b), numbers(at), count,
                                                                  step(a), step(b));
    }
  }
  bool condition(std::int32_t at, std::int64_t i) {
    return static_cast<const bool*>(value(at).data)[i * step(at)];
  }
  void unary(kernels::Unary loop, std::int32_t at, std::int32_t a, std::int64_t count, const double* fixed) {
    if (step(a) == 1 || count == 1) return loop(data(a), numbers(at), count, fixed);
    loop(data(a), numbers(at), 1, fixed);
    std::fill_n(numbers(at) + 1, count - 1, *numbers(at));
  }

  void run_pass(const KernelPass& pass) {
    if (pass.folds.empty() && pass.stores.empty() && pass.saves.empty()) return;
    std::vector<T> folded(pass.folds.size());
    for (std::size_t f = 0; f < folded.size(); ++f) folded[f] = neutral(node(pass.folds[f]).op);
    for (column_ = call_.column_begin; column_ < call_.column_end; column_ += piece) {
      const auto count = std::min(piece, call_.column_end - column_);
      for (const auto at : pass.reloads) value(at) = {scratch(at) + column_, count};
      for (const auto at : pass.nodes)
        evaluate(at, node(at).access == Access::column ? column_ : row_ * kernel_.columns + column_, count);
      for (const auto at : pass.saves) std::copy_n(data(at), count, scratch(at) + column_);
      for (std::size_t f = 0; f < folded.size(); ++f) fold(pass.folds[f], folded[f], count);
      for (const auto k : pass.stores) store(k, count);
    }
    for (std::size_t f = 0; f < folded.size(); ++f) complete(pass.folds[f], folded[f]);
  }

  void fold(std::int32_t at, T& total, std::int64_t count) {
    const auto& n = node(at);
    const auto from = n.inputs[0];
    if (n.access == Access::column) {
      T* to = partial(at) + column_;
      for (std::int64_t i = 0; i < count; ++i) to[i] = combined(n.op, to[i], data(from)[i * step(from)]);
      return;
    }
    if (step(from) == 0) {
      const T one = *data(from);
      for (std::int64_t i = 0; i < count; ++i) total = combined(n.op, total, one);
      return;
    }
    const auto whole = n.op == Op::amax ? loops_.max : n.op == Op::amin ? loops_.min : loops_.sum;
    total = combined(n.op, total, whole(data(from), count));
  }
  void complete(std::int32_t at, T total) {
    const auto& n = node(at);
    if (n.access == Access::column) return;
    if (is_final(n)) {
      auto* to = partial(at);
      *to = combined(n.op, *to, total);
      return;
    }
    *numbers(at) = total * static_cast<T>(n.first);
    value(at) = {numbers(at), 1};
  }

  void store(std::int32_t k, std::int64_t count) {
    const auto at = kernel_.outputs[static_cast<std::size_t>(k)];
    auto* to = call_.operands[static_cast<std::size_t>(kernel_.reads + k)];
    const auto offset = row_ * kernel_.columns + column_;
    if (node(at).dtype == DType::boolean) {
      for (std::int64_t i = 0; i < count; ++i) reinterpret_cast<bool*>(to)[offset + i] = condition(at, i);
    } else {
      for (std::int64_t i = 0; i < count; ++i) reinterpret_cast<T*>(to)[offset + i] = data(at)[i * step(at)];
    }
  }
  void store_row() {
    for (std::size_t k = 0; k < kernel_.outputs.size(); ++k) {
      const auto place = static_cast<std::size_t>(kernel_.reads) + k;
      if (kernel_.operands[place].access != Access::row) continue;
      const auto at = kernel_.outputs[k];
      if (node(at).dtype == DType::boolean) {
        reinterpret_cast<bool*>(call_.operands[place])[row_] = condition(at, 0);
      } else {
        reinterpret_cast<T*>(call_.operands[place])[row_] = *data(at);
      }
    }
  }

  const Kernel& kernel_;
  const KernelPlan& plan_;
  const KernelCall& call_;
  const kernels::Loops<T>& loops_;
  std::vector<Value> values_;
  std::vector<T> buffers_;
  std::unique_ptr<bool[]> flags_;
  std::vector<std::int64_t> indices_;
  std::int64_t row_ = 0, column_ = 0;
};

}  // namespace

void interpret(const Kernel& kernel, const KernelPlan& plan, const KernelCall& call) {
  if (kernel.dtype == DType::f32) {
    Interpreter<float>(kernel, plan, call).run();
  } else {
    Interpreter<double>(kernel, plan, call).run();
  }
}

}  // namespace tare::ad::graph
