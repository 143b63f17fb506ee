#include "bench/define/registry.hpp"

#include <fmt/format.h>
#include <set>
#include <stdexcept>

#include "bench/support/text.hpp"

namespace tare {

const char* version() {
  return TARE_VERSION;
}

Definition& Definition::param(std::string key, ParameterValues values) {
  if (key.empty() || key.find_first_of("=/ ") != std::string::npos) {
    throw std::invalid_argument(
        fmt::format("benchmark '{}': '{}' cannot be a parameter's name", name_, printable(key)));
  }
  if (values.empty())
    throw std::invalid_argument(fmt::format("benchmark '{}': parameter '{}' has no value", name_, key));
  for (const auto& [known, _] : parameters_) {
    if (known == key)
      throw std::invalid_argument(fmt::format("benchmark '{}': parameter '{}' given twice", name_, key));
  }
  parameters_.emplace_back(std::move(key), std::move(values));
  return *this;
}

Definition& Definition::threads(const std::vector<int>& counts) {
  ParameterValues values;
  for (const int count : counts) {
    if (count < 1 || count > 4096) {
      throw std::invalid_argument(fmt::format("benchmark '{}': {} threads asked for", name_, count));
    }
    values.push_back(std::to_string(count));
  }
  return param("threads", std::move(values));
}

Definition& Definition::tag(std::string key, std::string value) {
  tags_[std::move(key)] = std::move(value);
  return *this;
}

Definition& Definition::label(std::string text) {
  label_ = std::move(text);
  return *this;
}

Definition& Registry::add(std::string name, Function function, Build build) {
  return *definitions_.emplace_back(
      std::make_unique<Definition>(std::move(name), std::move(function), std::move(build)));
}

Result<std::vector<Instance>> Registry::instances() const {
  std::vector<Instance> all;
  std::set<std::string> names;
  for (const auto& definition : definitions_) {
    if (definition->name_.empty()) return fail("a benchmark was registered without a name");
    std::vector<Parameters> products{{}};
    for (const auto& [key, values] : definition->parameters_) {
      std::vector<Parameters> longer;
      for (const auto& product : products) {
        for (const auto& value : values) {
          longer.push_back(product);
          longer.back().emplace_back(key, value);
        }
      }
      products = std::move(longer);
    }
    for (auto& parameters : products) {
      Instance instance{{definition->name_, std::move(parameters)},
                        definition->tags_,
                        definition->label_,
                        &definition->function_};
      if (!names.insert(instance.id.full()).second) {
        return fail(fmt::format("two benchmarks are named '{}'; give one another name or parameter",
                                instance.id.full()));
      }
      all.push_back(std::move(instance));
    }
  }
  return all;
}

Build Registry::build() const {
  return definitions_.empty() ? Build{} : definitions_.front()->build_;
}

Registry& registry() {
  static Registry all;
  return all;
}

}  // namespace tare
