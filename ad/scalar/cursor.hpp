// Where the current thread writes its recording: a pointer into the stream, how far it may go, and the number
// of the newest value. Everything a statement needs is here, so recording one is a few stores and no call.
// The limit does three duties with one compare: it is null when nothing is recorded, the end of the memory
// when something is, and null again while the checks of the slow path are wanted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ad/scalar/error.hpp"
#include "ad/scalar/expression.hpp"
#include "ad/scalar/stream.hpp"

namespace tare::ad {

template <class T>
class Recorder;

namespace detail {

/// A value's identity: the recording's tag above, the index in the recording below; 0 is a constant.
constexpr std::uint32_t index_of(std::uint64_t id) {
  return static_cast<std::uint32_t>(id);
}
constexpr std::uint32_t tag_of(std::uint64_t id) {
  return static_cast<std::uint32_t>(id >> 32U);
}

/// The longest statement that expressions may form; longer ones are n-ary and check for themselves.
inline constexpr int most_leaves = 1024;

template <class T>
struct Cursor {
  Entry<T>* top = nullptr;
  Entry<T>* limit = nullptr;
  // Not std::uint64_t: a type no other store of a statement has, so that compilers may keep it in a register.
  unsigned long long next = 0;
  Recorder<T>* owner = nullptr;
};

// Code for shared libraries would call a function to find a thread's variable; this model spares the call.
// Executables do better without it, and so do sanitizers: GCC 12 tests flags that the linker's relaxed
// instruction does not set.
#if defined(__PIC__) && !defined(__PIE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TARE_AD_TLS [[gnu::tls_model("initial-exec")]]
#else
#define TARE_AD_TLS
#endif
template <class T>
inline thread_local constinit Cursor<T> cursor TARE_AD_TLS{};
#undef TARE_AD_TLS

/// While it lives nothing is recorded on this thread, and another recorder may record.
template <class T>
class Pause {
 public:
  Pause() : paused_(cursor<T>) { cursor<T> = {}; }
  ~Pause() { cursor<T> = paused_; }
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;

 private:
  Cursor<T> paused_;
};

/// Writes every leaf and advances only past active ones: no branch, whatever is constant. With Chained, the
/// first leaf that is the newest value with factor one becomes the chain flag instead of an entry.
template <class T, bool Chained>
struct Sink {
  Entry<T>* top;
  std::uint64_t newest;
  std::uint32_t flags = Chained ? first_flag | chain_flag : first_flag;
  bool chain_used = false;

  [[gnu::always_inline]] void push(const T& partial, std::uint64_t id) {
    top->partial = partial;
    top->index = index_of(id) | flags;
    flags = id != 0 ? 0 : flags;
    top += id != 0;
  }
  [[gnu::always_inline]] void push(Unit, std::uint64_t id) {
    if constexpr (Chained) {
      if (!chain_used && id == newest) {
        chain_used = true;
        return;
      }
    }
    push(T(1), id);
  }
};

/// For statements without constants: nothing to decide leaf by leaf, except which of several leaves of factor
/// one is the newest value, where Chained.
template <class T, bool Chained, int Units>
struct DenseSink {
  Entry<T>* top;
  std::uint64_t newest;
  std::uint32_t flags = Chained ? first_flag | chain_flag : first_flag;
  bool chain_used = false;

  [[gnu::always_inline]] void push(const T& partial, std::uint64_t id) {
    top->partial = partial;
    top->index = index_of(id) | flags;
    flags = 0;
    ++top;
  }
  [[gnu::always_inline]] void push(Unit, std::uint64_t id) {
    if constexpr (Chained) {
      if (!chain_used && (Units == 1 || id == newest)) {
        chain_used = true;
        return;
      }
    }
    push(T(1), id);
  }
};

/// Whether the newest value is a leaf of factor one.
template <class T>
struct UnitLeaves {
  std::uint64_t newest;
  bool found = false;

  [[gnu::always_inline]] void push(const T&, std::uint64_t) {}
  [[gnu::always_inline]] void push(Unit, std::uint64_t id) { found |= id == newest; }
};

/// A statement's value and the identity it got.
template <class T>
struct Recorded {
  T value;
  std::uint64_t id;
};

/// By value: a reference would force the expression into memory on the fast path too. The value comes back
/// through the call, so that nothing of the statement has to survive it: a chain of statements then keeps its
/// value in a register.
template <class T, class E>  // NOLINTNEXTLINE(performance-unnecessary-value-param)
Recorded<T> record_slowly(E expression);

/// A statement some of whose leaves are constants.
template <class T, class E>
[[gnu::always_inline]] inline std::uint64_t record_mixed(Cursor<T>& at, const E& expression, bool chained) {
  Entry<T>* const first = at.top;
  const std::uint64_t newest = at.next;
  if constexpr (unit_leaves<E> != 0) {
    if (chained) {
      Sink<T, true> sink{first, newest};
      expression.pull(sink, Unit{});
      at.top = sink.top;
      // A running sum that only constants were added to keeps its index.
      return at.next = newest + (sink.top != first ? 1 : 0);
    }
  }
  Sink<T, false> sink{first, newest};
  expression.pull(sink, Unit{});
  at.top = sink.top;
  const bool any = sink.top != first;
  at.next = newest + (any ? 1 : 0);
  return any ? newest + 1 : 0;
}

/// Records without looking at limits. What all identities have in common tells in one test whether any is a
/// constant's: those of one recording share its tag.
template <class T, class E>
[[gnu::always_inline]] inline std::uint64_t record_within(Cursor<T>& at, const E& expression) {
  const std::uint64_t newest = at.next;
  bool chained = false;
  if constexpr (unit_leaves<E> != 0) {
    UnitLeaves<T> units{newest};
    expression.pull(units, Unit{});
    chained = units.found;
  }
  if (expression.common() == 0) [[unlikely]] {
    return expression.ids() == 0 ? 0 : record_mixed(at, expression, chained);
  }
  // The stream outgrows the first-level cache: its next lines are asked for before they are written.
  __builtin_prefetch(reinterpret_cast<const std::byte*>(at.top) + 256, 1);
  if constexpr (unit_leaves<E> != 0) {
    if (chained) {
      DenseSink<T, true, unit_leaves<E>> sink{at.top, newest};
      expression.pull(sink, Unit{});
      at.top = sink.top;
      return at.next = newest + 1;
    }
  }
  DenseSink<T, false, 0> sink{at.top, newest};
  expression.pull(sink, Unit{});
  at.top = sink.top;
  return at.next = newest + 1;
}

/// An expression's value and its identity; a new statement unless the expression is constant.
template <class T, class E>
[[gnu::always_inline]] inline Recorded<T> record(const E& expression) {
  static_assert(E::leaves <= most_leaves, "an expression this long must be split into statements");
  if constexpr (E::leaves == 0) {
    return {expression.value, 0};
  } else {
    Cursor<T>& at = cursor<T>;
    if (at.top >= at.limit) [[unlikely]] {
      return record_slowly<T, E>(expression);
    }
    if constexpr (Shift<E>::value) {
      return {expression.value, Shift<E>::id(expression)};
    } else {
      return {expression.value, record_within(at, expression)};
    }
  }
}

}  // namespace detail
}  // namespace tare::ad
