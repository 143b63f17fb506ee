// The tensor engines of this build. CMake says whether libtorch was found.
#include "engines/tensor/ours.hpp"
#include "engines/tensor/products.hpp"
#include "engines/tensor/tensor_engine.hpp"
#ifdef TARE_HAVE_TORCH
#include "engines/tensor/torch.hpp"
#endif

namespace tare::engines {

std::vector<TensorEngine> all_tensor_engines() {
  std::vector<TensorEngine> engines{reference_tensors(), eager_tensors(), graph_tensors()};
#ifdef TARE_HAVE_TORCH
  engines.push_back(torch_tensors());
#else
  engines.push_back(
      {.name = "torch", .absent = "absent from this build: install libtorch-dev and configure again"});
#endif
  for (auto& library : product_libraries()) engines.push_back(std::move(library));
  return engines;
}

}  // namespace tare::engines
