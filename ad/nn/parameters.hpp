// What a model is made of, by name. Every layer's parameters() lists its tensors: those that are learnt
// require gradients, the others (running statistics) do not; all are saved. Copying a layer copies handles:
// both share their tensors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "ad/tensor/tensor.hpp"

namespace tare::ad::nn {

using Parameters = std::map<std::string, Tensor>;

/// Adds the parameters of a part as "prefix.name".
void add_part(Parameters& into, const std::string& prefix, const Parameters& part);
/// Numbers that are learnt.
std::int64_t learnt_count(const Parameters& parameters);
/// Bytes of all tensors.
std::int64_t bytes_of(const Parameters& parameters);
void zero_gradients(const Parameters& parameters);

/// As a safetensors file.
void save_parameters(const std::filesystem::path& path, const Parameters& parameters,
                     const std::map<std::string, std::string>& metadata = {});
/// Copies the file's values into the parameters and gives its metadata. Names, shapes and types must agree;
/// where they do not, nothing is changed.
std::map<std::string, std::string> load_parameters(const std::filesystem::path& path,
                                                   const Parameters& parameters);
/// The same between two models of one kind.
void copy_parameters(const Parameters& from, const Parameters& to);

}  // namespace tare::ad::nn
