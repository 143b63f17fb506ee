// Many tests at once: p values adjusted over a whole suite, so that each may be held against alpha itself.
//
// Holm (1979) bounds the probability of even one false alarm, whatever the dependence. Benjamini and Hochberg
// (1995) bound the expected share of false alarms among the findings, for independent or positively dependent
// tests. Tests without a p are skipped: they neither count nor get one. The order is the caller's.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace tare {

/// A p outside [0, 1] throws std::invalid_argument.
std::vector<std::optional<double>> holm(std::span<const std::optional<double>> p);
std::vector<std::optional<double>> benjamini_hochberg(std::span<const std::optional<double>> p);

}  // namespace tare
