#include "ad/scalar/program/arithmetic.hpp"

#include <bit>
#include <cmath>

#include "ad/scalar/program/library.hpp"

namespace tare::ad::detail {
namespace {

double mask(bool set) {
  return std::bit_cast<double>(set ? ~std::uint64_t{0} : std::uint64_t{0});
}
bool is_set(double mask) {
  return std::bit_cast<std::uint64_t>(mask) != 0;
}

}  // namespace

double computed(const Instruction& i, double a, double b, double c) {
  switch (i.prim) {
    case Prim::add:
      return a + b;
    case Prim::sub:
      return a - b;
    case Prim::mul:
      return a * b;
    case Prim::div:
      return a / b;
    case Prim::neg:
      return -a;
    case Prim::fma:
      return std::fma(a, b, c);
    case Prim::fms:
      return std::fma(a, b, -c);
    case Prim::fnma:
      return std::fma(-a, b, c);
    case Prim::sqrt:
      return std::sqrt(a);
    case Prim::abs:
      return std::abs(a);
    case Prim::min:
      return b < a ? b : a;
    case Prim::max:
      return a < b ? b : a;
    case Prim::floor:
      return std::floor(a);
    case Prim::ceil:
      return std::ceil(a);
    case Prim::trunc:
      return std::trunc(a);
    case Prim::less:
      return mask(a < b);
    case Prim::less_equal:
      return mask(a <= b);
    case Prim::equal:
      return mask(a == b);
    case Prim::not_equal:
      return mask(a != b);
    case Prim::keep:
      return is_set(a) ? b : 0;
    case Prim::select:
      return is_set(a) ? b : c;
    case Prim::call:
      return call_scalar(i.function(), a, b, c);
    case Prim::constant:
    case Prim::load:
    case Prim::store:
      break;
  }
  return 0;
}

}  // namespace tare::ad::detail
