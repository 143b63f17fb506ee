// Result<T>: a value or an Error, for failures that are expected (files, databases, parsing, workers).
// The member names are std::expected's, so that a C++23 build can swap it in. Misuse of an API throws
// instead.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

namespace tare {

/// What happened, to what, and what to do next: one line, meant to be shown to a person.
struct Error {
  std::string message;
};

[[nodiscard]] inline Error fail(std::string message) {
  return Error{std::move(message)};
}

/// E is anything with a `message`.
template <class T, class E = Error>
class [[nodiscard]] Result {
 public:
  using value_type = T;
  using error_type = E;

  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(E error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool has_value() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }

  T& value() & { return checked(), std::get<0>(state_); }
  const T& value() const& { return checked(), std::get<0>(state_); }
  T&& value() && { return checked(), std::get<0>(std::move(state_)); }

  T& operator*() & { return *std::get_if<0>(&state_); }
  const T& operator*() const& { return *std::get_if<0>(&state_); }
  T&& operator*() && { return std::move(*std::get_if<0>(&state_)); }
  T* operator->() { return std::get_if<0>(&state_); }
  const T* operator->() const { return std::get_if<0>(&state_); }

  const E& error() const& { return std::get<1>(state_); }
  E&& error() && { return std::get<1>(std::move(state_)); }

  template <class U>
  T value_or(U&& other) const& {
    return has_value() ? **this : static_cast<T>(std::forward<U>(other));
  }

  template <class F>
  auto and_then(F&& f) && -> std::invoke_result_t<F, T&&> {
    if (!has_value()) return std::get<1>(std::move(state_));
    return std::forward<F>(f)(std::get<0>(std::move(state_)));
  }

  template <class F>
  auto transform(F&& f) && -> Result<std::invoke_result_t<F, T&&>, E> {
    if (!has_value()) return std::get<1>(std::move(state_));
    return std::forward<F>(f)(std::get<0>(std::move(state_)));
  }

 private:
  void checked() const {
    if (!has_value()) throw std::runtime_error("Result holds an error: " + std::get<1>(state_).message);
  }
  std::variant<T, E> state_;
};

/// A step that either worked or did not.
struct Done {};
using Status = Result<Done>;
inline Status ok() {
  return Done{};
}

}  // namespace tare
