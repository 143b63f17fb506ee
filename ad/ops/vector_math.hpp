// exp, log, tanh, erf, sin and relatives in single precision, written once over a number type V: eager
// kernels call them with a register of lanes, the graph compiler with values that write instructions. No
// table, no call, and no branch but for what is rare. V has arithmetic, comparisons, select(), and by
// argument-dependent lookup
//   fused(a, b, c)      a·b + c, rounded once where the machine can
//   nearest(x)          the nearest whole number
//   held(x)             x, of whose making the compiler may assume nothing
//   lifted(x, t)        x·2ⁿ for whole n = t − rounding, where it is a normal number like x
//   times_power(x, t)   the same for n from −150 to 128, also where the result is subnormal or overflows
//   signed_as(x, y)     |x| with the sign of y
//   usually(c, f, g)    f() where c holds in all lanes, else g()
//   may_branch(x)       whether that is worth its branch
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
#define TARE_INLINE_LAMBDA __attribute__((always_inline))

namespace tare::ad::lanes {

/// 1.5·2²³: adding it rounds to whole numbers and leaves them in the lowest bits.
inline constexpr float rounding = 12582912.0F;

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

/// exp(r) − 1 for |r| ≤ ln 2 ÷ 2, the shorter way through the polynomial: others wait for it.
template <class V>
TARE_INLINE V exponential_rest(const V& r) {
  const V square = r * r;
  const V low = fused(r, V(0.166665196F), V(0.49999994F));
  const V high = fused(square, V(0.00138144649F), fused(r, V(0.00836878084F), V(0.0416683927F)));
  return fused(square, fused(square, high, low), r);
}

/// exp(x) = 2ⁿ·(1 + e): n + rounding, n and e.
template <class V>
struct Split {
  V t, n, e;
};
template <class V>
TARE_INLINE Split<V> split_exponential(const V& x) {
  const V t = held(fused(x, V(1.44269504F), V(rounding)));
  const V n = t - V(rounding);
  // ln 2 in two parts, the first short enough that its product with n is exact.
  return {t, n, exponential_rest(fused(n, V(2.12194440e-4F), fused(n, V(-0.693359375F), x)))};
}

/// exp(x) for |x| ≤ 87: half of what it takes elsewhere.
template <class V>
TARE_INLINE V exp_inside(const V& x) {
  const auto [t, n, e] = split_exponential(x);
  return lifted(V(1.0F) + e, t);
}

template <class V>
TARE_INLINE V exp_anywhere(const V& x) {
  // NaN passes both comparisons unchanged.
  V clamped = select(x > V(89.0F), V(89.0F), x);
  // Below the smallest subnormal the result is 0: computing it would cost the CPU a detour.
  const auto vanishes = clamped < V(-103.98F);
  clamped = select(vanishes, V(0.0F), clamped);
  const auto [t, n, e] = split_exponential(clamped);
  return select(vanishes, V(0.0F), times_power(V(1.0F) + e, t));
}

}  // namespace detail

template <class V>
TARE_INLINE V exp(const V& x) {
  if (!may_branch(x)) return detail::exp_anywhere(x);
  return usually(
      magnitude(x) <= V(87.0F), [&]() TARE_INLINE_LAMBDA { return detail::exp_inside(x); },
      [&] { return detail::exp_anywhere(x); });
}

template <class V>
TARE_INLINE V expm1(const V& x) {
  V clamped = select(x > V(89.0F), V(89.0F), x);
  clamped = select(clamped < V(-20.0F), V(-20.0F), clamped);
  const auto [t, n, e] = detail::split_exponential(clamped);
  // 2ⁿ·e + (2ⁿ − 1), where 2ⁿ does not overflow.
  const V one = times_power(V(1.0F), t);
  const V small = fused(one, e, one - V(1.0F));
  return select(n > V(100.0F), times_power(V(1.0F) + e, t), small);
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
  // From there on it is 1.
  const V bounded = select(a > V(9.1F), V(9.1F), a);
  const V e = detail::exp_inside(bounded + bounded);
  // NaN answers itself, whatever e has become of it.
  const V large = V(1.0F) - V(2.0F) / (e + fused(bounded, V(0.0F), V(1.0F)));
  return select(a < V(0.625F), small, signed_as(large, x));
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

template <class V>
struct Turns {
  V q, r;
};
/// x = q·π/2 + r with |r| ≤ π/4. Exact enough for |x| ≤ 10⁵ where fused() rounds once.
template <class V>
Turns<V> quarter_turns(const V& x) {
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
