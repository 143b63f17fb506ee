// One invocation on one machine: where, with what, and the command to do it again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/model/benchmark.hpp"

namespace tare {

/// What of the machine can change a time. Unknown fields are empty.
struct Machine {
  std::string cpu;
  int cores = 0;    ///< physical
  int threads = 0;  ///< logical
  std::uint64_t memory_bytes = 0;
  std::string caches;  ///< "L1d 32 KiB, L2 512 KiB, L3 32 MiB"
  std::string kernel;
  std::string os;
  std::string hypervisor;  ///< empty on bare metal
  std::string governor;
  std::string turbo;
  std::string smt;
  std::string aslr;
  std::string clock_source;
  std::string libc;

  bool operator==(const Machine&) const = default;
  /// Hash of the fields that decide speed (not of the kernel's build or the memory's last byte).
  [[nodiscard]] std::string fingerprint() const;
};

struct Build {
  std::string compiler;
  std::string flags;
  std::string type;  ///< "optimised" or "debug"
  std::string tare;  ///< version of the library

  bool operator==(const Build&) const = default;
};

struct Binary {
  std::string path;
  std::string hash;
  Build build;

  bool operator==(const Binary&) const = default;
};

/// One of the doctor's observations about this machine.
enum class Health { good, caution, bad, unknown };
struct Finding {
  std::string topic;  ///< "load", "governor", …
  Health health = Health::unknown;
  std::string observed;  ///< what was seen
  std::string advice;    ///< what to do about it; empty when good

  bool operator==(const Finding&) const = default;
};
const char* name_of(Health health);

struct Run {
  std::int64_t id = 0;  ///< given by the store
  std::int64_t started_unix_ms = 0;
  std::string command;  ///< to do it again
  std::string directory;
  std::string commit;  ///< of the working directory's git repository, with "+" when it had changes
  std::uint64_t seed = 0;
  Tags tags;
  Machine machine;
  std::vector<Finding> findings;  ///< the doctor's when the run began, without what takes time
  std::vector<Binary> binaries;
  std::vector<BenchmarkResult> results;

  bool operator==(const Run&) const = default;
};

/// A run without its results, for lists.
struct RunInfo {
  std::int64_t id = 0;
  std::int64_t started_unix_ms = 0;
  std::optional<std::int64_t> finished_unix_ms;  ///< empty: under way, or killed
  std::string command;
  std::string directory;
  std::string commit;
  Tags tags;
  std::string fingerprint;  ///< of the machine
  std::int64_t benchmarks = 0;
  std::int64_t failed = 0;  ///< of them without a result although they should have one

  bool operator==(const RunInfo&) const = default;
};

/// A name for a stored run, to compare with.
struct Baseline {
  std::string name;
  std::int64_t run = 0;
  std::int64_t saved_unix_ms = 0;
  std::string note;    ///< the user's, may be empty
  std::string commit;  ///< of the run

  bool operator==(const Baseline&) const = default;
};

/// "2026-11-17 09:30:12" in UTC.
std::string format_time_utc(std::int64_t unix_ms);

}  // namespace tare
