// For the tests of this folder: a report in which every page has something to show.
#pragma once

#include "bench/report/content.hpp"
#include "bench/report/invented_comparison.hpp"
#include "bench/report/invented_run.hpp"

namespace tare::testing_report {

inline Breakdown full_breakdown() {
  Breakdown b;
  b.benchmark = "mlp/train";
  b.roofs = {{{1, 5e10}}, {{"L2", 8e10}, {"DRAM", 2e10}}, 350};
  b.modes = {{"eager",
              {{"matmul", OpKind::matmul, {{8, 16}, {16, 4}}, 0, 3000, 1024, 512, Regime::compute, 0.75},
               {"relu", OpKind::other, {{8, 4}}, 3500, 1000, 32, 256, Regime::bandwidth, 0.5}}},
             {"graph", {{"fused", OpKind::other, {}, 0, 2500, 1056, 600, Regime::compute, 0.8}}}};
  b.predicted_gain = 1.5;
  b.measured_gain = Estimate{1.4, 1.3, 1.6, 0.95, "ratio"};
  b.advice = {"fuse relu into matmul"};
  return b;
}

inline ParetoFront full_front() {
  ParetoFront front;
  front.metrics = {{"time", "ns", Better::less}, {"accuracy", "1", Better::more}};
  front.constraints = {{"accuracy", true, 0.95}};
  front.points = {
      {"f32", {{2e6, 1.9e6, 2.1e6, 0.95, "t"}, {0.97, {}, {}, 0.95, "exact"}}, true, {}, true, {}, {}},
      {"slow", {{4e6, 3.9e6, 4.1e6, 0.95, "t"}, {0.96, {}, {}, 0.95, "exact"}}, true, {}, false, {"f32"}, {}},
      {"int8", {{1e6, {}, {}, 0.95, ""}, {0.9, {}, {}, 0.95, ""}}, false, {"accuracy>=0.95"}, false, {}, {}}};
  front.recommendations = {{"balanced", "f32", "the only point of the frontier", "time 2.00 ms"}};
  front.left_out = {"f16: no accuracy"};
  return front;
}

inline ReportContent full_content() {
  ReportContent content;
  content.title = "Everything";
  content.written_unix_ms = 1794907812000;
  content.version = "0.1.0";
  content.runs = {normal_run()};
  for (const auto& result : content.runs[0].results) {
    (void)result;
    if (content.samples.empty()) content.samples.emplace_back();
    content.samples[0].push_back({4, 2, {12300, 12400.31}, {0, 1}, ".x", {12000, 13000, {1, 3}, 0, 1}});
  }
  content.comparison = full_comparison();
  content.growth = {
      {"sort",
       "n",
       10,
       1000,
       {1.13, 1.05, 1.21, 0.95, "t"},
       "n log n",
       0.03,
       2.5,
       {{10, estimate(30, 1, "t")}, {100, estimate(600, 5, "t")}, {1000, estimate(9000, 50, "t")}}}};
  PivotTable table;
  table.parameter = "engine";
  table.metric = "time";
  table.base = "best";
  table.unit = "ns";
  table.columns = {"hand", "real"};
  table.rows = {{"gmm/n=8",
                 {{estimate(100, 2, "t"), estimate(1, 0.02, "r"), true, ""},
                  {estimate(1000, 9, "t"), estimate(10, 0.1, "r"), false, ""}}}};
  content.engines = {{"total time", false, table}};
  content.breakdowns = {full_breakdown()};
  content.pareto = full_front();
  content.runs[0].findings = {{"governor", Health::caution, "powersave", "choose performance"}};
  return content;
}

}  // namespace tare::testing_report
