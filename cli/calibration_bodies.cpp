#include "cli/calibration_bodies.hpp"

#include <vector>

#include "bench/bench.hpp"
#include "workloads/calibration.hpp"

namespace tare::cli {
namespace {

template <class Work>
void body(Context& c) {
  Work work(c.param<double>("share"));
  double x = 0.5;
  c.measure([&] {
    opaque(x);
    keep(work(x));
  });
}

void allocate(Context& c) {
  const auto count = 3 + c.param("extra");
  c.measure([count] {
    for (std::int64_t i = 0; i < count; ++i) keep(std::vector<char>(64));
  });
}

}  // namespace

const Registry& calibration_registry() {
  static const Registry filled = [] {
    Registry registry;
    const auto shares = list({"0", "0.0025", "0.005", "0.01", "0.03"});
    registry.add("chain", body<workloads::TapeChain>, build_of_this_file()).param("share", shares);
    registry.add("stream", body<workloads::Stream>, build_of_this_file()).param("share", shares);
    registry.add("allocate", allocate, build_of_this_file()).param("extra", list({0, 1}));
    return registry;
  }();
  return filled;
}

}  // namespace tare::cli
