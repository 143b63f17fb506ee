// What the JSON of all model values is made of: optional numbers, enumerators, estimates, warnings.
#pragma once

#include <fmt/format.h>
#include <optional>
#include <utility>
#include <vector>

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

/// Every entry of a list through the reader; a missing list is empty.
template <class T, class Reader>
Status read_list(const Json& object, const char* name, std::vector<T>& into, Reader read) {
  const auto found = object.find(name);
  if (found == object.end()) return ok();
  if (!found->is_array()) return fail(fmt::format("field '{}' is not a list", name));
  for (const auto& entry : *found) {
    auto value = read(entry);
    if (!value) return std::move(value).error();
    into.push_back(std::move(*value));
  }
  return ok();
}

/// An entry of a list of texts.
Result<std::string> text_from(const Json& json);

}  // namespace tare
