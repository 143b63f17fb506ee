// Which value is in which vector register, and which in memory. Code is one straight line, so it is known
// exactly when every value is needed next; what is needed last is evicted first (Belady 1966), which is
// optimal for reloads. A value is written to memory at most once, when it is first evicted; constants and
// inputs never.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ad/scalar/program/passes.hpp"

namespace tare::ad::detail {

class Registers {
 public:
  /// The last of the sixteen is left to the emitter for what lives within one instruction.
  static constexpr int usable = 15;
  static constexpr int scratch = 15;
  static constexpr int none = -1;

  explicit Registers(std::size_t values) : at_(values, none), slot_(values, never) { holds_.fill(never); }

  [[nodiscard]] int of(std::uint32_t value) const { return at_[value]; }
  [[nodiscard]] std::uint32_t held(int r) const { return holds_[index(r)]; }
  [[nodiscard]] std::uint32_t next(int r) const { return next_[index(r)]; }
  [[nodiscard]] std::uint32_t slot(std::uint32_t value) const { return slot_[value]; }
  [[nodiscard]] std::uint32_t slots() const { return slots_; }

  void pin(int r) { pinned_ |= 1U << static_cast<unsigned>(r); }
  void unpin_all() { pinned_ = 0; }

  /// A free register, or the unpinned one whose value is needed last.
  [[nodiscard]] int choose() const {
    int best = none;
    for (int r = 0; r < usable; ++r) {
      if ((pinned_ >> static_cast<unsigned>(r) & 1U) != 0) continue;
      if (held(r) == never) return r;
      if (best == none || next(r) > next(best)) best = r;
    }
    return best;
  }
  void put(int r, std::uint32_t value, std::uint32_t next_use) {
    holds_[index(r)] = value;
    next_[index(r)] = next_use;
    at_[value] = static_cast<std::int8_t>(r);
  }
  void set_next(int r, std::uint32_t next_use) { next_[index(r)] = next_use; }
  void drop(int r) {
    if (held(r) != never) at_[held(r)] = none;
    holds_[index(r)] = never;
  }

  std::uint32_t give_slot(std::uint32_t value) {
    if (free_.empty()) free_.push_back(slots_++);
    slot_[value] = free_.back();
    free_.pop_back();
    return slot_[value];
  }
  /// The value is not needed any more.
  void forget(std::uint32_t value) {
    if (at_[value] != none) drop(at_[value]);
    if (slot_[value] != never) free_.push_back(slot_[value]);
    slot_[value] = never;
  }

 private:
  static std::size_t index(int r) { return static_cast<std::size_t>(r); }

  std::array<std::uint32_t, 16> holds_{};
  std::array<std::uint32_t, 16> next_{};
  std::vector<std::int8_t> at_;
  std::vector<std::uint32_t> slot_;
  std::vector<std::uint32_t> free_;
  std::uint32_t slots_ = 0;
  std::uint32_t pinned_ = 0;
};

}  // namespace tare::ad::detail
