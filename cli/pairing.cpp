#include "cli/pairing.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <regex>

#include "bench/support/text.hpp"

namespace tare::cli {
namespace {

using Keyed = std::vector<std::pair<std::string, Listed>>;

Result<Catalogue> catalogue_of(Selection selection, const std::string& binary, const Starter& start) {
  selection.binaries = {binary};
  return choose(selection, start);
}

/// The benchmarks that match, by what their names say besides the match.
Result<Keyed> found_in(const Catalogue& catalogue, const std::string& pattern) {
  try {
    const std::regex expression(pattern);
    Keyed found;
    for (const auto& [_, listed] : catalogue.benchmarks) {
      const auto name = listed.id.full();
      std::smatch match;
      if (!std::regex_search(name, match, expression)) continue;
      found.emplace_back(fmt::format("{}\x1f{}", match.prefix().str(), match.suffix().str()), listed);
    }
    if (found.empty()) {
      return fail(fmt::format("--between: no benchmark matches '{}'; 'tare list {}' shows them",
                              printable(pattern), catalogue.binaries.front().path));
    }
    return found;
  } catch (const std::regex_error& problem) {
    return fail(
        fmt::format("--between: '{}' is not a regular expression: {}", printable(pattern), problem.what()));
  }
}

Keyed with_value(const Catalogue& catalogue, const std::string& key, const std::string& value) {
  Keyed found;
  for (const auto& [_, listed] : catalogue.benchmarks) {
    auto id = listed.id;
    const auto parameter = std::find_if(id.parameters.begin(), id.parameters.end(),
                                        [&](const auto& p) { return p.first == key && p.second == value; });
    if (parameter == id.parameters.end()) continue;
    parameter->second.clear();
    found.emplace_back(id.full(), listed);
  }
  return found;
}

}  // namespace

void pair_by_key(const Keyed& before, const Keyed& after, Pairing& pairing) {
  std::multimap<std::string, const Listed*> partners;
  for (const auto& [key, listed] : after) partners.emplace(key, &listed);
  for (const auto& [key, listed] : before) {
    const auto partner = partners.find(key);
    if (partner == partners.end()) {
      pairing.only_before.push_back(listed.id.full());
      continue;
    }
    pairing.pairs.push_back({listed, *partner->second});
    partners.erase(partner);
  }
  for (const auto& [key, listed] : after) {
    const auto left = partners.find(key);
    if (left != partners.end() && left->second == &listed) pairing.only_after.push_back(listed.id.full());
  }
}

Result<Pairing> pair_binaries(const Selection& selection, const std::string& before, const std::string& after,
                              const Starter& start) {
  auto first = catalogue_of(selection, before, start);
  if (!first) return std::move(first).error();
  auto second = catalogue_of(selection, after, start);
  if (!second) return std::move(second).error();
  const auto by_name = [](const Catalogue& catalogue) {
    Keyed keyed;
    for (const auto& [_, listed] : catalogue.benchmarks) keyed.emplace_back(listed.id.full(), listed);
    return keyed;
  };
  Pairing pairing{first->binaries.front(), second->binaries.front(), {}, {}, {}};
  pair_by_key(by_name(*first), by_name(*second), pairing);
  if (pairing.pairs.empty()) {
    return fail(fmt::format(
        "{} and {} have no benchmark in common: the first has {} and {} others, the second {} and {} others",
        before, after, printable(pairing.only_before.front()), pairing.only_before.size() - 1,
        printable(pairing.only_after.front()), pairing.only_after.size() - 1));
  }
  return pairing;
}

Result<Pairing> pair_between(const Selection& selection, const std::string& before, const std::string& after,
                             const Starter& start) {
  auto catalogue = catalogue_of(selection, selection.binaries.front(), start);
  if (!catalogue) return std::move(catalogue).error();
  auto first = found_in(*catalogue, before);
  if (!first) return std::move(first).error();
  auto second = found_in(*catalogue, after);
  if (!second) return std::move(second).error();
  Pairing pairing{catalogue->binaries.front(), catalogue->binaries.front(), {}, {}, {}};
  if (first->size() == 1 && second->size() == 1) {
    pairing.pairs.push_back({first->front().second, second->front().second});
  } else {
    pair_by_key(*first, *second, pairing);
  }
  if (pairing.pairs.empty()) {
    return fail(
        fmt::format("--between: '{}' finds {} and '{}' finds {} benchmarks, but no two names are alike "
                    "apart from what matched; let each find one, or the part that differs",
                    printable(before), first->size(), printable(after), second->size()));
  }
  return pairing;
}

Result<Pairing> pair_varied(const Selection& selection, const std::string& variation, const Starter& start) {
  auto assignment = parse_assignment(variation);
  if (!assignment) return fail("--vary: " + assignment.error().message);
  const auto& [key, text] = *assignment;
  const auto values = split(text, ',');
  if (values.size() != 2) {
    return fail(
        fmt::format("--vary: '{}' must name two values, such as engine=tape,real", printable(variation)));
  }
  auto catalogue = catalogue_of(selection, selection.binaries.front(), start);
  if (!catalogue) return std::move(catalogue).error();
  Pairing pairing{catalogue->binaries.front(), catalogue->binaries.front(), {}, {}, {}};
  const auto first = with_value(*catalogue, key, values[0]), second = with_value(*catalogue, key, values[1]);
  for (const auto& [found, value] : {std::pair{&first, values[0]}, {&second, values[1]}}) {
    if (found->empty()) {
      return fail(fmt::format("--vary: no benchmark has {}={}; 'tare list {}' shows them", printable(key),
                              printable(value), catalogue->binaries.front().path));
    }
  }
  pair_by_key(first, second, pairing);
  if (pairing.pairs.empty()) {
    return fail(fmt::format("--vary: no two benchmarks differ in {} alone", printable(key)));
  }
  return pairing;
}

}  // namespace tare::cli
