// What misuse of the engine throws: every message names the operation and the values it was given.
#pragma once

#include <stdexcept>

namespace tare::ad {

struct AdError : std::logic_error {
  using std::logic_error::logic_error;
};

}  // namespace tare::ad
