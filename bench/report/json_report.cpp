#include "bench/report/json_report.hpp"

#include "bench/model/json.hpp"

namespace tare {

std::string json_report(const Run& run, bool with_samples, int indent) {
  return to_text(to_json(run, with_samples), indent) + "\n";
}

}  // namespace tare
