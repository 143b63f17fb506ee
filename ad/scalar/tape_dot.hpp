// Printing an explicit tape as a graph. Included by tape.hpp.
#pragma once

#include <sstream>

#include "ad/scalar/tape.hpp"

namespace tare::ad {

template <class T>
std::string BasicTape<T>::dot() const {
  std::ostringstream out;
  out.precision(6);
  out << "digraph tape {\n";
  std::size_t custom = 0;
  for (std::uint32_t i = 1; i <= newest(); ++i) {
    std::string name(name_of(codes_[i]));
    if (codes_[i] == OpCode::Custom && custom < custom_names_.size()) name = custom_names_[custom++].second;
    for (std::size_t at = 0; (at = name.find('"', at)) != std::string::npos; at += 2)
      name.insert(at, 1, '\\');
    out << "  v" << i << " [label=\"" << name << '"' << (codes_[i] == OpCode::Input ? ", shape=box" : "")
        << "];\n";
  }
  each_edge([&](std::uint32_t from, std::uint32_t to, const T& partial) {
    out << "  v" << from << " -> v" << to << " [label=\"" << detail::as_double(partial) << "\"];\n";
  });
  out << "}\n";
  return out.str();
}

}  // namespace tare::ad
