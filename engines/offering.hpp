// Turns a template over workloads into an engine. On<W>(w) is made from a workload that outlives it and has
// either   double gradient(const double* x, double* g)
// or       double record(const double* x)  and  void reverse(double* g),
// where it takes several inputs at once  std::size_t batch() const  and  void gradients(x, y, g)  too,
// and, where the engine can tell,  TapeSize tape() const.  This is all an adapter needs beside engine.hpp.
#pragma once

#include <concepts>
#include <utility>

#include "engines/engine.hpp"
#include "workloads/all.hpp"

namespace tare::engines {

template <class A>
concept Separate = requires(A a, const double* x, double* g) {
  { a.record(x) } -> std::same_as<double>;
  a.reverse(g);
};

namespace detail {

/// The one virtual call between the suite and an engine.
template <class W, template <class> class On>
class Owned final : public Problem {
 public:
  Owned(std::size_t n, std::uint64_t seed) : workload_(n, seed), on_(workload_) {}
  double gradient(const double* x, double* g) override {
    if constexpr (Separate<On<W>>) {
      const double y = on_.record(x);
      on_.reverse(g);
      return y;
    } else {
      return on_.gradient(x, g);
    }
  }
  [[nodiscard]] bool separate() const override { return Separate<On<W>>; }
  double record(const double* x) override {
    if constexpr (Separate<On<W>>) return on_.record(x);
    return Problem::record(x);
  }
  void reverse(double* g) override {
    if constexpr (Separate<On<W>>) on_.reverse(g);
  }
  [[nodiscard]] std::size_t batch() const override {
    if constexpr (requires { on_.batch(); }) return on_.batch();
    return Problem::batch();
  }
  void gradients(const double* x, double* y, double* g) override {
    if constexpr (requires { on_.batch(); }) return on_.gradients(x, y, g);
    Problem::gradients(x, y, g);
  }
  [[nodiscard]] std::optional<TapeSize> tape() const override {
    if constexpr (requires { on_.tape(); }) return on_.tape();
    return std::nullopt;
  }

 private:
  W workload_;
  On<W> on_;
};

}  // namespace detail

/// The engine with an offer for every workload of the list and each of its sizes.
template <template <class> class On, class Workloads = workloads::All>
Engine offering(Engine engine) {
  Workloads::each([&]<class W>() {
    for (const std::size_t n : W::sizes) {
      engine.offers.push_back({std::string(W::name),
                               n,
                               [n](std::uint64_t seed) -> std::unique_ptr<Problem> {
                                 return std::make_unique<detail::Owned<W, On>>(n, seed);
                               },
                               {}});
    }
  });
  return engine;
}

}  // namespace tare::engines
