#include "bench/report/csv.hpp"

#include <gmock/gmock.h>
#include <map>
#include <set>

#include "bench/report/invented_run.hpp"

namespace tare {
namespace {

using namespace testing_report;
using testing::HasSubstr;
using testing::Not;

using Record = std::map<std::string, std::string>;

/// A reader of RFC 4180 for the test, so that quoting is judged by what a reader gets back.
std::vector<std::vector<std::string>> rows_of(const std::string& text) {
  std::vector<std::vector<std::string>> rows(1, std::vector<std::string>(1));
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
        rows.back().back() += text[++i];
      } else if (c == '"') {
        quoted = false;
      } else {
        rows.back().back() += c;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      rows.back().emplace_back();
    } else if (c == '\r') {
      EXPECT_EQ(text[++i], '\n');
      rows.emplace_back(1);
    } else {
      rows.back().back() += c;
    }
  }
  EXPECT_EQ(rows.back(), std::vector<std::string>(1)) << "the text must end with CRLF";
  rows.pop_back();
  return rows;
}

std::vector<Record> records_of(const std::string& text) {
  const auto rows = rows_of(text);
  std::vector<Record> records;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].size(), rows[0].size());
    Record record;
    for (std::size_t k = 0; k < rows[0].size(); ++k) record[rows[0][k]] = rows[i][k];
    records.push_back(record);
  }
  return records;
}

TEST(Csv, one_row_per_benchmark_and_metric) {
  const auto records = records_of(csv_report(normal_run()));
  ASSERT_EQ(records.size(), 3u + 3u + 10u + 3u);
  const auto& sort = records[0];
  EXPECT_EQ(sort.at("benchmark"), "sort/doubles/n=1024");
  EXPECT_EQ(sort.at("name"), "sort/doubles");
  EXPECT_EQ(sort.at("parameters"), "n=1024");
  EXPECT_EQ(sort.at("metric"), "time");
  EXPECT_EQ(sort.at("time"), "12340");
  EXPECT_EQ(sort.at("time_low"), "12287");
  EXPECT_EQ(sort.at("time_high"), "12393");
  EXPECT_EQ(sort.at("time_confidence"), "0.95");
  EXPECT_EQ(sort.at("time_method"), "t on process medians");
  EXPECT_EQ(sort.at("n"), "200");
  EXPECT_EQ(sort.at("warm_up"), "10");
  EXPECT_EQ(sort.at("steadiness"), "warming");
  EXPECT_EQ(sort.at("outliers_high_severe"), "4");
  EXPECT_EQ(sort.at("lag1"), "0.125");
  EXPECT_EQ(sort.at("shape"), "1024");
  EXPECT_EQ(sort.at("dtype"), "f64");
  EXPECT_EQ(sort.at("seed"), "42");
  EXPECT_EQ(sort.at("items"), "1024");
  EXPECT_EQ(sort.at("flops"), "");
  EXPECT_EQ(sort.at("checked"), "true");
  EXPECT_EQ(sort.at("warnings"), "outliers");
  EXPECT_EQ(sort.at("started"), "2026-11-17 09:30:12");
  EXPECT_EQ(sort.at("outcome"), "ok");
  EXPECT_EQ(records[1].at("metric"), "allocations");
  EXPECT_EQ(records[1].at("time"), "0");
  EXPECT_EQ(records[1].at("mean"), "");
}

TEST(Csv, what_was_not_measured_has_one_row_without_values) {
  const auto records = records_of(csv_report(failing_run()));
  ASSERT_EQ(records.size(), 7u);
  for (std::size_t i = 1; i < records.size(); ++i) {
    for (const auto* field :
         {"metric", "n", "time", "median", "cold_ns", "overhead_fixed", "outliers_low_mild"}) {
      EXPECT_EQ(records[i].at(field), "") << field;
    }
  }
  EXPECT_EQ(records[3].at("outcome"), "check_failed");
  EXPECT_THAT(csv_report(failing_run()), Not(HasSubstr("777777")));
  EXPECT_THAT(csv_samples(failing_run()), Not(HasSubstr("gradient")));
}

TEST(Csv, undefined_is_an_empty_field) {
  auto run = doubtful_run();
  run.results[0].metrics[0].summary.mad = 0.0 / 0.0;
  const auto records = records_of(csv_report(run));
  EXPECT_EQ(records[0].at("time"), "2500000000");
  for (const auto* field : {"time_low", "mean", "deviation", "mad", "lag1", "cold_ns"}) {
    EXPECT_EQ(records[0].at(field), "") << field;
  }
  EXPECT_EQ(records[2].at("origin"), "unavailable (perf_event_paranoid is 3)");
}

TEST(Csv, hostile_texts_come_back_whole_and_printable) {
  const auto text = csv_report(hostile_run());
  const auto records = records_of(text);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(records[0].at("name"), "\\x1b[2J\\x1b]0;owned\\x07red\\x0d\\x0anew line\\x09tab");
  EXPECT_EQ(records[1].at("name"), "bad utf-8 \\xff\\xc3 end");
  EXPECT_EQ(records[2].at("name").size(), 10000u);
  EXPECT_EQ(records[5].at("name"), "comma, \"quote\"");
}

TEST(Csv, samples_are_as_read_and_per_iteration) {
  auto run = normal_run();
  run.results[0].metrics[0].samples[1].interference = {1, 2, 3, 4, 5, 6, 7};
  const auto records = records_of(csv_samples(run));
  ASSERT_EQ(records.size(), 2u * 7u);
  EXPECT_EQ(records[0].at("total"), "1234045");
  EXPECT_EQ(records[0].at("value"), "12340");
  EXPECT_EQ(records[1].at("index"), "1");
  EXPECT_EQ(records[1].at("process"), "1");
  EXPECT_EQ(records[1].at("iterations"), "100");
  EXPECT_EQ(records[1].at("involuntary_switches"), "2");
  EXPECT_EQ(records[1].at("steal_ns"), "7");
  EXPECT_EQ(csv_sample_columns().size(), records[0].size());
}

TEST(Csv, column_names_are_unique_and_stand_alone_without_results) {
  const auto rows = rows_of(csv_report(tare::Run{}));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0], csv_columns());
  EXPECT_EQ(std::set<std::string>(rows[0].begin(), rows[0].end()).size(), rows[0].size());
}

}  // namespace
}  // namespace tare
