// Parameter values: lists, ranges and steps. Several parameters of one benchmark make a product.
// ParameterValues are text, as they stand in the benchmark's name; Context::param<T>() reads them back.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "bench/support/result.hpp"

namespace tare {

using ParameterValues = std::vector<std::string>;

/// first, first·factor, … and last itself: range(8, 512, 8) is 8, 64, 512.
ParameterValues range(std::int64_t first, std::int64_t last, std::int64_t factor = 2);
/// first, first+step, … up to last: steps(0, 10, 5) is 0, 5, 10.
ParameterValues steps(std::int64_t first, std::int64_t last, std::int64_t step = 1);

ParameterValues list(std::initializer_list<const char*> values);
template <std::integral T>
ParameterValues list(std::initializer_list<T> values) {
  ParameterValues texts;
  for (const T value : values) texts.push_back(std::to_string(value));
  return texts;
}

namespace detail {
Result<std::int64_t> to_integer(const std::string& text);
Result<double> to_double(const std::string& text);
}  // namespace detail

}  // namespace tare
