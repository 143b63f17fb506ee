// Baselines: names for stored runs. Unlike results they may be replaced and removed; the run stays.
#include <algorithm>
#include <fmt/format.h>

#include "bench/store/store.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

constexpr std::size_t longest_name = 100;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

Baseline read_baseline(const sqlite::Statement& row) {
  return {row.text(0), row.integer(1), row.integer(2), row.text(3), row.text(4)};
}

constexpr const char* columns =
    "SELECT name, baseline.run, saved_unix_ms, note, commit_name FROM baseline JOIN run ON run.id = "
    "baseline.run ";

}  // namespace

Status check_baseline_name(std::string_view name) {
  const bool good = !name.empty() && name.size() <= longest_name && is_letter(name[0]) && name != "last" &&
                    std::all_of(name.begin(), name.end(), [](char c) {
                      return is_letter(c) || (c >= '0' && c <= '9') ||
                             std::string_view("._+-").find(c) != std::string_view::npos;
                    });
  if (good) return ok();
  return fail(fmt::format(
      "'{}' cannot name a baseline: begin with a letter, go on with letters, digits, '.', '_', '+' "
      "or '-', up to {} in all, and do not take 'last'; for example main or v1.2",
      printable(name.substr(0, longest_name)), longest_name));
}

Status Store::save_baseline(const Baseline& baseline, bool replace) {
  if (auto named = check_baseline_name(baseline.name); !named) return named;
  auto transaction = sqlite::Transaction::begin(database_);
  if (!transaction) return std::move(transaction).error();
  auto place = database_.prepare(
      "SELECT (SELECT COUNT(*) FROM run WHERE id = ?), (SELECT run FROM baseline WHERE name = ?)");
  if (!place) return std::move(place).error();
  auto row = place->bind(baseline.run, baseline.name).step();
  if (!row) return std::move(row).error();
  if (place->integer(0) == 0) {
    return fail(
        fmt::format("there is no run {} in {}; 'tare runs' lists those it holds", baseline.run, path()));
  }
  if (!place->is_null(1) && !replace) {
    return fail(fmt::format("the baseline '{}' exists and names run {}; --replace makes it name run {}",
                            baseline.name, place->integer(1), baseline.run));
  }
  auto saved = database_
                   .prepare(
                       "INSERT INTO baseline (name, run, saved_unix_ms, note) VALUES (?, ?, ?, ?) "
                       "ON CONFLICT (name) DO UPDATE SET run = excluded.run, "
                       "saved_unix_ms = excluded.saved_unix_ms, note = excluded.note")
                   .and_then([&](auto&& s) {
                     return s.bind(baseline.name, baseline.run, baseline.saved_unix_ms, baseline.note).run();
                   });
  if (!saved) return saved;
  return transaction->commit();
}

Result<std::vector<Baseline>> Store::baselines() {
  auto rows = database_.prepare(fmt::format("{} ORDER BY name", columns));
  if (!rows) return std::move(rows).error();
  std::vector<Baseline> list;
  for (;;) {
    auto more = rows->step();
    if (!more) return std::move(more).error();
    if (!*more) return list;
    list.push_back(read_baseline(*rows));
  }
}

Result<Baseline> Store::find_baseline(std::string_view name) {
  auto known = database_.prepare(fmt::format("{} WHERE name = ?", columns));
  if (!known) return std::move(known).error();
  auto row = known->bind(name).step();
  if (!row) return std::move(row).error();
  if (*row) return read_baseline(*known);
  auto all = baselines();
  if (!all) return std::move(all).error();
  std::vector<std::string> names;
  for (const auto& baseline : *all) names.push_back(baseline.name);
  const auto shown = names.empty() ? "there are none yet" : "there are " + join(names, ", ");
  return fail(fmt::format("there is no baseline '{}' in {} ({}); 'tare baseline save NAME' makes one",
                          printable(name), path(), shown));
}

Status Store::remove_baseline(std::string_view name) {
  auto transaction = sqlite::Transaction::begin(database_);
  if (!transaction) return std::move(transaction).error();
  if (auto found = find_baseline(name); !found) return std::move(found).error();
  auto removed = database_.prepare("DELETE FROM baseline WHERE name = ?").and_then([&](auto&& s) {
    return s.bind(name).run();
  });
  if (!removed) return removed;
  return transaction->commit();
}

}  // namespace tare
