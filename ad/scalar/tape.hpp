// BasicTape<T> (Tape for double): the explicit recording. Every operation is a call that takes slots and
// gives one:
//   Tape t;
//   Slot x = t.var(2.0), y = t.add(t.mul(x, x), t.sin(x));
//   t.backward(y);
//   t.grad(x);
// Constants and what depends only on them are never recorded. A value lives in its slot; the tape holds the
// Jacobian stream, op codes and gradients in mappings that keep their pages over reset(), so a reused tape
// allocates nothing. One backward per
// recording unless retained; gradients of the inputs add up over retained sweeps until zero_grad(). A slot of
// an earlier recording or of another tape is refused at every use. Not for several threads at once: give each
// its own tape.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ad/ops/table.hpp"
#include "ad/scalar/difference.hpp"
#include "ad/scalar/error.hpp"
#include "ad/scalar/mapping.hpp"
#include "ad/scalar/number.hpp"
#include "ad/scalar/options.hpp"
#include "ad/scalar/stream.hpp"
#include "ad/scalar/sweep.hpp"

namespace tare::ad {

/// A value and where it stands on its tape; index 0 is a constant.
template <class T>
struct BasicSlot {
  T value{};
  std::uint32_t index = 0;
  std::uint32_t tag = 0;

  [[nodiscard]] bool constant() const { return index == 0; }
};
using Slot = BasicSlot<double>;

struct TapeStats {
  std::size_t values = 0;        ///< recorded: inputs and results of operations, not constants
  std::size_t grads = 0;         ///< values that have a gradient
  std::size_t instructions = 0;  ///< recorded operations
  std::size_t bytes = 0;         ///< of stream and op codes; gradients take 8 bytes each besides
};

template <class T>
class BasicTape {
 public:
  using Entry = detail::Entry<T>;
  using Slot = BasicSlot<T>;

  explicit BasicTape(Limits limits = {}, bool monitor = false)
      : most_(std::clamp<std::size_t>(limits.bytes / sizeof(Entry), 1, detail::most_values / 2)),
        stream_(most_ * sizeof(Entry) + margin),
        codes_store_(most_ + margin),
        tag_(detail::fresh_tag()),
        monitor_(monitor) {
    top_ = begin_ = reinterpret_cast<Entry*>(stream_.data() + detail::bytes_ahead);
    codes_ = reinterpret_cast<OpCode*>(codes_store_.data());
    // Where address space is rationed the mappings came out smaller.
    most_ = std::min({most_, (stream_.bytes() - margin) / sizeof(Entry), codes_store_.bytes() - margin});
    reset();
  }
  ~BasicTape() { note_used(); }
  BasicTape(const BasicTape&) = delete;
  BasicTape& operator=(const BasicTape&) = delete;

  Slot var(const T& value) {
    if (begin_ != top_ || next_ + 2 >= most_) [[unlikely]] {
      return var_among_operations(value);
    }
    ++leading_inputs_;
    return push(value, OpCode::Input, 0);
  }
  Slot constant(const T& value) const { return {value, 0, tag_}; }

#define TARE_AD_METHOD(Op, name) \
  Slot name(const Slot& a) { return unary(ops::Op{}, code_of<ops::Op>, a); }
  TARE_AD_UNARY_OPS(TARE_AD_METHOD)
#undef TARE_AD_METHOD
#define TARE_AD_METHOD(Op, name) \
  Slot name(const Slot& a, const Slot& b) { return binary(ops::Op{}, code_of<ops::Op>, a, b); }
  TARE_AD_BINARY_OPS(TARE_AD_METHOD)
#undef TARE_AD_METHOD
  [[gnu::always_inline]] Slot neg(const Slot& a) { return unary(ops::Neg{}, OpCode::Neg, a); }
  [[gnu::always_inline]] Slot add(const Slot& a, const Slot& b) {
    return binary(ops::Add{}, OpCode::Add, a, b);
  }
  [[gnu::always_inline]] Slot sub(const Slot& a, const Slot& b) {
    return binary(ops::Sub{}, OpCode::Sub, a, b);
  }
  [[gnu::always_inline]] Slot mul(const Slot& a, const Slot& b) {
    return binary(ops::Mul{}, OpCode::Mul, a, b);
  }
  [[gnu::always_inline]] Slot div(const Slot& a, const Slot& b) {
    return binary(ops::Div{}, OpCode::Div, a, b);
  }
  Slot powi(const Slot& a, int exponent) { return unary(ops::PowInt{exponent}, OpCode::PowInt, a); }
  Slot logsumexp(std::span<const Slot> x) {
    for (const Slot& slot : x) check("logsumexp", slot);
    const auto parts = ops::LogSumExp{}.parts<T>(x.size(), [&](std::size_t i) { return x[i].value; });
    return nary(OpCode::LogSumExp, "logsumexp", parts.value(), x,
                [&](std::size_t i) { return parts.partial(x[i].value); });
  }

  /// The same value, through which no gradient passes.
  Slot stop_gradient(const Slot& a) { return constant(value(a)); }
  /// round(a), with the derivative of a itself (the straight-through estimator).
  Slot straight_through_round(const Slot& a) {
    using std::round;
    check("straight_through_round", a);
    const T one(1);
    return custom("straight_through_round", round(a.value), std::span(&a, 1), std::span(&one, 1));
  }

  /// An op of the caller's: its value and ∂/∂arguments[i].
  Slot custom(std::string_view name, const T& value, std::span<const Slot> arguments,
              std::span<const T> partials) {
    if (arguments.size() != partials.size()) detail::throw_size(name, arguments.size(), partials.size());
    for (const Slot& slot : arguments) check(name, slot);
    const Slot result =
        nary(OpCode::Custom, name, value, arguments, [&](std::size_t i) { return partials[i]; });
    if (!result.constant()) custom_names_.emplace_back(result.index, name);
    return result;
  }
  /// f(x) and its derivative df(x).
  template <class F, class D>
  Slot custom(std::string_view name, const Slot& a, F&& f, D&& df) {
    const T x = value(a);
    const T partial = df(x);
    if (check_derivatives_) [[unlikely]] {
      check_derivative(name, [&](double at) { return f(T(at)); }, x, partial);
    }
    return custom(name, f(x), std::span(&a, 1), std::span(&partial, 1));
  }
  /// f(a, b) and its derivatives in a and in b.
  template <class F, class A, class B>
  Slot custom(std::string_view name, const Slot& a, const Slot& b, F&& f, A&& dfa, B&& dfb) {
    const Slot arguments[] = {a, b};
    const T x = value(a);
    const T y = value(b);
    const T partials[] = {dfa(x, y), dfb(x, y)};
    if (check_derivatives_) [[unlikely]] {
      check_derivative(name, [&](double at) { return f(T(at), y); }, x, partials[0]);
      check_derivative(name, [&](double at) { return f(x, T(at)); }, y, partials[1]);
    }
    return custom(name, f(x, y), arguments, partials);
  }

  void backward(const Slot& y, Retain retain = Retain::no) {
    check("backward", y);
    if (y.constant()) detail::throw_passive("backward", detail::as_double(y.value));
    if (swept_) detail::throw_second_backward();
    swept_ = retain == Retain::no;
    clear_intermediates();
    const auto last = y.index;
    grads_[last] = grads_[last] + T(1);
    const Entry* end = top_;
    std::uint32_t lhs = newest();
    // Statements after y cannot matter: step over them.
    while (lhs > last && end != begin_) {
      --end;
      lhs -= (end->index & detail::first_flag) != 0 ? 1 : 0;
    }
    detail::sweep(static_cast<const Entry*>(begin_), end, grads_, lhs);
  }
  void zero_grad() {
    if (dirty_) std::fill_n(grads_, cleared_, T(0));
    dirty_ = false;
  }
  /// Forgets everything and keeps the memory; slots made so far become stale.
  void reset() {
    note_used();
    ++tag_;
    tag_ += tag_ == 0 ? 1 : 0;
    top_ = begin_;
    limit_ = monitor_ ? nullptr : begin_ + most_;
    next_ = 0;
    leading_inputs_ = 0;
    markers_ = 0;
    cleared_ = 0;
    swept_ = false;
    dirty_ = false;
    custom_names_.clear();
  }

  [[nodiscard]] T value(const Slot& a) const {
    check("value", a);
    return a.value;
  }
  /// d(y)/d(a) of the last backward(y), for any recorded value.
  [[nodiscard]] const T& grad(const Slot& a) const {
    check("grad", a);
    if (a.constant()) detail::throw_passive("grad", detail::as_double(a.value));
    if (a.index >= cleared_) {
      detail::throw_error("grad", "no backward ran since this value was recorded");
    }
    return grads_[a.index];
  }
  [[nodiscard]] TapeStats stats() const {
    TapeStats stats;
    stats.values = newest();
    stats.grads = newest();
    stats.instructions = newest() - leading_inputs_ - markers_;
    stats.bytes = static_cast<std::size_t>(top_ - begin_) * sizeof(Entry) + stats.values;
    return stats;
  }
  /// How often each recorded value is an argument of another; the first is that of index 1.
  [[nodiscard]] std::vector<std::uint32_t> use_counts() const {
    std::vector<std::uint32_t> counts(newest());
    each_edge([&](std::uint32_t from, std::uint32_t, const T&) { ++counts[from - 1]; });
    return counts;
  }
  /// The graph in Graphviz's language: an ellipse per recorded value, partial derivatives at the edges.
  [[nodiscard]] std::string dot() const;

  /// While on, NaN or infinity from finite arguments throws NonFiniteError naming the op.
  void set_monitor(bool on) {
    monitor_ = on;
    limit_ = on ? nullptr : begin_ + most_;
  }
  /// While on, the derivative of a custom op given as functions is compared with differences of its value; an
  /// op that lies is named in a DerivativeError.
  void set_check_derivatives(bool on) { check_derivatives_ = on; }

 private:
  static constexpr std::size_t margin = 4096;  ///< also in front of the stream, for what a sweep asks for
  static_assert(margin > 2 * detail::bytes_ahead);

  /// Calls edge(argument, result, partial) for every argument of every recorded op.
  template <class F>
  void each_edge(F edge) const {
    std::uint32_t result = leading_inputs_;
    for (const Entry* entry = begin_; entry != top_; ++entry) {
      result += (entry->index & detail::first_flag) != 0 ? 1 : 0;
      if ((entry->index & detail::chain_flag) != 0) edge(result - 1, result, T(1));
      const std::uint32_t from = entry->index & detail::index_mask;
      if (from != 0) edge(from, result, T(entry->partial));
    }
  }
  void note_used() {
    stream_.note_used(begin_, top_);
    codes_store_.note_used(codes_, codes_ + next_ + 1);
    grad_store_.note_used(grads_, grads_ + cleared_);
  }
  [[nodiscard]] std::uint32_t newest() const { return static_cast<std::uint32_t>(next_); }
  [[nodiscard]] std::size_t limit_bytes() const { return most_ * sizeof(Entry); }

  void check(std::string_view operation, const Slot& a) const {
    if (a.tag != tag_) [[unlikely]] {
      detail::throw_stale(operation, a.index, a.tag, tag_);
    }
  }

  // Fast paths hold no call that returns, so that a chain of ops keeps its value in a register; the slow ones
  // look at everything and come back through the fast one. They take slots by value: a reference would force
  // them into memory on the fast path too.
  template <class Op>
  [[gnu::always_inline]] Slot unary(const Op& op, OpCode code, const Slot& a) {
    if (a.tag != tag_ || top_ >= limit_) [[unlikely]] {
      return unary_slowly(op, code, a);
    }
    return unary_within(op, code, a);
  }
  template <class Op>
  [[gnu::noinline, gnu::cold]] Slot unary_slowly(Op op, OpCode code, Slot a) {
    check(Op::info.name, a);
    if (monitor_) {
      const T y = evaluate(op, a.value);
      const T partial = op.partial(a.value, y);
      monitor(Op::info.name, y, &a.value, 1, &partial, 1);
    }
    if (!a.constant()) refuse_if_full(1, Op::info.name);
    return unary_within(op, code, a);
  }
  template <class Op>
  [[gnu::always_inline]] Slot unary_within(const Op& op, OpCode code, const Slot& a) {
    const T x = a.value;
    const T y = evaluate(op, x);
    if (a.constant()) return constant(y);
    *top_ = Entry{T(op.partial(x, y)), a.index | detail::first_flag};
    return push(y, code, 1);
  }

  template <class Op>
  [[gnu::always_inline]] Slot binary(const Op& op, OpCode code, const Slot& a, const Slot& b) {
    if (((a.tag ^ tag_) | (b.tag ^ tag_)) != 0 || top_ >= limit_) [[unlikely]] {
      return binary_slowly(op, code, a, b);
    }
    return binary_within(op, code, a, b);
  }
  template <class Op>
  [[gnu::noinline, gnu::cold]] Slot binary_slowly(Op op, OpCode code, Slot a, Slot b) {
    check(Op::info.name, a);
    check(Op::info.name, b);
    if (monitor_ && !(a.constant() && b.constant())) {
      const T z = evaluate(op, a.value, b.value);
      const T at[] = {a.value, b.value};
      const T partials[] = {a.constant() ? T(0) : T(op.left(a.value, b.value, z)),
                            b.constant() ? T(0) : T(op.right(a.value, b.value, z))};
      monitor(Op::info.name, z, at, 2, partials, 2);
    }
    if (!(a.constant() && b.constant())) refuse_if_full(1, Op::info.name);
    return binary_within(op, code, a, b);
  }
  template <class Op>
  [[gnu::always_inline]] Slot binary_within(const Op& op, OpCode code, const Slot& a, const Slot& b) {
    const T x = a.value;
    const T y = b.value;
    const T z = evaluate(op, x, y);
    const auto at_left = a.index;
    const auto at_right = b.index;
    if (at_right == 0) {
      if (at_left == 0) return constant(z);
      *top_ = Entry{T(op.left(x, y, z)), at_left | detail::first_flag};
      return push(z, code, 1);
    }
    if (at_left == 0) {
      *top_ = Entry{T(op.right(x, y, z)), at_right | detail::first_flag};
      return push(z, code, 1);
    }
    // A sum that continues the newest value needs no entry for it.
    if constexpr (std::is_same_v<Op, ops::Add> || std::is_same_v<Op, ops::Sub>) {
      if (at_left == newest()) {
        *top_ = Entry{T(op.right(x, y, z)), at_right | detail::first_flag | detail::chain_flag};
        return push(z, code, 1);
      }
    }
    if constexpr (std::is_same_v<Op, ops::Add>) {
      if (at_right == newest()) {
        *top_ = Entry{T(op.left(x, y, z)), at_left | detail::first_flag | detail::chain_flag};
        return push(z, code, 1);
      }
    }
    // The newer argument first: the sweep ends a statement there and may go on with its adjoint at hand.
    const std::uint32_t swap = at_right > at_left ? 1 : 0;
    top_[swap] = Entry{T(op.left(x, y, z)), at_left | ((swap - 1) & detail::first_flag)};
    top_[1 - swap] = Entry{T(op.right(x, y, z)), at_right | ((0U - swap) & detail::first_flag)};
    return push(z, code, 2);
  }

  template <class Partial>
  Slot nary(OpCode code, std::string_view name, const T& y, std::span<const Slot> x, Partial partial) {
    if (x.size() >= static_cast<std::size_t>(begin_ + most_ - top_)) detail::throw_limit(name, limit_bytes());
    int pushed = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (x[i].constant()) continue;
      const T p = partial(i);
      if (monitor_) monitor(name, y, &x[i].value, 1, &p, 1);
      top_[pushed] = Entry{p, x[i].index | (pushed == 0 ? detail::first_flag : 0)};
      ++pushed;
    }
    if (pushed == 0) return constant(y);
    refuse_if_full(pushed, name);
    return push(y, code, pushed);
  }

  /// The new value's slot; its entries already stand at top_, in the margin if the recording is full.
  [[gnu::always_inline]] Slot push(const T& y, OpCode code, int entries) {
    top_ += entries;
    const auto index = static_cast<std::uint32_t>(++next_);
    codes_[index] = code;
    return {y, index, tag_};
  }
  void refuse_if_full(int entries, std::string_view name) const {
    if (top_ + entries > begin_ + most_) detail::throw_limit(name, limit_bytes());
  }
  /// There an input must stand in the stream, as an operation that leads nowhere.
  [[gnu::noinline]] Slot var_among_operations(T value) {
    refuse_if_full(1, "Tape::var");
    if (next_ + 2 >= most_) detail::throw_limit("Tape::var", limit_bytes());
    *top_ = Entry{T(0), detail::first_flag};
    ++markers_;
    return push(value, OpCode::Input, 1);
  }

  /// Zero gradients everywhere but in inputs that an earlier sweep reached.
  void clear_intermediates() {
    const std::size_t count = std::size_t{newest()} + 1;
    if (count * sizeof(T) > grad_store_.bytes()) {
      detail::Mapping larger(std::bit_ceil(std::max<std::size_t>(count * sizeof(T), 65536)));
      if (count * sizeof(T) > larger.bytes()) detail::throw_limit("Tape::backward", larger.bytes());
      std::copy_n(grads_, cleared_, reinterpret_cast<T*>(larger.data()));
      grad_store_ = std::move(larger);
      grads_ = reinterpret_cast<T*>(grad_store_.data());
    }
    if (dirty_) {
      for (std::size_t i = 0; i < cleared_; ++i) {
        if (i == 0 || codes_[i] != OpCode::Input) grads_[i] = T(0);
      }
    }
    std::fill(grads_ + cleared_, grads_ + count, T(0));
    cleared_ = count;
    dirty_ = true;
  }

  template <class F>
  static void check_derivative(std::string_view name, F f, const T& x, const T& partial) {
    detail::check_derivative(
        name, [&](double at) { return detail::as_double(f(at)); }, detail::as_double(x),
        detail::as_double(partial), std::is_same_v<T, float> ? 1e-2 : 1e-6);
  }

  [[gnu::noinline, gnu::cold]] void monitor(std::string_view name, const T& y, const T* at, std::size_t n,
                                            const T* partials, std::size_t m) const {
    std::vector<double> arguments;
    for (std::size_t i = 0; i < n; ++i) {
      arguments.push_back(detail::as_double(at[i]));
      if (!std::isfinite(arguments.back())) return;
    }
    const double value = detail::as_double(y);
    if (!std::isfinite(value)) detail::throw_non_finite(name, value, arguments.data(), n, false);
    for (std::size_t i = 0; i < m; ++i) {
      const double partial = detail::as_double(partials[i]);
      if (!std::isfinite(partial)) detail::throw_non_finite(name, partial, arguments.data(), n, true);
    }
  }

  std::size_t most_;
  detail::Mapping stream_;
  detail::Mapping codes_store_;
  detail::Mapping grad_store_;
  Entry* begin_ = nullptr;
  Entry* top_ = nullptr;
  Entry* limit_ = nullptr;
  T* grads_ = nullptr;
  OpCode* codes_ = nullptr;
  // Not std::uint32_t, for the reason given in cursor.hpp.
  unsigned long long next_ = 0;
  std::uint32_t tag_;
  std::uint32_t leading_inputs_ = 0;
  std::uint32_t markers_ = 0;
  bool swept_ = false;
  bool dirty_ = false;       ///< a sweep ran since the gradients were zeroed
  std::size_t cleared_ = 0;  ///< gradients that hold something
  bool monitor_;
  bool check_derivatives_ = false;
  std::vector<std::pair<std::uint32_t, std::string>> custom_names_;
};

using Tape = BasicTape<double>;

}  // namespace tare::ad

#include "ad/scalar/tape_dot.hpp"
