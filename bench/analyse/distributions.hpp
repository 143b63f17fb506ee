// The probability distributions the statistics need, evaluated by Boost.Math.
// This is the one place that sees Boost's headers; everybody else includes these plain functions.
// A parameter outside its domain throws std::domain_error that names the function and the values.
#pragma once

namespace tare {

double normal_cdf(double x);
double normal_quantile(double p);

double student_cdf(double t, double degrees);
double student_quantile(double p, double degrees);

/// Of (Z + noncentrality) / √(χ² / degrees).
double noncentral_student_cdf(double t, double degrees, double noncentrality);

double f_cdf(double x, double degrees1, double degrees2);
double chi_squared_cdf(double x, double degrees);
double chi_squared_quantile(double p, double degrees);

double beta_cdf(double x, double a, double b);
double beta_quantile(double p, double a, double b);

/// P(X ≤ successes) for X binomial(trials, p); 0 for a negative number of successes.
double binomial_cdf(double successes, double trials, double p);

}  // namespace tare
