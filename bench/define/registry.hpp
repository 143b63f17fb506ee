// The benchmarks of a binary: a function and a registration line each. Parameters and thread counts multiply
// one definition into instances, each with its own name.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/define/build.hpp"
#include "bench/define/parameters.hpp"
#include "bench/model/run.hpp"

namespace tare {

class Context;
using Function = std::function<void(Context&)>;

class Definition {
 public:
  Definition(std::string name, Function function, Build build)
      : name_(std::move(name)), function_(std::move(function)), build_(std::move(build)) {}

  /// Multiplies the benchmark: one instance per value, with key=value in its name.
  Definition& param(std::string key, ParameterValues values);
  /// The body runs on that many threads at once; adds the parameter "threads".
  Definition& threads(const std::vector<int>& counts);
  Definition& tag(std::string key, std::string value);
  Definition& label(std::string text);

 private:
  friend class Registry;
  std::string name_;
  Function function_;
  Build build_;
  std::vector<std::pair<std::string, ParameterValues>> parameters_;
  Tags tags_;
  std::string label_;
};

/// One definition with one value for each of its parameters.
struct Instance {
  BenchmarkId id;
  Tags tags;
  std::string label;
  const Function* function = nullptr;
};

class Registry {
 public:
  Definition& add(std::string name, Function function, Build build);
  /// All instances in order of registration. An Error when two have the same name.
  [[nodiscard]] Result<std::vector<Instance>> instances() const;
  [[nodiscard]] Build build() const;  ///< of the first definition's source file

 private:
  std::vector<std::unique_ptr<Definition>> definitions_;
};

/// The binary's own registry, filled by TARE_BENCHMARK before main().
Registry& registry();

}  // namespace tare

#define TARE_DETAIL_JOIN2(a, b) a##b
#define TARE_DETAIL_JOIN(a, b) TARE_DETAIL_JOIN2(a, b)
/// TARE_BENCHMARK("name", function) or TARE_BENCHMARK("name", [](tare::Context& c) { … }), then .param(…) and
/// so on.
#define TARE_BENCHMARK(name, ...)                                                              \
  [[maybe_unused]] static ::tare::Definition& TARE_DETAIL_JOIN(tare_benchmark_, __COUNTER__) = \
      ::tare::registry().add(name, __VA_ARGS__, ::tare::build_of_this_file())
