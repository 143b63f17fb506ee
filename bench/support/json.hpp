// JSON in and out: nlohmann's type, with parsing and field access that answer with an Error instead of
// throwing. Not included by public headers: it is slow to compile.
#pragma once

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "bench/support/result.hpp"

namespace tare {

using Json = nlohmann::json;

/// Text that is not UTF-8 is replaced, never thrown on.
std::string to_text(const Json& json, int indent = -1);
/// Nesting deeper than 64 levels is refused: hostile input must not exhaust the stack.
Result<Json> parse_json(std::string_view text);

/// The field as T, or an Error naming the field and what was found there.
template <class T>
Result<T> field(const Json& object, const char* name) {
  if (!object.is_object()) return fail(std::string("expected an object with field '") + name + "'");
  const auto found = object.find(name);
  if (found == object.end()) return fail(std::string("field '") + name + "' is missing");
  try {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      const bool fits =
          found->is_number_unsigned()
              ? found->get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<T>::max())
          : found->is_number_integer()
              ? found->get<std::int64_t>() >= static_cast<std::int64_t>(std::numeric_limits<T>::min()) &&
                    (found->get<std::int64_t>() < 0 ||
                     static_cast<std::uint64_t>(found->get<std::int64_t>()) <=
                         static_cast<std::uint64_t>(std::numeric_limits<T>::max()))
              : false;
      if (!fits) return fail(std::string("field '") + name + "' is not a whole number in range");
    }
    return found->get<T>();
  } catch (const nlohmann::json::exception&) {
    return fail(std::string("field '") + name + "' has the wrong type (" + found->type_name() + ")");
  }
}

template <class T>
T field_or(const Json& object, const char* name, T otherwise) {
  auto found = field<T>(object, name);
  return found ? std::move(*found) : std::move(otherwise);
}

}  // namespace tare
