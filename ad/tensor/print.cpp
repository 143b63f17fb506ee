// A tensor as text: aligned numbers in nested brackets, then type and shape. Beyond a thousand elements only
// the first and last three along each axis are shown.
#include <cmath>
#include <fmt/format.h>

#include "ad/tensor/tensor.hpp"

namespace tare::ad {
namespace {

constexpr std::int64_t most_shown = 1000;
constexpr std::int64_t edge = 3;
constexpr std::size_t line_width = 100;

/// The positions along one axis that are shown; −1 stands for what is left out.
std::vector<std::int64_t> shown_positions(std::int64_t size, bool summarise) {
  std::vector<std::int64_t> positions;
  for (std::int64_t i = 0; i < size; ++i) {
    if (summarise && size > 2 * edge && i == edge) {
      positions.push_back(-1);
      i = size - edge;
    }
    positions.push_back(i);
  }
  return positions;
}

class Printer {
 public:
  explicit Printer(const detail::Body& body)
      : body_(body), strides_(body.all_strides()), summarise_(body.count() > most_shown) {}

  std::string text() {
    if (body_.count() == 0) return "[]";
    measure(0, 0);
    write(0, 0);
    return std::move(text_);
  }

 private:
  [[nodiscard]] std::string number(std::int64_t offset) const {
    return visit(body_.dtype, [&](auto zero) -> std::string {
      using T = decltype(zero);
      const T value = body_.values<T>()[offset];
      if constexpr (std::is_floating_point_v<T>) {
        // A NaN's sign means nothing.
        return std::isnan(value) ? "nan" : fmt::format("{:.6g}", value);
      } else if constexpr (std::is_same_v<T, bool>) {
        return value ? "true" : "false";
      } else {
        return fmt::format("{}", static_cast<std::int64_t>(value));
      }
    });
  }
  template <class F>
  void each(int axis, std::int64_t offset, F f) const {
    for (const auto at : shown_positions(body_.shape[axis], summarise_))
      f(at, at < 0 ? 0 : offset + at * strides_[axis]);
  }

  void measure(int axis, std::int64_t offset) {
    if (axis == body_.shape.rank) {
      width_ = std::max(width_, number(offset).size());
      return;
    }
    each(axis, offset, [&](std::int64_t at, std::int64_t next) {
      if (at >= 0) measure(axis + 1, next);
    });
  }

  void write(int axis, std::int64_t offset) {
    if (axis == body_.shape.rank) {
      text_ += fmt::format("{:>{}}", number(offset), width_);
      return;
    }
    const bool last = axis + 1 == body_.shape.rank;
    const auto indent = static_cast<std::size_t>(axis) + 1;
    text_ += '[';
    bool first = true;
    std::size_t column = indent;
    each(axis, offset, [&](std::int64_t at, std::int64_t next) {
      if (!first && last) {
        text_ += ',';
        column += width_ + 2;
        const bool wraps = column + width_ > line_width;
        text_ += wraps ? '\n' + std::string(indent, ' ') : " ";
        if (wraps) column = indent;
      } else if (!first) {
        // An empty line between matrices.
        text_ += axis + 2 < body_.shape.rank ? ",\n\n" : ",\n";
        text_.append(indent, ' ');
      }
      first = false;
      if (at < 0) {
        text_ += "…";
      } else {
        write(axis + 1, next);
      }
    });
    text_ += ']';
  }

  const detail::Body& body_;
  Strides strides_;
  bool summarise_;
  std::size_t width_ = 0;
  std::string text_;
};

}  // namespace

std::string Tensor::to_string() const {
  if (!defined()) return "undefined";
  const detail::Body& b = *body_;
  const std::string kind = fmt::format("{} {}", name_of(b.dtype), text_of(b.shape));
  if (b.data == nullptr) return fmt::format("{} without values yet", kind);
  return fmt::format("{} {}", Printer(b).text(), kind);
}

}  // namespace tare::ad
