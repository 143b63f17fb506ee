#include "bench/measure/bare.hpp"

#include <fmt/format.h>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_TOGGLE_COLLECT
#endif

#include <algorithm>
#include <cstdlib>
#include <exception>

#include "bench/define/context.hpp"

namespace tare {
namespace {

class ToggleProbe final : public Probe {
 public:
  void start() override { CALLGRIND_TOGGLE_COLLECT; }
  void stop(std::size_t) override { CALLGRIND_TOGGLE_COLLECT; }
};

class BareDriver final : public Driver {
 public:
  explicit BareDriver(std::uint64_t iterations) : iterations_(iterations) {}
  // A batch chosen by the clock would differ from run to run.
  std::uint64_t batch() const override { return 1; }
  void drive(Body& body) override {
    NoProbe none;
    body.probe(body.granularity(), none);  // what happens only once is not part of an iteration
    ToggleProbe probe;
    body.probe(iterations_, probe);
  }

 private:
  std::uint64_t iterations_;
};

}  // namespace

std::optional<BareRequest> bare_request() {
  const char* name = std::getenv(bare_benchmark_variable);
  const char* iterations = std::getenv(bare_iterations_variable);
  const char* seed = std::getenv(bare_seed_variable);
  if (name == nullptr || iterations == nullptr) return std::nullopt;
  return BareRequest{name, std::max<std::uint64_t>(std::strtoull(iterations, nullptr, 10), 1),
                     seed == nullptr ? 1 : std::strtoull(seed, nullptr, 10)};
}

Status run_bare(const Registry& registry, const BareRequest& request) {
  auto instances = registry.instances();
  if (!instances) return std::move(instances).error();
  const auto found = std::find_if(instances->begin(), instances->end(),
                                  [&](const Instance& i) { return i.id.full() == request.benchmark; });
  if (found == instances->end()) return fail(fmt::format("no benchmark named '{}'", request.benchmark));
  BareDriver driver(request.iterations);
  Context context(found->id, request.seed, driver);
  try {
    (*found->function)(context);
  } catch (const Skipped& skipped) {
    return fail("skipped: " + skipped.reason);
  } catch (const std::exception& problem) {
    return fail(problem.what());
  }
  return ok();
}

}  // namespace tare
