// ADOL-C: traces into buffers of its own, swept by its driver for one adjoint. The buffers are sized so that
// no trace goes to a file.
#include "engines/adolc/adolc.hpp"

#include <adolc/adolc.h>

#include "engines/offering.hpp"
#include "workloads/counted.hpp"

template <>
struct tare::workloads::Plain<adouble> {
  static double of(const adouble& x) { return x.value(); }
};

namespace tare::engines {
namespace {

constexpr short tag = 1;

template <class W>
class OnAdolc {
 public:
  explicit OnAdolc(const W& workload)
      : workload_(workload), x_(workload.inputs()), scratch_(workload.scratch()) {
    const auto operations = workloads::operations_of(workload, workload.point(1));
    buffer_ = static_cast<unsigned>(8 * (operations + workload.inputs() + 10'000));
  }
  double record(const double* x) {
    trace_on(tag, 1, buffer_, buffer_, buffer_, buffer_);
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] <<= x[i];
    adouble y = workload_.value(x_.data(), scratch_.data());
    double value = 0;
    y >>= value;
    trace_off();
    return value;
  }
  void reverse(double* g) {
    double one = 1;
    fos_reverse(tag, 1, static_cast<int>(x_.size()), &one, g);
  }
  [[nodiscard]] TapeSize tape() const {
    std::size_t counts[STAT_SIZE];
    tapestats(tag, counts);
    return {counts[NUM_OPERATIONS], std::nullopt,
            counts[NUM_OPERATIONS] + 4 * counts[NUM_LOCATIONS] +
                8 * (counts[NUM_VALUES] + counts[TAY_STACK_SIZE])};
  }

 private:
  const W& workload_;
  unsigned buffer_ = 0;
  std::vector<adouble> x_;
  std::vector<adouble> scratch_;
};

}  // namespace

Engine adolc() {
  return offering<OnAdolc>({.name = "adolc", .label = "ADOL-C, traced anew for every gradient"});
}

}  // namespace tare::engines
