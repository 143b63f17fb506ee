// Recorder<T>: owns one recording of Real<T> statements and sweeps it backwards. One recorder records at a
// time on a thread; any number of threads record at once, each with its own.
//   Recorder<double> tape;
//   auto scope = tape.record();                  // begins a new recording, ends when the scope does
//   Real<double> x = tape.input(2.0), y = x * x + sin(x);
//   tape.backward(y);
//   tape.gradient(x);                            // 2x + cos x
// After the first recording of a size nothing is allocated. Gradients are defined for inputs and watched
// values: other values may share their identity with what they were copied from or shifted by a constant.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "ad/scalar/adjoints.hpp"
#include "ad/scalar/lanes.hpp"
#include "ad/scalar/mapping.hpp"
#include "ad/scalar/number.hpp"
#include "ad/scalar/options.hpp"
#include "ad/scalar/real.hpp"
#include "ad/scalar/sweep.hpp"

namespace tare::ad {

template <class T>
class Recorder {
 public:
  using Entry = detail::Entry<T>;

  /// Ends the recording's hold on this thread.
  class [[nodiscard]] Scope {
   public:
    explicit Scope(Recorder& recorder) : recorder_(&recorder) {}
    ~Scope() {
      if (recorder_ != nullptr) recorder_->stop();
    }
    Scope(Scope&& other) noexcept : recorder_(std::exchange(other.recorder_, nullptr)) {}
    Scope& operator=(Scope&&) = delete;
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Recorder* recorder_;
  };

  explicit Recorder(Limits limits = {}, Checks checks = Checks::usual())
      : memory_(std::min<std::size_t>(limits.bytes, detail::most_values / 2 * sizeof(Entry)) + margin),
        begin_(reinterpret_cast<Entry*>(memory_.data() + detail::bytes_ahead)),
        end_(begin_ + (std::min(memory_.bytes() - margin, limits.bytes) / sizeof(Entry))),
        tag_(detail::fresh_tag()),
        checks_(checks) {
    state_ = {begin_, nullptr, std::uint64_t{tag_} << 32U, nullptr};
  }
  ~Recorder() {
    stop();
    memory_.note_used(begin_, std::max(farthest_, state_.top));
  }
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Begins a new recording on this thread: what was recorded before is forgotten, its memory kept.
  Scope record() {
    reset();
    return resume();
  }
  /// Goes on with the present recording on this thread.
  Scope resume() {
    start();
    return Scope(*this);
  }
  // The cursor is copied field by field: a wide load of fields just stored one by one would wait for them.
  void start() {
    detail::Cursor<T>& here = detail::cursor<T>;
    if (here.owner != nullptr || state_.owner != nullptr) [[unlikely]] {
      refuse_start();
    }
    here.top = state_.top;
    here.limit = watched_limit();
    here.next = state_.next;
    here.owner = state_.owner = this;
  }
  void stop() {
    detail::Cursor<T>& here = detail::cursor<T>;
    if (here.owner != this) return;
    state_.top = here.top;
    state_.next = here.next;
    state_.owner = nullptr;
    here = {};
  }
  [[nodiscard]] bool recording() const { return detail::cursor<T>.owner == this; }

  /// Forgets the recording and keeps its memory; values of the old recording become stale.
  void reset() {
    detail::Cursor<T>& at = now();
    farthest_ = std::max(farthest_, at.top);
    ++tag_;
    tag_ += tag_ == 0 ? 1 : 0;
    at.top = begin_;
    at.next = std::uint64_t{tag_} << 32U;
    inputs_ = 0;
    markers_ = 0;
    late_inputs_.clear();
    externals_.clear();
    swept_ = false;
    lanes_ = 0;
  }

  [[nodiscard]] Real<T> input(const T& value) {
    Real<T> x(value);
    mark(x);
    return x;
  }
  /// Fills `variables` with inputs of these values.
  void inputs(std::span<const T> values, std::span<Real<T>> variables) {
    if (values.size() != variables.size())
      detail::throw_size("Recorder::inputs", values.size(), variables.size());
    detail::Cursor<T>& at = now();
    if (at.top != begin_ || values.size() >= detail::most_values / 2 - inputs_) [[unlikely]] {
      for (std::size_t i = 0; i < values.size(); ++i) variables[i] = input(values[i]);
      return;
    }
    const std::uint64_t first = at.next + 1;
    for (std::size_t i = 0; i < values.size(); ++i) variables[i] = Real<T>::of(values[i], first + i);
    at.next += values.size();
    inputs_ += static_cast<std::uint32_t>(values.size());
  }
  /// Makes x an input: whatever it was before, it depends on nothing.
  void mark(Real<T>& x) { x = Real<T>::of(x.value(), new_input()); }
  /// Makes the gradient of an intermediate value available: gives it an identity of its own.
  void watch(Real<T>& x) {
    if (!x.active()) detail::throw_passive("Recorder::watch", detail::as_double(x.value()));
    check_member("Recorder::watch", x);
    const T one(1);
    x = statement(x.value(), std::span(&x, 1), std::span(&one, 1));
    late_inputs_.push_back(detail::index_of(x.id()));
  }

  /// A statement with derivatives the caller knows: y = value, ∂y/∂arguments[i] = partials[i].
  Real<T> statement(const T& value, std::span<const Real<T>> arguments, std::span<const T> partials) {
    if (arguments.size() != partials.size()) {
      detail::throw_size("Recorder::statement", arguments.size(), partials.size());
    }
    return statement_of(value, arguments, [&](std::size_t i) { return partials[i]; });
  }
  template <class Partial>
  Real<T> statement_of(const T& value, std::span<const Real<T>> arguments, Partial partial) {
    detail::Cursor<T>& at = now();
    if (arguments.size() > static_cast<std::size_t>(end_ - at.top)) {
      detail::throw_limit("Recorder::statement", bytes_limit());
    }
    Entry* top = at.top;
    std::uint32_t flags = detail::first_flag;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (!arguments[i].active()) continue;
      check_member("Recorder::statement", arguments[i]);
      *top++ = Entry{T(partial(i)), detail::index_of(arguments[i].id()) | flags};
      flags = 0;
    }
    if (top == at.top) return Real<T>(value);
    at.top = top;
    return Real<T>::of(value, ++at.next);
  }

  /// A result of code this recorder does not see. Its adjoint arrives at `reverse`, which hands on what
  /// belongs to the arguments; see external.hpp for the usual ways in.
  using Reverse = std::function<void(Recorder&)>;
  Real<T> external_output(const T& value) { return Real<T>::of(value, new_input(false)); }
  void external(Reverse reverse) {
    externals_.push_back({static_cast<std::size_t>(now().top - begin_), newest(), std::move(reverse)});
  }

  /// d(y)/d(every input). One sweep per recording unless retained.
  void backward(const Real<T>& y, Retain retain = Retain::no) {
    if (swept_) detail::throw_second_backward();
    if (!y.active()) detail::throw_passive("backward", detail::as_double(y.value()));
    check_member("backward", y);
    T* const adjoint = prepare<T>(retain);
    const std::uint32_t index = detail::index_of(y.id());
    adjoint[index] = T(1);
    lanes_ = 1;
    run(adjoint, index);
  }
  /// The gradient of Σ seeds[i]·ys[i].
  void backward(std::span<const Real<T>> ys, std::span<const T> seeds, Retain retain = Retain::no) {
    if (ys.size() != seeds.size()) detail::throw_size("backward", ys.size(), seeds.size());
    T* const adjoint = prepare<T>(retain);
    std::uint32_t last = 0;
    for (std::size_t i = 0; i < ys.size(); ++i) {
      if (!ys[i].active()) continue;
      check_member("backward", ys[i]);
      const std::uint32_t index = detail::index_of(ys[i].id());
      adjoint[index] = adjoint[index] + seeds[i];
      last = std::max(last, index);
    }
    if (last == 0) {
      swept_ = false;
      detail::throw_passive("backward", ys.empty() ? 0.0 : detail::as_double(ys[0].value()));
    }
    lanes_ = 1;
    run(adjoint, last);
  }
  /// Several adjoints in one sweep: lane j is the gradient of ys[j].
  template <std::size_t N>
  void backward_lanes(std::span<const Real<T>> ys, Retain retain = Retain::no) {
    if (ys.size() > N) detail::throw_size("backward_lanes", N, ys.size());
    backward_lanes<N>(ys, [](std::size_t i) { return i; }, retain);
  }
  /// Lane j is the gradient of the sum of all ys[i] with lane_of(i) == j; results with no such lane are left
  /// out.
  template <std::size_t N, class LaneOf>
    requires std::is_invocable_v<LaneOf, std::size_t>
  void backward_lanes(std::span<const Real<T>> ys, LaneOf lane_of, Retain retain = Retain::no) {
    using A = Lanes<T, N>;
    if (!externals_.empty()) {
      detail::throw_error("backward_lanes",
                          "the recording holds external functions, which take one adjoint at a time");
    }
    A* const adjoint = prepare<A>(retain);
    std::uint32_t last = 0;
    for (std::size_t i = 0; i < ys.size(); ++i) {
      const std::size_t lane = lane_of(i);
      if (!ys[i].active() || lane >= N) continue;
      check_member("backward_lanes", ys[i]);
      const std::uint32_t index = detail::index_of(ys[i].id());
      adjoint[index].lane[lane] = adjoint[index].lane[lane] + T(1);
      last = std::max(last, index);
    }
    lanes_ = N;
    run(adjoint, last);
  }

  /// The gradient of the last backward in an input or watched value.
  [[nodiscard]] T gradient(const Real<T>& x) const {
    const std::uint32_t index = detail::index_of(x.id());
    if (detail::tag_of(x.id()) != tag_ || index > inputs_ || lanes_ != 1) [[unlikely]] {
      return adjoints_.template get<T>()[checked_index(x, 1)];
    }
    return adjoints_.template get<T>()[index];
  }
  void gradients(std::span<const Real<T>> variables, std::span<T> into) const {
    if (variables.size() != into.size())
      detail::throw_size("Recorder::gradients", variables.size(), into.size());
    const T* const adjoint = adjoints_.template get<T>();
    const std::uint64_t first = (std::uint64_t{tag_} << 32U) | 1U;
    const std::uint64_t known = lanes_ == 1 ? inputs_ : 0;
    for (std::size_t i = 0; i < variables.size(); ++i) {
      // One comparison for the tag, for constants and for values that are no inputs.
      const std::uint64_t place = variables[i].id() - first;
      into[i] = place < known ? adjoint[place + 1] : gradient(variables[i]);
    }
  }
  template <std::size_t N>
  [[nodiscard]] const Lanes<T, N>& gradient_lanes(const Real<T>& x) const {
    return adjoints_.template get<Lanes<T, N>>()[checked_index(x, N)];
  }
  /// For external functions, during a sweep: read and add adjoints of any recorded value.
  [[nodiscard]] T adjoint(const Real<T>& x) const {
    return x.active() ? adjoints_.template get<T>()[detail::index_of(x.id())] : T(0);
  }
  void add_adjoint(const Real<T>& x, const T& amount) {
    if (!x.active()) return;
    T& to = adjoints_.template get<T>()[detail::index_of(x.id())];
    to = to + amount;
  }

  [[nodiscard]] RecordingStats stats() const {
    const detail::Cursor<T>& at = now();
    RecordingStats stats;
    stats.inputs = inputs_ + markers_;
    stats.entries = static_cast<std::size_t>(at.top - begin_);
    stats.statements = detail::index_of(at.next) - inputs_ - markers_;
    stats.bytes = stats.entries * sizeof(Entry);
    stats.adjoint_bytes = lanes_ * sizeof(T) * (detail::index_of(at.next) + std::size_t{1});
    return stats;
  }
  [[nodiscard]] std::size_t bytes_limit() const {
    return static_cast<std::size_t>(end_ - begin_) * sizeof(Entry);
  }
  [[nodiscard]] const Checks& checks() const { return checks_; }
  void set_checks(Checks checks) {
    checks_ = checks;
    if (recording()) detail::cursor<T>.limit = watched_limit();
  }

  /// For tools that rewrite the end of a recording (preaccumulation) and for the slow path of statements.
  struct Position {
    std::size_t entries;
    std::uint32_t newest;
  };
  [[nodiscard]] Position position() const {
    return {static_cast<std::size_t>(now().top - begin_), detail::index_of(now().next)};
  }
  [[nodiscard]] std::span<const Entry> entries() const { return {begin_, now().top}; }
  void rewind(Position to) {
    now().top = begin_ + to.entries;
    now().next = (std::uint64_t{tag_} << 32U) | to.newest;
  }
  /// A statement made of finished entries.
  Real<T> append(const T& value, std::span<const Entry> finished) {
    detail::Cursor<T>& at = now();
    if (finished.empty()) return Real<T>(value);
    if (finished.size() > static_cast<std::size_t>(end_ - at.top)) {
      detail::throw_limit("Recorder::append", bytes_limit());
    }
    std::copy(finished.begin(), finished.end(), at.top);
    at.top->index |= detail::first_flag;
    at.top += finished.size();
    return Real<T>::of(value, ++at.next);
  }
  /// Inputs and external results registered so far.
  [[nodiscard]] std::size_t guests() const { return inputs_ + markers_ + late_inputs_.size(); }
  [[nodiscard]] bool full() const { return now().top >= end_; }
  void check_member(const char* operation, const Real<T>& x) const { check_id(operation, x.id()); }
  void check_id(const char* operation, std::uint64_t id) const {
    if (id != 0 && (detail::tag_of(id) != tag_ || id > now().next)) [[unlikely]] {
      detail::throw_stale(operation, detail::index_of(id), detail::tag_of(id), tag_);
    }
  }
  [[nodiscard]] Real<T> value_at(std::uint32_t index, const T& value) const {
    return Real<T>::of(value, (std::uint64_t{tag_} << 32U) | index);
  }

 private:
  /// In front of the stream for what a sweep asks for, behind it for the longest statement.
  static constexpr std::size_t margin = detail::bytes_ahead + detail::most_leaves * sizeof(Entry);

  struct External {
    std::size_t entries;
    std::uint32_t newest;
    Reverse reverse;
  };

  detail::Cursor<T>& now() { return recording() ? detail::cursor<T> : state_; }
  const detail::Cursor<T>& now() const { return recording() ? detail::cursor<T> : state_; }
  [[nodiscard]] std::uint32_t newest() const { return detail::index_of(now().next); }
  Entry* watched_limit() const { return checks_.stale || checks_.non_finite ? nullptr : end_; }

  std::uint64_t new_input(bool listed = true) {
    detail::Cursor<T>& at = now();
    if (at.top == begin_ && listed && inputs_ < detail::most_values / 2) [[likely]] {
      ++inputs_;
      return ++at.next;
    }
    return new_marker(at, listed);
  }
  [[noreturn, gnu::noinline, gnu::cold]] void refuse_start() const {
    detail::throw_error("Recorder::start",
                        detail::cursor<T>.owner == this || state_.owner == this
                            ? "this recorder is already recording; stop it first"
                            : "another recorder is recording on this thread; stop it first");
  }
  [[gnu::noinline]] std::uint64_t new_marker(detail::Cursor<T>& at, bool listed) {
    if (at.top >= end_ || inputs_ >= detail::most_values / 2)
      detail::throw_limit("Recorder::input", bytes_limit());
    ++at.next;
    // Among statements an input must stand in the stream, as a statement that leads nowhere.
    *at.top++ = Entry{T(0), detail::first_flag};
    ++markers_;
    if (listed) late_inputs_.push_back(detail::index_of(at.next));
    return at.next;
  }

  std::uint32_t checked_index(const Real<T>& x, std::size_t lanes) const {
    if (!x.active()) detail::throw_passive("gradient", detail::as_double(x.value()));
    check_id("gradient", x.id());
    const std::uint32_t index = detail::index_of(x.id());
    if (lanes_ != lanes) {
      detail::throw_error("gradient", lanes_ == 0 ? "no backward ran on this recording yet"
                                                  : "the last backward swept another number of lanes");
    }
    if (index > inputs_ && !std::binary_search(late_inputs_.begin(), late_inputs_.end(), index)) {
      detail::throw_not_input("gradient", index);
    }
    return index;
  }

  template <class A>
  A* prepare(Retain retain) {
    if (swept_) detail::throw_second_backward();
    swept_ = retain == Retain::no;
    const std::size_t count = std::size_t{newest()} + 1;
    A* const adjoint = adjoints_.template ensure<A>(count);
    if constexpr (Machine<T>) {
      clear(adjoint, count * sizeof(A));
    } else {
      std::fill_n(adjoint, count, A{});
    }
    return adjoint;
  }

  /// A few adjoints are cleared faster in place than by a call. The store's size is a multiple of the step.
  static void clear(void* adjoints, std::size_t bytes) {
    constexpr std::size_t step = 64;
    if (bytes > 8 * step) {
      std::memset(adjoints, 0, bytes);
      return;
    }
    for (std::size_t done = 0; done < bytes; done += step) {
      std::memset(static_cast<std::byte*>(adjoints) + done, 0, step);
      asm volatile("" : : : "memory");  // or compilers make it one call again
    }
  }

  template <class A>
  void run(A* adjoint, std::uint32_t last) {
    const detail::Cursor<T>& at = now();
    const Entry* end = at.top;
    std::uint32_t lhs = detail::index_of(at.next);
    if (!externals_.empty()) [[unlikely]] {
      return run_with_externals(adjoint, end, lhs);
    }
    // Statements after the last seeded value cannot matter: step over them.
    while (lhs > last && end != begin_) {
      --end;
      lhs -= (end->index & detail::first_flag) != 0 ? 1 : 0;
    }
    detail::sweep(static_cast<const Entry*>(begin_), end, adjoint, lhs);
  }
  template <class A>
  [[gnu::noinline]] void run_with_externals(A* adjoint, const Entry* end, std::uint32_t lhs) {
    for (std::size_t i = externals_.size(); i-- != 0;) {
      const External& external = externals_[i];
      const Entry* const from = begin_ + external.entries;
      detail::sweep(from, end, adjoint, lhs);
      end = from;
      lhs = external.newest;
      external.reverse(*this);
    }
    detail::sweep(static_cast<const Entry*>(begin_), end, adjoint, lhs);
  }

  detail::Mapping memory_;
  Entry* begin_;
  Entry* end_;
  detail::Cursor<T> state_;
  std::uint32_t tag_;
  Checks checks_;
  std::uint32_t inputs_ = 0;   ///< before the first statement; they take no memory
  std::uint32_t markers_ = 0;  ///< inputs and external results among the statements
  std::vector<std::uint32_t> late_inputs_;
  std::vector<External> externals_;
  detail::AdjointStore adjoints_;
  Entry* farthest_ = begin_;  ///< any earlier recording went
  std::size_t lanes_ = 0;
  bool swept_ = false;
};

}  // namespace tare::ad

#include "ad/scalar/checked_statement.hpp"
