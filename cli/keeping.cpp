#include "cli/keeping.hpp"

#include <chrono>

#include "bench/support/text.hpp"
#include "cli/terminal.hpp"

namespace tare::cli {
namespace {

std::int64_t now_unix_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

}  // namespace

void KeepingOptions::add_to(CLI::App& app) {
  app.add_option("--note", notes, "Remember this with the run; may be given several times")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  auto* path = app.add_option("--store", store, "The results database, instead of .tare/results.db")
                   ->type_name("PATH");
  app.add_option("--wait", wait, "How long to wait for another process that is writing to the store")
      ->capture_default_str();
  app.add_flag("--no-store", none, "Do not keep the results")->excludes(path);
}

Result<Tags> KeepingOptions::tags() const {
  Tags tags;
  for (const auto& text : notes) {
    auto pair = parse_assignment(text);
    if (!pair) return fail("--note: " + pair.error().message);
    tags.insert(*pair);
  }
  return tags;
}

std::string KeepingOptions::path(const std::string& directory) const {
  return store.empty() ? default_store_path(directory) : store;
}

Result<Keeper> Keeper::open(const KeepingOptions& options, const std::string& directory) {
  auto wait = parse_duration(options.wait);
  if (!wait) return fail("--wait: " + wait.error().message);
  Keeper keeper;
  if (options.none) return keeper;
  auto opened = Store::open(options.path(directory), Store::Mode::create,
                            std::chrono::ceil<std::chrono::milliseconds>(*wait));
  if (!opened) return std::move(opened).error();
  keeper.store_.emplace(std::move(*opened));
  return keeper;
}

Status Keeper::begin(Run& run) {
  if (!keeps()) return ok();
  auto id = store_->begin_run(run);
  if (!id) return std::move(id).error();
  run.id = *id;
  return ok();
}

void Keeper::add(const Run& run, const BenchmarkResult& result) {
  if (!keeps()) return;
  if (auto added = store_->add_result(run.id, result); !added) trouble(added.error());
}

void Keeper::finish(const Run& run) {
  if (!keeps()) return;
  if (auto finished = store_->finish_run(run.id, now_unix_ms()); !finished) trouble(finished.error());
}

void Keeper::trouble(const Error& error) {
  problem_ = true;
  complain(error.message + "; the results from here on are only printed");
}

}  // namespace tare::cli
