#include "bench/compare/budget_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <regex>
#include <sstream>

#include "bench/support/text.hpp"
#include "bench/support/toml.hpp"

namespace tare {
namespace {

using Kind = Limit::Kind;

constexpr std::size_t longest_pattern = 1000;  // std::regex recurses as deep as a pattern nests

struct Unit {
  std::string_view name;
  std::string_view base;
  double factor;
};
constexpr std::array units{Unit{"ns", "ns", 1},
                           Unit{"us", "ns", 1e3},
                           Unit{"µs", "ns", 1e3},
                           Unit{"ms", "ns", 1e6},
                           Unit{"s", "ns", 1e9},
                           Unit{"min", "ns", 60e9},
                           Unit{"B", "B", 1},
                           Unit{"kB", "B", 1e3},
                           Unit{"MB", "B", 1e6},
                           Unit{"GB", "B", 1e9},
                           Unit{"KiB", "B", 1024.0},
                           Unit{"MiB", "B", 1048576.0},
                           Unit{"GiB", "B", 1073741824.0},
                           Unit{"J", "J", 1},
                           Unit{"mJ", "J", 1e-3},
                           Unit{"uJ", "J", 1e-6},
                           Unit{"µJ", "J", 1e-6}};

/// Of the metrics that tare itself measures; empty for all others.
std::string_view unit_of(std::string_view metric) {
  const auto name = metric.substr(0, metric.find('/'));
  constexpr std::array<std::pair<std::string_view, std::string_view>, 10> own{{{"time", "ns"},
                                                                               {"cpu_time", "ns"},
                                                                               {"cold_time", "ns"},
                                                                               {"peak_bytes", "B"},
                                                                               {"allocated_bytes", "B"},
                                                                               {"retained_bytes", "B"},
                                                                               {"peak_rss", "B"},
                                                                               {"energy", "J"},
                                                                               {"allocations", "1"},
                                                                               {"instructions", "1"}}};
  for (const auto& [known, unit] : own) {
    if (name == known) return unit;
  }
  return "";
}

std::string example_for(std::string_view unit) {
  if (unit == "ns") return "\"5%\" or \"2 ms\"";
  if (unit == "B") return "\"10%\" or \"64 KiB\"";
  if (unit == "J") return "\"10%\" or \"2 mJ\"";
  return "0, 12 or \"5%\"";
}

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {}

  Result<Budgets> read(const toml::table& file) {
    for (const auto& [key, node] : in_file_order(file)) {
      if (key->str() == "default" && node->is_table()) continue;
      if (key->str() == "budget" && node->is_array_of_tables()) continue;
      if (key->str() == "default") return wrong(*node, "'default' must be a table", "[default]");
      if (key->str() == "budget") return wrong(*node, "'budget' must be a list of tables", "[[budget]]");
      return wrong(*key, fmt::format("unknown key '{}'", printable(key->str())), "[default] or [[budget]]");
    }
    // The default comes first wherever it stands, so that every pattern comes after it.
    if (const auto* table = file["default"].as_table()) {
      if (const auto* match = table->get("match")) {
        return wrong(*match, "[default] speaks of every benchmark and takes no 'match'", "[[budget]]");
      }
      if (auto entry = read_entry(*table, ""); !entry) return std::move(entry).error();
    }
    if (const auto* list = file["budget"].as_array()) {
      for (const auto& node : *list) {
        const auto& table = *node.as_table();
        auto pattern = read_pattern(table);
        if (!pattern) return std::move(pattern).error();
        if (table.size() == 1) return wrong(table, "this budget limits nothing", "time = \"5%\"");
        if (auto entry = read_entry(table, *pattern); !entry) return std::move(entry).error();
      }
    }
    if (budgets_.empty()) {
      return fail(fmt::format("{}: it holds no budget; write at least [default] and time = \"5%\"", path_));
    }
    return std::move(budgets_);
  }

 private:
  using Entries = std::vector<std::pair<const toml::key*, const toml::node*>>;

  /// A table is sorted by name; people read it from the top.
  static Entries in_file_order(const toml::table& table) {
    Entries entries;
    for (const auto& [key, node] : table) entries.emplace_back(&key, &node);
    std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
      return a.first->source().begin < b.first->source().begin;
    });
    return entries;
  }

  /// `where` is anything that knows its place in the file.
  template <class Where>
  Error wrong(const Where& where, const std::string& what, const std::string& example) const {
    const auto& at = where.source().begin;
    return fail(fmt::format("{}:{}:{}: {}; write it like {}", path_, at.line, at.column, what, example));
  }

  Result<std::string> read_pattern(const toml::table& table) const {
    const std::string example = "match = \"^mlp/\"";
    const auto* node = table.get("match");
    if (node == nullptr) return wrong(table, "a budget needs a 'match'", example);
    const auto text = node->value_exact<std::string>();
    if (!text) return wrong(*node, "'match' must be a text", example);
    if (text->empty()) return wrong(*node, "an empty 'match'; what holds for all goes to [default]", example);
    if (text->size() > longest_pattern) {
      return wrong(*node, fmt::format("a 'match' longer than {} characters", longest_pattern), example);
    }
    try {
      (void)std::regex(*text);
    } catch (const std::regex_error& problem) {
      return wrong(*node,
                   fmt::format("'{}' is not a regular expression ({})", printable(*text), problem.what()),
                   example);
    }
    return *text;
  }

  Status read_entry(const toml::table& table, const std::string& pattern) {
    for (const auto& [key, node] : in_file_order(table)) {
      if (key->str() == "match") continue;
      const std::string metric(key->str());
      if (metric.empty()) return wrong(*key, "a metric without a name", "time = \"5%\"");
      auto limits = read_limits(metric, *node);
      if (!limits) return std::move(limits).error();
      budgets_.push_back({pattern, metric, std::move(*limits)});
    }
    return ok();
  }

  Result<std::vector<Limit>> read_limits(const std::string& metric, const toml::node& node) const {
    std::vector<Limit> limits;
    if (node.value_exact<std::string>() == "any") return limits;
    if (const auto* table = node.as_table()) {
      const std::string example = "{ change = \"10%\", max = \"64 MiB\" }";
      if (table->empty()) return wrong(node, fmt::format("no limit for '{}'", printable(metric)), example);
      for (const auto& [key, inner] : in_file_order(*table)) {
        const bool change = key->str() == "change";
        if (!change && key->str() != "max" && key->str() != "min") {
          return wrong(*key, fmt::format("unknown key '{}'", printable(key->str())), example);
        }
        auto limit = read_limit(metric, *inner,
                                change                ? Kind::absolute
                                : key->str() == "max" ? Kind::at_most
                                                      : Kind::at_least);
        if (!limit) return std::move(limit).error();
        limits.push_back(std::move(*limit));
      }
      return limits;
    }
    auto limit = read_limit(metric, node, Kind::absolute);
    if (!limit) return std::move(limit).error();
    limits.push_back(std::move(*limit));
    return limits;
  }

  /// A change in percent becomes relative.
  Result<Limit> read_limit(const std::string& metric, const toml::node& node, Kind kind) const {
    const auto own_unit = unit_of(metric);
    const auto example = example_for(own_unit);
    const auto name = printable(metric);
    Limit limit{kind, 0, "", ""};
    std::string_view unit;
    std::string text;
    if (const auto whole = node.value_exact<std::int64_t>()) {
      limit.amount = static_cast<double>(*whole);
      limit.text = std::to_string(*whole);
    } else if (const auto real = node.value_exact<double>()) {
      limit.amount = *real;
      limit.text = fmt::format("{}", *real);
    } else if (const auto given = node.value_exact<std::string>()) {
      text = *given;
      const auto trimmed = trim(text);
      const auto [end, code] = std::from_chars(trimmed.data(), trimmed.data() + trimmed.size(), limit.amount);
      if (code != std::errc{}) {
        return wrong(node,
                     fmt::format("the limit '{}' of '{}' is not a number with a unit", printable(text), name),
                     example);
      }
      unit = trim(trimmed.substr(static_cast<std::size_t>(end - trimmed.data())));
      limit.text = printable(trimmed);
    } else {
      return wrong(node, fmt::format("the limit of '{}' must be a number or a text", name), example);
    }
    if (!std::isfinite(limit.amount))
      return wrong(node, fmt::format("the limit of '{}' is not finite", name), example);
    if (std::signbit(limit.amount) && limit.amount != 0) {
      return wrong(node, fmt::format("the limit {} of '{}' is negative", limit.text, name), example);
    }
    if (unit == "%") {
      if (kind != Kind::absolute) {
        return wrong(node, fmt::format("'max' and 'min' of '{}' are values, not shares", name),
                     "{ max = \"64 MiB\" }");
      }
      limit.kind = Kind::relative;
      limit.amount /= 100;
      return limit;
    }
    if (!unit.empty()) {
      const auto* known =
          std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.name == unit; });
      if (known == units.end()) {
        return wrong(
            node,
            fmt::format("unknown unit '{}' (there are %, ns, us, ms, s, min, B, kB, MB, GB, KiB, MiB, GiB, "
                        "J, mJ, uJ)",
                        printable(unit)),
            example);
      }
      limit.unit = known->base;
      limit.amount *= known->factor;
    }
    const bool bare = limit.unit.empty();
    const bool fits =
        own_unit.empty() || (bare && (limit.amount == 0 || own_unit == "1")) || limit.unit == own_unit;
    if (!fits) {
      return wrong(node,
                   bare ? fmt::format("the limit {} of '{}' has no unit", limit.text, name)
                        : fmt::format("the limit {} does not fit '{}', which is {}", limit.text, name,
                                      own_unit == "1" ? "a count" : fmt::format("in {}", own_unit)),
                   example);
    }
    return limit;
  }

  const std::string& path_;
  Budgets budgets_;
};

}  // namespace

Result<Budgets> parse_budgets(std::string_view text, const std::string& path) {
  const auto parsed = toml::parse(text);
  if (!parsed) {
    const auto& problem = parsed.error();
    const auto& at = problem.source().begin;
    return fail(fmt::format("{}:{}:{}: not TOML: {}; write entries like time = \"5%\"", path, at.line,
                            at.column, printable(problem.description())));
  }
  return Reader(path).read(parsed.table());
}

Result<Budgets> read_budgets(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  // A directory opens, but does not read.
  if (!file ||
      !(file.peek() == std::ifstream::traits_type::eof() ? !file.bad() : bool(text << file.rdbuf()))) {
    return fail(fmt::format("cannot read the budgets {}: {}; docs/budgets.md shows how to write one", path,
                            std::strerror(errno)));
  }
  return parse_budgets(text.str(), path);
}

}  // namespace tare
