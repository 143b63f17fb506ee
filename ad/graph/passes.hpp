// Passes over the graph, each of which keeps what it computes: constants folded, identities used, the same
// thing computed once, nothing computed that nobody reads. Every pass can be left out to see what it buys.
#pragma once

#include <string>
#include <vector>

#include "ad/graph/ir.hpp"

namespace tare::ad::graph {

struct Passes {
  bool fold = true;   ///< constants, algebraic identities, sums of padded slices
  bool share = true;  ///< the same instruction twice becomes one
  bool remove_dead = true;
  bool absorb = true;     ///< an update or a bias is added by the product itself
  bool fuse = true;       ///< pointwise chains and reductions become one kernel
  bool recompute = true;  ///< cheap values are computed again instead of kept
  bool by_rows = true;    ///< products and kernels around them take turns, some rows at a time
  std::int64_t by_rows_beyond = std::int64_t{2} << 20;  ///< for values of more bytes
  bool reuse_memory = true;
  bool compile = true;  ///< fused kernels as machine code; else interpreted
};

/// How many instructions there were before and after.
struct PassReport {
  std::string pass;
  std::size_t before = 0;
  std::size_t after = 0;
};

/// Runs the passes that rewrite the graph; throws std::logic_error naming the pass if one breaks it.
std::vector<PassReport> simplify(Graph& graph, const Passes& passes);

void fold_constants(Graph& graph);
void share_common(Graph& graph);
void remove_dead(Graph& graph);
/// A sum of slices that were padded back is their concatenation.
void join_pads(Graph& graph);
/// p := p + c·(a·b) needs no memory for the product.
void absorb_updates(Graph& graph);
/// a·b + bias, whose sum no kernel reads, is one instruction: the bias is there when the product is added.
void absorb_biases(Graph& graph);

}  // namespace tare::ad::graph
