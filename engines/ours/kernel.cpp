// tare's kernels: workloads that are sums over points or cells, of which one is compiled and mapped over all.
// Each says how its term reads the inputs: all of them shared by every point, or some picked by a stencil.
#include "engines/ours/kernel.hpp"

#include "engines/offering.hpp"
#include "engines/ours/symbols.hpp"

namespace tare::engines {
namespace {

using ad::Symbol;
using Arguments = ad::KernelArguments<Symbol>;
using Indices = std::vector<std::uint32_t>;

/// Of workload W: `width` inputs that a point picks (0: all are shared), which ones, the numbers of its own
/// (`data`, of `data_size` each), and its term.
template <class W>
struct TermOf;

template <>
struct TermOf<workloads::Gmm> {
  const workloads::Gmm& w;
  static constexpr std::size_t width = 0;
  [[nodiscard]] Indices indices() const { return {}; }
  [[nodiscard]] const std::vector<double>& data() const { return w.x; }
  [[nodiscard]] std::size_t data_size() const { return w.d; }
  /// The prior is dealt out among the points.
  [[nodiscard]] Symbol operator()(const Arguments& a) const {
    std::vector<Symbol> scratch(w.scratch());
    Symbol prior = 0.0;
    w.prepare(a.shared.data(), scratch.data());
    w.add_prior(prior, a.shared.data(), scratch.data());
    return w.point_term(a.shared.data(), a.point.data(), scratch.data(), [](auto f) { return f(); }) +
           prior / static_cast<double>(w.n);
  }
};

template <>
struct TermOf<workloads::KMeans> {
  const workloads::KMeans& w;
  static constexpr std::size_t width = 0;
  [[nodiscard]] Indices indices() const { return {}; }
  [[nodiscard]] const std::vector<double>& data() const { return w.points; }
  [[nodiscard]] std::size_t data_size() const { return workloads::KMeans::d; }
  Symbol operator()(const Arguments& a) const {
    Symbol y = 0.0;
    workloads::KMeans::add_term(y, a.shared.data(), a.point.data());
    return y;
  }
};

/// Terms that read inputs and nothing else.
struct WithoutData {
  std::vector<double> none;
  [[nodiscard]] const std::vector<double>& data() const { return none; }
  [[nodiscard]] static std::size_t data_size() { return 0; }
};

template <>
struct TermOf<workloads::Brusselator> : WithoutData {
  explicit TermOf(const workloads::Brusselator& workload) : w(workload) {}
  const workloads::Brusselator& w;
  static constexpr std::size_t width = 10;
  [[nodiscard]] Indices indices() const {
    Indices all;
    for (std::size_t i = 0; i < w.n; ++i) {
      for (std::size_t j = 0; j < w.n; ++j) {
        const auto c = w.cell(i, j);
        for (const std::size_t field : {std::size_t{0}, w.n * w.n}) {
          for (const std::size_t at : {c.here, c.up, c.down, c.left, c.right}) {
            all.push_back(static_cast<std::uint32_t>(field + at));
          }
        }
      }
    }
    return all;
  }
  Symbol operator()(const Arguments& a) const {
    Symbol y = 0.0;
    workloads::Brusselator::add_term(y, a.gathered.data(), a.gathered.data() + 5, {0, 1, 2, 3, 4});
    return y;
  }
};

template <>
struct TermOf<workloads::Shared> : WithoutData {
  explicit TermOf(const workloads::Shared& workload) : w(workload) {}
  const workloads::Shared& w;
  static constexpr std::size_t width = 2;
  [[nodiscard]] Indices indices() const {
    Indices all;
    for (std::uint32_t i = 0; i < w.n; ++i) all.insert(all.end(), {i, i + 1});
    return all;
  }
  Symbol operator()(const Arguments& a) const {
    Symbol y = 0.0;
    workloads::Shared::add_term(y, a.gathered[0], a.gathered[1]);
    return y;
  }
};

template <>
struct TermOf<workloads::Transcendental> : WithoutData {
  explicit TermOf(const workloads::Transcendental& workload) : w(workload) {}
  const workloads::Transcendental& w;
  static constexpr std::size_t width = 1;
  [[nodiscard]] Indices indices() const {
    Indices all;
    for (std::uint32_t i = 0; i < w.n; ++i) all.push_back(i);
    return all;
  }
  Symbol operator()(const Arguments& a) const {
    Symbol y = 0.0;
    workloads::Transcendental::add_term(y, a.gathered[0]);
    return y;
  }
};

template <>
struct TermOf<workloads::Variables> : WithoutData {
  explicit TermOf(const workloads::Variables& workload) : w(workload) {}
  const workloads::Variables& w;
  static constexpr std::size_t width = 3;
  [[nodiscard]] Indices indices() const {
    Indices all;
    const auto n = static_cast<std::uint32_t>(w.n);
    for (std::uint32_t i = 0; i < n; ++i) all.insert(all.end(), {i, n + i, 2 * n + i});
    return all;
  }
  Symbol operator()(const Arguments& a) const {
    Symbol y = 0.0;
    workloads::Variables::add_term(y, a.gathered[0], a.gathered[1], a.gathered[2]);
    return y;
  }
};

template <>
struct TermOf<workloads::Bundle> {
  const workloads::Bundle& w;
  static constexpr std::size_t width = workloads::Bundle::camera_size + 4;
  [[nodiscard]] const std::vector<double>& data() const { return w.features; }
  [[nodiscard]] static std::size_t data_size() { return 2; }
  [[nodiscard]] Indices indices() const {
    Indices all;
    const std::size_t points = workloads::Bundle::camera_size * w.cameras;
    for (std::size_t i = 0; i < w.n; ++i) {
      const auto add = [&](std::size_t first, std::size_t count) {
        for (std::size_t j = 0; j < count; ++j) all.push_back(static_cast<std::uint32_t>(first + j));
      };
      add(workloads::Bundle::camera_size * w.camera_of(i), workloads::Bundle::camera_size);
      add(points + 3 * w.point_of(i), 3);
      add(points + 3 * w.points + i, 1);
    }
    return all;
  }
  Symbol operator()(const Arguments& a) const {
    Symbol y = 0.0;
    const Symbol* const at = a.gathered.data();
    const Symbol* const point = at + workloads::Bundle::camera_size;
    workloads::Bundle::add_term(y, at, point, point[3], a.point.data());
    return y;
  }
};

template <class W>
class OnKernel {
 public:
  explicit OnKernel(const W& workload)
      : workload_(workload), term_{workload}, kernel_(kernel(workload.point(0))) {
    if constexpr (gathers) {
      stencil_ = std::make_unique<ad::Stencil>(workload.inputs(), TermOf<W>::width, term_.indices());
    }
  }
  double gradient(const double* x, double* g) {
    const std::span<const double> in(x, workload_.inputs());
    const std::span<double> out(g, workload_.inputs());
    if constexpr (gathers) {
      return kernel_.gradient({{}, term_.data(), in, stencil_.get()}, {{}, out, {}});
    } else {
      return kernel_.gradient({in, term_.data(), {}, nullptr}, {out, {}, {}});
    }
  }

 private:
  static constexpr bool gathers = TermOf<W>::width != 0;

  ad::Kernel kernel(const std::vector<double>& x) const {
    const std::span<const double> own = std::span(term_.data()).first(term_.data_size());
    if constexpr (gathers) {
      std::vector<double> picked;
      const auto indices = term_.indices();
      for (std::size_t i = 0; i < TermOf<W>::width; ++i) picked.push_back(x[indices[i]]);
      return ad::make_kernel({{}, picked, own}, term_);
    } else {
      return ad::make_kernel({x, {}, own}, term_);
    }
  }

  const W& workload_;
  TermOf<W> term_;
  ad::Kernel kernel_;
  std::unique_ptr<ad::Stencil> stencil_;
};

using Sums = workloads::List<workloads::Shared, workloads::Variables, workloads::Transcendental,
                             workloads::Gmm, workloads::Bundle, workloads::Brusselator, workloads::KMeans>;

}  // namespace

Engine kernels() {
  return offering<OnKernel, Sums>(
      {.name = "kernel", .label = "tare's kernel: one point compiled, all mapped"});
}

}  // namespace tare::engines
