// What the JSON of all model values is made of: optional numbers, enumerators, estimates, warnings.
#pragma once

#include <fmt/format.h>
#include <optional>

#include "bench/model/summary.hpp"
#include "bench/model/warning.hpp"
#include "bench/support/json.hpp"

namespace tare {

/// Undefined is null.
Json to_json(const std::optional<double>& value);
Json to_json(const std::optional<Estimate>& estimate);
Json to_json(const Warning& warning);
Json to_json(const std::vector<Warning>& warnings);

/// A number, or nothing when the field is missing or null.
Result<std::optional<double>> number_from(const Json& object, const char* name);
Result<std::optional<Estimate>> estimate_from(const Json& object, const char* name);
/// Of the object's field "warnings".
Result<std::vector<Warning>> warnings_from(const Json& object);

/// The enumerator whose name_of() is the text, from the first to the last.
template <class E>
Result<E> enum_from(const std::string& text, E last, const char* what) {
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    if (text == name_of(static_cast<E>(i))) return static_cast<E>(i);
  }
  return fail(fmt::format("'{}' is not a known {}", text, what));
}

}  // namespace tare
