// Lowering: a Program becomes Code for its value, or for its value and derivatives by one reverse sweep per
// output, or one forward sweep per input where there are no more of these. Every rule is the op table's,
// called with Expr. A guard becomes arithmetic too: the status, a result after the outputs, is 0 if every
// comparison came out as recorded, and otherwise tells the first that did not. An adjoint of zero passes
// nothing through an op whose derivative has a pole, as on the tape.
#pragma once

#include <cstddef>

#include "ad/scalar/program/code.hpp"

namespace tare::ad::detail {

enum class Wanted {
  value,
  jacobian,  ///< the gradient of every output, row by row
  product,   ///< Σ seedᵢ · gradient of output i; the seeds are varying inputs after the others
};

struct Passes {
  bool fold = true;       ///< constants and identities
  bool share = true;      ///< common subexpressions
  bool dead_code = true;  ///< what no output needs
  bool contract = true;   ///< a · b + c in one rounding
};

/// Which inputs are what, in their order: uniform ones first, and those without derivatives last.
struct Inputs {
  std::size_t uniform = 0;  ///< the same in all lanes; their derivatives are added up in Port::sums
  std::size_t passive = 0;  ///< derivatives by these are not wanted
};

Code lower(const Program& program, Wanted wanted, const Passes& passes, Inputs inputs = {});

/// The guard a status tells of; the status must not be 0.
inline std::size_t guard_of_status(const Program& program, double status) {
  return program.guards.size() - static_cast<std::size_t>(status);
}

}  // namespace tare::ad::detail
