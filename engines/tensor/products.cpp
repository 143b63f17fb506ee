#include "engines/tensor/products.hpp"

#include <fmt/format.h>

#include "ad/support/threads.hpp"
#include "ad/tensor/kernels/gemm_library.hpp"
#include "ad/tensor/ops.hpp"
#include "workloads/tensor/products.hpp"

namespace tare::engines {
namespace {

using ad::kernels::GemmLibrary;
using workloads::tensor::Cost;
using workloads::tensor::Data;
using workloads::tensor::product_sizes;
using workloads::tensor::ProductShape;
using workloads::tensor::Sizes;

/// What the products here have in common: they compute and are not differentiated.
class PlainProduct : public TensorProblem {
 public:
  explicit PlainProduct(const std::string& size) : s_(size) {}
  void forward() override { infer(); }
  void backward() override {}
  [[nodiscard]] bool differentiates() const override { return false; }
  [[nodiscard]] Sizes shape() const override { return {s_.m, s_.n, s_.k}; }
  [[nodiscard]] double items() const override { return 1; }

 protected:
  ProductShape s_;
};

/// The numbers of workloads::tensor::Matmul.
class ByLibrary final : public PlainProduct {
 public:
  ByLibrary(GemmLibrary library, const std::string& size, std::uint64_t seed)
      : PlainProduct(size), library_(library), c_(static_cast<std::size_t>(s_.m * s_.n)) {
    Data data(seed);
    a_ = data.uniform(s_.m * s_.k, -1, 1);
    b_ = data.uniform(s_.k * s_.n, -1, 1);
  }
  void infer() override {
    ad::kernels::gemm(library_, {s_.m, s_.n, s_.k, false, false}, a_.data(), s_.k, b_.data(), s_.n, c_.data(),
                      s_.n, 0);
  }
  std::vector<std::vector<float>> answers() override {
    infer();
    return {c_};
  }
  [[nodiscard]] Cost cost() const override { return s_.cost(sizeof(float), sizeof(float)); }

 private:
  GemmLibrary library_;
  std::vector<float> a_, b_, c_;
};

/// u8 times i8, in the range whose pairs of products fit 16 bits, so that plain oneDNN is exact on every CPU.
class OfEightBits final : public PlainProduct {
 public:
  OfEightBits(EightBit by, const std::string& size, std::uint64_t seed) : PlainProduct(size), by_(by) {
    Data data(seed);
    std::vector<std::uint8_t> a;
    std::vector<std::int8_t> b;
    for (const auto v : data.below(s_.m * s_.k, 128)) a.push_back(static_cast<std::uint8_t>(v));
    for (const auto v : data.below(s_.k * s_.n, 255)) b.push_back(static_cast<std::int8_t>(v - 127));
    a_ = ad::Tensor::of(std::span<const std::uint8_t>(a), {s_.m, s_.k});
    b_ = ad::Tensor::of(std::span<const std::int8_t>(b), {s_.k, s_.n});
    if (by == EightBit::onednn) sums_.resize(static_cast<std::size_t>(s_.m * s_.n));
  }
  void infer() override {
    if (by_ == EightBit::onednn) return by_onednn();
    const ad::NoGrad quiet;
    y_ = product();
  }
  std::vector<std::vector<float>> answers() override {
    infer();
    if (by_ == EightBit::onednn) return {{sums_.begin(), sums_.end()}};
    const auto all = y_.to_vector();
    return {{all.begin(), all.end()}};
  }
  [[nodiscard]] Cost cost() const override { return s_.cost(sizeof(std::uint8_t), sizeof(std::int32_t)); }

 private:
  [[nodiscard]] ad::Tensor product() const {
    if (by_ == EightBit::eager) return ad::matmul_i8(a_, b_);
    return ad::matmul(ad::cast(a_, ad::DType::f64), ad::cast(b_, ad::DType::f64));
  }
  void by_onednn() {
    const auto* a = a_.values<std::uint8_t>().data();
    const auto* b = b_.values<std::int8_t>().data();
    const auto threads = ad::threads_here();
    ad::parallel_for(s_.m, (s_.m + threads - 1) / threads, [&](std::int64_t begin, std::int64_t end) {
      ad::kernels::run_u8i8({end - begin, s_.n, s_.k, false, false}, a + begin * s_.k, s_.k, b, s_.n,
                            sums_.data() + begin * s_.n, s_.n, false);
    });
  }

  EightBit by_;
  ad::Tensor a_, b_, y_;
  std::vector<std::int32_t> sums_;
};

TensorEngine library_engine(GemmLibrary library, const char* package) {
  const std::string name = ad::kernels::name_of(library);
  if (!ad::kernels::is_installed(library))
    return {.name = name, .absent = fmt::format("not installed: {} has it", package)};
  TensorEngine engine{
      .name = name, .label = name + ", the plain kernel", .set_threads = ad::set_thread_count};
  engine.peak_bytes = [](const std::function<void()>&) { return std::nullopt; };
  for (const auto& size : product_sizes()) {
    engine.offers.push_back({.workload = "matmul",
                             .size = size,
                             .trains = false,
                             .make = [library, size](std::uint64_t seed) -> std::unique_ptr<TensorProblem> {
                               return std::make_unique<ByLibrary>(library, size, seed);
                             }});
  }
  if (library == GemmLibrary::onednn) {
    auto small = eight_bit_products(EightBit::onednn);
    engine.offers.insert(engine.offers.end(), small.begin(), small.end());
  }
  return engine;
}

}  // namespace

std::vector<TensorEngine> product_libraries() {
  return {library_engine(GemmLibrary::openblas, "libopenblas0-serial"),
          library_engine(GemmLibrary::blis, "libblis4-serial"),
          library_engine(GemmLibrary::onednn, "libdnnl-dev")};
}

std::vector<TensorOffer> eight_bit_products(EightBit by) {
  std::vector<TensorOffer> offers;
  for (const auto& size : product_sizes()) {
    offers.push_back({.workload = "matmul_i8",
                      .size = size,
                      .dtype = "i8",
                      .trains = false,
                      .make = [by, size](std::uint64_t seed) -> std::unique_ptr<TensorProblem> {
                        return std::make_unique<OfEightBits>(by, size, seed);
                      }});
  }
  return offers;
}

}  // namespace tare::engines
