// How model values stand in the store's text columns. The same functions write and look up, so a benchmark
// measured again finds its own row.
#pragma once

#include <string>

#include "bench/model/json.hpp"

namespace tare {

inline std::string parameters_column(const BenchmarkId& id) {
  return to_text(to_json(id).at("parameters"));
}

inline std::string workload_column(const Workload& workload) {
  return to_text(to_json(workload));
}

inline std::string tags_column(const Tags& tags) {
  return to_text(Json(tags));
}

inline std::string binaries_column(const std::vector<Binary>& binaries) {
  Json list = Json::array();
  for (const auto& binary : binaries) list.push_back(to_json(binary));
  return to_text(list);
}

inline std::string warnings_column(const std::vector<Warning>& warnings) {
  Json list = Json::array();
  for (const auto& warning : warnings) list.push_back(to_json(warning));
  return to_text(list);
}

}  // namespace tare
