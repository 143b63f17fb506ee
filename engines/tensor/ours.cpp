#include "engines/tensor/ours.hpp"

#include <cstdlib>
#include <filesystem>

#include "ad/compile.hpp"
#include "ad/jit/jit.hpp"
#include "ad/support/threads.hpp"
#include "ad/tensor/autograd.hpp"
#include "ad/tensor/memory.hpp"
#include "ad/tensor/ops.hpp"
#include "engines/tensor/offering.hpp"
#include "engines/tensor/products.hpp"
#include "engines/tensor/tracing.hpp"

namespace tare::engines {
namespace {

using workloads::tensor::Sizes;

template <ad::DType Type>
struct Eager {
  using Tensor = ad::Tensor;
  using NoGrad = ad::NoGrad;

  static Tensor make(const std::vector<float>& values, const Sizes& sizes, bool active) {
    Tensor made = ad::cast(Tensor::of(std::span<const float>(values), ad::Shape(std::span(sizes))), Type);
    return made.requires_grad(active);
  }
  static Tensor make_ids(const std::vector<std::int64_t>& values, const Sizes& sizes) {
    return Tensor::of(std::span<const std::int64_t>(values), ad::Shape(std::span(sizes)));
  }
  static std::vector<float> values(const Tensor& x) {
    const auto all = x.to_vector();
    return {all.begin(), all.end()};
  }
  static std::vector<float> gradient(const Tensor& x) { return values(x.grad()); }
  static void consume(const Tensor&) {}

  static void backward(const Tensor& y) { y.backward(); }
  static void backward(const Tensor& y, const Tensor& seed) { y.backward(seed); }
  static void descend(std::vector<Tensor>& parameters, double rate) {
    const NoGrad quiet;
    for (auto& parameter : parameters) parameter.add_(parameter.grad(), -rate);
  }
  /// Each parameter changes as soon as its gradient is complete.
  static void backward_and_descend(const Tensor& y, std::vector<Tensor>& parameters, double rate) {
    for (auto& parameter : parameters)
      parameter.give_gradient_to([rate](Tensor& p, const Tensor& gradient) { p.add_(gradient, -rate); });
    y.backward();
    for (auto& parameter : parameters) parameter.give_gradient_to({});
  }
  static void clear(std::vector<Tensor>& parameters) {
    for (auto& parameter : parameters) parameter.zero_grad();
  }

  static Tensor add(auto&& a, const auto& b) { return std::forward<decltype(a)>(a) + b; }
  static Tensor sub(auto&& a, const auto& b) { return std::forward<decltype(a)>(a) - b; }
  static Tensor mul(auto&& a, const auto& b) { return std::forward<decltype(a)>(a) * b; }
  static Tensor neg(auto&& x) { return ad::neg(std::forward<decltype(x)>(x)); }
  static Tensor abs(auto&& x) { return ad::abs(std::forward<decltype(x)>(x)); }
  static Tensor exp(auto&& x) { return ad::exp(std::forward<decltype(x)>(x)); }
  static Tensor tanh(auto&& x) { return ad::tanh(std::forward<decltype(x)>(x)); }
  static Tensor sigmoid(auto&& x) { return ad::sigmoid(std::forward<decltype(x)>(x)); }
  static Tensor relu(auto&& x) { return ad::relu(std::forward<decltype(x)>(x)); }
  static Tensor gelu(auto&& x) { return ad::gelu(std::forward<decltype(x)>(x)); }
  static Tensor softplus(auto&& x) { return ad::softplus(std::forward<decltype(x)>(x)); }
  static Tensor sum(const Tensor& x) { return ad::sum(x); }
  static Tensor mean(const Tensor& x) { return ad::mean(x); }
  static Tensor logsumexp(const Tensor& x) { return ad::logsumexp(x, {-1}); }
  static Tensor cross_entropy(const Tensor& x, const Tensor& targets) {
    return ad::cross_entropy(x, targets);
  }
  static Tensor layer_norm(const Tensor& x, const Tensor& w, const Tensor& b) {
    return ad::layer_norm(x, w, b);
  }
  static Tensor matmul(const Tensor& a, const Tensor& b) { return ad::matmul(a, b); }
  static Tensor linear(const Tensor& x, const Tensor& w, const Tensor& b) { return ad::linear(x, w, b); }
  static Tensor conv2d(const Tensor& x, const Tensor& w, const Tensor& b) {
    return ad::conv2d(x, w, b, {.padding = 1});
  }
  static Tensor reshape(const Tensor& x, const Sizes& sizes) {
    return ad::reshape(x, ad::Shape(std::span(sizes)));
  }
  static Tensor permute(const Tensor& x, const Sizes& order) {
    return ad::permute(x, ad::Shape(std::span(order)));
  }
  static Tensor slice(const Tensor& x, int axis, std::int64_t begin, std::int64_t end) {
    return ad::slice(x, axis, begin, end);
  }
  static Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v, bool causal) {
    return ad::attention(q, k, v, causal);
  }
  static Tensor with_last(const Tensor& cache, const Tensor& newest) {
    Tensor place = ad::slice(cache, 2, cache.size(2) - 1, cache.size(2));
    place.copy_(newest);
    return cache;
  }
};

/// A cache directory of its own while it lives.
class OwnCache {
 public:
  OwnCache() {
    if (::mkdtemp(folder_.data()) == nullptr) throw std::runtime_error("cannot make " + folder_);
    ::setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
  }
  OwnCache(const OwnCache&) = delete;
  OwnCache& operator=(const OwnCache&) = delete;
  ~OwnCache() {
    if (before_) {
      ::setenv("XDG_CACHE_HOME", before_->c_str(), 1);
    } else {
      ::unsetenv("XDG_CACHE_HOME");
    }
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

 private:
  static std::optional<std::string> asked() {
    const char* cache = std::getenv("XDG_CACHE_HOME");
    return cache == nullptr ? std::nullopt : std::optional<std::string>(cache);
  }
  std::optional<std::string> before_ = asked();
  std::string folder_ = (std::filesystem::temp_directory_path() / "tare-compile-XXXXXX").string();
};

/// The same workloads as compiled functions.
template <class W, class E>
class OnGraph final : public TensorProblem {
 public:
  OnGraph(const std::string& size, std::uint64_t seed) : workload_(size, seed) {}

  void infer() override {
    const ad::NoGrad quiet;
    infer_();
  }
  void forward() override { step(); }
  void backward() override {}
  void step() override {
    step_();
    if constexpr (!updates) E::clear(workload_.in.parameters);
  }
  [[nodiscard]] bool differentiates() const override { return !workload_.in.parameters.empty(); }
  std::vector<std::vector<float>> answers() override {
    std::vector<std::vector<float>> all;
    if (!differentiates()) {
      const ad::NoGrad quiet;
      infer_();
      return {E::values(infer_())};
    }
    // Captured, confirmed, and then the graph alone.
    for (int call = 0; call < 3; ++call) {
      E::clear(workload_.in.parameters);
      all = {E::values(gradients_())};
    }
    for (const auto& parameter : workload_.in.parameters) all.push_back(E::gradient(parameter));
    E::clear(workload_.in.parameters);
    return all;
  }
  std::vector<TracedMode> trace(bool train_it) override {
    const auto eager = [&] {
      if (train_it) {
        train();
        E::clear(workload_.in.parameters);
      } else {
        const ad::NoGrad quiet;
        workload_.forward();
      }
    };
    return {traced("eager", eager_overhead_ns(train_it), eager),
            traced("graph", graph_overhead_ns(), [&] { train_it ? step() : infer(); })};
  }
  GraphText graph(bool train_it) override {
    auto& function = (train_it ? step_ : infer_).function();
    return {function.steps_text(), function.graph_dot()};
  }
  double compile(bool kept) override {
    const OwnCache cache;
    const auto anew = [&] {
      ad::jit::forget_code();
      auto step = compiled([this] { return train(); });
      step();
      E::clear(workload_.in.parameters);
      return step.function().stats().seconds;
    };
    if (kept) anew();
    return anew();
  }
  [[nodiscard]] Sizes shape() const override { return workload_.shape(); }
  [[nodiscard]] workloads::tensor::Cost cost() const override { return workload_.cost(); }
  [[nodiscard]] double items() const override { return workload_.items(); }

 private:
  static constexpr bool updates = requires { W::learning_rate; };

  ad::Tensor sweep() {
    const ad::Tensor y = workload_.forward();
    if constexpr (requires { workload_.seed_gradient; }) {
      E::backward(y, workload_.seed_gradient);
    } else {
      E::backward(y);
    }
    return y;
  }
  ad::Tensor train() {
    const ad::Tensor y = sweep();
    if constexpr (updates) {
      E::descend(workload_.in.parameters, W::learning_rate);
      E::clear(workload_.in.parameters);
    }
    return y;
  }
  static auto compiled(std::function<ad::Tensor()> f) { return ad::compile(std::move(f)); }

  W workload_;
  decltype(compiled({})) infer_ = compiled([this] { return workload_.forward(); });
  decltype(compiled({})) step_ = compiled([this] { return train(); });
  decltype(compiled({})) gradients_ = compiled([this] { return sweep(); });
};

std::optional<std::int64_t> peak_of(const std::function<void()>& f) {
  ad::reset_peak_memory();
  const auto before = ad::memory_stats().live_bytes;
  f();
  return ad::memory_stats().peak_bytes - before;
}

template <ad::DType Type>
TensorEngine engine(const char* name, const char* label, EightBit by) {
  TensorEngine made{.name = name,
                    .label = label,
                    .set_threads = ad::set_thread_count,
                    .peak_bytes = peak_of,
                    .offers = tensor_offers<Eager<Type>>()};
  auto products = eight_bit_products(by);
  made.offers.insert(made.offers.end(), products.begin(), products.end());
  return made;
}

}  // namespace

TensorEngine graph_tensors() {
  return {.name = "graph",
          .label = "tare's compiled graphs",
          .whole_steps = true,
          .traces = true,
          .set_threads = ad::set_thread_count,
          .peak_bytes = peak_of,
          .offers = tensor_offers<Eager<ad::DType::f32>, OnGraph>()};
}
TensorEngine reference_tensors() {
  return engine<ad::DType::f64>("reference", "tare's eager tensors in double precision", EightBit::reference);
}
TensorEngine eager_tensors() {
  return engine<ad::DType::f32>("eager", "tare's eager tensors", EightBit::eager);
}

}  // namespace tare::engines
