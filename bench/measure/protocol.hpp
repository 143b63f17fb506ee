// The worker protocol's messages as plain values, and their JSON. docs/protocol.md describes them for workers
// in other languages; this file is the same thing for the compiler. Reading accepts unknown fields.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "bench/model/breakdown.hpp"
#include "bench/model/run.hpp"
#include "bench/support/json.hpp"

namespace tare {

inline constexpr int protocol_version = 1;
/// The descriptor of the worker's socket is in this variable of its environment.
inline constexpr const char* worker_variable = "TARE_WORKER_FD";
/// A worker written with this library moves its heap by that many bytes at start.
inline constexpr const char* heap_variable = "TARE_HEAP_OFFSET";

/// First line of every worker.
struct Hello {
  int protocol = protocol_version;
  Build build;
};

struct Listed {
  BenchmarkId id;
  Tags tags;
  std::string label;
};

struct Preparation {
  Workload workload;
  Throughput throughput;
  std::string label;
  std::vector<std::string> phases;
  std::uint64_t granularity = 1;
  bool has_check = false;
  bool told = false;
  double resolution_ns = 1;
  Overhead overhead;
  std::optional<double> cold_ns;  ///< the first call, when preparing already made it
  bool explains = false;          ///< whether it can tell what its program does
};

struct Reading {
  std::vector<double> totals;  ///< nanoseconds, one per phase
  double wall_ns = 0;          ///< of the whole sample, preparation between phases included
  Interference interference;
};

struct Checked {
  bool passed = false;
  std::string message;
  std::optional<double> error;
};

/// What a benchmark's program does, operation by operation, each time it was asked.
struct Explanation {
  std::vector<std::vector<ModeBreakdown>> traces;
  std::optional<ProgramText> program;
};

struct MeterOptions {
  std::uint64_t iterations = 1;
  double watts_per_core = 0;  ///< for the estimate of energy; 0 means none
};

// Requests of the controller.
struct ListRequest {};
struct PrepareRequest {
  BenchmarkId id;
  std::uint64_t seed = 0;
};
struct SampleRequest {
  std::uint64_t iterations = 1;
  std::uint64_t count = 1;
};
struct CheckRequest {
  std::uint64_t seed = 0;
};
struct MeterRequest {
  std::string meter;
  MeterOptions options;
};
struct ExplainRequest {
  std::uint64_t count = 1;
  bool program = false;  ///< the program's text too
};
struct FinishRequest {};
struct QuitRequest {};
using Request = std::variant<ListRequest, PrepareRequest, SampleRequest, CheckRequest, MeterRequest,
                             ExplainRequest, FinishRequest, QuitRequest>;

Json to_json(const Request& request);
Result<Request> request_from_json(const Json& json);

Json to_json(const Hello& hello);
Result<Hello> hello_from_json(const Json& json);
Json to_json(const Listed& listed);
Result<Listed> listed_from_json(const Json& json);
Json to_json(const Preparation& preparation);
Result<Preparation> preparation_from_json(const Json& json);
Json to_json(const Reading& reading);
Result<Reading> reading_from_json(const Json& json, std::size_t phases);
Json to_json(const Checked& checked);
Result<Checked> checked_from_json(const Json& json);
Json to_json(const Explanation& explanation);
Result<Explanation> explanation_from_json(const Json& json);

}  // namespace tare
