#include "cli/hypotheses.hpp"

#include <fmt/format.h>
#include <fstream>
#include <regex>
#include <sstream>

#include "bench/support/text.hpp"
#include "bench/support/toml.hpp"

namespace tare::cli {
namespace {

Result<std::vector<std::string>> texts(const toml::node& node) {
  std::vector<std::string> all;
  if (const auto one = node.value<std::string>()) return std::vector{*one};
  if (const auto* array = node.as_array()) {
    for (const auto& element : *array) {
      const auto text = element.value<std::string>();
      if (!text) return fail("must be a text or a list of texts");
      all.push_back(*text);
    }
  }
  if (all.empty()) return fail("must be a text or a list of texts");
  return all;
}

Status read_field(Hypothesis& h, std::string_view key, const toml::node& node) {
  const auto text = [&](std::string& into) -> Status {
    const auto value = node.value<std::string>();
    if (!value || value->empty()) return fail("must be a text");
    into = *value;
    return ok();
  };
  if (key == "claim") return text(h.claim);
  if (key == "metric") return text(h.metric);
  if (key == "per") return text(h.per);
  if (key == "filter") {
    if (auto read = text(h.filter); !read) return read;
    try {
      static_cast<void>(std::regex(h.filter));
    } catch (const std::regex_error& problem) {
      return fail(fmt::format("is no regular expression: {}", problem.what()));
    }
    return ok();
  }
  if (key == "of" || key == "to") {
    auto list = texts(node);
    if (!list) return list.error();
    (key == "of" ? h.of : h.to) = std::move(*list);
    return ok();
  }
  if (key == "over") {
    std::string over;
    if (auto read = text(over); !read) return read;
    if (over != "each" && over != "geometric mean") return fail("must be \"each\" or \"geometric mean\"");
    h.each = over == "each";
    return ok();
  }
  if (key == "at_most") {
    const auto value = node.value<double>();
    if (!value || !(*value >= 0)) return fail("must be a number of at least 0");
    h.at_most = *value;
    return ok();
  }
  return fail("is no field of a hypothesis; those are claim, metric, per, filter, of, to, over, at_most");
}

Result<Hypothesis> hypothesis_of(const toml::table& table, std::size_t number) {
  Hypothesis h;
  bool bounded = false;
  for (const auto& [key, node] : table) {
    if (auto read = read_field(h, key.str(), node); !read) {
      return fail(fmt::format("hypothesis {}: '{}' {}", number, printable(key.str()), read.error().message));
    }
    bounded = bounded || key == "at_most";
  }
  for (const auto& [missing, name] :
       {std::pair{h.claim.empty(), "claim"}, std::pair{h.of.empty(), "of"}, std::pair{!bounded, "at_most"}}) {
    if (missing) return fail(fmt::format("hypothesis {}: '{}' is missing", number, name));
  }
  return h;
}

}  // namespace

Result<std::vector<Hypothesis>> parse_hypotheses(std::string_view text) {
  const auto parsed = toml::parse(text);
  if (!parsed) {
    const auto& problem = parsed.error();
    return fail(fmt::format("line {}: {}", problem.source().begin.line, problem.description()));
  }
  const auto& file = parsed.table();
  std::vector<Hypothesis> all;
  for (const auto& [key, node] : file) {
    const auto* list = key == "hypothesis" ? node.as_array() : nullptr;
    if (list == nullptr)
      return fail(fmt::format("'{}' is not expected here; write [[hypothesis]]", printable(key.str())));
    for (const auto& element : *list) {
      const auto* table = element.as_table();
      if (table == nullptr) return fail("'hypothesis' must be a list of tables: write [[hypothesis]]");
      auto one = hypothesis_of(*table, all.size() + 1);
      if (!one) return one.error();
      all.push_back(std::move(*one));
    }
  }
  return all;
}

Result<std::vector<Hypothesis>> read_hypotheses(const std::string& path) {
  const std::ifstream file(path);
  if (!file) return fail(fmt::format("cannot read {}", printable(path)));
  std::stringstream text;
  text << file.rdbuf();
  auto all = parse_hypotheses(text.str());
  if (!all) return fail(fmt::format("{}: {}", printable(path), all.error().message));
  return all;
}

}  // namespace tare::cli
