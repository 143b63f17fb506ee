// What a Tensor points to. Its data lives as long as a Tensor or a saved value needs it; the rest (shape,
// type, place in the recorded graph) as long as anybody refers to it, so that backward knows the shape of a
// value whose data is gone.
#pragma once

#include <atomic>
#include <utility>

#include "ad/tensor/memory.hpp"
#include "ad/tensor/op.hpp"

namespace tare::ad::detail {

struct Node;
struct Hooks;

inline constexpr std::int32_t not_traced = -1;

struct Body {
  std::atomic<std::int32_t> users{1};  ///< of the data
  std::atomic<std::int32_t> refs{1};   ///< of this struct; all users together are one
  DType dtype = DType::f32;
  bool leaf_requires_grad = false;
  bool contiguous = true;
  std::uint8_t output = 0;           ///< of the node
  std::int32_t traced = not_traced;  ///< value in the graph that is being captured
  Shape shape;
  Strides strides;  ///< meant only when not contiguous
  std::byte* data = nullptr;
  Buffer* buffer = nullptr;
  Node* node = nullptr;  ///< what computed it, when gradients flow through it; one reference
  Body* grad = nullptr;  ///< of a leaf; one user
  Hooks* hooks = nullptr;

  template <class T>
  [[nodiscard]] T* values() const {
    return reinterpret_cast<T*>(data);
  }
  [[nodiscard]] std::int64_t count() const { return shape.count(); }
  [[nodiscard]] std::int64_t bytes() const { return count() * static_cast<std::int64_t>(size_of(dtype)); }
  [[nodiscard]] Strides all_strides() const { return contiguous ? contiguous_strides(shape) : strides; }
  [[nodiscard]] bool requires_grad() const { return leaf_requires_grad || node != nullptr; }
};

Body* make_body();
/// Contiguous data for dtype and shape, which are set already. Names the op when there is no memory.
void give_data(std::string_view op, Body* body);
/// Points a body at another's data.
inline void share_data(Body* view, const Body* base) {
  view->buffer = base->buffer;
  if (view->buffer != nullptr) share(view->buffer);
  view->data = base->data;
}

void free_data(Body* body);
void free_body(Body* body);

inline void add_ref(Body* body) {
  body->refs.fetch_add(1, std::memory_order_relaxed);
}
inline void drop_ref(Body* body) {
  if (body->refs.load(std::memory_order_acquire) == 1 ||
      body->refs.fetch_sub(1, std::memory_order_acq_rel) == 1)
    free_body(body);
}
inline void add_user(Body* body) {
  body->users.fetch_add(1, std::memory_order_relaxed);
}
inline void drop_user(Body* body) {
  if (body->users.load(std::memory_order_acquire) == 1 ||
      body->users.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    body->users.store(0, std::memory_order_relaxed);
    free_data(body);
    drop_ref(body);
  }
}

}  // namespace tare::ad::detail
