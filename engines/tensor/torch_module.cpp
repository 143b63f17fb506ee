#include <dlfcn.h>
#include <stdexcept>
#include <torch/version.h>

#include "engines/tensor/ours.hpp"
#include "engines/tensor/torch.hpp"

namespace tare::engines {
namespace {

const TensorEngine& opened() {
  static const TensorEngine engine = [] {
    // Its symbols are for all: the BLAS it was linked with is asked by name for its threads.
    void* module = dlopen(TARE_TORCH_MODULE, RTLD_NOW | RTLD_GLOBAL);
    auto* fill = module == nullptr ? nullptr : dlsym(module, "tare_torch_engine");
    if (fill == nullptr) throw std::runtime_error(std::string("libtorch cannot be opened: ") + dlerror());
    TensorEngine made;
    reinterpret_cast<void (*)(TensorEngine*)>(fill)(&made);
    return made;
  }();
  return engine;
}

std::unique_ptr<TensorProblem> make(const std::string& workload, const std::string& size,
                                    std::uint64_t seed) {
  for (const auto& offer : opened().offers)
    if (offer.workload == workload && offer.size == size) return offer.make(seed);
  throw std::runtime_error("libtorch's adapter has no " + workload + " of size " + size);
}

}  // namespace

TensorEngine torch_tensors() {
  // libtorch's BLAS comes first: once our own is open, which goes by the same name, libtorch would get that.
  (void)dlopen("libblas.so.3", RTLD_LAZY | RTLD_GLOBAL);
  TensorEngine engine{.name = "torch",
                      .label = "libtorch " TORCH_VERSION ", eager",
                      .set_threads = [](int count) { opened().set_threads(count); },
                      .peak_bytes = [](const std::function<void()>& f) { return opened().peak_bytes(f); }};
  // The workloads are the same for every engine of single precision.
  for (auto offer : eager_tensors().offers) {
    if (offer.dtype != "f32") continue;
    offer.make = [workload = offer.workload, size = offer.size](std::uint64_t seed) {
      return make(workload, size, seed);
    };
    engine.offers.push_back(std::move(offer));
  }
  return engine;
}

}  // namespace tare::engines
