// Capture: runs a function on tensors without data and writes down what it would compute, backward passes and
// updates in place included.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "ad/graph/ir.hpp"

namespace tare::ad::graph {

using Function = std::function<std::vector<Tensor>(std::span<const Tensor>)>;

/// The function did something a graph cannot hold; the message says what, and which op forced it.
struct CaptureError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Captured {
  Graph graph;
  std::vector<Tensor> tensors;         ///< of graph.captured
  std::vector<Generator*> generators;  ///< of graph.seeds
  /// Captured tensors that are the gradient of another when the call begins: {which, of which}.
  std::vector<std::pair<std::size_t, std::size_t>> old_gradients;
  /// Captured leaves, and whether each had a gradient when the call began.
  std::vector<std::pair<std::size_t, bool>> leaves;
  std::vector<std::size_t> cleared;  ///< captured tensors whose gradient the function takes away

  // Results of the graph, in this order:
  std::size_t result_count = 0;                 ///< the function's own
  std::vector<std::size_t> gradients;           ///< grad() of captured tensors that the function left set
  std::vector<std::size_t> argument_gradients;  ///< and of arguments
  /// Values that the function kept in variables of its own: it changes state that a graph does not see.
  std::vector<Tensor> escaped;
};

/// The function is called once, with tensors of the arguments' types. Throws CaptureError, and what the
/// function throws. Captured tensors are left as they were.
Captured capture(const Function& function, std::span<const Tensor> arguments);

}  // namespace tare::ad::graph
