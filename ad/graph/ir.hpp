// The graph: a list of instructions over numbered values, each computed once and never changed. Instructions
// are rows of the tensor op table, so that whatever eager mode can compute a graph can hold. verify() holds
// after capture and after every pass.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ad/tensor/tensor.hpp"

namespace tare::ad::graph {

using ValueId = std::int32_t;
inline constexpr ValueId no_value = -1;

struct Type {
  DType dtype = DType::f32;
  Shape shape;
  friend bool operator==(const Type&, const Type&) = default;
};

struct Instruction {
  Op op = Op::neg;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  Attributes attributes;
};

/// A captured tensor that the program replaces, and by what.
struct Assignment {
  std::size_t captured;
  ValueId value;
};

struct Graph {
  std::vector<Type> values;
  std::vector<ValueId> arguments;         ///< in the order of the call
  std::vector<ValueId> captured;          ///< tensors the program reads without being given them
  std::vector<ValueId> seeds;             ///< random seeds, drawn at every call
  std::vector<Instruction> instructions;  ///< every input stands before its use
  std::vector<ValueId> results;
  std::vector<Assignment> assignments;
};

/// The first thing that is wrong, or an empty string: values defined once and before use, types as the rows
/// infer them, results that exist.
std::string verify(const Graph& graph);

/// Which instruction defines each value; −1 for what comes from outside.
std::vector<std::int32_t> definitions(const Graph& graph);
/// How many instructions, results and assignments read each value.
std::vector<std::int32_t> use_counts(const Graph& graph);
/// What the inputs of an instruction make by its row. Throws as the row does.
std::vector<Type> inferred_types(const Graph& graph, const Instruction& instruction);

/// One line an instruction: "%5 = matmul(%1, %4) : f32 [256, 1024]".
std::string text_of(const Graph& graph);
/// For Graphviz. `groups`, where given, names the cluster of each instruction.
std::string dot_of(const Graph& graph, const std::vector<std::string>& groups = {});
/// The same for graphs that compute the same.
std::uint64_t hash_of(const Graph& graph);
bool same(const Graph& a, const Graph& b);

}  // namespace tare::ad::graph
