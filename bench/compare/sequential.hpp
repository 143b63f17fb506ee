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
// boundaries over to t tests on few values (Jennison and Turnbull 2000, section 3.8).
//
// Neighbouring t statistics of few values hang together less than a Brownian motion does: with the fraction
// n / N and a look after every value from the 4th on, normal data gave up to 1.26 · alpha false alarms.
// information_fraction() makes up for that. False alarms ÷ alpha by simulation (2 million measurements each,
// held by sequential_simulation_test.cpp; the third column is known to 0.04):
//
//   alpha                                    0.05  0.0025  0.00025
//   normal, 4 … 8 values                     0.96    0.99     1.01
//   normal, 4 … 12                           0.96    0.99     0.96
//   normal, 4 … 20                           0.97    1.00     1.05
//   normal, 4 … 40                           0.95    0.99     1.01
//   normal, 4, 7, 10 … 40                    0.96    0.98     0.98
//   t of 3 degrees, 4 … 40                   0.75    0.46     0.30
//   difference of two log-normals, 4 … 40    0.60    0.21     0.08
//
// The power r of the spending function, for 4 … 40 normal values whose true mean is d deviations away:
// probability of finding it (one t test of all 40 values: 0.46, 0.81, 0.98) and mean number of values taken.
//
//                 alpha = 0.05                                      alpha = 0.00025
//   r     d = 0.3      0.46         0.65         1         3         1            3
//   1     0.36 35.1    0.72 29.0    0.96 21.4    1 13.4    1 6.0     0.95 26.2    1  9.9
//   1.5   0.39 35.3    0.75 29.4    0.96 22.2    1 14.5    1 6.8     0.96 26.2    1 10.4
//   2     0.41 35.6    0.76 30.0    0.97 23.0    1 15.5    1 7.5     0.97 26.4    1 11.0
//   3     0.43 36.2    0.78 31.0    0.97 24.6    1 17.3    1 8.8     0.97 27.1    1 12.0
//
// r = 2 loses at most 5 points of power at 0.05 and 10 at 0.00025 (d = 0.65: 0.44 instead of 0.54), a little
// more than half of what r = 1 loses, and still ends after a fifth of the budget where the difference is
// plain.
#pragma once

#include <span>
#include <vector>

namespace tare {

/// How much of `alpha` may be spent up to this fraction of the budget: alpha · fractionʳ with r = 2 (the
/// power family, Kim and DeMets 1987).
double spent_alpha(double fraction, double alpha);

/// The fraction of a look at a t statistic of so many degrees of freedom, when the whole budget would give
/// `largest_degrees`: ((degrees − 2) / (largest_degrees − 2))^1.2, found by simulation. Needs more than 2
/// degrees; at least the largest counts as 1.
double information_fraction(double degrees, double largest_degrees);

/// The two-sided significance level of each look. The fractions ascend; looks closer together than 1e-4 are
/// treated as if they were 1e-4 apart. `final_look`: the last of these looks ends the measuring whatever its
/// fraction, so it spends what remains. Only right if the reason for ending was not the difference seen.
std::vector<double> nominal_levels(std::span<const double> fractions, double alpha, bool final_look = false);

/// The p value of a measurement that ended at the last of these fractions with this nominal two-sided p, by
/// stage-wise ordering: an earlier crossing is more extreme than a later one (Tsiatis, Rosner and Mehta
/// 1984). `levels` are those of the same fractions; the last one is not used. At a crossing, and at a final
/// look, it is at most alpha exactly when the nominal p is at most the level of that look.
double sequential_p(std::span<const double> fractions, std::span<const double> levels, double nominal_p);

/// Student's t for the repeated confidence interval: centre ± this · standard error excludes the null exactly
/// when the nominal p is below the level. Infinite for a level of 0.
double repeated_quantile(double level, double degrees);

}  // namespace tare
