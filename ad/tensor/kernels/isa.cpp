// The loops of kernels.hpp for one instruction set; compiled once for each with -DTARE_ISA=name.
#include <algorithm>
#include <array>
#include <limits>

#include "ad/tensor/kernels/kernels.hpp"
#include "ad/tensor/kernels/pack.hpp"

namespace tare::ad::kernels::TARE_ISA {
namespace {

template <class T>
bool in_whole_registers(const T* y) {
  return reinterpret_cast<std::uintptr_t>(y) % register_bytes == 0;
}
template <class T>
bool streams(const T* y, std::int64_t n) {
  return n * static_cast<std::int64_t>(sizeof(T)) >= streamed_chunk && in_whole_registers(y);
}

/// y[i] = f(i-th pack of each input), the rest of a row through padded packs. load(i, left) gives the inputs.
template <class T, class F, class Tail>
void loop(T* y, std::int64_t n, F whole, Tail tail) {
  constexpr std::int64_t w = Pack<T>::width;
  std::int64_t i = 0;
  if (streams(y, n)) {
    for (; i + w <= n; i += w) whole(i).stream(y + i);
    end_streaming();
  } else {
    for (; i + 2 * w <= n; i += 2 * w) {
      const Pack<T> first = whole(i);
      const Pack<T> second = whole(i + w);
      first.store(y + i);
      second.store(y + i + w);
    }
    for (; i + w <= n; i += w) whole(i).store(y + i);
  }
  if (i < n) tail(i, n - i).store_some(y + i, n - i);
}

/// The same for a row, past the caches or not; whoever streams rows ends it after the last.
template <class T, class F>
void row_loop(T* y, std::int64_t n, bool past_caches, F at) {
  constexpr std::int64_t w = Pack<T>::width;
  if (!past_caches || !in_whole_registers(y)) {
    loop(y, n, [&](std::int64_t i) { return at(i, w); }, at);
    return;
  }
  std::int64_t i = 0;
  for (; i + w <= n; i += w) at(i, w).stream(y + i);
  if (i < n) at(i, n - i).store_some(y + i, n - i);
}

template <class Op>
Op with_numbers(const double* numbers) {
  Op op{};
  if constexpr (requires { op.low; }) {
    op.low = numbers[0];
    op.high = numbers[1];
  } else if constexpr (requires { op.exponent; }) {
    op.exponent = static_cast<decltype(op.exponent)>(numbers[0]);
  }
  return op;
}

template <class T, class Op>
void unary(const void* x_, void* y_, std::int64_t n, const double* numbers) {
  const auto* x = static_cast<const T*>(x_);
  auto* y = static_cast<T*>(y_);
  const Op op = with_numbers<Op>(numbers);
  loop(
      y, n, [&](std::int64_t i) { return op.value(Pack<T>::load(x + i)); },
      [&](std::int64_t i, std::int64_t left) { return op.value(Pack<T>::load_some(x + i, left, T(1))); });
}

template <class T, class Op>
void unary_grad(const void* g_, const void* x_, const void* y_, void* out_, std::int64_t n,
                const double* numbers) {
  const auto* g = static_cast<const T*>(g_);
  const auto* x = static_cast<const T*>(x_);
  const auto* y = static_cast<const T*>(y_);
  const Op op = with_numbers<Op>(numbers);
  loop(
      static_cast<T*>(out_), n,
      [&](std::int64_t i) {
        return Pack<T>::load(g + i) * op.partial(Pack<T>::load(x + i), Pack<T>::load(y + i));
      },
      [&](std::int64_t i, std::int64_t left) {
        return Pack<T>::load_some(g + i, left) *
               op.partial(Pack<T>::load_some(x + i, left, T(1)), Pack<T>::load_some(y + i, left, T(1)));
      });
}

template <class T, class F>
void binary_loop(const T* a, const T* b, T* y, std::int64_t n, int a_step, int b_step, F f) {
  using P = Pack<T>;
  if (a_step == 1 && b_step == 1) {
    loop(
        y, n, [&](std::int64_t i) { return f(P::load(a + i), P::load(b + i)); },
        [&](std::int64_t i, std::int64_t left) {
          return f(P::load_some(a + i, left, T(1)), P::load_some(b + i, left, T(1)));
        });
  } else if (a_step == 1) {
    const P fixed(*b);
    loop(
        y, n, [&](std::int64_t i) { return f(P::load(a + i), fixed); },
        [&](std::int64_t i, std::int64_t left) { return f(P::load_some(a + i, left, T(1)), fixed); });
  } else if (b_step == 1) {
    const P fixed(*a);
    loop(
        y, n, [&](std::int64_t i) { return f(fixed, P::load(b + i)); },
        [&](std::int64_t i, std::int64_t left) { return f(fixed, P::load_some(b + i, left, T(1))); });
  } else {
    const P value = f(P(*a), P(*b));
    loop(y, n, [&](std::int64_t) { return value; }, [&](std::int64_t, std::int64_t) { return value; });
  }
}

template <class T, class Op>
void binary(const void* a, const void* b, void* y, std::int64_t n, int a_step, int b_step) {
  binary_loop(static_cast<const T*>(a), static_cast<const T*>(b), static_cast<T*>(y), n, a_step, b_step,
              [](const Pack<T>& left, const Pack<T>& right) { return Op{}.value(left, right); });
}

template <class T, class F>
void compare(const void* a_, const void* b_, bool* y, std::int64_t n, int a_step, int b_step) {
  const auto* a = static_cast<const T*>(a_);
  const auto* b = static_cast<const T*>(b_);
  for (std::int64_t i = 0; i < n; ++i) y[i] = F{}(a[i * a_step], b[i * b_step]);
}

template <class T>
void where(const bool* c, const T* a, const T* b, T* y, std::int64_t n, int a_step, int b_step) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = c[i] ? a[i * a_step] : b[i * b_step];
}

template <class T>
void add_scaled(T* y, const T* x, T factor, std::int64_t n) {
  using P = Pack<T>;
  const P f(factor);
  loop(
      y, n, [&](std::int64_t i) { return fused(P::load(x + i), f, P::load(y + i)); },
      [&](std::int64_t i, std::int64_t left) {
        return fused(P::load_some(x + i, left), f, P::load_some(y + i, left));
      });
}

/// A row folded into one number by four packs side by side, then those, then the lanes, always in this order.
template <class T, class Load, class Combine>
T fold(std::int64_t n, T neutral, Load load, Combine combine) {
  using P = Pack<T>;
  constexpr std::int64_t w = P::width;
  P a(neutral), b(neutral), c(neutral), d(neutral);
  std::int64_t i = 0;
  for (; i + 4 * w <= n; i += 4 * w) {
    a = combine(a, load(i, w));
    b = combine(b, load(i + w, w));
    c = combine(c, load(i + 2 * w, w));
    d = combine(d, load(i + 3 * w, w));
  }
  for (; i < n; i += w) a = combine(a, load(i, std::min<std::int64_t>(w, n - i)));
  const P all = combine(combine(a, b), combine(c, d));
  T lanes[w];
  std::memcpy(lanes, &all.v, sizeof lanes);
  for (int half = w / 2; half > 0; half /= 2)
    for (int j = 0; j < half; ++j) {
      const P pair = combine(P(lanes[j]), P(lanes[j + half]));
      lanes[j] = pair.v[0];
    }
  return lanes[0];
}

/// The place of the same column in the row behind, for a pass that reads what the caches hold already: its
/// successor's first pass then need not wait for memory. Past the last row it does nothing.
template <class T>
void fetch_next_row(const T* x, std::int64_t i, std::int64_t n) {
  __builtin_prefetch(x + n + i, 0, 2);
}

template <class T>
Pack<T> some(const T* x, std::int64_t i, std::int64_t left, T rest = T(0)) {
  return left == Pack<T>::width ? Pack<T>::load(x + i) : Pack<T>::load_some(x + i, left, rest);
}

struct Plus {
  template <class P>
  P operator()(const P& a, const P& b) const {
    return a + b;
  }
};
struct Times {
  template <class P>
  P operator()(const P& a, const P& b) const {
    return a * b;
  }
};
/// NaN wins.
struct Larger {
  template <class P>
  P operator()(const P& a, const P& b) const {
    return select(b > a, b, select(b == b, a, b));  // NOLINT(misc-redundant-expression): false for NaN alone
  }
};
struct Smaller {
  template <class P>
  P operator()(const P& a, const P& b) const {
    return select(b < a, b, select(b == b, a, b));  // NOLINT(misc-redundant-expression): false for NaN alone
  }
};

// Long sums in blocks, so that the error grows with the number of blocks and not of numbers.
constexpr std::int64_t block = 4096;

template <class T, class Load>
T blocked_sum(std::int64_t n, Load load) {
  T total = 0;
  for (std::int64_t at = 0; at < n; at += block) {
    total += fold<T>(
        std::min(block, n - at), T(0), [&](std::int64_t i, std::int64_t left) { return load(at + i, left); },
        Plus{});
  }
  return total;
}

template <class T>
T sum(const T* x, std::int64_t n) {
  return blocked_sum<T>(n, [&](std::int64_t i, std::int64_t left) { return some(x, i, left); });
}
template <class T>
T dot(const T* a, const T* b, std::int64_t n) {
  return blocked_sum<T>(
      n, [&](std::int64_t i, std::int64_t left) { return some(a, i, left) * some(b, i, left); });
}
template <class T>
T max(const T* x, std::int64_t n) {
  constexpr T lowest = -std::numeric_limits<T>::infinity();
  return fold<T>(
      n, lowest, [&](std::int64_t i, std::int64_t left) { return some(x, i, left, lowest); }, Larger{});
}
template <class T>
T min(const T* x, std::int64_t n) {
  constexpr T highest = std::numeric_limits<T>::infinity();
  return fold<T>(
      n, highest, [&](std::int64_t i, std::int64_t left) { return some(x, i, left, highest); }, Smaller{});
}
template <class T>
T prod(const T* x, std::int64_t n) {
  return fold<T>(n, T(1), [&](std::int64_t i, std::int64_t left) { return some(x, i, left, T(1)); }, Times{});
}
template <class T>
T sum_exp(const T* x, T shift, std::int64_t n) {
  const Pack<T> s(shift);
  return blocked_sum<T>(n, [&](std::int64_t i, std::int64_t left) {
    fetch_next_row(x, i, n);
    return exp(some(x, i, left, -std::numeric_limits<T>::infinity()) - s);
  });
}
template <class T>
T exp_shifted(const T* x, T shift, T* y, std::int64_t n) {
  const Pack<T> s(shift);
  return blocked_sum<T>(n, [&](std::int64_t i, std::int64_t left) {
    const Pack<T> e = exp(some(x, i, left, -std::numeric_limits<T>::infinity()) - s);
    if (left == Pack<T>::width) {
      e.store(y + i);
    } else {
      e.store_some(y + i, left);
    }
    return e;
  });
}
template <class T>
void scaled_exp(const T* x, T shift, T factor, T* y, std::int64_t n) {
  using P = Pack<T>;
  const P s(shift), f(factor);
  loop(
      y, n, [&](std::int64_t i) { return f * exp(P::load(x + i) - s); },
      [&](std::int64_t i, std::int64_t left) { return f * exp(P::load_some(x + i, left) - s); });
}

template <class T, class F>
void combine_row(T* acc, const T* x, std::int64_t n) {
  binary_loop(acc, x, acc, n, 1, 1, F{});
}

template <class T>
void moments(const T* x, std::int64_t n, T epsilon, T* mean, T* rstd) {
  const T m = sum(x, n) / static_cast<T>(n);
  const Pack<T> centre(m);
  const T squares = blocked_sum<T>(n, [&](std::int64_t i, std::int64_t left) {
    fetch_next_row(x, i, n);
    const Pack<T> d = some(x, i, left, m) - centre;
    return d * d;
  });
  *mean = m;
  *rstd = T(1) / std::sqrt(squares / static_cast<T>(n) + epsilon);
}

template <class T>
void normalise(const T* x, T mean, T rstd, const T* w, const T* b, T* y, std::int64_t n, bool past_caches) {
  using P = Pack<T>;
  const P m(mean), r(rstd);
  const auto at = [&](std::int64_t i, std::int64_t left) {
    const P scaled = (some(x, i, left) - m) * r;
    return b != nullptr ? fused(scaled, some(w, i, left), some(b, i, left)) : scaled * some(w, i, left);
  };
  row_loop(y, n, past_caches, at);
}

template <class T>
void normalise_grad(const T* g, const T* x, T mean, T rstd, const T* w, T* gx, T* gw, T* gb, std::int64_t n,
                    bool centre, bool past_caches) {
  using P = Pack<T>;
  constexpr std::int64_t width = P::width;
  const P m(mean), r(rstd);
  // With h = g·w and x̂ = (x − mean)·rstd:  gx = rstd·(h − mean(h) − x̂·mean(h·x̂)).
  P sum_h(0.0F), sum_hx(0.0F), more_h(0.0F), more_hx(0.0F);
  const auto add = [&](std::int64_t i, P& h_total, P& hx_total) {
    const P gi = P::load(g + i), unit = (P::load(x + i) - m) * r, h = gi * P::load(w + i);
    h_total = h_total + h;
    hx_total = fused(h, unit, hx_total);
    if (gw != nullptr) fused(gi, unit, P::load(gw + i)).store(gw + i);
    if (gb != nullptr) (P::load(gb + i) + gi).store(gb + i);
  };
  std::int64_t i = 0;
  for (; i + 2 * width <= n; i += 2 * width) {
    add(i, sum_h, sum_hx);
    add(i + width, more_h, more_hx);
  }
  for (; i + width <= n; i += width) add(i, sum_h, sum_hx);
  sum_h = sum_h + more_h;
  sum_hx = sum_hx + more_hx;
  if (const auto left = n - i; left > 0) {
    const P gi = some(g, i, left), unit = (some(x, i, left, mean) - m) * r, h = gi * some(w, i, left);
    sum_h = sum_h + h;
    sum_hx = fused(h, unit, sum_hx);
    if (gw != nullptr) fused(gi, unit, P::load_some(gw + i, left)).store_some(gw + i, left);
    if (gb != nullptr) (P::load_some(gb + i, left) + gi).store_some(gb + i, left);
  }
  if (gx == nullptr) return;
  T total_h = 0, total_hx = 0;
  for (int j = 0; j < width; ++j) {
    total_h += sum_h.v[j];
    total_hx += sum_hx.v[j];
  }
  const P mean_h(centre ? total_h / static_cast<T>(n) : T(0)), mean_hx(total_hx / static_cast<T>(n));
  const auto at = [&](std::int64_t i, std::int64_t left) {
    fetch_next_row(x, i, n);
    fetch_next_row(g, i, n);
    const P unit = (some(x, i, left) - m) * r;
    return r * (some(g, i, left) * some(w, i, left) - mean_h - unit * mean_hx);
  };
  row_loop(gx, n, past_caches, at);
}

template <class T>
void softmax_grad(const T* g, const T* y, T* gx, std::int64_t n) {
  const Pack<T> total(dot(g, y, n));
  const auto at = [&](std::int64_t i, std::int64_t left) {
    return some(y, i, left) * (some(g, i, left) - total);
  };
  loop(gx, n, [&](std::int64_t i) { return at(i, Pack<T>::width); }, at);
}

template <class T>
void log_softmax_grad(const T* g, const T* y, T* gx, std::int64_t n) {
  const Pack<T> total(sum(g, n));
  const auto at = [&](std::int64_t i, std::int64_t left) {
    return some(g, i, left) - exp(some(y, i, left)) * total;
  };
  loop(gx, n, [&](std::int64_t i) { return at(i, Pack<T>::width); }, at);
}

/// y += Σᵣ x[r]·w[r, ·] over some rows.
template <int rows, class T>
void add_rows(const T* x, const T* w, T* y, std::int64_t n, std::int64_t stride) {
  using P = Pack<T>;
  std::array<P, rows> factors;
  for (int r = 0; r < rows; ++r) factors[static_cast<std::size_t>(r)] = P(x[r]);
  const auto at = [&](std::int64_t j, std::int64_t left) {
    P sum = some(y, j, left);
    for (int r = 0; r < rows; ++r) {
      // The rows after these while these are at work; past the last one it does nothing.
      __builtin_prefetch(w + (r + rows) * stride + j);
      sum = fused(factors[static_cast<std::size_t>(r)], some(w + r * stride, j, left), sum);
    }
    return sum;
  };
  loop(y, n, [&](std::int64_t j) { return at(j, P::width); }, at);
}

template <class T>
void row_times_matrix(const T* x, const T* w, T* y, std::int64_t k, std::int64_t n, std::int64_t stride,
                      bool onto) {
  // Rows as they lie in memory, eight at once: what comes next is fetched ahead, which columns would prevent.
  // The sums stay in the first-level cache.
  constexpr std::int64_t strip = 16384 / sizeof(T), together = 8;
  for (std::int64_t from = 0; from < n; from += strip) {
    const auto columns = std::min(strip, n - from);
    T* sums = y + from;
    if (!onto) std::fill_n(sums, columns, T(0));
    std::int64_t i = 0;
    for (; i + together <= k; i += together)
      add_rows<together>(x + i, w + i * stride + from, sums, columns, stride);
    for (; i < k; ++i) add_rows<1>(x + i, w + i * stride + from, sums, columns, stride);
  }
}

/// y[r] += Σⱼ w[r, j]·x[j] over some rows. However many there are, each is summed in the same order.
template <int rows, class T>
void dot_rows(const T* w, const T* x, T* y, std::int64_t n, std::int64_t stride) {
  using P = Pack<T>;
  std::array<P, rows> sums;
  sums.fill(P(T(0)));
  const auto add = [&](std::int64_t j, auto load) {
    const P factor = load(x + j);
    for (int r = 0; r < rows; ++r) {
      auto& sum = sums[static_cast<std::size_t>(r)];
      sum = fused(load(w + r * stride + j), factor, sum);
    }
  };
  std::int64_t j = 0;
  for (; j + P::width <= n; j += P::width) add(j, [](const T* at) { return P::load(at); });
  if (j < n) add(j, [&](const T* at) { return P::load_some(at, n - j); });
  for (int r = 0; r < rows; ++r) y[r] += across(sums[static_cast<std::size_t>(r)]);
}

template <class T>
void matrix_times_column(const T* w, const T* x, T* y, std::int64_t m, std::int64_t k, std::int64_t stride) {
  constexpr std::int64_t together = 4;
  std::fill_n(y, m, T(0));
  for (std::int64_t at = 0; at < k; at += block) {
    const auto n = std::min(block, k - at);
    std::int64_t i = 0;
    for (; i + together <= m; i += together)
      dot_rows<together>(w + i * stride + at, x + at, y + i, n, stride);
    for (; i < m; ++i) dot_rows<1>(w + i * stride + at, x + at, y + i, n, stride);
  }
}

/// f(i, count) for each pack of a row, the last one short.
template <class T, class F>
void each_pack(std::int64_t n, F f) {
  constexpr std::int64_t w = Pack<T>::width;
  std::int64_t i = 0;
  for (; i + w <= n; i += w) f(i, w);
  if (i < n) f(i, n - i);
}
template <class T>
void put(const Pack<T>& p, T* at, std::int64_t n) {
  if (n == Pack<T>::width) {
    p.store(at);
  } else {
    p.store_some(at, n);
  }
}

template <class T>
void sgd(T* p, const T* g, T* m, std::int64_t n, const SgdNumbers& s) {
  using P = Pack<T>;
  const P rate(s.rate), momentum(s.momentum), decay(s.decay);
  each_pack<T>(n, [&](std::int64_t i, std::int64_t count) {
    const P at = some(p, i, count);
    P d = fused(decay, at, some(g, i, count));
    if (m != nullptr) {
      d = fused(momentum, some(m, i, count), d);
      put(d, m + i, count);
    }
    put(at - rate * d, p + i, count);
  });
}

template <class T>
void adam(T* p, const T* g, T* m, T* v, std::int64_t n, const AdamNumbers& s) {
  using P = Pack<T>;
  const P rate(s.rate), beta1(s.beta1), rest1(1 - s.beta1), beta2(s.beta2), rest2(1 - s.beta2),
      epsilon(s.epsilon), scale(s.scale), decay(s.decay), shrink(s.shrink);
  each_pack<T>(n, [&](std::int64_t i, std::int64_t count) {
    const P at = some(p, i, count), slope = fused(decay, at, some(g, i, count));
    const P first = fused(beta1, some(m, i, count), rest1 * slope),
            second = fused(beta2, some(v, i, count), rest2 * slope * slope);
    put(first, m + i, count);
    put(second, v + i, count);
    put(shrink * at - rate * first / fused(scale, sqrt(second), epsilon), p + i, count);
  });
}

struct IsLess {
  bool operator()(auto a, auto b) const { return a < b; }
};
struct IsLessEqual {
  bool operator()(auto a, auto b) const { return a <= b; }
};
struct IsEqual {
  bool operator()(auto a, auto b) const { return a == b; }
};
struct IsNotEqual {
  bool operator()(auto a, auto b) const { return a != b; }
};

template <class T>
Loops<T> loops() {
  Loops<T> l{};
#define TARE_AD_LOOP(Type, name)                                     \
  l.unary[static_cast<std::size_t>(Op::name)] = unary<T, ops::Type>; \
  l.unary_grad[static_cast<std::size_t>(Op::name)] = unary_grad<T, ops::Type>;
  TARE_AD_LOOP(Neg, neg)
  TARE_AD_UNARY_OPS(TARE_AD_LOOP)
  TARE_AD_TENSOR_UNARY_OPS(TARE_AD_LOOP)
#undef TARE_AD_LOOP
#define TARE_AD_LOOP(Type, name) \
  l.binary[static_cast<std::size_t>(Op::name) - unary_ops] = binary<T, ops::Type>;
  TARE_AD_LOOP(Add, add)
  TARE_AD_LOOP(Sub, sub)
  TARE_AD_LOOP(Mul, mul)
  TARE_AD_LOOP(Div, div)
  TARE_AD_BINARY_OPS(TARE_AD_LOOP)
#undef TARE_AD_LOOP
  l.clamp = unary<T, ops::Clamp>;
  l.power = unary<T, ops::Power>;
  l.powi = unary<T, ops::PowInt>;
  l.clamp_grad = unary_grad<T, ops::Clamp>;
  l.power_grad = unary_grad<T, ops::Power>;
  l.powi_grad = unary_grad<T, ops::PowInt>;
  l.less = compare<T, IsLess>;
  l.less_equal = compare<T, IsLessEqual>;
  l.equal = compare<T, IsEqual>;
  l.not_equal = compare<T, IsNotEqual>;
  l.where = where<T>;
  l.add_scaled = add_scaled<T>;
  l.sum = sum<T>;
  l.max = max<T>;
  l.min = min<T>;
  l.prod = prod<T>;
  l.sum_exp = sum_exp<T>;
  l.exp_shifted = exp_shifted<T>;
  l.scaled_exp = scaled_exp<T>;
  l.dot = dot<T>;
  l.add_row = combine_row<T, Plus>;
  l.max_row = combine_row<T, Larger>;
  l.min_row = combine_row<T, Smaller>;
  l.mul_row = combine_row<T, Times>;
  l.moments = moments<T>;
  l.normalise = normalise<T>;
  l.normalise_grad = normalise_grad<T>;
  l.softmax_grad = softmax_grad<T>;
  l.log_softmax_grad = log_softmax_grad<T>;
  l.row_times_matrix = row_times_matrix<T>;
  l.matrix_times_column = matrix_times_column<T>;
  l.sgd = sgd<T>;
  l.adam = adam<T>;
  return l;
}

#define TARE_TEXT_OF(x) #x
#define TARE_TEXT(x) TARE_TEXT_OF(x)

}  // namespace

const Kernels& kernels() {
  static const Kernels all{loops<float>(), loops<double>(), TARE_TEXT(TARE_ISA)};
  return all;
}

}  // namespace tare::ad::kernels::TARE_ISA
