#pragma once
#include <optional>
#include <span>
#include <vector>
namespace tare {
std::vector<std::optional<double>> holm(std::span<const std::optional<double>> p);
std::vector<std::optional<double>> benjamini_hochberg(std::span<const std::optional<double>> p);
}
