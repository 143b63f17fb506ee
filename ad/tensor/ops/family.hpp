// How the files of this folder add their rows to the table, and what their rows share.
#pragma once

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "ad/tensor/apply.hpp"
#include "ad/tensor/autograd.hpp"
#include "ad/tensor/body.hpp"
#include "ad/tensor/iterate.hpp"
#include "ad/tensor/kernels/kernels.hpp"
#include "ad/tensor/mode.hpp"
#include "ad/tensor/ops.hpp"

namespace tare::ad::detail {

using Table = std::array<OpRow, op_count>;

void add_pointwise_rows(Table& table);
void add_select_rows(Table& table);
void add_view_rows(Table& table);
void add_join_rows(Table& table);
void add_source_rows(Table& table);
void add_reduction_rows(Table& table);
void add_softmax_rows(Table& table);
void add_norm_rows(Table& table);
void add_matmul_rows(Table& table);
void add_convolution_rows(Table& table);
void add_pool_rows(Table& table);
void add_index_rows(Table& table);
void add_attention_rows(Table& table);
void add_custom_rows(Table& table);

inline OpRow& row(Table& table, Op op, std::string_view name) {
  auto& r = table[static_cast<std::size_t>(op)];
  r.name = name;
  return r;
}

inline void put(Table& table, Op op, const OpRow& made) {
  table[static_cast<std::size_t>(op)] = made;
}

template <class... Args>
[[noreturn]] void refuse(std::string_view op, fmt::format_string<Args...> text, Args&&... args) {
  throw AdError(fmt::format("{}: {}", op, fmt::format(text, std::forward<Args>(args)...)));
}

/// "f32 [2, 3]"
inline std::string described(const Body* body) {
  return fmt::format("{} {}", name_of(body->dtype), text_of(body->shape));
}

inline const Body& in(const Call& call, std::size_t i) {
  return *call.inputs[i];
}
inline Body& out(Call& call, std::size_t k = 0) {
  return *call.outputs[k];
}
inline const Body& out(const Call& call, std::size_t k = 0) {
  return *call.outputs[k];
}

inline void set_output(Call& call, std::size_t k, DType dtype, const Shape& shape) {
  call.outputs[k]->dtype = dtype;
  call.outputs[k]->shape = shape;
}

/// The tensor in row-major order: itself, or a copy that lives as long as this.
class Dense {
 public:
  explicit Dense(const Body& body);
  template <class T>
  [[nodiscard]] const T* values() const {
    return tensor_.body()->values<T>();
  }
  [[nodiscard]] const Body& body() const { return *tensor_.body(); }

 private:
  Tensor tensor_;
};

/// Copies elements of any layout into row-major order.
void copy_dense(const Body& from, std::byte* to);

/// Out-of-range numbers go to the nearest that fits, NaN to 0; without this a C++ conversion is undefined.
template <class To, class From>
To converted(From value) {
  if constexpr (std::is_same_v<To, bool>) {
    return value != From(0);
  } else if constexpr (std::is_floating_point_v<From> && sizeof(To) == 1) {
    // Without branches, so that loops are vectorised.
    constexpr auto low = static_cast<From>(std::numeric_limits<To>::min());
    constexpr auto high = static_cast<From>(std::numeric_limits<To>::max());
    const From number = std::isnan(value) ? From(0) : value;
    const From above = number > low ? number : low;
    return static_cast<To>(static_cast<std::int32_t>(above < high ? above : high));
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    if (std::isnan(value)) return 0;
    constexpr auto low = static_cast<double>(std::numeric_limits<To>::min());
    constexpr auto high = static_cast<double>(std::numeric_limits<To>::max());
    if (static_cast<double>(value) <= low) return std::numeric_limits<To>::min();
    if (static_cast<double>(value) >= high) return std::numeric_limits<To>::max();
    return static_cast<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

/// Sums of whole numbers wrap around; a C++ overflow is undefined.
template <class T>
T wrapped_sum(T a, T b) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  } else {
    return static_cast<T>(a + b);
  }
}

/// Refuses types that have no derivative.
void require_floating(const Call& call, std::size_t input);

inline double bytes_moved(const Call& call) {
  double bytes = 0;
  for (const Body* body : call.inputs) bytes += static_cast<double>(body->bytes());
  for (int k = 0; k < call.output_count; ++k)
    bytes += static_cast<double>(call.outputs[static_cast<std::size_t>(k)]->bytes());
  return bytes;
}

/// One operation per element of the output.
template <int Flops>
Cost cost_per_output(const Call& call) {
  return {Flops * static_cast<double>(call.outputs[0]->count()), bytes_moved(call)};
}
template <int Flops>
Cost cost_per_input(const Call& call) {
  return {Flops * static_cast<double>(call.inputs[0]->count()), bytes_moved(call)};
}

/// f(T{}) for f32 and f64; other types throw.
template <class F>
void visit_floating(std::string_view op, DType type, F&& f) {
  if (type == DType::f32) {
    f(float{});
  } else if (type == DType::f64) {
    f(double{});
  } else {
    refuse(op, "a tensor of {}: f32 or f64 is needed, see cast()", name_of(type));
  }
}

}  // namespace tare::ad::detail
