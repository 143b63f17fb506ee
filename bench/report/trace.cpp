#include "bench/report/trace.hpp"

namespace tare {

Json chrome_trace(const std::vector<Breakdown>& breakdowns) {
  Json events = Json::array();
  const auto name = [&](const char* what, std::size_t process, std::size_t thread, const std::string& text) {
    events.push_back(
        {{"name", what}, {"ph", "M"}, {"pid", process}, {"tid", thread}, {"args", {{"name", text}}}});
  };
  for (std::size_t p = 0; p < breakdowns.size(); ++p) {
    name("process_name", p + 1, 0, breakdowns[p].benchmark);
    for (std::size_t t = 0; t < breakdowns[p].modes.size(); ++t) {
      const auto& mode = breakdowns[p].modes[t];
      name("thread_name", p + 1, t + 1, mode.mode);
      for (const auto& op : mode.ops) {
        events.push_back({{"name", op.name},
                          {"cat", name_of(op.kind)},
                          {"ph", "X"},
                          {"ts", op.start_ns / 1000},
                          {"dur", op.duration_ns / 1000},
                          {"pid", p + 1},
                          {"tid", t + 1},
                          {"args",
                           {{"shapes", op.shapes},
                            {"flops", op.flops},
                            {"bytes", op.bytes},
                            {"regime", name_of(op.regime)},
                            {"share_of_roof", op.share_of_roof}}}});
      }
    }
  }
  return {{"traceEvents", events}, {"displayTimeUnit", "ns"}};
}

}  // namespace tare
