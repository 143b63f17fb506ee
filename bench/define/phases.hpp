// Phases timed apart: forward, backward, step, … with set-up between them that is not timed.
// A body of nanoseconds cannot afford a clock read per iteration, so a batch of states is prepared, then one
// phase runs over the whole batch between two clock reads, then the next. The batch is as small as the clock
// allows: a batch larger than the cache would measure the cache.
#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "bench/define/body.hpp"

namespace tare {

/// Runs a body until the context's run is over; see Context.
class Driver {
 public:
  virtual ~Driver() = default;
  virtual void drive(Body& body) = 0;
  /// States in a batch of phases; 0 means as many as the clock needs.
  [[nodiscard]] virtual std::uint64_t batch() const { return 0; }
};

namespace detail {

template <class State>
class PhasedBody final : public Body {
 public:
  struct Step {
    bool timed;
    std::unique_ptr<void, void (*)(void*)> function;
    void (*over)(void* function, State* first, std::uint64_t n);
  };

  PhasedBody(std::function<State()> make, const Synchronise& synchronise)
      : make_(std::move(make)), synchronise_(synchronise) {}

  template <class F>
  void add(bool timed, std::string name, F function) {
    if (timed) names_.push_back(std::move(name));
    steps_.push_back({timed,
                      {new F(std::move(function)), [](void* f) { delete static_cast<F*>(f); }},
                      [](void* f, State* first, std::uint64_t n) {
                        auto& body = *static_cast<F*>(f);
                        State* state = first;
                        loop(n, [&] { body(*state++); });
                      }});
  }

  void batch(std::uint64_t size) { fixed_ = size; }

  /// Doubles the batch until the shortest phase is long against a clock read.
  void settle() {
    if (names_.empty()) throw std::logic_error("phases(): add at least one .phase(name, function)");
    resize(1);
    std::vector<double> first(names_.size(), 0.0);
    time(1, first.data());
    cold_ns_ = std::accumulate(first.begin(), first.end(), 0.0);
    resize(fixed_ != 0 ? fixed_ : 1);
    constexpr double long_enough_ns = 10'000;
    constexpr std::uint64_t largest = 1024;
    while (fixed_ == 0 && states_.size() < largest) {
      if (shortest_phase() >= long_enough_ns) break;
      resize(states_.size() * 2);
    }
  }

  const std::vector<std::string>& phases() const override { return names_; }
  std::uint64_t granularity() const override { return states_.size(); }
  std::optional<double> cold_ns() const override { return cold_ns_; }
  void time(std::uint64_t n, double* totals) override {
    ClockGauge gauge{totals};
    run(n, gauge, states_.size());
  }
  void probe(std::uint64_t n, Probe& probe) override {
    run(n, probe, probe.one_at_a_time() ? 1 : states_.size());
  }

 private:
  /// Of one batch. The least of several passes: an interruption only ever adds time, and the first warms new
  /// states.
  double shortest_phase() {
    std::vector<double> least(names_.size(), 1e300);
    for (int pass = 0; pass < 5; ++pass) {
      std::vector<double> totals(names_.size(), 0.0);
      time(states_.size(), totals.data());
      for (std::size_t i = 0; i < least.size(); ++i) least[i] = std::min(least[i], totals[i]);
    }
    return *std::min_element(least.begin(), least.end());
  }

  void resize(std::uint64_t size) {
    while (states_.size() < size) states_.push_back(make_());
  }

  template <class Gauge>
  void run(std::uint64_t n, Gauge& gauge, std::uint64_t size) {
    for (std::uint64_t done = 0; done < n; done += size) {
      State* const first = states_.data() + done % states_.size();
      std::size_t phase = 0;
      for (auto& step : steps_) {
        if (!step.timed) {
          step.over(step.function.get(), first, size);
          continue;
        }
        if (synchronise_) synchronise_();
        gauge.start();
        step.over(step.function.get(), first, size);
        if (synchronise_) synchronise_();
        gauge.stop(phase++);
      }
    }
  }

  std::function<State()> make_;
  const Synchronise& synchronise_;
  std::vector<Step> steps_;
  std::vector<std::string> names_;
  std::vector<State> states_;
  std::uint64_t fixed_ = 0;
  std::optional<double> cold_ns_;
};

}  // namespace detail

/// Made by Context::phases(make_state): a chain of untimed and timed steps over one state.
template <class State>
class Phases {
 public:
  Phases(std::function<State()> make, const Synchronise& synchronise, Driver& driver)
      : body_(std::make_unique<detail::PhasedBody<State>>(std::move(make), synchronise)), driver_(driver) {}

  /// Not timed; runs on every state before the next phase.
  template <std::invocable<State&> F>
  Phases& prepare(F function) {
    body_->add(false, "", std::move(function));
    return *this;
  }
  /// Timed under this name.
  template <std::invocable<State&> F>
  Phases& phase(std::string name, F function) {
    if (name.empty()) throw std::invalid_argument("a phase needs a name");
    body_->add(true, std::move(name), std::move(function));
    return *this;
  }
  /// States prepared at a time, instead of as many as the clock needs.
  Phases& batch(std::uint64_t size) {
    if (size == 0) throw std::invalid_argument("a batch holds at least 1 state");
    body_->batch(size);
    return *this;
  }
  void measure() {
    if (driver_.batch() != 0) body_->batch(driver_.batch());
    body_->settle();
    driver_.drive(*body_);
  }

 private:
  std::unique_ptr<detail::PhasedBody<State>> body_;
  Driver& driver_;
};

}  // namespace tare
