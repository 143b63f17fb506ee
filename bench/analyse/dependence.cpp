#include "bench/analyse/dependence.hpp"

#include <algorithm>
#include <cmath>

namespace tare {
namespace {

struct Products {
  double neighbours = 0;
  double squares = 0;
};

void add_products(Values series, Products& products) {
  if (series.size() < 3) return;
  const double centre = *mean(series);
  for (std::size_t i = 0; i < series.size(); ++i) {
    products.squares += (series[i] - centre) * (series[i] - centre);
    if (i > 0) products.neighbours += (series[i] - centre) * (series[i - 1] - centre);
  }
}

std::optional<double> ratio(const Products& products) {
  if (!(products.squares > 0)) return std::nullopt;
  return products.neighbours / products.squares;
}

}  // namespace

std::optional<double> lag1(std::span<const std::vector<double>> series) {
  Products products;
  for (const auto& one : series) add_products(one, products);
  return ratio(products);
}

std::optional<double> lag1(Values series) {
  Products products;
  add_products(series, products);
  return ratio(products);
}

double dependence(double lag1, double n) {
  return std::clamp((n * lag1 + 1) / std::max(n - 4, n / 2), 0.0, 0.9);
}

double variance_inflation(double phi, double n) {
  return (1 + phi) / (1 - phi) - 2 * phi * (1 - std::pow(phi, n)) / (n * (1 - phi) * (1 - phi));
}

std::optional<double> effective_n(Values series) {
  const auto r = lag1(series);
  if (!r) return std::nullopt;
  const auto n = static_cast<double>(series.size());
  return n / variance_inflation(dependence(*r, n), n);
}

}  // namespace tare
