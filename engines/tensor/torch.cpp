// libtorch as an engine, in a module of its own: see torch_module.cpp.
#include <ATen/Parallel.h>
#include <atomic>
#include <c10/core/impl/alloc_cpu.h>
#include <dlfcn.h>
#include <torch/torch.h>

#include "engines/tensor/offering.hpp"

namespace tare::engines {
namespace {

using workloads::tensor::Sizes;

struct Torch {
  using Tensor = torch::Tensor;
  using NoGrad = torch::NoGradGuard;

  static Tensor make(const std::vector<float>& values, const Sizes& sizes, bool active) {
    Tensor made = torch::empty(sizes, torch::kFloat32);
    std::copy(values.begin(), values.end(), made.data_ptr<float>());
    return made.requires_grad_(active);
  }
  static Tensor make_ids(const std::vector<std::int64_t>& values, const Sizes& sizes) {
    Tensor made = torch::empty(sizes, torch::kInt64);
    std::copy(values.begin(), values.end(), made.data_ptr<std::int64_t>());
    return made;
  }
  static std::vector<float> values(const Tensor& x) {
    const Tensor dense = x.detach().contiguous();
    return {dense.data_ptr<float>(), dense.data_ptr<float>() + dense.numel()};
  }
  static std::vector<float> gradient(const Tensor& x) { return values(x.grad()); }
  static void consume(const Tensor&) {}

  static void backward(const Tensor& y) { y.backward(); }
  static void backward(const Tensor& y, const Tensor& seed) { y.backward(seed); }
  static void descend(std::vector<Tensor>& parameters, double rate) {
    const NoGrad quiet;
    for (auto& parameter : parameters) parameter.add_(parameter.grad(), -rate);
  }
  static void clear(std::vector<Tensor>& parameters) {
    for (auto& parameter : parameters) parameter.mutable_grad() = Tensor();
  }

  static Tensor add(const Tensor& a, const Tensor& b) { return torch::add(a, b); }
  static Tensor add(const Tensor& a, double b) { return torch::add(a, b); }
  static Tensor sub(const Tensor& a, const Tensor& b) { return torch::sub(a, b); }
  static Tensor sub(const Tensor& a, double b) { return torch::sub(a, b); }
  static Tensor mul(const Tensor& a, const Tensor& b) { return torch::mul(a, b); }
  static Tensor mul(const Tensor& a, double b) { return torch::mul(a, b); }
  static Tensor neg(const Tensor& x) { return torch::neg(x); }
  static Tensor abs(const Tensor& x) { return torch::abs(x); }
  static Tensor exp(const Tensor& x) { return torch::exp(x); }
  static Tensor tanh(const Tensor& x) { return torch::tanh(x); }
  static Tensor sigmoid(const Tensor& x) { return torch::sigmoid(x); }
  static Tensor relu(const Tensor& x) { return torch::relu(x); }
  static Tensor gelu(const Tensor& x) { return torch::gelu(x); }
  static Tensor softplus(const Tensor& x) { return torch::softplus(x); }
  static Tensor sum(const Tensor& x) { return torch::sum(x); }
  static Tensor mean(const Tensor& x) { return torch::mean(x); }
  static Tensor logsumexp(const Tensor& x) { return torch::logsumexp(x, -1); }
  static Tensor cross_entropy(const Tensor& x, const Tensor& targets) {
    return torch::cross_entropy_loss(x, targets);
  }
  static Tensor layer_norm(const Tensor& x, const Tensor& w, const Tensor& b) {
    return torch::layer_norm(x, {x.size(-1)}, w, b);
  }
  static Tensor matmul(const Tensor& a, const Tensor& b) { return torch::matmul(a, b); }
  static Tensor linear(const Tensor& x, const Tensor& w, const Tensor& b) {
    // Weights lie as [in, out] in every engine here; addmm is what nn.Linear calls for two axes.
    if (x.dim() == 2) return torch::addmm(b, x, w);
    return torch::add(torch::matmul(x, w), b);
  }
  static Tensor conv2d(const Tensor& x, const Tensor& w, const Tensor& b) {
    return torch::conv2d(x, w, b, 1, 1);
  }
  static Tensor reshape(const Tensor& x, const Sizes& sizes) { return torch::reshape(x, sizes); }
  static Tensor permute(const Tensor& x, const Sizes& order) { return torch::permute(x, order); }
  static Tensor slice(const Tensor& x, int axis, std::int64_t begin, std::int64_t end) {
    return torch::slice(x, axis, begin, end);
  }
  static Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v, bool causal) {
    Tensor scores = torch::matmul(q, k.transpose(-2, -1)) * (1 / std::sqrt(static_cast<double>(q.size(-1))));
    if (causal)
      scores = scores.masked_fill(hidden(q.size(-2), k.size(-2)), -std::numeric_limits<float>::infinity());
    return torch::matmul(torch::softmax(scores, -1), v);
  }
  static Tensor with_last(const Tensor& cache, const Tensor& newest) {
    torch::slice(cache, 2, cache.size(2) - 1, cache.size(2)).copy_(newest);
    return cache;
  }

 private:
  /// The mask is made once, as a model would.
  static const Tensor& hidden(std::int64_t queries, std::int64_t keys) {
    static Tensor mask;
    if (!mask.defined() || mask.size(0) != queries || mask.size(1) != keys)
      mask = torch::ones({queries, keys}, torch::kBool).triu(keys - queries + 1);
    return mask;
  }
};

/// Counts bytes alive while switched on; otherwise hands through. What it counts carries its size in front.
class CountingAllocator final : public c10::Allocator {
 public:
  explicit CountingAllocator(c10::Allocator* base) : base_(base) {}
  c10::DataPtr allocate(std::size_t bytes) const override {
    if (!counting) return base_->allocate(bytes);
    auto* block = static_cast<char*>(c10::alloc_cpu(bytes + front));
    *reinterpret_cast<std::size_t*>(block) = bytes;
    live += static_cast<std::int64_t>(bytes);
    peak = std::max(peak.load(), live.load());
    return {block + front, block + front, release, c10::Device(c10::kCPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return counting ? release : base_->raw_deleter(); }

  static inline std::atomic<bool> counting{false};
  static inline std::atomic<std::int64_t> live{0}, peak{0};

 private:
  static constexpr std::size_t front = 64;
  static void release(void* data) {
    auto* block = static_cast<char*>(data) - front;
    live -= static_cast<std::int64_t>(*reinterpret_cast<std::size_t*>(block));
    c10::free_cpu(block);
  }
  c10::Allocator* base_;
};

std::optional<std::int64_t> peak_of(const std::function<void()>& f) {
  static CountingAllocator counter(c10::GetAllocator(c10::kCPU));
  static const bool installed = [] {
    c10::SetAllocator(c10::kCPU, &counter, 100);
    return true;
  }();
  (void)installed;
  CountingAllocator::live = CountingAllocator::peak = 0;
  CountingAllocator::counting = true;
  f();
  CountingAllocator::counting = false;
  return CountingAllocator::peak.load();
}

/// Its own threads and those of the BLAS it was linked with, which it does not tell.
void set_threads(int count) {
  at::set_num_threads(count);
  if (void* found = dlsym(RTLD_DEFAULT, "openblas_set_num_threads"); found != nullptr)
    reinterpret_cast<void (*)(int)>(found)(count);
}

}  // namespace
}  // namespace tare::engines

extern "C" void tare_torch_engine(tare::engines::TensorEngine* made) {
  using namespace tare::engines;
  *made = {.set_threads = set_threads, .peak_bytes = peak_of, .offers = tensor_offers<Torch>()};
}
