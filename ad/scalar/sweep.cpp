#include "ad/scalar/sweep.hpp"

namespace tare::ad::detail {
namespace {

template <class T>
using Sweep = void (*)(const Entry<T>*, const Entry<T>*, T*, std::uint32_t);

template <class T>
void plain(const Entry<T>* begin, const Entry<T>* end, T* adjoint, std::uint32_t lhs) {
  sweep_here(begin, end, adjoint, lhs);
}
// Constants: whoever sweeps before main() does it plainly.
constinit Sweep<double> doubles = plain<double>;
constinit Sweep<float> floats = plain<float>;

#ifdef __x86_64__
template <class T>
[[gnu::target("avx2,fma")]] void fused(const Entry<T>* begin, const Entry<T>* end, T* adjoint,
                                       std::uint32_t lhs) {
  sweep_here(begin, end, adjoint, lhs);
}
[[maybe_unused]] const bool chosen = [] {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return false;
  doubles = fused<double>;
  floats = fused<float>;
  return true;
}();
#endif

}  // namespace

void sweep(const Entry<double>* begin, const Entry<double>* end, double* adjoint, std::uint32_t lhs) {
  doubles(begin, end, adjoint, lhs);
}
void sweep(const Entry<float>* begin, const Entry<float>* end, float* adjoint, std::uint32_t lhs) {
  floats(begin, end, adjoint, lhs);
}

}  // namespace tare::ad::detail
