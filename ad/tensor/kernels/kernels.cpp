#include "ad/tensor/kernels/kernels.hpp"

#include <cstdlib>
#include <cstring>

namespace tare::ad::kernels {

namespace baseline {
const Kernels& kernels();
}
#ifdef TARE_AD_WIDE_KERNELS
namespace v3 {
const Kernels& kernels();
}
namespace v4 {
const Kernels& kernels();
}
#endif

const Kernels* named(const char* name) {
  if (std::strcmp(name, "baseline") == 0) return &baseline::kernels();
#ifdef TARE_AD_WIDE_KERNELS
  if (std::strcmp(name, "v3") == 0 && __builtin_cpu_supports("x86-64-v3")) return &v3::kernels();
  if (std::strcmp(name, "v4") == 0 && __builtin_cpu_supports("x86-64-v4")) return &v4::kernels();
#endif
  return nullptr;
}

const Kernels& best() {
  static const Kernels& chosen = []() -> const Kernels& {
    if (const char* asked = std::getenv("TARE_ISA"); asked != nullptr)
      if (const Kernels* found = named(asked); found != nullptr) return *found;
    for (const char* name : {"v4", "v3"})
      if (const Kernels* found = named(name); found != nullptr) return *found;
    return baseline::kernels();
  }();
  return chosen;
}

}  // namespace tare::ad::kernels
