#include "ad/scalar/error.hpp"

#include <fmt/format.h>

namespace tare::ad::detail {

void throw_error(std::string_view operation, std::string_view what) {
  throw AdError(fmt::format("{}: {}", operation, what));
}

void throw_stale(std::string_view operation, std::uint32_t index, std::uint32_t tag,
                 std::uint32_t recording) {
  throw StaleError(
      fmt::format("{}: value #{} belongs to recording {:08x}, not to this one ({:08x}); it outlived a reset "
                  "or comes from "
                  "another tape: make it anew in this recording",
                  operation, index, tag, recording));
}

void throw_limit(std::string_view what, std::size_t limit_bytes) {
  throw LimitError(fmt::format(
      "{}: the recording reached its limit of {} bytes; raise Limits::bytes, record less (preaccumulate, "
      "checkpoint) or reset between recordings",
      what, limit_bytes));
}

void throw_second_backward() {
  throw AdError(
      "backward: this recording was already swept once; pass Retain::yes to sweep a recording several times, "
      "or "
      "reset and record again");
}

void throw_passive(std::string_view operation, double value) {
  throw AdError(fmt::format(
      "{}: the value {} is a constant: nothing recorded depends on an input, so it has no gradient",
      operation, value));
}

void throw_not_input(std::string_view operation, std::uint32_t index) {
  throw AdError(
      fmt::format("{}: value #{} is neither an input nor watched; call watch() on it while recording to ask "
                  "for its gradient",
                  operation, index));
}

void throw_lying(std::string_view op, double x, double claimed, double difference) {
  throw DerivativeError(
      fmt::format("{}: its derivative at {} is given as {}, but differences of its value give {}; correct "
                  "the op's derivative",
                  op, x, claimed, difference));
}

void throw_size(std::string_view operation, std::size_t expected, std::size_t got) {
  throw AdError(fmt::format("{}: expected {} values, got {}", operation, expected, got));
}

void throw_non_finite(std::string_view op, double value, const double* arguments, std::size_t count,
                      bool partial) {
  throw NonFiniteError(fmt::format("{}: {} {} at {}", op, partial ? "derivative became" : "value became",
                                   value, fmt::join(arguments, arguments + count, ", ")));
}

}  // namespace tare::ad::detail
