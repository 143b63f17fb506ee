// safetensors: eight bytes of length, a JSON header of that length (names, types, shapes, places), the data.
// The places must follow each other without gap or overlap and fill the data.
#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

#include "ad/tensor/files.hpp"

namespace tare::ad {
namespace {

using Json = nlohmann::json;

constexpr std::size_t longest_header = 100'000'000;  // as the format says
constexpr const char* metadata_key = "__metadata__";

struct Named {
  std::string_view text;
  DType type;
};
constexpr std::array names{Named{"BOOL", DType::boolean}, Named{"U8", DType::u8},   Named{"I8", DType::i8},
                           Named{"I64", DType::i64},      Named{"F32", DType::f32}, Named{"F64", DType::f64}};

struct Place {
  std::string name;
  DType type;
  Shape shape;
  std::uint64_t begin, end;
};

class HeaderReader {
 public:
  HeaderReader(std::string_view text, std::string_view file, std::uint64_t data_size)
      : text_(text), file_(file), data_size_(data_size) {}

  std::map<std::string, std::string> metadata;
  std::vector<Place> places;

  void read() {
    const Json header = parsed();
    if (!header.is_object()) refuse("its header is no JSON object");
    for (const auto& [key, value] : header.items()) {
      if (key == metadata_key) {
        read_metadata(value);
      } else {
        places.push_back(place(key, value));
      }
    }
    check_places();
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw AdError(fmt::format("{} is no safetensors file that can be read: {}", file_, what));
  }

  Json parsed() const {
    // Two entries of one name would hide each other.
    std::vector<std::set<std::string>> open;
    const auto watch = [&](int, Json::parse_event_t event, Json& value) {
      if (event == Json::parse_event_t::object_start) open.emplace_back();
      if (event == Json::parse_event_t::object_end) open.pop_back();
      if (event == Json::parse_event_t::key && !open.back().insert(value.get<std::string>()).second)
        refuse(fmt::format("its header names '{}' twice", value.get<std::string>()));
      return true;
    };
    try {
      return Json::parse(text_, watch);
    } catch (const Json::exception& error) {
      refuse(fmt::format("its header is no JSON: {}", error.what()));
    }
  }

  void read_metadata(const Json& value) {
    if (!value.is_object()) refuse("its __metadata__ is no object of strings");
    for (const auto& [key, text] : value.items()) {
      if (!text.is_string()) refuse(fmt::format("its __metadata__ '{}' is no string", key));
      metadata[key] = text.get<std::string>();
    }
  }

  [[nodiscard]] Place place(const std::string& name, const Json& value) const {
    if (!value.is_object() || value.size() != 3 || !value.contains("dtype") || !value.contains("shape") ||
        !value.contains("data_offsets"))
      refuse(fmt::format("tensor '{}' is not described by dtype, shape and data_offsets", name));
    Place result{name, type_of(name, value["dtype"]), {}, 0, 0};
    const auto& shape = value["shape"];
    if (!shape.is_array()) refuse(fmt::format("the shape of tensor '{}' is no list", name));
    if (shape.size() > most_axes)
      refuse(fmt::format("tensor '{}' has {} axes, at most {} are possible", name, shape.size(), most_axes));
    for (const auto& size : shape) result.shape.push(static_cast<std::int64_t>(whole(name, "shape", size)));
    check_sizes(fmt::format("{}, tensor '{}'", file_, name), result.shape);
    const auto& offsets = value["data_offsets"];
    if (!offsets.is_array() || offsets.size() != 2)
      refuse(fmt::format("data_offsets of tensor '{}' are not two", name));
    result.begin = whole(name, "data_offsets", offsets[0]);
    result.end = whole(name, "data_offsets", offsets[1]);
    if (result.begin > result.end || result.end > data_size_) {
      refuse(fmt::format("tensor '{}' lies at {} to {} of {} bytes of data{}", name, result.begin, result.end,
                         data_size_, result.begin <= result.end ? ": the file was cut off" : ""));
    }
    const auto needed = static_cast<std::uint64_t>(result.shape.count()) * size_of(result.type);
    if (result.end - result.begin != needed) {
      refuse(fmt::format("tensor '{}' of {} {} needs {} bytes, its place has {}", name, name_of(result.type),
                         text_of(result.shape), needed, result.end - result.begin));
    }
    return result;
  }
  [[nodiscard]] DType type_of(const std::string& tensor, const Json& value) const {
    if (!value.is_string()) refuse(fmt::format("the dtype of tensor '{}' is no string", tensor));
    const auto& text = value.get_ref<const std::string&>();
    for (const auto& named : names)
      if (named.text == text) return named.type;
    refuse(fmt::format("dtype {} of tensor '{}' is none of F32, F64, I64, U8, I8, BOOL: convert it first",
                       text, tensor));
  }
  [[nodiscard]] std::uint64_t whole(const std::string& tensor, const char* field, const Json& value) const {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > INT64_MAX)
      refuse(fmt::format("{} of tensor '{}' holds {}, no whole number from 0 to 2^63", field, tensor,
                         value.dump(-1, ' ', true, Json::error_handler_t::replace)));
    return value.get<std::uint64_t>();
  }

  void check_places() {
    std::ranges::sort(places, [](const Place& a, const Place& b) {
      return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
    });
    std::uint64_t at = 0;
    for (const auto& place : places) {
      if (place.begin != at) {
        refuse(fmt::format("tensor '{}' begins at byte {} of the data, but {} ends at {}", place.name,
                           place.begin, place.begin < at ? "another" : "the one before", at));
      }
      at = place.end;
    }
    if (at != data_size_)
      refuse(fmt::format("its tensors end at byte {} of {} bytes of data", at, data_size_));
  }

  std::string_view text_;
  std::string_view file_;
  std::uint64_t data_size_;
};

}  // namespace

Safetensors parse_safetensors(std::span<const std::byte> bytes, std::string_view name) {
  const auto refuse = [&](const std::string& what) -> void {
    throw AdError(fmt::format("{} is no safetensors file that can be read: {}", name, what));
  };
  if (bytes.size() < 8)
    refuse(fmt::format("it has {} bytes, fewer than the length of a header", bytes.size()));
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  if (length > longest_header)
    refuse(
        fmt::format("its header of {} bytes is longer than the {} that are allowed", length, longest_header));
  if (length > bytes.size() - 8)
    refuse(fmt::format("its header of {} bytes does not fit into {}: it was cut off", length, bytes.size()));
  const auto data = bytes.subspan(8 + length);
  HeaderReader header({reinterpret_cast<const char*>(bytes.data()) + 8, length}, name, data.size());
  header.read();
  Safetensors content{{}, std::move(header.metadata)};
  for (const auto& place : header.places)
    content.tensors[place.name] =
        detail::tensor_of_bytes(data.subspan(place.begin, place.end - place.begin), place.shape, place.type);
  return content;
}

std::vector<std::byte> safetensors_bytes(const Safetensors& content) {
  // Wide types first: every tensor then begins at a multiple of its element's size.
  std::vector<const std::pair<const std::string, Tensor>*> order;
  for (const auto& entry : content.tensors) {
    if (entry.first == metadata_key)
      throw AdError("save_safetensors: no tensor can be named __metadata__: the format uses it");
    if (!entry.second.defined())
      throw AdError(fmt::format("save_safetensors: tensor '{}' is undefined", entry.first));
    order.push_back(&entry);
  }
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [](const auto* entry) { return size_of(entry->second.dtype()); });
  Json header = Json::object();
  if (!content.metadata.empty()) header[metadata_key] = content.metadata;
  std::int64_t at = 0;
  for (const auto* entry : order) {
    const Tensor& tensor = entry->second;
    const auto end = at + tensor.body()->bytes();
    const auto* named = std::ranges::find(names, tensor.dtype(), &Named::type);
    Json shape = Json::array();
    for (const auto size : tensor.shape().list()) shape.push_back(size);
    header[entry->first] = {{"dtype", named->text}, {"shape", shape}, {"data_offsets", {at, end}}};
    at = end;
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const Json::exception& error) {
    throw AdError(fmt::format("save_safetensors: a name or metadata is no UTF-8 text: {}", error.what()));
  }
  text.append((8 - text.size() % 8) % 8, ' ');
  if (text.size() > longest_header)
    throw AdError(fmt::format("save_safetensors: a header of {} bytes is longer than the {} that are allowed",
                              text.size(), longest_header));
  const std::uint64_t length = text.size();
  std::vector<std::byte> bytes(8 + text.size());
  bytes.reserve(bytes.size() + static_cast<std::size_t>(at));
  std::memcpy(bytes.data(), &length, 8);
  std::memcpy(bytes.data() + 8, text.data(), text.size());
  for (const auto* entry : order) detail::append_values(bytes, entry->second);
  return bytes;
}

void save_safetensors(const std::filesystem::path& path, const std::map<std::string, Tensor>& tensors,
                      const std::map<std::string, std::string>& metadata) {
  detail::write_file(path, safetensors_bytes({tensors, metadata}));
}
Safetensors load_safetensors(const std::filesystem::path& path) {
  return parse_safetensors(detail::read_file(path), path.string());
}

}  // namespace tare::ad
