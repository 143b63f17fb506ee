#include "ad/nn/parameters.hpp"

#include <fmt/format.h>

#include "ad/tensor/files.hpp"
#include "ad/tensor/mode.hpp"

namespace tare::ad::nn {

void add_part(Parameters& into, const std::string& prefix, const Parameters& part) {
  for (const auto& [name, tensor] : part) into.insert_or_assign(fmt::format("{}.{}", prefix, name), tensor);
}

std::int64_t learnt_count(const Parameters& parameters) {
  std::int64_t count = 0;
  for (const auto& [name, tensor] : parameters)
    if (tensor.needs_grad()) count += tensor.count();
  return count;
}

std::int64_t bytes_of(const Parameters& parameters) {
  std::int64_t bytes = 0;
  for (const auto& [name, tensor] : parameters) bytes += tensor.body()->bytes();
  return bytes;
}

void zero_gradients(const Parameters& parameters) {
  for (const auto& [name, tensor] : parameters) Tensor(tensor).zero_grad();
}

void save_parameters(const std::filesystem::path& path, const Parameters& parameters,
                     const std::map<std::string, std::string>& metadata) {
  save_safetensors(path, parameters, metadata);
}

namespace {

void copy_all(const std::string& where, const std::map<std::string, Tensor>& from, const Parameters& to) {
  for (const auto& [name, tensor] : to) {
    const auto found = from.find(name);
    if (found == from.end()) throw AdError(fmt::format("{} has no parameter '{}'", where, name));
    const Tensor& given = found->second;
    if (!(given.shape() == tensor.shape()) || given.dtype() != tensor.dtype()) {
      throw AdError(fmt::format("{}: parameter '{}' is {} {}, the model's is {} {}", where, name,
                                name_of(given.dtype()), text_of(given.shape()), name_of(tensor.dtype()),
                                text_of(tensor.shape())));
    }
  }
  for (const auto& [name, tensor] : from)
    if (!to.contains(name)) throw AdError(fmt::format("{}: the model has no parameter '{}'", where, name));
  const NoGrad quiet;
  for (const auto& [name, tensor] : to) Tensor(tensor).copy_(from.at(name));
}

}  // namespace

std::map<std::string, std::string> load_parameters(const std::filesystem::path& path,
                                                   const Parameters& parameters) {
  auto content = load_safetensors(path);
  copy_all(path.string(), content.tensors, parameters);
  return std::move(content.metadata);
}

void copy_parameters(const Parameters& from, const Parameters& to) {
  copy_all("copy_parameters: the source", from, to);
}

}  // namespace tare::ad::nn
