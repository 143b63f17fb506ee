#include "bench/model/json_parts.hpp"

namespace tare {

Json to_json(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json to_json(const std::optional<Estimate>& estimate) {
  if (!estimate) return nullptr;
  return {{"point", estimate->point},
          {"low", to_json(estimate->low)},
          {"high", to_json(estimate->high)},
          {"confidence", estimate->confidence},
          {"method", estimate->method}};
}

Json to_json(const Warning& warning) {
  return {{"doubt", name_of(warning.doubt)}, {"text", warning.text}};
}

Json to_json(const std::vector<Warning>& warnings) {
  Json list = Json::array();
  for (const auto& warning : warnings) list.push_back(to_json(warning));
  return list;
}

Result<std::optional<double>> number_from(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) return std::optional<double>{};
  return field<double>(object, name).transform([](double value) { return std::optional(value); });
}

Result<std::optional<Estimate>> estimate_from(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) return std::optional<Estimate>{};
  auto point = field<double>(*found, "point");
  if (!point) return fail(fmt::format("'{}': {}", name, point.error().message));
  auto low = number_from(*found, "low");
  if (!low) return std::move(low).error();
  auto high = number_from(*found, "high");
  if (!high) return std::move(high).error();
  return std::optional(Estimate{*point, *low, *high, field_or(*found, "confidence", 0.95),
                                field_or<std::string>(*found, "method", "")});
}

Result<std::vector<Warning>> warnings_from(const Json& object) {
  std::vector<Warning> warnings;
  const auto found = object.find("warnings");
  if (found == object.end()) return warnings;
  if (!found->is_array()) return fail("field 'warnings' is not a list");
  for (const auto& entry : *found) {
    auto doubt = field<std::string>(entry, "doubt").and_then([](const std::string& text) {
      return enum_from(text, Doubt::intermittent, "doubt");
    });
    if (!doubt) return std::move(doubt).error();
    warnings.push_back({*doubt, field_or<std::string>(entry, "text", "")});
  }
  return warnings;
}

Result<std::string> text_from(const Json& json) {
  if (!json.is_string()) return fail("a list of texts holds something else");
  return json.get<std::string>();
}

}  // namespace tare
