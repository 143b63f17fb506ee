#include "cli/stored.hpp"

#include <filesystem>
#include <fmt/format.h>

namespace tare::cli {

void add_store_option(CLI::App& app, std::string& path) {
  app.add_option("--store", path, "The results database, instead of .tare/results.db")->type_name("PATH");
}

Result<Store> open_store(const std::string& path, Store::Mode mode) {
  std::error_code problem;
  const auto chosen =
      path.empty() ? default_store_path(std::filesystem::current_path(problem).string()) : path;
  if (path.empty() && !std::filesystem::exists(chosen, problem)) {
    return fail(fmt::format("there is no store yet ({}); 'tare run BINARY' makes one", chosen));
  }
  return Store::open(chosen, mode);
}

}  // namespace tare::cli
