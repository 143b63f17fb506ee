// The functions of ad/ops/vector_math.hpp through the kernels of every instruction set this CPU has: errors
// in units in the last place over the floats of their range, and special values. By default every 4099th
// float; TARE_FLOAT_STEP=7 looks at more of them, 1 at all.
#include "ad/ops/vector_math.hpp"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <vector>

#include "ad/tensor/kernels/kernels.hpp"

namespace tare::ad {
namespace {

struct Function {
  Op op;
  double (*exact)(double);
  float low, high;
  double bound;  ///< as vector_math.hpp states it
};

constexpr float largest = std::numeric_limits<float>::max();
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float smallest = std::numeric_limits<float>::denorm_min();

const std::vector<Function>& functions() {
  static const std::vector<Function> all{
      {Op::exp, std::exp, -largest, largest, 1.1},   {Op::expm1, std::expm1, -largest, largest, 1.6},
      {Op::log, std::log, smallest, largest, 0.9},   {Op::log1p, std::log1p, -0.99999994F, largest, 1.4},
      {Op::tanh, std::tanh, -largest, largest, 1.4}, {Op::erf, std::erf, -largest, largest, 1.3},
      {Op::sin, std::sin, -1e5F, 1e5F, 1.6},         {Op::cos, std::cos, -1e5F, 1e5F, 1.6}};
  return all;
}

std::vector<const kernels::Kernels*> sets() {
  std::vector<const kernels::Kernels*> all;
  for (const char* name : {"baseline", "v3", "v4"})
    if (const auto* found = kernels::named(name); found != nullptr) all.push_back(found);
  return all;
}

/// Floats in their order as whole numbers: negative ones below zero.
std::int64_t rank_of(float x) {
  const auto bits = std::bit_cast<std::int32_t>(x);
  return bits >= 0 ? bits : std::int64_t{INT32_MIN} - bits;
}
float of_rank(std::int64_t rank) {
  return std::bit_cast<float>(static_cast<std::int32_t>(rank >= 0 ? rank : INT32_MIN - rank));
}

/// |got − exact| in units in the last place of the exact value as a float.
double error_in_ulp(float got, double exact) {
  const auto nearest = static_cast<float>(exact);
  if (std::isinf(nearest) || std::isnan(nearest)) {
    // Just at the border either answer is within a unit.
    if (got == nearest || (std::isnan(got) && std::isnan(nearest))) return 0;
    return std::abs(got) == largest && std::abs(exact) < 0x1.000001p128 ? 1 : 1e9;
  }
  if (!std::isfinite(got)) return std::isinf(got) && std::abs(nearest) == largest ? 1 : 1e9;
  const int exponent = std::max(std::ilogb(nearest == 0 ? smallest : nearest), -126);
  return std::abs(static_cast<double>(got) - exact) / std::ldexp(1.0, exponent - 23);
}

std::int64_t float_step() {
  const char* asked = std::getenv("TARE_FLOAT_STEP");
  const auto step = asked == nullptr ? 0 : std::atoll(asked);
  return step > 0 ? step : 4099;
}

struct Worst {
  double error = 0;
  float at = 0;
};

Worst worst_error(const kernels::Kernels& set, const Function& f) {
  Worst worst;
  constexpr std::size_t batch = 4096;
  std::vector<float> x, y(batch);
  const std::array numbers{0.0, 0.0};
  const auto flush = [&] {
    set.f32.unary[static_cast<std::size_t>(f.op)](x.data(), y.data(), static_cast<std::int64_t>(x.size()),
                                                  numbers.data());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double error = error_in_ulp(y[i], f.exact(static_cast<double>(x[i])));
      if (error > worst.error) worst = {error, x[i]};
    }
    x.clear();
  };
  const auto last = rank_of(f.high);
  for (auto rank = rank_of(f.low); rank <= last; rank += float_step()) {
    x.push_back(of_rank(rank));
    if (x.size() == batch) flush();
  }
  flush();
  return worst;
}

TEST(VectorMath, StaysWithinTheStatedErrors) {
  for (const auto* set : sets()) {
    for (const auto& f : functions()) {
      const auto worst = worst_error(*set, f);
      EXPECT_LE(worst.error, f.bound) << name_of(f.op) << " of " << worst.at << " on " << set->name;
      RecordProperty(std::string(set->name) + "_" + std::string(name_of(f.op)), std::to_string(worst.error));
    }
  }
}

float value_of(const kernels::Kernels& set, Op op, float x) {
  float y = 0;
  const std::array numbers{0.0, 0.0};
  set.f32.unary[static_cast<std::size_t>(op)](&x, &y, 1, numbers.data());
  return y;
}

TEST(VectorMath, SpecialValuesAreThoseOfTheLibrary) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float normal = std::numeric_limits<float>::min();
  for (const auto* set : sets()) {
    for (const auto& f : functions()) {
      for (const float x :
           {nan,     infinity, -infinity, 0.0F,  -0.0F,     smallest, -smallest, normal, -normal, normal / 3,
            largest, -largest, 1.0F,      -1.0F, 88.72284F, 88.7229F, -103.9F,   -87.4F, -104.1F, 1e-30F}) {
        const float got = value_of(*set, f.op, x);
        const double exact = f.exact(static_cast<double>(x));
        if (std::isnan(exact)) {
          EXPECT_TRUE(std::isnan(got)) << name_of(f.op) << " of " << x << " on " << set->name << ": " << got;
          continue;
        }
        EXPECT_LE(error_in_ulp(got, exact), f.bound)
            << name_of(f.op) << " of " << x << " on " << set->name << ": " << got;
        // The sign of −0 is lost where the header says so.
        if (exact == 0 && x == 0 && f.op != Op::expm1 && f.op != Op::tanh && f.op != Op::sin) {
          EXPECT_EQ(std::signbit(got), std::signbit(exact))
              << name_of(f.op) << " of " << x << " on " << set->name;
        }
      }
    }
  }
}

TEST(VectorMath, EveryLaneGivesWhatOneGives) {
  for (const auto* set : sets()) {
    for (const auto& f : functions()) {
      std::vector<float> x, y(61);
      for (int i = 0; i < 61; ++i) x.push_back(std::ldexp(1.0F + static_cast<float>(i) / 61, i % 9 - 4));
      const std::array numbers{0.0, 0.0};
      set->f32.unary[static_cast<std::size_t>(f.op)](x.data(), y.data(), 61, numbers.data());
      for (std::size_t i = 0; i < x.size(); ++i)
        EXPECT_EQ(y[i], value_of(*set, f.op, x[i])) << name_of(f.op) << " lane " << i << " on " << set->name;
    }
  }
}

}  // namespace
}  // namespace tare::ad
