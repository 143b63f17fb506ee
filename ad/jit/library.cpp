#include "ad/jit/library.hpp"

#include <array>
#include <cmath>

namespace tare::ad::jit {

const void* const* library_table() {
  using One32 = float (*)(float);
  using One64 = double (*)(double);
  using Two32 = float (*)(float, float);
  using Two64 = double (*)(double, double);
  static const std::array table{
#define TARE_JIT_ADDRESS(name)                                  \
  reinterpret_cast<const void*>(static_cast<One32>(std::name)), \
      reinterpret_cast<const void*>(static_cast<One64>(std::name)),
      TARE_JIT_ONE_ARGUMENT(TARE_JIT_ADDRESS)
#undef TARE_JIT_ADDRESS
#define TARE_JIT_ADDRESS(name)                                  \
  reinterpret_cast<const void*>(static_cast<Two32>(std::name)), \
      reinterpret_cast<const void*>(static_cast<Two64>(std::name)),
          TARE_JIT_TWO_ARGUMENTS(TARE_JIT_ADDRESS)
#undef TARE_JIT_ADDRESS
  };
  return table.data();
}

}  // namespace tare::ad::jit
