// How much neighbouring samples resemble each other, and how many independent values a series is worth.
//
// Model: AR(1). The lag-1 autocorrelation r is read around the mean and is biased downwards by about
// (1 + 4φ) / n (Kendall 1954); φ = (n r + 1) / (n − 4) takes that off (n / 2 below 8), kept within 0 … 0.9.
// Negative dependence is not rewarded: it would make intervals narrower on the strength of a noisy estimate.
// Limits: dependence at longer lags only (a period, a slow oscillation) is not seen by lag 1.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "bench/analyse/estimators.hpp"

namespace tare {

/// Several series pooled: each around its own mean, no product across a boundary. A series of one value has
/// no neighbour and does not count. Undefined below three values in a series, or without spread.
std::optional<double> lag1(std::span<const std::vector<double>> series);
std::optional<double> lag1(Values series);

/// φ of an AR(1) process from the lag-1 autocorrelation of n values, bias taken off, within 0 … 0.9.
double dependence(double lag1, double n);

/// Var(mean of n values of an AR(1) process) / (σ² / n), exactly: 1 when φ = 0.
double variance_inflation(double phi, double n);

/// n / variance_inflation: between 1 and n.
std::optional<double> effective_n(Values series);

}  // namespace tare
