// From two results to verdicts.
//
// Live pairs: each process gives one log-ratio of its undisturbed values (process_values.hpp); their centre
// and interval come from signed ranks (ranks.hpp), the looks on the way are paid for by spending alpha
// (sequential.hpp). Stored runs: the processes of one side against those of the other by rank sums; drift
// between the runs is part of the answer, and the comparison says so. Exact metrics are compared exactly.
//
// A verdict needs the corrected p value of "no difference" at or below 1 − confidence; "same" needs the
// interval of two one-sided tests within the margin; anything else is undecided, with the number of processes
// it would take. A difference that only a side's disturbances could have made is undecided too.
#pragma once

#include <set>

#include "bench/compare/fairness.hpp"
#include "bench/model/comparison.hpp"

namespace tare {

enum class Correction { holm, benjamini_hochberg, none };
const char* name_of(Correction correction);

struct CompareOptions {
  double confidence = 0.95;
  double margin = 0.01;  ///< within which the sides are called the same
  Correction correction = Correction::holm;
  std::set<std::string> allowed;  ///< fields that may differ
};

/// When the pairs so far were looked at. Alpha is spent for every look, so each must be told.
struct Looks {
  double alpha = 0.05;            ///< of the stopping rule: shared out among the comparisons of a suite
  std::vector<double> fractions;  ///< of the budget, ascending
};

/// n pairs of processes are never surer than 2 in 2ⁿ: the least n that can be as sure as alpha.
std::size_t fewest_pairs(double alpha);
/// Those for 1 in 20.
inline constexpr std::size_t least_pairs = 6;

/// Whether the pairs so far decide that the sides differ. Looks only now and then (the record is in `looks`),
/// and always when the fraction is 1.
bool decides(const BenchmarkResult& before, const BenchmarkResult& after, double fraction, Looks& looks);

/// Every metric that both sides have. Verdicts wait for conclude().
BenchmarkComparison compare_pairs(const BenchmarkResult& before, const BenchmarkResult& after,
                                  const Looks& looks, const CompareOptions& options);
BenchmarkComparison compare_unpaired(const BenchmarkResult& before, const BenchmarkResult& after,
                                     const CompareOptions& options);

/// Corrects the p values of the times over all benchmarks, and those of all other metrics together, then
/// gives verdicts and the geometric mean.
void conclude(Comparison& comparison, const CompareOptions& options);

/// Two stored runs, benchmark by benchmark.
Comparison compare_runs(const Run& before, const Run& after, const CompareOptions& options);

}  // namespace tare
