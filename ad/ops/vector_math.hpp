// exp, log, tanh, erf, sin and relatives in single precision, written once over a number type V: eager
// kernels call them with a register of lanes, the graph compiler with values that write instructions. No
// branch, no table, no call. V has arithmetic, comparisons, select(), and by argument-dependent lookup
//   fused(a, b, c)      a·b + c, rounded once where the machine can
//   nearest(x)          the nearest whole number
//   times_power(x, n)   x·2ⁿ for whole n from −150 to 128, also where 2ⁿ itself is not a normal number
//   exponent(x)         of positive normal x, as a number; significand(x) the rest, in [1, 2)
//   magnitude(x)        |x|
// Errors against the exact value over the floats of the range, subnormal ones included, in units in the last
// place (ulp), as ad/tensor/vector_math_test.cpp checks them: exp 1.1, expm1 1.6, log 0.9, log1p 1.4, tanh
// 1.4, erf 1.3, sin and cos 1.6 for |x| ≤ 10⁵. NaN and infinities answer as the C library does; of −0 expm1,
// tanh and sin make +0. Coefficients: minimax fits by iterated reweighting.
#pragma once

#include <limits>

// A call for every register would cost as much as what it computes.
#define TARE_INLINE [[gnu::always_inline]] inline

namespace tare::ad::lanes {

namespace detail {

template <class V>
TARE_INLINE V polynomial(const V&, float c0) {
  return V(c0);
}
/// c0 + x·(c1 + x·(…)).
template <class V, class... Rest>
TARE_INLINE V polynomial(const V& x, float c0, Rest... rest) {
  return fused(polynomial(x, rest...), x, V(c0));
}

/// exp(x) = 2ⁿ·(1 + e): n and e.
template <class V>
struct Split {
  V n, e;
};
template <class V>
TARE_INLINE Split<V> split_exponential(const V& x) {
  const V n = nearest(x * V(1.44269504F));
  // ln 2 in two parts, the first short enough that its product with n is exact.
  const V r = fused(n, V(2.12194440e-4F), fused(n, V(-0.693359375F), x));
  const V p = polynomial(r, 0.49999994F, 0.166665196F, 0.0416683927F, 0.00836878084F, 0.00138144649F);
  return {n, fused(r * r, p, r)};
}

}  // namespace detail

template <class V>
TARE_INLINE V exp(const V& x) {
  // NaN passes both comparisons unchanged.
  V clamped = select(x > V(89.0F), V(89.0F), x);
  // Below the smallest subnormal the result is 0: computing it would cost the CPU a detour.
  const auto vanishes = clamped < V(-103.98F);
  clamped = select(vanishes, V(0.0F), clamped);
  const auto [n, e] = detail::split_exponential(clamped);
  return select(vanishes, V(0.0F), times_power(V(1.0F) + e, n));
}

template <class V>
TARE_INLINE V expm1(const V& x) {
  V clamped = select(x > V(89.0F), V(89.0F), x);
  clamped = select(clamped < V(-20.0F), V(-20.0F), clamped);
  const auto [n, e] = detail::split_exponential(clamped);
  // 2ⁿ·e + (2ⁿ − 1), where 2ⁿ does not overflow.
  const V one = times_power(V(1.0F), n);
  const V small = fused(one, e, one - V(1.0F));
  return select(n > V(100.0F), times_power(V(1.0F) + e, n), small);
}

template <class V>
TARE_INLINE V log(const V& x) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const auto tiny = x < V(std::numeric_limits<float>::min());
  const V scaled = select(tiny, x * V(8388608.0F), x);
  const V m = significand(scaled);
  const auto upper = m > V(1.41421354F);
  const V f = select(upper, m * V(0.5F), m) - V(1.0F);
  V k = exponent(scaled) + select(upper, V(1.0F), V(0.0F));
  k = k - select(tiny, V(23.0F), V(0.0F));
  const V p = detail::polynomial(f, 0.333333135F, -0.250000089F, 0.200021192F, -0.166679963F, 0.142195508F,
                                 -0.124055915F, 0.118881747F, -0.116756409F, 0.0674660131F);
  const V square = f * f;
  V small = square * f * p;
  small = fused(k, V(-2.12194440e-4F), small);
  small = fused(square, V(-0.5F), small);
  V y = fused(k, V(0.693359375F), f + small);
  y = select(x < V(infinity), y, x);  // infinity and NaN answer themselves
  y = select(
      x > V(0.0F), y,
      select(x < V(0.0F), V(std::numeric_limits<float>::quiet_NaN()), select(x <= V(0.0F), V(-infinity), x)));
  return y;
}

template <class V>
TARE_INLINE V log1p(const V& x) {
  const V u = V(1.0F) + x;
  const V y = lanes::log(u) + (x - (u - V(1.0F))) / u;
  const auto plain = (u - V(1.0F)) * V(0.0F) + (x - x) < V(1.0F);  // finite NOLINT(misc-redundant-expression)
  const V finite = select(plain, y, lanes::log(u));
  // Near zero u rounds to 1, and at −1 the correction divides by zero.
  return select(magnitude(x) < V(1e-7F), x, select(x <= V(-1.0F), lanes::log(u), finite));
}

template <class V>
TARE_INLINE V tanh(const V& x) {
  const V a = magnitude(x);
  const V square = x * x;
  const V p = detail::polynomial(square, -0.333333313F, 0.133331969F, -0.053945519F, 0.0216936823F,
                                 -0.00815955736F, 0.002126229F);
  const V small = fused(square * x, p, x);
  const V e = lanes::exp(a + a);
  const V large = V(1.0F) - V(2.0F) / (e + V(1.0F));
  const V bounded = select(a > V(9.1F), V(1.0F), large);
  const V signed_large = select(x < V(0.0F), -bounded, bounded);
  return select(a < V(0.625F), small, select(a >= V(0.625F), signed_large, x));
}

template <class V>
TARE_INLINE V erf(const V& x) {
  const V a = magnitude(x);
  const V small_p = detail::polynomial(x * x, 0.128379166F, -0.376126319F, 0.112836875F, -0.0268589407F,
                                       0.00519990688F, -0.000813001418F, 8.3167819e-05F);
  const V small = fused(x, small_p, x);
  const V bounded = select(a > V(4.0F), V(4.0F), a);
  const V q = detail::polynomial(bounded, -0.128544897F, -0.635656536F, -0.105202913F, 0.0226120092F,
                                 -0.00289230072F, 3.60647573e-05F, 4.82022297e-05F, -5.1508805e-06F);
  const V large = V(1.0F) - lanes::exp(fused(bounded, q, -bounded));
  const V signed_large = select(x < V(0.0F), -large, large);
  return select(a < V(0.92F), small, select(a >= V(0.92F), signed_large, x));
}

namespace detail {

/// x = q·π/2 + r with |r| ≤ π/4. Exact enough for |x| ≤ 10⁵ where fused() rounds once.
template <class V>
Split<V> quarter_turns(const V& x) {
  const V q = nearest(x * V(0.636619747F));
  V r = fused(q, V(-1.57079625F), x);
  r = fused(q, V(-7.54978942e-08F), r);
  r = fused(q, V(-5.39030253e-15F), r);
  return {q, r};
}
/// The sine of q quarter turns plus r.
template <class V>
V sine_after(const V& q, const V& r) {
  const V square = r * r;
  const V s = fused(square * r,
                    polynomial(square, -0.166666672F, 0.00833332911F, -0.000198393042F, 2.71804652e-06F), r);
  const V c = fused(square * square,
                    polynomial(square, 0.0416666679F, -0.00138888834F, 2.47994521e-05F, -2.72050471e-07F),
                    fused(square, V(-0.5F), V(1.0F)));
  const V half = nearest(q * V(0.5F) - V(0.25F));  // ⌊q/2⌋
  const V odd = q - (half + half);                 // 0 or 1
  const V quarter = nearest(half * V(0.5F) - V(0.25F));
  const V flipped = half - (quarter + quarter);  // 0 or 1
  const V y = select(odd > V(0.5F), c, s);
  return select(flipped > V(0.5F), -y, y);
}

}  // namespace detail

/// Arguments for which sin and cos hold.
inline constexpr float largest_angle = 1e5F;

template <class V>
V sin(const V& x) {
  const auto [q, r] = detail::quarter_turns(x);
  return detail::sine_after(q, r);
}

template <class V>
V cos(const V& x) {
  const auto [q, r] = detail::quarter_turns(x);
  return detail::sine_after(q + V(1.0F), r);
}

}  // namespace tare::ad::lanes
