// NumPy's .npy: a magic, a version, the length of a header, the header (a Python dictionary of three
// entries), the data.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <fmt/format.h>

#include "ad/tensor/files.hpp"
#include "ad/tensor/ops.hpp"

namespace tare::ad {
namespace {

constexpr std::string_view magic{"\x93NUMPY", 6};

struct Named {
  std::string_view descr;
  DType type;
};
constexpr std::array names{Named{"|b1", DType::boolean}, Named{"|u1", DType::u8},  Named{"|i1", DType::i8},
                           Named{"<i8", DType::i64},     Named{"<f4", DType::f32}, Named{"<f8", DType::f64}};

struct Header {
  DType type = DType::f32;
  bool fortran = false;
  Shape shape;
};

/// Reads the header's dictionary: strings, True and False, a tuple of whole numbers.
class HeaderReader {
 public:
  HeaderReader(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  Header read() {
    Header header;
    bool has_type = false, has_order = false, has_shape = false;
    const auto once = [&](bool& seen, std::string_view key) {
      if (std::exchange(seen, true)) refuse(fmt::format("its header names '{}' twice", key));
    };
    expect('{');
    while (!accept('}')) {
      const auto key = string();
      expect(':');
      if (key == "descr") {
        once(has_type, key);
        header.type = type();
      } else if (key == "fortran_order") {
        once(has_order, key);
        header.fortran = truth();
      } else if (key == "shape") {
        once(has_shape, key);
        header.shape = shape();
      } else {
        refuse(fmt::format("its header has the unknown entry '{}'", key));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (!text_.empty()) refuse("its header goes on after the dictionary");
    if (!has_type || !has_order || !has_shape)
      refuse("its header lacks one of 'descr', 'fortran_order' and 'shape'");
    return header;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw AdError(fmt::format("{} is no .npy file that can be read: {}", file_, what));
  }
  void skip_space() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\n' || text_.front() == '\t'))
      text_.remove_prefix(1);
  }
  bool accept(char c) {
    skip_space();
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) refuse(fmt::format("its header lacks a '{}' before \"{}\"", c, text_.substr(0, 20)));
  }
  std::string_view string() {
    skip_space();
    if (text_.empty() || (text_.front() != '\'' && text_.front() != '"'))
      refuse(fmt::format("its header has no string at \"{}\"", text_.substr(0, 20)));
    const auto end = text_.find(text_.front(), 1);
    if (end == std::string_view::npos) refuse("a string of its header does not end");
    const auto inner = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return inner;
  }
  DType type() {
    skip_space();
    if (!text_.empty() && text_.front() == '[') refuse("it holds records of several types, not numbers");
    const auto descr = string();
    for (const auto& named : names)
      if (named.descr == descr) return named.type;
    // One byte has no order: '<u1' and '|u1' are the same.
    if (descr == "<u1" || descr == "<i1" || descr == "<b1") return type_of_byte(descr[1]);
    if (!descr.empty() && descr.front() == '>')
      refuse(fmt::format("its type '{}' is big endian: save it as little endian", descr));
    refuse(fmt::format("its type '{}' is none of bool, u8, i8, i64, f32, f64: convert it first", descr));
  }
  static DType type_of_byte(char kind) {
    return kind == 'u' ? DType::u8 : kind == 'i' ? DType::i8 : DType::boolean;
  }
  bool truth() {
    skip_space();
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (!text_.starts_with(word)) continue;
      text_.remove_prefix(word.size());
      return value;
    }
    refuse("'fortran_order' in its header is neither True nor False");
  }
  Shape shape() {
    Shape shape;
    expect('(');
    while (!accept(')')) {
      skip_space();
      std::int64_t size = 0;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), size);
      if (error != std::errc{} || size < 0)
        refuse(fmt::format("its shape has no size at \"{}\"", text_.substr(0, 20)));
      text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
      if (shape.rank == most_axes) refuse(fmt::format("it has more than {} axes", most_axes));
      shape.push(size);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    check_sizes(file_, shape);
    return shape;
  }

  std::string_view text_;
  std::string_view file_;
};

/// Data whose first axis varies fastest, as the transposed tensor's is.
Tensor of_fortran(std::span<const std::byte> data, const Shape& shape, DType type) {
  Shape turned, order;
  for (int i = shape.rank - 1; i >= 0; --i) {
    turned.push(shape[i]);
    order.push(i);
  }
  return copy(permute(detail::tensor_of_bytes(data, turned, type), order));
}

}  // namespace

Tensor parse_npy(std::span<const std::byte> bytes, std::string_view name) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto refuse = [&](const std::string& what) -> void {
    throw AdError(fmt::format("{} is no .npy file that can be read: {}", name, what));
  };
  if (text.size() < 10 || !text.starts_with(magic)) refuse("it does not begin as one");
  const int version = static_cast<unsigned char>(text[6]);
  if (version < 1 || version > 3) refuse(fmt::format("its version is {}, not 1, 2 or 3", version));
  const std::size_t before = version == 1 ? 10 : 12;
  if (text.size() < before) refuse("it ends inside its header: it was cut off");
  std::size_t length = 0;
  for (std::size_t i = before; i-- > 8;) length = length * 256 + static_cast<unsigned char>(text[i]);
  if (length > text.size() - before) refuse("it ends inside its header: it was cut off");
  const Header header = HeaderReader(text.substr(before, length), name).read();
  const auto data = bytes.subspan(before + length);
  const auto expected = static_cast<std::size_t>(header.shape.count()) * size_of(header.type);
  if (data.size() != expected) {
    refuse(fmt::format("{} {} needs {} bytes of data, it has {}{}", name_of(header.type),
                       text_of(header.shape), expected, data.size(),
                       data.size() < expected ? ": it was cut off" : ""));
  }
  return header.fortran ? of_fortran(data, header.shape, header.type)
                        : detail::tensor_of_bytes(data, header.shape, header.type);
}

std::vector<std::byte> npy_bytes(const Tensor& tensor) {
  std::string sizes;
  for (const auto size : tensor.shape().list()) sizes += fmt::format("{}, ", size);
  // A tuple of one is written (3,), of more (3, 4).
  if (tensor.rank() > 0) sizes.resize(sizes.size() - (tensor.rank() == 1 ? 1 : 2));
  const auto* named = std::ranges::find(names, tensor.dtype(), &Named::type);
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", named->descr, sizes);
  // Data begins at a multiple of 64; the header ends in a newline.
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string start(magic);
  start += '\1';
  start += '\0';
  start += static_cast<char>(header.size() % 256);
  start += static_cast<char>(header.size() / 256);
  start += header;
  std::vector<std::byte> bytes(start.size());
  std::memcpy(bytes.data(), start.data(), start.size());
  detail::append_values(bytes, tensor);
  return bytes;
}

void save_npy(const std::filesystem::path& path, const Tensor& tensor) {
  detail::write_file(path, npy_bytes(tensor));
}
Tensor load_npy(const std::filesystem::path& path) {
  return parse_npy(detail::read_file(path), path.string());
}

}  // namespace tare::ad
