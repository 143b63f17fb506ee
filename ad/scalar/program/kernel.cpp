#include "ad/scalar/program/kernel.hpp"

#include <algorithm>
#include <atomic>

#include "ad/scalar/program/batch.hpp"
#include "ad/scalar/program/executable.hpp"
#include "ad/scalar/program/lazy.hpp"
#include "ad/scalar/program/library.hpp"
#include "ad/scalar/program/lower.hpp"
#include "ad/scalar/program/split.hpp"
#include "ad/scalar/program/workers.hpp"
#include "ad/scalar/program/workspace.hpp"

namespace tare::ad {

using detail::Executable;
using detail::Frame;
using detail::move_lanes;
using detail::Shape;
using detail::Wanted;
using detail::Workspace;

struct Kernel::State {
  State(const Program& body, KernelArguments<double> sizes, const KernelOptions& o)
      : shared(sizes.shared.size()),
        gathered(sizes.gathered.size()),
        point(sizes.point.size()),
        point_gradients(o.point_gradients),
        use_jit(o.compile.use_jit),
        passes{o.compile.fold, o.compile.share, o.compile.dead_code,
               o.compile.contract && detail::has_packed()},
        parts(detail::split(body, shared)),
        frontier(parts.uniform.outputs.size()),
        body_operations(operations(body)),
        workers(o.compile.threads) {}

  [[nodiscard]] const Executable& uniform(Wanted wanted) const {
    return (wanted == Wanted::value ? uniform_value : uniform_product).get([&] {
      return std::make_unique<const Executable>(detail::lower(parts.uniform, wanted, passes), Shape::single,
                                                use_jit);
    });
  }
  [[nodiscard]] const Executable& varying(Wanted wanted) const {
    return (wanted == Wanted::value ? varying_value : varying_product).get([&] {
      const detail::Inputs inputs{frontier, point_gradients ? 0 : point};
      return std::make_unique<const Executable>(detail::lower(parts.varying, wanted, passes, inputs),
                                                Shape::wide, use_jit);
    });
  }

  std::size_t shared;
  std::size_t gathered;
  std::size_t point;
  bool point_gradients;
  bool use_jit;
  detail::Passes passes;
  detail::SplitProgram parts;
  std::size_t frontier;  ///< values that flow from the uniform part to the varying one
  std::size_t body_operations;
  detail::Lazy<Executable> uniform_value, uniform_product, varying_value, varying_product;
  mutable detail::Workers workers;
};

/// One call: the points in chunks, whose number and size follow from the number of points alone.
struct Kernel::Call {
  const State& s;
  const KernelInputs& in;
  const KernelGradient& out;
  const Executable& e;
  bool derivatives;
  std::size_t count;
  const double* frontier_values = nullptr;
  double* chunk_sums = nullptr;    ///< [chunk · frontier + i]
  double* chunk_totals = nullptr;  ///< [chunk]
  double* gathered_bar = nullptr;  ///< [j · count + point]
  std::atomic<std::size_t> first_diverged{0};

  static constexpr std::size_t most_chunks = 64;
  [[nodiscard]] std::size_t groups() const { return (count + e.lanes() - 1) / e.lanes(); }
  [[nodiscard]] std::size_t groups_per_chunk() const {
    return std::max<std::size_t>(16, (groups() + most_chunks - 1) / most_chunks);
  }
  [[nodiscard]] std::size_t chunks() const {
    return (groups() + groups_per_chunk() - 1) / groups_per_chunk();
  }
  [[nodiscard]] std::size_t inputs() const { return s.gathered + s.point; }
  [[nodiscard]] std::size_t active() const { return s.gathered + (s.point_gradients ? s.point : 0); }

  [[nodiscard]] std::size_t frame_room() const {
    const std::size_t w = e.lanes();
    return Workspace::room((inputs() + 1) * w) + Workspace::room(2 * w) + Workspace::room(active() * w) +
           Workspace::room(s.frontier * w) + Workspace::room(e.scratch_doubles());
  }
  [[nodiscard]] Frame frame(Workspace& workspace) const {
    const std::size_t w = e.lanes();
    Frame f;
    f.varying = workspace.take((inputs() + 1) * w);
    f.uniform = frontier_values;
    f.results = workspace.take(2 * w);
    f.gradient = workspace.take(active() * w);
    f.sums = workspace.take(s.frontier * w);
    f.scratch = workspace.take(e.scratch_doubles());
    return f;
  }

  /// Lanes beyond the last point repeat it.
  template <std::size_t W>
  [[gnu::always_inline]] void pack(std::size_t first, double* block) const {
    const std::size_t points = count;
    const std::size_t last = std::min(W, points - first) - 1;
    if (const std::size_t gathered = s.gathered; gathered != 0) {
      const double* const field = in.field.data();
      const std::uint32_t* from = in.stencil->indices_.data() + first;
      const std::uint8_t* ahead = in.stencil->ahead_.data() + first;
      double* to = block;
      for (std::size_t j = 0; j < gathered; ++j, from += points, ahead += points, to += W) {
        if (last == W - 1 && *ahead >= W - 1) {
          move_lanes<W>(field + *from, to);
        } else {
          alignas(64) double lanes[W];
          for (std::size_t l = 0; l < W; ++l) lanes[l] = field[from[std::min(l, last)]];
          move_lanes<W>(lanes, to);
        }
      }
    }
    if (s.point == 0) return;
    detail::pack({Layout::rows, points, s.point}, in.points.data(), first, W, block + s.gathered * W);
  }
  template <std::size_t W>
  [[gnu::always_inline]] void unpack(std::size_t first, const double* block) {
    if (double* to = gathered_bar; to != nullptr) {
      to += first;
      const std::size_t points = count;
      const std::size_t gathered = s.gathered;
      if (first + W <= points) {
        for (std::size_t j = 0; j < gathered; ++j, to += points) move_lanes<W>(block + j * W, to);
      } else {
        for (std::size_t j = 0; j < gathered; ++j, to += points)
          std::copy_n(block + j * W, points - first, to);
      }
    }
    if (out.points.empty()) return;
    detail::unpack({Layout::rows, count, s.point}, block + s.gathered * W, first, W, out.points.data());
  }
  void note_diverged(std::size_t first, const double* status) {
    for (std::size_t l = 0; l < e.lanes() && first + l < count; ++l) {
      if (status[l] == 0) continue;
      std::size_t known = first_diverged;
      while (first + l < known && !first_diverged.compare_exchange_weak(known, first + l)) {
      }
      return;
    }
  }

#if defined(__x86_64__)
  /// The groups are packed by whole registers, as native code reads them.
  [[gnu::target("avx2")]] void native_chunk(std::size_t c) { chunk<detail::native_lanes>(c); }
#else
  void native_chunk(std::size_t c) { chunk<detail::native_lanes>(c); }
#endif
  void interpreted_chunk(std::size_t c) { chunk<detail::interpreted_lanes>(c); }

  template <std::size_t W>
  [[gnu::always_inline]] void chunk(std::size_t c) {
    Workspace workspace(frame_room());
    const Frame f = frame(workspace);
    double* const varying = const_cast<double*>(f.varying);
    double* const seed = varying + inputs() * W;
    std::fill_n(seed, W, 1.0);
    std::fill_n(f.sums, s.frontier * W, 0.0);
    double totals[W] = {};
    const std::size_t last = std::min(groups(), (c + 1) * groups_per_chunk());
    for (std::size_t k = c * groups_per_chunk(); k < last; ++k) {
      pack<W>(k * W, varying);
      // A lane beyond the last point counts for nothing.
      for (std::size_t l = count - std::min(count, k * W); l < W; ++l) seed[l] = 0;
      e.run(f);
      double failed = 0;
      for (std::size_t l = 0; l < W; ++l) {
        totals[l] += seed[l] != 0 ? f.results[l] : 0;
        failed += f.results[W + l];
      }
      if (failed != 0) note_diverged(k * W, f.results + W);
      if (derivatives) unpack<W>(k * W, f.gradient);
    }
    chunk_totals[c] = 0;
    for (std::size_t l = 0; l < W; ++l) chunk_totals[c] += totals[l];
    if (!derivatives) return;
    for (std::size_t i = 0; i < s.frontier; ++i) {
      double sum = 0;
      for (std::size_t l = 0; l < W; ++l) sum += f.sums[i * W + l];
      chunk_sums[c * s.frontier + i] = sum;
    }
  }

  /// Each field value's derivative, from its readers in the order of the stencil.
  void gather_back() const {
    const Stencil& stencil = *in.stencil;
    s.workers.run(stencil.starts_.size() - 1, [&](std::size_t b) {
      const std::size_t first = b * Stencil::block;
      std::fill_n(out.field.data() + first, std::min(Stencil::block, out.field.size() - first), 0.0);
      for (std::size_t r = stencil.starts_[b]; r < stencil.starts_[b + 1]; ++r) {
        const Stencil::Run& run = stencil.runs_[r];
        const double* const from = gathered_bar + run.place;
        double* const to = out.field.data() + run.index;
        for (std::size_t i = 0; i < run.length; ++i) to[i] += from[i];
      }
    });
  }

  [[noreturn]] void throw_first_diverged() {
    Workspace workspace(frame_room());
    const Frame f = frame(workspace);
    const std::size_t at = first_diverged;
    double* const varying = const_cast<double*>(f.varying);
    if (e.lanes() == detail::native_lanes) {
      pack<detail::native_lanes>(at, varying);
    } else {
      pack<detail::interpreted_lanes>(at, varying);
    }
    e.run(f);
    std::vector<double> x(frontier_values, frontier_values + s.frontier);
    for (std::size_t i = 0; i < inputs(); ++i) x.push_back(f.varying[i * e.lanes()]);
    throw_diverged(s.parts.varying, detail::guard_of_status(s.parts.varying, f.results[e.lanes()]), x);
  }
};

Kernel::Kernel(const Program& body, KernelArguments<double> sizes, const KernelOptions& options)
    : state_(std::make_shared<const State>(body, sizes, options)) {
  static_cast<void>(state_->uniform(Wanted::value));
  static_cast<void>(state_->uniform(Wanted::product));
  static_cast<void>(state_->varying(Wanted::product));
}

CompileStats Kernel::stats() const {
  const Executable& e = state_->varying(Wanted::product);
  return {e.native(), state_->body_operations, e.instructions(), e.code_bytes(),
          e.scratch_doubles() * sizeof(double)};
}

double Kernel::value(const KernelInputs& in) const {
  return run(in, {}, false);
}
double Kernel::gradient(const KernelInputs& in, const KernelGradient& out) const {
  return run(in, out, true);
}

double Kernel::run(const KernelInputs& in, const KernelGradient& out, bool derivatives) const {
  const State& s = *state_;
  const auto expect = [](std::string_view what, std::size_t expected, std::size_t got) {
    if (expected != got) detail::throw_size(what, expected, got);
  };
  expect("Kernel: shared", s.shared, in.shared.size());
  if (s.gathered != 0 && in.stencil == nullptr)
    detail::throw_error("Kernel", "the body gathers: give a stencil");
  if (s.gathered == 0 && s.point == 0) detail::throw_error("Kernel", "the body reads nothing of its point");
  const std::size_t count = s.gathered != 0 ? in.stencil->points() : in.points.size() / s.point;
  expect("Kernel: points", count * s.point, in.points.size());
  if (s.gathered != 0) {
    expect("Kernel: stencil width", s.gathered, in.stencil->width());
    expect("Kernel: field", in.stencil->field_size(), in.field.size());
  }
  if (!out.shared.empty()) expect("Kernel: shared gradient", s.shared, out.shared.size());
  if (!out.field.empty()) expect("Kernel: field gradient", in.field.size(), out.field.size());
  if (!out.points.empty()) {
    expect("Kernel: point gradient", in.points.size(), out.points.size());
    if (!s.point_gradients) {
      detail::throw_error("Kernel", "point gradients were not asked for in KernelOptions::point_gradients");
    }
  }

  const Executable& first = s.uniform(Wanted::value);
  const Executable& last = s.uniform(Wanted::product);
  Call call{s, in, out, s.varying(derivatives ? Wanted::product : Wanted::value), derivatives, count};
  call.first_diverged = count;
  const std::size_t seeds = s.shared + s.frontier;
  const std::size_t bars = derivatives && !out.field.empty() ? s.gathered * count : 0;
  const std::size_t scratch = std::max(first.scratch_doubles(), last.scratch_doubles());
  Workspace workspace(2 * Workspace::room(s.frontier + 1) + Workspace::room(call.chunks() * s.frontier) +
                      Workspace::room(call.chunks()) + Workspace::room(bars) + Workspace::room(seeds) +
                      Workspace::room(scratch));
  double* const values = workspace.take(s.frontier + 1);
  double* const again = workspace.take(s.frontier + 1);
  call.chunk_sums = workspace.take(call.chunks() * s.frontier);
  call.chunk_totals = workspace.take(call.chunks());
  call.gathered_bar = bars != 0 ? workspace.take(bars) : nullptr;
  double* const seeded = workspace.take(seeds);
  double* const memory = workspace.take(scratch);

  first.run({in.shared.data(), nullptr, values, nullptr, nullptr, memory});
  if (values[s.frontier] != 0) {
    throw_diverged(s.parts.uniform, detail::guard_of_status(s.parts.uniform, values[s.frontier]), in.shared);
  }
  call.frontier_values = values;
  s.workers.run(call.chunks(), [&, lanes = call.e.lanes()](std::size_t c) {
    if (lanes == detail::native_lanes) {
      call.native_chunk(c);
    } else {
      call.interpreted_chunk(c);
    }
  });
  if (call.first_diverged != count) call.throw_first_diverged();

  double total = 0;
  for (std::size_t c = 0; c < call.chunks(); ++c) total += call.chunk_totals[c];
  if (derivatives && !out.shared.empty()) {
    std::copy(in.shared.begin(), in.shared.end(), seeded);
    std::fill_n(seeded + s.shared, s.frontier, 0.0);
    for (std::size_t c = 0; c < call.chunks(); ++c) {
      for (std::size_t i = 0; i < s.frontier; ++i)
        seeded[s.shared + i] += call.chunk_sums[c * s.frontier + i];
    }
    last.run({seeded, nullptr, again, out.shared.data(), nullptr, memory});
  }
  if (bars != 0) call.gather_back();
  return total;
}

}  // namespace tare::ad
