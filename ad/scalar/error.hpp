// What misuse of the scalar engine throws. Every message names the operation and the values it was given; the
// texts are built out of line so that the checks cost the callers one compare and one jump.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ad/support/error.hpp"

namespace tare::ad {

/// A slot or an active value was used with a recording it does not belong to.
struct StaleError : AdError {
  using AdError::AdError;
};

/// A recording would outgrow its stated limit.
struct LimitError : AdError {
  using AdError::AdError;
};

/// NaN or infinity appeared while the monitor was on.
struct NonFiniteError : AdError {
  using AdError::AdError;
};

/// An op's derivative is not the derivative of its value.
struct DerivativeError : AdError {
  using AdError::AdError;
};

namespace detail {

[[noreturn]] void throw_lying(std::string_view op, double x, double claimed, double difference);
[[noreturn]] void throw_error(std::string_view operation, std::string_view what);
[[noreturn]] void throw_stale(std::string_view operation, std::uint32_t index, std::uint32_t tag,
                              std::uint32_t recording);
[[noreturn]] void throw_limit(std::string_view what, std::size_t limit_bytes);
[[noreturn]] void throw_second_backward();
[[noreturn]] void throw_passive(std::string_view operation, double value);
[[noreturn]] void throw_not_input(std::string_view operation, std::uint32_t index);
[[noreturn]] void throw_size(std::string_view operation, std::size_t expected, std::size_t got);
[[noreturn]] void throw_non_finite(std::string_view op, double value, const double* arguments,
                                   std::size_t count, bool partial);

}  // namespace detail
}  // namespace tare::ad
