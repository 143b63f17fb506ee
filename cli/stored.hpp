// Opening the store: what the commands that read it, or change what is in it, share.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "bench/store/store.hpp"

namespace tare::cli {

void add_store_option(CLI::App& app, std::string& path);
/// The default store when the path is empty. The Error says how to make one when there is none yet.
Result<Store> open_store(const std::string& path, Store::Mode mode = Store::Mode::read_only);

}  // namespace tare::cli
