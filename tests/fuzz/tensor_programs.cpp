// Random programs of tensor ops: bytes choose ops, axes, sizes and types; small tensors of any layout come
// out. An AdError is an answer, anything else is a bug. What an op says of views it must say of their dense
// copies, and backward must give gradients of the inputs' shapes.
#include <cmath>
#include <cstring>
#include <vector>

#include "ad/support/threads.hpp"
#include "ad/tensor/autograd.hpp"
#include "ad/tensor/ops.hpp"
#include "tests/fuzz/input.hpp"

using namespace tare::ad;

namespace {

constexpr std::int64_t most_elements = 4096;
constexpr int most_steps = 24;

class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  [[nodiscard]] bool empty() const { return at_ >= size_; }
  std::uint8_t next() { return empty() ? 0 : data_[at_++]; }
  std::int64_t below(std::int64_t bound) { return next() % bound; }
  /// Mostly small, sometimes far out.
  std::int64_t number() {
    const auto kind = next();
    if (kind < 240) return kind % 13 - 4;
    if (kind == 255) return INT64_MIN;
    if (kind == 254) return INT64_MAX;
    std::int64_t wide = 0;
    for (int i = 0; i < 8; ++i)
      wide = static_cast<std::int64_t>(static_cast<std::uint64_t>(wide) << 8U | next());
    return wide;
  }
  int axis() { return static_cast<int>(below(12)) - 4; }
  Shape shape() {
    Shape shape;
    const auto rank = below(5);
    for (int i = 0; i < rank; ++i) shape.push(number());
    return shape;
  }
  DType type() { return static_cast<DType>(below(6)); }
  bool flag() { return (next() & 1U) != 0; }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

class Program {
 public:
  explicit Program(Bytes bytes) : bytes_(bytes), generator_(bytes_.next()) {}

  void run() {
    for (int i = 0; i < 3; ++i) attempt([&] { keep(source()); });
    for (int step = 0; step < most_steps && !bytes_.empty(); ++step) attempt([&] { keep(one_op()); });
    attempt([&] { sweep(); });
  }

 private:
  template <class F>
  void attempt(F f) {
    try {
      f();
    } catch (const AdError&) {
    }
  }

  void keep(Tensor t) {
    if (!t.defined()) return;
    // Views may be larger than memory; nothing here may take for ever.
    check_sizes("keep", t.shape());
    if (t.count() <= most_elements) kept_.push_back(std::move(t));
  }
  Tensor pick() {
    if (kept_.empty()) return {};
    return kept_[static_cast<std::size_t>(bytes_.below(static_cast<std::int64_t>(kept_.size())))];
  }
  /// Not larger than what may be kept: a view of astronomic size would be read for ever.
  Shape small_shape() {
    Shape shape = bytes_.shape();
    check_sizes("shape", shape);
    if (shape.count() > most_elements) throw AdError("too large for a test");
    return shape;
  }

  Tensor source() {
    const Shape shape = small_shape();
    switch (bytes_.below(4)) {
      case 0:
        return Tensor::full(shape, static_cast<double>(bytes_.number()), bytes_.type());
      case 1:
        return Tensor::arange(bytes_.below(20), bytes_.type());
      default: {
        Tensor x = Tensor::randn(shape, generator_, bytes_.flag() ? DType::f64 : DType::f32);
        leaves_.push_back(x.requires_grad());
        return x;
      }
    }
  }

  Tensor one_op() {
    switch (bytes_.below(38)) {
      case 0:
        return source();
      case 1: {
        const Tensor x = pick();
        return apply(static_cast<Op>(bytes_.below(unary_ops)), {&x});
      }
      case 2:
      case 3: {
        const Tensor a = pick(), b = pick();
        if (!a.defined()) return {};
        const auto size = broadcast("binary", a.shape(), b.shape());
        check_sizes("binary", size);
        if (size.count() > most_elements) return {};
        return apply(static_cast<Op>(unary_ops + bytes_.below(binary_ops)), {&a, &b});
      }
      case 4:
        return clamp(pick(), static_cast<double>(bytes_.number()), static_cast<double>(bytes_.number()));
      case 5:
        return pow(pick(), static_cast<double>(bytes_.number()) / 2);
      case 6:
        return compared();
      case 7:
        return cast(pick(), bytes_.type());
      case 8: {
        const Tensor x = pick();
        Tensor y = reshape(x, bytes_.shape());
        require(y.to_vector().size() == x.to_vector().size());
        if (is_floating(x.dtype())) return y;
        require(y.to_vector() == x.to_vector());
        return y;
      }
      case 9: {
        Shape order;
        const auto rank = bytes_.below(6);
        for (int i = 0; i < rank; ++i) order.push(bytes_.axis());
        return permute(pick(), order);
      }
      case 10:
        return transpose(pick(), bytes_.axis(), bytes_.axis());
      case 11:
      case 12:
        return slice(pick(), bytes_.axis(), bytes_.number(), bytes_.number(), bytes_.number());
      case 13:
        return expand(pick(), small_shape());
      case 14:
        return unsqueeze(pick(), bytes_.axis());
      case 15:
        return squeeze(pick(), bytes_.axis());
      case 16:
        return bytes_.flag() ? contiguous(pick()) : copy(pick());
      case 17: {
        const std::vector<Tensor> parts{pick(), pick(), pick()};
        return bytes_.flag() ? concat(parts, bytes_.axis()) : stack(parts, bytes_.axis());
      }
      case 18: {
        auto parts = split(pick(), bytes_.number(), bytes_.axis());
        return parts.empty() ? Tensor() : parts.back();
      }
      case 19:
        return padded();
      case 20:
      case 21:
      case 22:
        return reduced();
      case 23:
        return bytes_.flag() ? argmax(pick(), bytes_.axis(), bytes_.flag())
                             : argmin(pick(), bytes_.axis(), bytes_.flag());
      case 24:
        return cumsum(pick(), bytes_.axis(), bytes_.flag());
      case 25:
        return bytes_.flag() ? softmax(pick()) : log_softmax(pick());
      case 26:
        return cross_entropy(pick(), pick());
      case 27:
        return bytes_.flag() ? layer_norm(pick(), pick(), pick()) : rms_norm(pick(), pick());
      case 28:
        return batch_norm(pick(), pick(), pick()).y;
      case 29:
        return matmul(pick(), pick());
      case 30:
        return bytes_.flag() ? linear(pick(), pick(), pick()) : matmul_i8(pick(), pick());
      case 31:
        return bytes_.flag() ? gather(pick(), bytes_.axis(), pick())
                             : scatter_add(pick(), bytes_.axis(), pick(), pick());
      case 32:
        return embedding(pick(), pick());
      case 33:
        return dropout(pick(), static_cast<double>(bytes_.below(12)) / 10, generator_);
      case 34:
        return attention(pick(), pick(), pick(), bytes_.flag());
      case 35:
        return conv2d(pick(), pick(), bytes_.flag() ? pick() : Tensor(),
                      {bytes_.number(), bytes_.number(), bytes_.number(), bytes_.number()});
      case 36: {
        const Pool2d options{bytes_.number(), bytes_.number(), bytes_.number()};
        return bytes_.flag() ? max_pool2d(pick(), options) : avg_pool2d(pick(), options);
      }
      default:
        return changed();
    }
  }

  Tensor compared() {
    const Tensor a = pick(), b = pick();
    switch (bytes_.below(6)) {
      case 0:
        return less(a, b);
      case 1:
        return less_equal(a, b);
      case 2:
        return equal(a, b);
      case 3:
        return not_equal(a, b);
      case 4:
        return logical_not(a);
      default:
        return where(a, b, pick());
    }
  }
  Tensor padded() {
    const Tensor x = pick();
    Shape before, after;
    for (int i = 0; x.defined() && i < x.rank(); ++i) {
      before.push(bytes_.number());
      after.push(bytes_.number());
      if (before[i] > 64 && before[i] < (std::int64_t{1} << 40)) before[i] = 64;
      if (after[i] > 64 && after[i] < (std::int64_t{1} << 40)) after[i] = 64;
    }
    return pad(x, before, after, static_cast<double>(bytes_.number()));
  }
  Tensor reduced() {
    const Tensor x = pick();
    const auto kind = bytes_.below(8);
    const bool keep = bytes_.flag();
    const std::int64_t first = bytes_.axis(), second = bytes_.axis();
    const auto with = [&](auto f) {
      switch (bytes_.below(3)) {
        case 0:
          return f(Axes{});
        case 1:
          return f(Axes{first});
        default:
          return f(Axes{first, second});
      }
    };
    return with([&](Axes axes) {
      switch (kind) {
        case 0:
          return sum(x, axes, keep);
        case 1:
          return mean(x, axes, keep);
        case 2:
          return amax(x, axes, keep);
        case 3:
          return amin(x, axes, keep);
        case 4:
          return prod(x, axes, keep);
        case 5:
          return logsumexp(x, axes, keep);
        case 6:
          return norm(x, axes, keep);
        default:
          return var(x, axes, keep);
      }
    });
  }
  Tensor changed() {
    const NoGrad quiet;
    Tensor x = pick(), y = pick();
    if (!x.defined()) return {};
    switch (bytes_.below(5)) {
      case 0:
        x.fill_(static_cast<double>(bytes_.number()));
        break;
      case 1:
        x.mul_(0.5);
        break;
      case 2:
        x.add_(y, 2);
        break;
      case 3:
        x.copy_(y);
        break;
      default:
        return x.detach();
    }
    return {};
  }

  void sweep() {
    Tensor total;
    for (const Tensor& t : kept_) {
      if (!is_floating(t.dtype()) || !t.needs_grad()) continue;
      const Tensor part = sum(cast(t, DType::f64));
      total = total.defined() ? add(total, part) : part;
    }
    if (!total.defined()) return;
    if (bytes_.flag()) {
      const auto first = gradient(total, leaves_, {}, {.differentiable = true});
      Tensor again;
      for (const Tensor& g : first) {
        const Tensor part = sum(cast(square(g), DType::f64));
        again = again.defined() ? add(again, part) : part;
      }
      if (again.defined() && again.needs_grad()) again.backward();
    } else {
      total.backward();
    }
    for (const Tensor& leaf : leaves_)
      if (leaf.grad().defined())
        require(leaf.grad().shape() == leaf.shape() && leaf.grad().dtype() == leaf.dtype());
  }

  Bytes bytes_;
  Generator generator_;
  std::vector<Tensor> kept_;
  std::vector<Tensor> leaves_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  set_memory_limit(std::int64_t{64} << 20);
  set_thread_count(1);
  Program(Bytes(data, size)).run();
  // Nothing of the program is left.
  require(memory_stats().live_bytes == 0);
  return 0;
}
