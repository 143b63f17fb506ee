// Tensor: a handle to an array of numbers with a shape, and to its place in the recorded computation. Copying
// a Tensor copies the handle. Operations are functions (ops.hpp), computed at once; those of tensors that
// require gradients are recorded, and backward() sweeps the record.
//   Tensor w = Tensor::randn({3, 4}, generator).requires_grad();
//   Tensor loss = sum(square(matmul(x, w)));
//   loss.backward();
//   w.grad();
// A handle may be passed between threads, and several threads may read one tensor; changing one while another
// thread uses it is a race.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ad/support/error.hpp"
#include "ad/tensor/body.hpp"
#include "ad/tensor/dtype.hpp"
#include "ad/tensor/shape.hpp"

namespace tare::ad {

class Generator;

class Tensor {
 public:
  Tensor() = default;
  Tensor(const Tensor& other) : body_(other.body_) {
    if (body_ != nullptr) detail::add_user(body_);
  }
  Tensor(Tensor&& other) noexcept : body_(std::exchange(other.body_, nullptr)) {}
  Tensor& operator=(const Tensor& other) {
    Tensor copy(other);
    std::swap(body_, copy.body_);
    return *this;
  }
  Tensor& operator=(Tensor&& other) noexcept {
    std::swap(body_, other.body_);
    return *this;
  }
  ~Tensor() {
    if (body_ != nullptr) detail::drop_user(body_);
  }

  // Making. Data is in row-major order.
  static Tensor full(const Shape& shape, double value, DType dtype = DType::f32);
  static Tensor zeros(const Shape& shape, DType dtype = DType::f32) { return full(shape, 0, dtype); }
  static Tensor ones(const Shape& shape, DType dtype = DType::f32) { return full(shape, 1, dtype); }
  /// Uninitialised.
  static Tensor empty(const Shape& shape, DType dtype = DType::f32);
  static Tensor scalar(double value, DType dtype = DType::f32) { return full({}, value, dtype); }
  static Tensor arange(std::int64_t count, DType dtype = DType::i64);
  static Tensor randn(const Shape& shape, Generator& generator, DType dtype = DType::f32);
  /// In [0, 1).
  static Tensor rand(const Shape& shape, Generator& generator, DType dtype = DType::f32);
  /// A copy of the values.
  template <class T>
  static Tensor of(std::span<const T> values, const Shape& shape) {
    Tensor made = empty_for("of", shape, dtype_of<T>, values.size());
    std::copy(values.begin(), values.end(), made.template mutable_values<T>().begin());
    return made;
  }
  template <class T>
  static Tensor of(std::initializer_list<T> values, const Shape& shape) {
    return of(std::span<const T>(values.begin(), values.size()), shape);
  }
  /// Uses the caller's memory, which must outlive every tensor that shares it. Constant memory cannot be
  /// changed through it.
  template <class T>
  static Tensor view_of(std::span<T> values, const Shape& shape) {
    return borrowed(values.data(), values.size(), shape, dtype_of<std::remove_const_t<T>>,
                    std::is_const_v<T>);
  }

  [[nodiscard]] bool defined() const { return body_ != nullptr; }
  [[nodiscard]] const Shape& shape() const { return body("shape").shape; }
  [[nodiscard]] int rank() const { return shape().rank; }
  /// From −rank to rank − 1.
  [[nodiscard]] std::int64_t size(int axis) const { return shape()[checked_axis("size", axis, shape())]; }
  [[nodiscard]] std::int64_t count() const { return shape().count(); }
  [[nodiscard]] DType dtype() const { return body("dtype").dtype; }
  [[nodiscard]] bool is_contiguous() const { return body("is_contiguous").contiguous; }
  [[nodiscard]] Strides strides() const { return body("strides").all_strides(); }

  /// The values of a contiguous tensor; throws when the type is another. Reading what is being captured
  /// throws.
  template <class T>
  [[nodiscard]] std::span<const T> values() const {
    return {static_cast<const T*>(checked_data("values", dtype_of<T>)), static_cast<std::size_t>(count())};
  }
  /// For writing; counts as a change in place.
  template <class T>
  [[nodiscard]] std::span<T> mutable_values() {
    T* data = static_cast<T*>(checked_data("mutable_values", dtype_of<T>));
    changed("mutable_values");
    return {data, static_cast<std::size_t>(count())};
  }
  /// The one value of a tensor of one element, as a double.
  [[nodiscard]] double item() const;
  /// Every value in row-major order, as doubles.
  [[nodiscard]] std::vector<double> to_vector() const;

  // Autograd.
  Tensor& requires_grad(bool wanted = true);
  [[nodiscard]] bool needs_grad() const { return body("needs_grad").requires_grad(); }
  [[nodiscard]] bool is_leaf() const { return body("is_leaf").node == nullptr; }
  /// Undefined until a backward() reached this leaf.
  [[nodiscard]] Tensor grad() const;
  void set_grad(const Tensor& grad);
  void zero_grad() { set_grad({}); }
  /// Of one element; gradients are added to the leaves' grad().
  void backward(bool retain = false) const;
  void backward(const Tensor& seed, bool retain = false) const;
  /// The same data without history.
  [[nodiscard]] Tensor detach() const;
  /// Called with the gradient of this tensor during backward; what it returns takes its place.
  void register_hook(std::function<Tensor(const Tensor&)> hook);
  /// A leaf's gradient goes to `taker`, with the leaf, as soon as backward has all of it, instead of to
  /// grad(): no two gradients need be there at once. The leaf may be changed then. None: to grad() again.
  void give_gradient_to(std::function<void(Tensor& leaf, const Tensor& gradient)> taker);

  // In place, not recorded: an error on a value whose history is being recorded.
  Tensor& copy_(const Tensor& source);
  Tensor& fill_(double value);
  Tensor& add_(const Tensor& other, double scale = 1);
  Tensor& mul_(double factor);

  [[nodiscard]] std::string to_string() const;

  [[nodiscard]] detail::Body* body() const { return body_; }
  /// Takes over one user.
  static Tensor adopt(detail::Body* body) {
    Tensor tensor;
    tensor.body_ = body;
    return tensor;
  }
  static Tensor from(detail::Body* body) {
    if (body != nullptr) detail::add_user(body);
    return adopt(body);
  }
  detail::Body* release() { return std::exchange(body_, nullptr); }

 private:
  [[nodiscard]] const detail::Body& body(const char* what) const {
    if (body_ == nullptr) throw_undefined(what);
    return *body_;
  }
  [[noreturn]] static void throw_undefined(const char* what);
  static Tensor empty_for(const char* what, const Shape& shape, DType dtype, std::size_t count);
  static Tensor borrowed(const void* data, std::size_t count, const Shape& shape, DType dtype,
                         bool read_only);
  [[nodiscard]] void* checked_data(const char* what, DType dtype) const;
  void changed(const char* what);

  detail::Body* body_ = nullptr;
};

/// A source of random numbers: the same seed gives the same tensors, on any number of threads.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : seed_(seed) {}
  /// A number for one random tensor; each call gives another.
  std::uint64_t next();

 private:
  std::uint64_t seed_;
  std::uint64_t drawn_ = 0;
};

}  // namespace tare::ad
