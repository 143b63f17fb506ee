// Which metrics to trade against each other: --x, --y, --size, --require, --of, --base.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "bench/compare/pareto.hpp"

namespace tare::cli {

struct TradeOptions {
  std::string x;
  std::string y;
  std::string size;
  std::string of;
  std::string base;
  std::vector<std::string> required;

  void add_to(CLI::App& app);
  [[nodiscard]] Result<ParetoRequest> request() const;
};

}  // namespace tare::cli
