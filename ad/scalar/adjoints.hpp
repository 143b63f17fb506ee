// Memory for the adjoints of a sweep, whatever the number of lanes. It grows and never shrinks, so that
// sweeps of the same size allocate nothing.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>

#include "ad/scalar/error.hpp"
#include "ad/scalar/mapping.hpp"

namespace tare::ad {

namespace detail {

class AdjointStore {
 public:
  template <class A>
  A* ensure(std::size_t count) {
    const std::size_t bytes = count * sizeof(A);
    if (bytes > used_) [[unlikely]] {
      grow(bytes);
    }
    return reinterpret_cast<A*>(memory_.data());
  }
  template <class A>
  A* get() const {
    return reinterpret_cast<A*>(memory_.data());
  }

 private:
  [[gnu::noinline]] void grow(std::size_t bytes) {
    if (bytes > memory_.bytes()) memory_ = Mapping(std::bit_ceil(std::max<std::size_t>(bytes, 65536)));
    if (bytes > memory_.bytes()) throw_limit("adjoints", memory_.bytes());
    memory_.note_used(memory_.data(), memory_.data() + bytes);
    used_ = bytes;
  }

  Mapping memory_;
  std::size_t used_ = 0;  ///< bytes asked for so far
};

}  // namespace detail

}  // namespace tare::ad
