#include "ad/scalar/program/interpreter.hpp"

#include <bit>
#include <cmath>

#include "ad/scalar/program/library.hpp"

namespace tare::ad::detail {
namespace {

/// Doubles computed on together, and the integers of their bits.
template <int Width>
struct Vector {
  using Number [[gnu::vector_size(8 * Width), gnu::aligned(8), gnu::may_alias]] = double;
  using Bits [[gnu::vector_size(8 * Width), gnu::aligned(8), gnu::may_alias]] = std::int64_t;
};

template <int Width>
[[gnu::always_inline]] inline void call_lanes(const Step& step, const Code& code, const double* a,
                                              const double* b, const double* c, double* result, bool packed) {
  const Function function = step.instruction.function();
  if (function == Function::custom) {
    const CustomFunction& f = custom_function(code, step.instruction.c);
    for (int l = 0; l < Width; ++l) result[l] = f(a[l], b[l]);
  } else if (packed) {
    for (int l = 0; l < Width; l += 4) call_packed(function, a + l, b + l, c + l, result + l);
  } else {
    for (int l = 0; l < Width; ++l) result[l] = call_scalar(function, a[l], b[l], c[l]);
  }
}

/// Width lanes in groups of Group.
template <int Width, int Group>
[[gnu::always_inline]] inline void interpret_lanes(const std::vector<Step>& steps, const Code& code,
                                                   const Frame& frame, bool packed) {
  using N = typename Vector<Group>::Number;
  using B = typename Vector<Group>::Bits;
  constexpr int groups = Width / Group;
  const auto at = [&](std::uint32_t place) {
    return reinterpret_cast<N*>(frame.scratch + std::size_t{place} * Width);
  };
  const auto outputs = [&](Port port) {
    return port == Port::results ? frame.results : port == Port::gradient ? frame.gradient : frame.sums;
  };
  for (const Step& step : steps) {
    const Instruction& i = step.instruction;
    N* const y = at(step.place);
    const N* const a = at(i.a);
    const N* const b = at(i.b);
    const N* const c = at(i.c);
    double* const to_lane = frame.scratch + std::size_t{step.place} * Width;
    const double* const a_lane = frame.scratch + std::size_t{i.a} * Width;
    const double* const b_lane = frame.scratch + std::size_t{i.b} * Width;
    const double* const c_lane = frame.scratch + std::size_t{i.c} * Width;
// NOLINTBEGIN(bugprone-macro-parentheses)
#define TARE_AD_LANES(prim, expression)                       \
  case Prim::prim:                                            \
    for (int g = 0; g < groups; ++g) {                        \
      N result;                                               \
      for (int l = 0; l < Group; ++l) result[l] = expression; \
      y[g] = result;                                          \
    }                                                         \
    break;
#define TARE_AD_EACH(prim, expression)           \
  case Prim::prim:                               \
    for (int g = 0; g < groups; ++g) expression; \
    break;
    switch (i.prim) {
      TARE_AD_EACH(add, y[g] = a[g] + b[g])
      TARE_AD_EACH(sub, y[g] = a[g] - b[g])
      TARE_AD_EACH(mul, y[g] = a[g] * b[g])
      TARE_AD_EACH(div, y[g] = a[g] / b[g])
      TARE_AD_EACH(neg, y[g] = -a[g])
      TARE_AD_LANES(fma, __builtin_fma(a[g][l], b[g][l], c[g][l]))
      TARE_AD_LANES(fms, __builtin_fma(a[g][l], b[g][l], -c[g][l]))
      TARE_AD_LANES(fnma, __builtin_fma(-a[g][l], b[g][l], c[g][l]))
      TARE_AD_LANES(sqrt, __builtin_sqrt(a[g][l]))
      TARE_AD_LANES(abs, __builtin_fabs(a[g][l]))
      TARE_AD_LANES(floor, __builtin_floor(a[g][l]))
      TARE_AD_LANES(ceil, __builtin_ceil(a[g][l]))
      TARE_AD_LANES(trunc, __builtin_trunc(a[g][l]))
      TARE_AD_EACH(min, y[g] = b[g] < a[g] ? b[g] : a[g])
      TARE_AD_EACH(max, y[g] = a[g] < b[g] ? b[g] : a[g])
      TARE_AD_EACH(less, y[g] = (N)(a[g] < b[g]))
      TARE_AD_EACH(less_equal, y[g] = (N)(a[g] <= b[g]))
      TARE_AD_EACH(equal, y[g] = (N)(a[g] == b[g]))
      TARE_AD_EACH(not_equal, y[g] = (N)(a[g] != b[g]))
      TARE_AD_EACH(keep, y[g] = (N)((B)a[g] & (B)b[g]))
      TARE_AD_EACH(select, y[g] = (N)(((B)a[g] & (B)b[g]) | (~(B)a[g] & (B)c[g])))
      case Prim::call:
        call_lanes<Width>(step, code, a_lane, b_lane, i.function() != Function::custom ? c_lane : a_lane,
                          to_lane, packed);
        break;
        TARE_AD_LANES(constant, code.constants[i.a])
      case Prim::load:
        if (i.port() == Port::uniform) {
          // Written as whole groups, as they are read.
          N all;
          for (int l = 0; l < Group; ++l) all[l] = frame.uniform[i.a];
          for (int g = 0; g < groups; ++g) y[g] = all;
        } else {
          const N* const from = reinterpret_cast<const N*>(frame.varying + std::size_t{i.a} * Width);
          for (int g = 0; g < groups; ++g) y[g] = from[g];
        }
        break;
      case Prim::store: {
        N* const to = reinterpret_cast<N*>(outputs(i.port()) + std::size_t{i.b} * Width);
        if (i.port() == Port::sums) {
          for (int g = 0; g < groups; ++g) to[g] += a[g];
        } else {
          for (int g = 0; g < groups; ++g) to[g] = a[g];
        }
        break;
      }
    }
#undef TARE_AD_EACH
#undef TARE_AD_LANES
    // NOLINTEND(bugprone-macro-parentheses)
  }
}

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void single_fast(const std::vector<Step>& steps, const Code& code,
                                             const Frame& frame) {
  interpret_lanes<1, 1>(steps, code, frame, false);
}
[[gnu::target("avx2,fma")]] void wide_fast(const std::vector<Step>& steps, const Code& code,
                                           const Frame& frame) {
  interpret_lanes<interpreted_lanes, 4>(steps, code, frame, true);
}
#else
constexpr auto single_fast = interpret_single;
constexpr auto wide_fast = interpret_wide;
#endif

}  // namespace

std::vector<Step> steps_of(const Code& code, const Places& places) {
  std::vector<Step> steps;
  steps.reserve(code.instructions.size());
  for (std::size_t i = 0; i < code.instructions.size(); ++i) {
    Instruction instruction = code.instructions[i];
    const int count = arguments_of(instruction);
    for (int k = 0; k < count; ++k) argument(instruction, k) = places.place[argument(instruction, k)];
    const std::uint32_t place = places.place[i] == never ? 0 : places.place[i];
    steps.push_back({instruction, place});
  }
  return steps;
}

void interpret_single(const std::vector<Step>& steps, const Code& code, const Frame& frame) {
  if (has_packed()) return single_fast(steps, code, frame);
  interpret_lanes<1, 1>(steps, code, frame, false);
}
void interpret_wide(const std::vector<Step>& steps, const Code& code, const Frame& frame) {
  if (has_packed()) return wide_fast(steps, code, frame);
  interpret_lanes<interpreted_lanes, 2>(steps, code, frame, false);
}

}  // namespace tare::ad::detail
