// Showing a stored run: the command show, and showing a baseline.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/output.hpp"

namespace tare::cli {

struct ShowOptions {
  std::string run = "last";
  std::string benchmark;
  std::string store;
  bool ascii = false;
  OutputOptions output;

  /// Everything but the run, which each command names in its own way.
  void add_to(CLI::App& command);
};

int show(const ShowOptions& options);

}  // namespace tare::cli
