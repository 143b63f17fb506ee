// tare's own engine: the active type and the explicit tape, reused from gradient to gradient or made anew for
// each. Recorded programs are in compiled.cpp and kernel.cpp.
#include "engines/ours/ours.hpp"

#include "ad/ad.hpp"
#include "engines/offering.hpp"
#include "engines/ours/compiled.hpp"
#include "engines/ours/kernel.hpp"
#include "engines/ours/taped.hpp"

namespace tare::engines {
namespace {

using ad::Real;

TapeSize size_of(const ad::RecordingStats& stats) {
  return {stats.statements, stats.entries, stats.bytes};
}

/// Statement by statement, or, of every component of a mixture at every point, only the Jacobian.
template <class W, bool preaccumulates>
class Recorded {
 public:
  explicit Recorded(const W& workload)
      : workload_(workload), x_(workload.inputs()), scratch_(workload.scratch()) {}
  double record(const double* x) {
    const auto scope = recorder_.record();
    recorder_.inputs({x, x_.size()}, x_);
    if constexpr (preaccumulates) {
      y_ = workload_.value(x_.data(), scratch_.data(), [](auto component) {
        Real<double> term;
        ad::preaccumulate<double>([&] { term = component(); }, term);
        return term;
      });
    } else {
      y_ = workload_.value(x_.data(), scratch_.data());
    }
    return y_.value();
  }
  void reverse(double* g) {
    recorder_.backward(y_);
    recorder_.gradients(x_, {g, x_.size()});
  }
  [[nodiscard]] TapeSize tape() const { return size_of(recorder_.stats()); }

 private:
  const W& workload_;
  ad::Recorder<double> recorder_;
  std::vector<Real<double>> x_;
  std::vector<Real<double>> scratch_;
  Real<double> y_;
};
template <class W>
using OnReal = Recorded<W, false>;
template <class W>
using OnPreaccumulated = Recorded<W, true>;

/// Only the recorder is made anew: what the function itself works on is kept, as in OnReal.
template <class W>
class OnRealAnew {
 public:
  explicit OnRealAnew(const W& workload)
      : workload_(workload), x_(workload.inputs()), scratch_(workload.scratch()) {}
  double gradient(const double* x, double* g) {
    ad::Recorder<double> recorder;
    const auto scope = recorder.record();
    recorder.inputs({x, x_.size()}, x_);
    const Real<double> y = workload_.value(x_.data(), scratch_.data());
    recorder.backward(y);
    recorder.gradients(x_, {g, x_.size()});
    size_ = size_of(recorder.stats());
    return y.value();
  }
  [[nodiscard]] TapeSize tape() const { return size_; }

 private:
  const W& workload_;
  std::vector<Real<double>> x_;
  std::vector<Real<double>> scratch_;
  TapeSize size_;
};

template <class W>
class OnTape {
 public:
  explicit OnTape(const W& workload)
      : workload_(workload), x_(workload.inputs()), scratch_(workload.scratch()) {}
  double record(const double* x) {
    Taped::tape = &tape_;
    tape_.reset();
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = Taped(tape_.var(x[i]));
    y_ = workload_.value(x_.data(), scratch_.data());
    return y_.slot().value;
  }
  void reverse(double* g) {
    tape_.backward(y_.slot());
    for (std::size_t i = 0; i < x_.size(); ++i) g[i] = tape_.grad(x_[i].slot());
  }
  [[nodiscard]] TapeSize tape() const {
    const auto stats = tape_.stats();
    return TapeSize{stats.instructions, std::nullopt, stats.bytes};
  }

 private:
  const W& workload_;
  ad::Tape tape_;
  std::vector<Taped> x_;
  std::vector<Taped> scratch_;
  Taped y_;
};

template <class W>
class OnTapeAnew {
 public:
  explicit OnTapeAnew(const W& workload)
      : workload_(workload), x_(workload.inputs()), scratch_(workload.scratch()) {}
  double gradient(const double* x, double* g) {
    ad::Tape tape;
    Taped::tape = &tape;
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = Taped(tape.var(x[i]));
    const Taped y = workload_.value(x_.data(), scratch_.data());
    tape.backward(y.slot());
    for (std::size_t i = 0; i < x_.size(); ++i) g[i] = tape.grad(x_[i].slot());
    return y.slot().value;
  }

 private:
  const W& workload_;
  std::vector<Taped> x_;
  std::vector<Taped> scratch_;
};

/// Making a tape anew is a question of small recordings.
using Small = workloads::List<workloads::Expression, workloads::Polynomial>;

}  // namespace

void add_ours(std::vector<Engine>& engines) {
  engines.push_back(offering<OnReal>({.name = "real", .label = "tare's active type, recorder reused"}));
  engines.push_back(offering<OnTape>({.name = "tape", .label = "tare's explicit tape, reused"}));
  engines.push_back(offering<OnPreaccumulated, workloads::List<workloads::Gmm>>(
      {.name = "preaccumulated", .label = "tare's active type, components preaccumulated"}));
  engines.push_back(compiled());
  engines.push_back(compiled_batch());
  engines.push_back(kernels());
  engines.push_back(offering<OnRealAnew, Small>(
      {.name = "real-anew", .label = "tare's active type, a recorder per gradient"}));
  engines.push_back(offering<OnTapeAnew, Small>(
      {.name = "tape-anew", .label = "tare's explicit tape, a tape per gradient"}));
}

}  // namespace tare::engines
