// Which benchmark is compared with which: the same names of two binaries, two groups of one binary, or two
// values of one parameter.
#pragma once

#include "bench/model/comparison.hpp"
#include "cli/pipeline.hpp"

namespace tare::cli {

struct BenchmarkPair {
  Listed before;
  Listed after;
};

struct Pairing {
  Binary before;
  Binary after;
  std::vector<BenchmarkPair> pairs;
  std::vector<std::string> only_before;
  std::vector<std::string> only_after;
};

/// By equal names. An Error when no name is on both sides.
Result<Pairing> pair_binaries(const Selection& selection, const std::string& before, const std::string& after,
                              const Starter& start);
/// Of one binary: names in which the first expression is found, with those in which the second is found at
/// the same place. When each finds just one benchmark, these two are the pair.
Result<Pairing> pair_between(const Selection& selection, const std::string& before, const std::string& after,
                             const Starter& start);
/// Of one binary: "engine=tape,real" pairs what differs in that parameter only.
Result<Pairing> pair_varied(const Selection& selection, const std::string& variation, const Starter& start);

/// Pairs by key: the first of each key on either side. What pairing the lists gives is added to `pairing`.
void pair_by_key(const std::vector<std::pair<std::string, Listed>>& before,
                 const std::vector<std::pair<std::string, Listed>>& after, Pairing& pairing);

}  // namespace tare::cli
