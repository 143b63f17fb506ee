// Where a command's result goes and in which form: --format and --out.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "bench/model/comparison.hpp"
#include "bench/support/result.hpp"

namespace tare::cli {

struct OutputOptions {
  std::string format = "text";
  std::vector<std::string> formats{"text", "json", "csv", "markdown", "samples"};
  std::string path;

  void add_to(CLI::App& app);
  /// The run in the chosen format.
  std::string render(const Run& run) const;
  std::string render(const Comparison& comparison) const;  ///< text, json or markdown
  /// To the file, whole or not at all, or to standard output.
  Status write(const std::string& text) const;
  /// Whether write() will be able to: asked before the measuring starts.
  Status ready() const;
};

/// Writes a new file beside the path and renames it: a half-written file never replaces a good one.
Status write_file(const std::string& path, const std::string& text);

}  // namespace tare::cli
