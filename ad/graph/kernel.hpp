// A fused kernel: pointwise ops and reductions over one space of rows × columns, as plain values. Built from
// instructions (kernel_build.cpp), planned into passes over a row (kernel_plan.cpp), and carried out by the
// interpreter (kernel_interpret.cpp) or as machine code (ad/jit).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ad/graph/graph_index.hpp"

namespace tare::ad::graph {

/// How a value lies in rows × columns: one number each, one a row, one a column, or one in all.
enum class Access : std::uint8_t { element, row, column, scalar };
const char* name_of(Access access);

struct KernelNode {
  enum class Kind : std::uint8_t {
    load,       ///< of an operand
    number,     ///< `first`
    op,         ///< a pointwise row of the table
    fold,       ///< sum, amax or amin over what the result's access lacks, times `first`
    pick,       ///< of each row of an operand the element whose column the input says
    column_is,  ///< whether the column is the one that the input says for the row
  };
  Kind kind = Kind::op;
  Op op = Op::neg;
  Access access = Access::element;
  DType dtype = DType::f32;
  std::int32_t operand = -1;
  std::array<std::int32_t, 3> inputs{-1, -1, -1};
  double first = 0;
  double second = 0;
  std::int64_t number = 0;
  std::int32_t level = 0;  ///< reductions of a row that come before it
  friend bool operator==(const KernelNode&, const KernelNode&) = default;
};

/// Folds into columns or into one number are complete only after the last row: nothing in the kernel reads
/// them.
inline bool is_final(const KernelNode& node) {
  return node.kind == KernelNode::Kind::fold && node.access != Access::row;
}

struct Operand {
  Access access;
  DType dtype;
  friend bool operator==(const Operand&, const Operand&) = default;
};

struct Kernel {
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  DType dtype = DType::f32;       ///< of all its floating-point numbers
  std::vector<Operand> operands;  ///< read, then written
  std::int32_t reads = 0;
  std::vector<KernelNode> nodes;      ///< inputs stand before their use
  std::vector<std::int32_t> outputs;  ///< the node of each written operand
};

/// Which values of a graph the operands of a kernel are.
struct BoundKernel {
  Kernel kernel;
  std::vector<ValueId> operands;
};

/// The instructions as one kernel, or nothing where they do not fit into one. They are in the graph's order.
std::optional<BoundKernel> build_kernel(const GraphIndex& index, std::span<const std::int32_t> instructions);

/// Can the instruction be part of a kernel at all?
bool is_fusable(const Graph& graph, const Instruction& instruction);
/// Does the instruction only show its input in another shape? Kernels look through it.
bool is_seen_through(const Instruction& instruction);

/// One pass over the columns of a row.
struct KernelPass {
  std::vector<std::int32_t> nodes;    ///< by column, in order
  std::vector<std::int32_t> folds;    ///< of them, complete after the pass or accumulated into partial sums
  std::vector<std::int32_t> stores;   ///< written operands, as indices of Kernel::outputs
  std::vector<std::int32_t> saves;    ///< nodes kept in scratch rows for later passes
  std::vector<std::int32_t> reloads;  ///< nodes taken from scratch rows
  std::vector<std::int32_t> before;   ///< nodes of one number a row, computed before the pass
};

struct KernelPlan {
  std::vector<KernelPass> passes;
  std::vector<std::int32_t> after;    ///< nodes of one number a row, computed after the last pass
  std::vector<std::int32_t> once;     ///< nodes of one number in all
  std::vector<std::int32_t> scratch;  ///< node of each scratch row
  std::vector<std::int32_t> final_folds;
  std::vector<std::int64_t> partial_offsets;  ///< of each final fold, in numbers
  std::int64_t partials = 0;                  ///< numbers per chunk
};
KernelPlan plan_kernel(const Kernel& kernel);

/// What a kernel is called with: a part of its space, and memory of its own.
struct KernelCall {
  std::byte* const* operands;
  std::int64_t row_begin, row_end;
  std::int64_t column_begin, column_end;
  std::byte* scratch;          ///< a row for each of KernelPlan::scratch
  std::byte* partials;         ///< KernelPlan::partials numbers, set by the kernel
  std::int64_t* outside;       ///< set to 1 where an index is not a column
  const void* const* library;  ///< addresses of functions that the code calls
};
using KernelFunction = void (*)(const KernelCall*);

/// Machine code for a kernel; without a function there is none.
struct MachineCode {
  KernelFunction function = nullptr;
  const void* const* library = nullptr;
  std::uint32_t alignment = 1;  ///< that it asks of what it writes
};
using KernelCompiler = MachineCode (*)(const Kernel&, const KernelPlan&);

/// A kernel ready to run; interpreted where there is no code.
struct RunnableKernel {
  Kernel kernel;
  KernelPlan plan;
  MachineCode code;
};

/// How a kernel's space is split among threads: by the space alone.
struct KernelParts {
  std::int64_t total;  ///< rows; or columns, where there is one row
  std::int64_t grain;
  bool by_column;
  [[nodiscard]] std::int64_t count() const { return (total + grain - 1) / grain; }
};
KernelParts parts_of(const Kernel& kernel, const KernelPlan& plan);

/// Carries out a kernel on the thread pool, as a whole or piece by piece. What is added up is added in the
/// order of its parts: the same bits on any number of threads and in any pieces.
class KernelRun {
 public:
  explicit KernelRun(const RunnableKernel& kernel);
  /// A piece of KernelParts::total; it begins at a multiple of the grain.
  void run(std::byte* const* operands, std::int64_t begin, std::int64_t end);
  /// After the last piece: writes what was added up over all of them.
  void finish(std::byte* const* operands);
  void run(std::byte* const* operands) {
    run(operands, 0, parts_.total);
    finish(operands);
  }

 private:
  const RunnableKernel& kernel_;
  KernelParts parts_;
  Tensor folded_;
};
void interpret(const Kernel& kernel, const KernelPlan& plan, const KernelCall& call);

/// The same for kernels that compute the same; read by people and hashed by caches.
std::string text_of(const Kernel& kernel);
}  // namespace tare::ad::graph
