// Looking at the data while measuring goes on, without more false alarms: group-sequential looks with alpha
// spending, for the two-sided test of "no difference".
//
// The largest budget is known beforehand, so each look has a fraction of it, in (0, 1]. A spending function
// says how much of alpha may have been used up to a fraction, and the nominal level of a look is what makes
// the probability of a false alarm at or before it exactly that (Lan and DeMets 1983; number and times of the
// looks need not be planned, but must not follow the differences seen). The probabilities are those of a
// Brownian motion between boundaries, by recursive integration (Armitage, McPherson and Rowe 1969; Jennison
// and Turnbull 2000, chapter 19) on Gauss-Legendre panels; the motion is symmetric under the null, so only
// its distance from zero is followed.
//
// A test statistic enters through its own nominal p value: the significance-level approach, which carries the
// boundaries over to other statistics of independent values (Jennison and Turnbull 2000, section 3.8). What
// that gives for the ranks that verdicts come from, ranks.hpp shows.
//
// The power r of the spending function, for signed ranks of up to 40 normal values under the looks shown
// there, whose true centre is d deviations away: probability of finding it (one t test of all 40 values:
// 0.46, 0.81, 0.98) and mean number of values taken.
//
//                 alpha = 0.05                                       alpha = 0.00025
//   r     d = 0.3      0.46         0.65         1         3          0.65         1            3
//   1     0.36 35.7    0.71 30.2    0.95 22.6    1 14.4    1 10.0     0.39 37.5    0.95 28.7    1 18.0
//   1.5   0.39 35.8    0.74 30.3    0.96 23.0    1 15.1    1 10.0     0.43 37.3    0.96 28.5    1 18.0
//   2     0.40 36.1    0.76 30.8    0.97 23.7    1 16.0    1 12.0     0.45 37.3    0.96 28.6    1 18.0
//   3     0.43 36.6    0.78 31.8    0.97 25.2    1 17.6    1 12.1     0.47 37.4    0.97 29.1    1 18.1
//
// r = 2 loses at most 6 points of power to the one test at 0.05, half of what r = 1 loses, and ends after a
// third of the budget where the difference is plain.
#pragma once

#include <span>
#include <vector>

namespace tare {

/// How much of `alpha` may be spent up to this fraction of the budget: alpha · fractionʳ with r = 2 (the
/// power family, Kim and DeMets 1987).
double spent_alpha(double fraction, double alpha);

/// The two-sided significance level of each look. The fractions ascend; looks closer together than 1e-4 are
/// treated as if they were 1e-4 apart. `final_look`: the last of these looks ends the measuring whatever its
/// fraction, so it spends what remains. Only right if the reason for ending was not the difference seen.
std::vector<double> nominal_levels(std::span<const double> fractions, double alpha, bool final_look = false);

/// The p value of a measurement that ended at the last of these fractions with this nominal two-sided p, by
/// stage-wise ordering: an earlier crossing is more extreme than a later one (Tsiatis, Rosner and Mehta
/// 1984). `levels` are those of the same fractions; the last one is not used. At a crossing, and at a final
/// look, it is at most alpha exactly when the nominal p is at most the level of that look.
double sequential_p(std::span<const double> fractions, std::span<const double> levels, double nominal_p);

}  // namespace tare
