// What is computed, as opposed to who computes it. It travels with every result, so that two results can be
// refused as incomparable when they did different work.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tare {

struct Workload {
  std::vector<std::int64_t> shape;  ///< of the main input; empty when the notion does not apply
  std::string dtype;                ///< "f64", "i8", …; empty when it does not apply
  std::string device = "cpu";
  std::int64_t batch = 1;
  int threads = 1;
  std::string precision;  ///< of the arithmetic where it differs from dtype, such as "tf32"
  std::uint64_t seed = 0;
  std::string data_hash;  ///< of the input data, from hash_bytes()

  bool operator==(const Workload&) const = default;
};

}  // namespace tare
