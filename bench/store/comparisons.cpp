// Live comparisons, kept as they were concluded beside the two runs whose samples they rest on.
#include <algorithm>
#include <cmath>

#include "bench/model/comparison_json.hpp"
#include "bench/store/store.hpp"

namespace tare {
namespace {

Result<Comparison> read_comparison(const sqlite::Statement& row, int column) {
  return parse_json(row.text(column)).and_then([](const Json& json) { return comparison_from_json(json); });
}

}  // namespace

Result<std::int64_t> Store::add_comparison(const Comparison& comparison) {
  auto transaction = sqlite::Transaction::begin(database_);
  if (!transaction) return std::move(transaction).error();
  auto added =
      database_
          .prepare("INSERT INTO comparison (before_run, after_run, identical, content) VALUES (?, ?, ?, ?)")
          .and_then([&](auto&& s) {
            return s
                .bind(comparison.before.run, comparison.after.run,
                      static_cast<std::int64_t>(comparison.identical), to_text(to_json(comparison)))
                .run();
          });
  if (!added) return std::move(added).error();
  auto id = database_.integer("SELECT MAX(id) FROM comparison");
  if (!id) return id;
  if (auto kept = transaction->commit(); !kept) return std::move(kept).error();
  return id;
}

Result<std::optional<Comparison>> Store::find_comparison(std::int64_t before, std::int64_t after) {
  auto rows = database_.prepare(
      "SELECT content FROM comparison WHERE before_run = ? AND after_run = ? ORDER BY id DESC LIMIT 1");
  if (!rows) return std::move(rows).error();
  auto more = rows->bind(before, after).step();
  if (!more) return std::move(more).error();
  if (!*more) return std::optional<Comparison>{};
  auto comparison = read_comparison(*rows, 0);
  if (!comparison) return std::move(comparison).error();
  return std::optional(std::move(*comparison));
}

Result<std::optional<NoiseFloor>> Store::noise_floor(const std::string& fingerprint) {
  // The newest say most about the machine as it is.
  auto rows = database_.prepare(
      "SELECT content FROM comparison JOIN run ON run.id = before_run WHERE identical = 1 AND fingerprint = "
      "? "
      "ORDER BY comparison.id DESC LIMIT 50");
  if (!rows) return std::move(rows).error();
  std::vector<double> distances;
  rows->bind(fingerprint);
  for (;;) {
    auto more = rows->step();
    if (!more) return std::move(more).error();
    if (!*more) break;
    auto comparison = read_comparison(*rows, 0);
    if (!comparison) return std::move(comparison).error();
    for (const auto& pair : comparison->benchmarks) {
      if (const auto* time = pair.metric("time"); time != nullptr && time->ratio)
        distances.push_back(std::abs(time->ratio->point - 1));
    }
  }
  if (distances.empty()) return std::optional<NoiseFloor>{};
  std::sort(distances.begin(), distances.end());
  return std::optional(NoiseFloor{distances.size(), distances[distances.size() / 2], distances.back()});
}

}  // namespace tare
