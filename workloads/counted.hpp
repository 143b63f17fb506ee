// A number that counts: how many operations of a workload depend on its inputs. The count belongs to the
// workload and is the same for every engine, so that bytes and nanoseconds per operation can be compared.
#pragma once

#include <cmath>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "workloads/workload.hpp"

namespace tare::workloads {

class Counted {
 public:
  Counted() = default;
  Counted(double value) : value_(value) {}
  static Counted input(double value) { return {value, true}; }

  [[nodiscard]] double value() const { return value_; }
  /// Of this thread, since it was last set.
  static std::size_t& operations() {
    thread_local std::size_t count = 0;
    return count;
  }

  friend Counted operator-(const Counted& a) { return made(-a.value_, a.active_); }
  friend Counted operator+(const Counted& a, const Counted& b) { return made(a.value_ + b.value_, a, b); }
  friend Counted operator-(const Counted& a, const Counted& b) { return made(a.value_ - b.value_, a, b); }
  friend Counted operator*(const Counted& a, const Counted& b) { return made(a.value_ * b.value_, a, b); }
  friend Counted operator/(const Counted& a, const Counted& b) { return made(a.value_ / b.value_, a, b); }
  Counted& operator+=(const Counted& b) { return *this = *this + b; }
  Counted& operator-=(const Counted& b) { return *this = *this - b; }
  Counted& operator*=(const Counted& b) { return *this = *this * b; }

  friend Counted exp(const Counted& a) { return made(std::exp(a.value_), a.active_); }
  friend Counted log(const Counted& a) { return made(std::log(a.value_), a.active_); }
  friend Counted sin(const Counted& a) { return made(std::sin(a.value_), a.active_); }
  friend Counted cos(const Counted& a) { return made(std::cos(a.value_), a.active_); }
  friend Counted tanh(const Counted& a) { return made(std::tanh(a.value_), a.active_); }
  friend Counted atan(const Counted& a) { return made(std::atan(a.value_), a.active_); }
  friend Counted sqrt(const Counted& a) { return made(std::sqrt(a.value_), a.active_); }

 private:
  Counted(double value, bool active) : value_(value), active_(active) {}
  static Counted made(double value, bool active) {
    operations() += active ? 1 : 0;
    return {value, active};
  }
  static Counted made(double value, const Counted& a, const Counted& b) {
    return made(value, a.active_ || b.active_);
  }

  double value_ = 0;
  bool active_ = false;
};

template <>
struct Plain<Counted> {
  static double of(const Counted& x) { return x.value(); }
};

/// Operations of one evaluation that depend on an input.
template <Workload W>
std::size_t operations_of(const W& w, const std::vector<double>& x) {
  std::vector<Counted> inputs;
  inputs.reserve(x.size());
  for (const double value : x) inputs.push_back(Counted::input(value));
  std::vector<Counted> scratch(w.scratch());
  Counted::operations() = 0;
  (void)w.template value<Counted>(inputs.data(), scratch.data());
  return Counted::operations();
}

}  // namespace tare::workloads
