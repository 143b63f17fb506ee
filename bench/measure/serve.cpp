#include "bench/measure/serve.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <fmt/format.h>

#include "bench/define/context.hpp"
#include "bench/measure/channel.hpp"
#include "bench/measure/meters/resources.hpp"
#include "bench/measure/overhead.hpp"
#include "bench/measure/passes.hpp"
#include "bench/measure/protocol.hpp"
#include "bench/model/json.hpp"

namespace tare {
namespace {

/// The controller is gone or said quit while a benchmark was prepared: unwinds through the benchmark's
/// function, so that its destructors run.
struct Leave {};

Json good(Json payload) {
  return {{"ok", std::move(payload)}};
}
Json failed(const std::string& message) {
  return {{"failed", message}};
}

class Server final : public Driver {
 public:
  Server(const Registry& registry, int descriptor) : registry_(registry), channel_(descriptor) {}

  void run() {
    try {
      send(to_json(Hello{protocol_version, registry_.build()}));
      auto instances = registry_.instances();
      for (;;) {
        const Request request = next();
        if (!instances) {
          send(failed(instances.error().message));
        } else if (std::holds_alternative<ListRequest>(request)) {
          send(good(listed(*instances)));
        } else if (const auto* prepare = std::get_if<PrepareRequest>(&request)) {
          run_one(*instances, *prepare);
        } else {
          send(failed("prepare a benchmark first"));
        }
      }
    } catch (const Leave&) {
      return;
    }
  }

  void drive(Body& body) override {
    auto& notes = context_->notes();
    static const HarnessCost harness = measure_harness();
    const bool batches = !(body.phases().size() == 1 && body.phases().front().empty());
    Preparation preparation{notes.workload,
                            notes.throughput,
                            notes.label,
                            body.phases(),
                            body.granularity(),
                            static_cast<bool>(notes.check),
                            body.told(),
                            harness.resolution_ns,
                            harness.overhead,
                            body.cold_ns(),
                            static_cast<bool>(notes.explain)};
    if (body.told()) preparation.overhead = {};
    if (batches) preparation.overhead = overhead_per_batch(harness.overhead, body.granularity());
    send(good(to_json(preparation)));
    for (;;) {
      const Request request = next();
      if (std::holds_alternative<FinishRequest>(request)) return;
      send(answer(request, body));
    }
  }

 private:
  Request next() {
    for (;;) {
      auto line = channel_.read_line(Instant::max());
      if (!line) throw Leave{};
      auto request = parse_json(*line).and_then([](const Json& json) { return request_from_json(json); });
      if (!request) {
        send(failed(request.error().message));
        continue;
      }
      if (std::holds_alternative<QuitRequest>(*request)) throw Leave{};
      return *request;
    }
  }

  void send(const Json& json) {
    if (!channel_.write_line(to_text(json))) throw Leave{};
  }

  static Json listed(const std::vector<Instance>& instances) {
    Json all = Json::array();
    for (const auto& instance : instances)
      all.push_back(to_json(Listed{instance.id, instance.tags, instance.label}));
    return all;
  }

  void run_one(const std::vector<Instance>& instances, const PrepareRequest& request) {
    const auto found = std::find_if(instances.begin(), instances.end(),
                                    [&](const Instance& i) { return i.id == request.id; });
    if (found == instances.end())
      return send(failed(fmt::format("no benchmark named '{}'", request.id.full())));
    Context context(found->id, request.seed, *this);
    context.label(found->label);
    context_ = &context;
    try {
      (*found->function)(context);
      if (!context.notes().measured) {
        return send(
            failed("the benchmark ended without calling measure(); call skip(\"why\") if that is meant"));
      }
      send(good(finished(context.notes())));
    } catch (const Skipped& skipped) {
      send({{"skipped", skipped.reason}});
    } catch (const std::exception& problem) {
      send(failed(problem.what()));
    }
  }

  static Json finished(const Notes& notes) {
    Json counters = Json::array();
    for (const auto& c : notes.counters) {
      counters.push_back(to_json(
          Metric{c.name, c.unit, c.better, c.nature, "measured", {}, {{0, c.trials, c.value, {}}}, {}}));
    }
    return {{"counters", counters}, {"label", notes.label}};
  }

  Json answer(const Request& request, Body& body) {
    const auto wrong_count = [&](std::uint64_t n) { return n % body.granularity() != 0; };
    if (const auto* sample = std::get_if<SampleRequest>(&request)) {
      if (wrong_count(sample->iterations)) return failed("the iterations are no multiple of the granularity");
      return good(take_samples(*sample, body));
    }
    if (const auto* check = std::get_if<CheckRequest>(&request)) {
      if (!context_->notes().check) return failed("this benchmark has no check");
      const auto result = context_->notes().check(check->seed);
      return good(to_json(Checked{result.passed, result.message, result.error}));
    }
    if (const auto* meter = std::get_if<MeterRequest>(&request)) {
      if (wrong_count(meter->options.iterations))
        return failed("the iterations are no multiple of the granularity");
      Json metrics = Json::array();
      for (const auto& metric : run_meter(meter->meter, body, meter->options))
        metrics.push_back(to_json(metric));
      return good(metrics);
    }
    if (const auto* explain = std::get_if<ExplainRequest>(&request)) return explanation(*explain);
    return failed("finish the prepared benchmark first");
  }

  Json explanation(const ExplainRequest& request) {
    const auto& notes = context_->notes();
    if (!notes.explain)
      return failed("this benchmark cannot be explained: it does not tell its operations (Context::explain)");
    Explanation told;
    for (std::uint64_t i = 0; i < request.count; ++i) told.traces.push_back(notes.explain());
    if (request.program && notes.program) told.program = notes.program();
    return good(to_json(told));
  }

  Json take_samples(const SampleRequest& request, Body& body) {
    const auto& notes = context_->notes();
    std::vector<Reading> readings(request.count,
                                  Reading{std::vector<double>(body.phases().size(), 0.0), 0, {}});
    for (auto& reading : readings) {
      if (notes.before_sample) notes.before_sample();
      const auto before = interference_.now();
      const auto cpu = thread_cpu_ns();
      const double begun = clock_ns();
      body.time(request.iterations, reading.totals.data());
      reading.wall_ns = clock_ns() - begun;
      const auto ran = static_cast<double>(thread_cpu_ns() - cpu);
      reading.interference = within_region(difference(before, interference_.now()), reading.wall_ns, ran);
      if (notes.after_sample) notes.after_sample();
    }
    Json all = Json::array();
    for (const auto& reading : readings) all.push_back(to_json(reading));
    return all;
  }

  const Registry& registry_;
  Channel channel_;
  Context* context_ = nullptr;
  InterferenceMeter interference_;
};

}  // namespace

std::optional<int> worker_descriptor() {
  const char* text = std::getenv(worker_variable);
  if (text == nullptr) return std::nullopt;
  int descriptor = -1;
  const auto [end, code] = std::from_chars(text, text + std::strlen(text), descriptor);
  if (code != std::errc{} || *end != '\0' || ::fcntl(descriptor, F_GETFD) < 0) return std::nullopt;
  // What the benchmark itself starts must neither speak on our socket nor believe it is a worker.
  ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  ::unsetenv(worker_variable);
  if (const char* heap = std::getenv(heap_variable)) {
    // Never freed on purpose: everything allocated later lies that much further on.
    [[maybe_unused]] static void* const offset =
        std::malloc(std::strtoul(heap, nullptr, 10) % (std::size_t{1} << 20) + 1);
  }
  return descriptor;
}

void serve(const Registry& registry, int descriptor) {
  Server(registry, descriptor).run();
}

}  // namespace tare
