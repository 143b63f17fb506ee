#include "bench/support/json.hpp"

#include <fmt/format.h>

#include "bench/support/text.hpp"

namespace tare {

std::string to_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Result<Json> parse_json(std::string_view text) {
  constexpr int deepest = 64;
  bool too_deep = false;
  const auto guard = [&](int depth, Json::parse_event_t event, Json&) {
    const bool opens =
        event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start;
    if (opens && depth >= deepest) too_deep = true;
    return !too_deep;
  };
  try {
    auto json = Json::parse(text.begin(), text.end(), guard);
    if (too_deep) return fail(fmt::format("JSON nested deeper than {} levels", deepest));
    return json;
  } catch (const nlohmann::json::exception& problem) {
    return fail(fmt::format("not JSON: {} (in '{}')", problem.what(), printable(text.substr(0, 60))));
  }
}

}  // namespace tare
