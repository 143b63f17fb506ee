#include "bench/define/context.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>

#include "bench/define/parameters.hpp"

namespace tare {

Context::Context(BenchmarkId id, std::uint64_t seed, Driver& driver) : id_(std::move(id)), driver_(driver) {
  notes_.workload.seed = seed;
  for (const auto& [key, value] : id_.parameters) {
    if (key == "threads") threads_ = static_cast<int>(detail::to_integer(value).value_or(1));
  }
  notes_.workload.threads = threads_;
}

const std::string& Context::text(std::string_view key) const {
  for (const auto& [known, value] : id_.parameters) {
    if (known == key) return value;
  }
  throw std::invalid_argument(fmt::format("benchmark '{}' has no parameter '{}'", id_.full(), key));
}

std::int64_t Context::integer(std::string_view key) const {
  auto value = detail::to_integer(text(key));
  if (!value) throw std::invalid_argument(fmt::format("parameter '{}': {}", key, value.error().message));
  return *value;
}

double Context::real(std::string_view key) const {
  auto value = detail::to_double(text(key));
  if (!value) throw std::invalid_argument(fmt::format("parameter '{}': {}", key, value.error().message));
  return *value;
}

Context& Context::items(double n) {
  notes_.throughput.items = n;
  return *this;
}

Context& Context::bytes(double n) {
  notes_.throughput.bytes = n;
  return *this;
}

Context& Context::flops(double n) {
  notes_.throughput.flops = n;
  return *this;
}

Context& Context::label(std::string text) {
  notes_.label = std::move(text);
  return *this;
}

Context& Context::counter(Counter counter) {
  if (counter.name.empty()) throw std::invalid_argument("a counter needs a name");
  auto& all = notes_.counters;
  const auto same =
      std::find_if(all.begin(), all.end(), [&](const Counter& c) { return c.name == counter.name; });
  if (same == all.end()) {
    all.push_back(std::move(counter));
  } else {
    *same = std::move(counter);
  }
  return *this;
}

Context& Context::share(std::string name, std::uint64_t successes, std::uint64_t trials) {
  if (trials == 0 || successes > trials)
    throw std::invalid_argument(
        fmt::format("share '{}': {} successes of {} trials", name, successes, trials));
  return counter({std::move(name), static_cast<double>(successes), "1", Better::more, Nature::share, trials});
}

Context& Context::explain(std::function<std::vector<ModeBreakdown>()> trace,
                          std::function<ProgramText()> program) {
  notes_.explain = std::move(trace);
  notes_.program = std::move(program);
  return *this;
}

Context& Context::before_sample(std::function<void()> function) {
  notes_.before_sample = std::move(function);
  return *this;
}

Context& Context::after_sample(std::function<void()> function) {
  notes_.after_sample = std::move(function);
  return *this;
}

Context& Context::synchronise(std::function<void()> function) {
  notes_.synchronise = std::move(function);
  return *this;
}

void Context::skip(std::string reason) {
  throw Skipped{std::move(reason)};
}

void Context::begin() {
  if (notes_.measured) {
    throw std::logic_error(
        fmt::format("benchmark '{}' measures twice; make it two benchmarks or phases", id_.full()));
  }
  notes_.measured = true;
}

}  // namespace tare
