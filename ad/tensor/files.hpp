// Tensors in files: NumPy's .npy (one tensor) and safetensors (named tensors and some text). Little endian
// only. A file is believed nothing: sizes, offsets and names are checked before data is taken, and an AdError
// names the file, what is wrong and what to do. Files are written beside their place and then renamed: a
// reader sees the old file or the new one, whole.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ad/tensor/tensor.hpp"

namespace tare::ad {

void save_npy(const std::filesystem::path& path, const Tensor& tensor);
Tensor load_npy(const std::filesystem::path& path);

struct Safetensors {
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> metadata;
};
void save_safetensors(const std::filesystem::path& path, const std::map<std::string, Tensor>& tensors,
                      const std::map<std::string, std::string>& metadata = {});
Safetensors load_safetensors(const std::filesystem::path& path);

// The formats without the files. `name` stands for the file in messages.
std::vector<std::byte> npy_bytes(const Tensor& tensor);
Tensor parse_npy(std::span<const std::byte> bytes, std::string_view name);
std::vector<std::byte> safetensors_bytes(const Safetensors& content);
Safetensors parse_safetensors(std::span<const std::byte> bytes, std::string_view name);

namespace detail {

/// The whole file; throws an AdError that names the path and the system's reason.
std::vector<std::byte> read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);
/// A tensor of `type` and `shape` from row-major bytes of exactly its size.
Tensor tensor_of_bytes(std::span<const std::byte> bytes, const Shape& shape, DType type);
/// The tensor's values in row-major order, appended.
void append_values(std::vector<std::byte>& bytes, const Tensor& tensor);

}  // namespace detail
}  // namespace tare::ad
