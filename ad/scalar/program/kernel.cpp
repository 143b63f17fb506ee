#include "ad/scalar/program/kernel.hpp"

#include <algorithm>
#include <atomic>

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

  /// Lanes beyond the last point repeat it with a seed of zero.
  void pack(std::size_t first, double* block) const {
    const std::size_t w = e.lanes();
    const bool full = first + w <= count;
    for (std::size_t j = 0; j < s.gathered; ++j) {
      const std::uint32_t* const from = in.stencil->indices_.data() + j * count;
      double* const to = block + j * w;
      for (std::size_t l = 0; l < w; ++l) {
        to[l] = in.field[from[full ? first + l : std::min(first + l, count - 1)]];
      }
    }
    for (std::size_t l = 0; l < w; ++l) {
      const double* const from = in.points.data() + std::min(first + l, count - 1) * s.point;
      for (std::size_t i = 0; i < s.point; ++i) block[(s.gathered + i) * w + l] = from[i];
      block[inputs() * w + l] = first + l < count ? 1 : 0;
    }
  }
  void unpack(std::size_t first, const double* block) {
    const std::size_t w = e.lanes();
    const std::size_t used = std::min(w, count - first);
    if (gathered_bar != nullptr) {
      for (std::size_t j = 0; j < s.gathered; ++j) {
        std::copy_n(block + j * w, used, gathered_bar + j * count + first);
      }
    }
    if (out.points.empty()) return;
    for (std::size_t l = 0; l < used; ++l) {
      for (std::size_t i = 0; i < s.point; ++i) {
        out.points[(first + l) * s.point + i] = block[(s.gathered + i) * w + l];
      }
    }
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

  void chunk(std::size_t c) {
    const std::size_t w = e.lanes();
    Workspace workspace(frame_room());
    const Frame f = frame(workspace);
    std::fill_n(f.sums, s.frontier * w, 0.0);
    double totals[detail::interpreted_lanes] = {};
    const std::size_t last = std::min(groups(), (c + 1) * groups_per_chunk());
    for (std::size_t k = c * groups_per_chunk(); k < last; ++k) {
      pack(k * w, const_cast<double*>(f.varying));
      e.run(f);
      const double* const seed = f.varying + inputs() * w;
      bool diverged = false;
      for (std::size_t l = 0; l < w; ++l) {
        totals[l] += seed[l] != 0 ? f.results[l] : 0;
        diverged |= f.results[w + l] != 0;
      }
      if (diverged) note_diverged(k * w, f.results + w);
      if (derivatives) unpack(k * w, f.gradient);
    }
    chunk_totals[c] = 0;
    for (std::size_t l = 0; l < w; ++l) chunk_totals[c] += totals[l];
    if (!derivatives) return;
    for (std::size_t i = 0; i < s.frontier; ++i) {
      double sum = 0;
      for (std::size_t l = 0; l < w; ++l) sum += f.sums[i * w + l];
      chunk_sums[c * s.frontier + i] = sum;
    }
  }

  /// Each field value's derivative, from its readers in the order of the stencil.
  void gather_back() const {
    constexpr std::size_t block = 4096;
    const Stencil& stencil = *in.stencil;
    s.workers.run((in.field.size() + block - 1) / block, [&](std::size_t task) {
      for (std::size_t i = task * block; i < std::min(in.field.size(), (task + 1) * block); ++i) {
        double sum = 0;
        for (std::uint32_t k = stencil.starts_[i]; k < stencil.starts_[i + 1]; ++k) {
          sum += gathered_bar[stencil.readers_[k]];
        }
        out.field[i] = sum;
      }
    });
  }

  [[noreturn]] void throw_first_diverged() {
    Workspace workspace(frame_room());
    const Frame f = frame(workspace);
    const std::size_t at = first_diverged;
    pack(at, const_cast<double*>(f.varying));
    e.run(f);
    std::vector<double> x(frontier_values, frontier_values + s.frontier);
    for (std::size_t i = 0; i < inputs(); ++i) x.push_back(f.varying[i * e.lanes()]);
    throw_diverged(s.parts.varying, detail::guard_of_status(s.parts.varying, f.results[e.lanes()]), x);
  }
};

Kernel::Kernel(Program body, KernelArguments<double> sizes, const KernelOptions& options)
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
  s.workers.run(call.chunks(), [&](std::size_t c) { call.chunk(c); });
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
