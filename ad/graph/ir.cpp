#include "ad/graph/ir.hpp"

#include <bit>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

#include "ad/tensor/body.hpp"

namespace tare::ad::graph {
namespace {

std::string text_of(const Type& type) {
  return fmt::format("{} {}", name_of(type.dtype), ad::text_of(type.shape));
}

/// Bodies with a type and no data, for asking rows.
class Blank {
 public:
  explicit Blank(const Type& type) {
    body_.dtype = type.dtype;
    body_.shape = type.shape;
  }
  detail::Body* get() { return &body_; }

 private:
  detail::Body body_;
};

std::string attributes_text(const Attributes& a) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (a.axes.rank > 0) add("axes " + ad::text_of(a.axes));
  if (a.sizes.rank > 0) add("sizes " + ad::text_of(a.sizes));
  if (a.extents.rank > 0) add("extents " + ad::text_of(a.extents));
  if (a.first != 0) add(fmt::format("{:g}", a.first));
  if (a.second != 0) add(fmt::format("{:g}", a.second));
  if (a.number != 0) add(fmt::format("#{}", a.number));
  if (a.keep) add("keep");
  if (a.flag) add("flag");
  return text;
}

std::string value_text(ValueId id) {
  return fmt::format("%{}", id);
}

std::string call_text(const Instruction& instruction) {
  std::vector<std::string> inputs;
  for (const auto id : instruction.inputs) inputs.push_back(value_text(id));
  const auto numbers = attributes_text(instruction.attributes);
  return fmt::format("{}({}{}{})", name_of(instruction.op), fmt::join(inputs, ", "),
                     numbers.empty() || inputs.empty() ? "" : "; ", numbers);
}

struct Mixer {
  std::uint64_t state = 0x243F6A8885A308D3U;
  void add(std::uint64_t value) {
    state ^= value + 0x9E3779B97F4A7C15U + (state << 6U) + (state >> 2U);
    state *= 0xBF58476D1CE4E5B9U;
    state ^= state >> 29U;
  }
  void add(const Shape& shape) {
    add(static_cast<std::uint64_t>(shape.rank));
    for (const auto size : shape.list()) add(static_cast<std::uint64_t>(size));
  }
  void add(const Type& type) {
    add(static_cast<std::uint64_t>(type.dtype));
    add(type.shape);
  }
  void add(const std::vector<ValueId>& ids) {
    add(ids.size());
    for (const auto id : ids) add(static_cast<std::uint64_t>(id));
  }
  void add(const Attributes& a) {
    add(a.axes);
    add(a.sizes);
    add(a.extents);
    add(std::bit_cast<std::uint64_t>(a.first));
    add(std::bit_cast<std::uint64_t>(a.second));
    add(static_cast<std::uint64_t>(a.number));
    add(static_cast<std::uint64_t>(a.dtype) * 4 + (a.keep ? 2U : 0U) + (a.flag ? 1U : 0U));
  }
};

}  // namespace

std::vector<Type> inferred_types(const Graph& graph, const Instruction& instruction) {
  std::vector<std::unique_ptr<Blank>> blanks;
  std::vector<detail::Body*> inputs;
  for (const auto id : instruction.inputs) {
    blanks.push_back(std::make_unique<Blank>(graph.values.at(static_cast<std::size_t>(id))));
    inputs.push_back(blanks.back()->get());
  }
  const OpRow& row = row_of(instruction.op);
  std::vector<std::unique_ptr<Blank>> made;
  Call call{instruction.op, inputs, instruction.attributes};
  call.output_count = row.outputs;
  for (int k = 0; k < row.outputs; ++k) {
    made.push_back(std::make_unique<Blank>(Type{}));
    call.outputs[static_cast<std::size_t>(k)] = made.back()->get();
  }
  row.infer(call);
  std::vector<Type> types;
  for (const auto& blank : made) types.push_back({blank->get()->dtype, blank->get()->shape});
  return types;
}

std::string verify(const Graph& graph) {
  const auto count = static_cast<ValueId>(graph.values.size());
  std::vector<char> defined(graph.values.size(), 0);
  const auto exists = [&](ValueId id) { return id >= 0 && id < count; };
  const auto define = [&](ValueId id) {
    return exists(id) && !std::exchange(defined[static_cast<std::size_t>(id)], 1);
  };
  for (const auto* list : {&graph.arguments, &graph.captured, &graph.seeds})
    for (const auto id : *list)
      if (!define(id)) return fmt::format("{} comes from outside twice or does not exist", value_text(id));
  for (std::size_t i = 0; i < graph.instructions.size(); ++i) {
    const auto& instruction = graph.instructions[i];
    const auto where = [&] { return fmt::format("instruction {}, {}: ", i, call_text(instruction)); };
    for (const auto id : instruction.inputs)
      if (!exists(id) || defined[static_cast<std::size_t>(id)] == 0)
        return where() + value_text(id) + " is read before it is computed";
    try {
      const auto types = inferred_types(graph, instruction);
      if (types.size() != instruction.outputs.size())
        return where() + fmt::format("{} outputs instead of {}", instruction.outputs.size(), types.size());
      for (std::size_t k = 0; k < types.size(); ++k) {
        const auto id = instruction.outputs[k];
        if (!define(id)) return where() + value_text(id) + " is computed twice or does not exist";
        const auto& type = graph.values[static_cast<std::size_t>(id)];
        if (!(type == types[k]))
          return where() +
                 fmt::format("{} is {} and not {}", value_text(id), text_of(type), text_of(types[k]));
      }
    } catch (const AdError& error) {
      return where() + error.what();
    }
  }
  for (const auto id : graph.results)
    if (!exists(id) || defined[static_cast<std::size_t>(id)] == 0)
      return fmt::format("result {} is never computed", value_text(id));
  for (const auto& a : graph.assignments) {
    if (a.captured >= graph.captured.size() || !exists(a.value) ||
        defined[static_cast<std::size_t>(a.value)] == 0)
      return fmt::format("an assignment of {} to captured tensor {}", value_text(a.value), a.captured);
    if (!(graph.values[static_cast<std::size_t>(a.value)] ==
          graph.values[static_cast<std::size_t>(graph.captured[a.captured])]))
      return fmt::format("captured tensor {} is assigned {} of another type", a.captured,
                         value_text(a.value));
  }
  return {};
}

std::vector<std::int32_t> definitions(const Graph& graph) {
  std::vector<std::int32_t> by(graph.values.size(), -1);
  for (std::size_t i = 0; i < graph.instructions.size(); ++i)
    for (const auto id : graph.instructions[i].outputs)
      by[static_cast<std::size_t>(id)] = static_cast<std::int32_t>(i);
  return by;
}

std::vector<std::int32_t> use_counts(const Graph& graph) {
  std::vector<std::int32_t> counts(graph.values.size(), 0);
  for (const auto& instruction : graph.instructions)
    for (const auto id : instruction.inputs) ++counts[static_cast<std::size_t>(id)];
  for (const auto id : graph.results) ++counts[static_cast<std::size_t>(id)];
  for (const auto& a : graph.assignments) ++counts[static_cast<std::size_t>(a.value)];
  return counts;
}

std::string text_of(const Graph& graph) {
  std::string text;
  const auto outside = [&](const char* kind, const std::vector<ValueId>& ids) {
    for (const auto id : ids)
      text += fmt::format("{} = {} : {}\n", value_text(id), kind,
                          text_of(graph.values[static_cast<std::size_t>(id)]));
  };
  outside("argument", graph.arguments);
  outside("captured", graph.captured);
  outside("seed", graph.seeds);
  for (const auto& instruction : graph.instructions) {
    std::vector<std::string> outputs;
    for (const auto id : instruction.outputs) outputs.push_back(value_text(id));
    text += fmt::format("{} = {} : {}\n", fmt::join(outputs, ", "), call_text(instruction),
                        text_of(graph.values[static_cast<std::size_t>(instruction.outputs.front())]));
  }
  for (const auto& a : graph.assignments)
    text += fmt::format("captured {} := {}\n", a.captured, value_text(a.value));
  std::vector<std::string> results;
  for (const auto id : graph.results) results.push_back(value_text(id));
  return text + fmt::format("return {}\n", fmt::join(results, ", "));
}

std::string dot_of(const Graph& graph, const std::vector<std::string>& groups) {
  std::string text = "digraph {\n  node [shape=box, fontname=monospace];\n";
  const auto outside = [&](const char* kind, const std::vector<ValueId>& ids) {
    for (const auto id : ids)
      text += fmt::format("  v{} [label=\"{} {}\\n{}\", shape=ellipse];\n", id, kind, value_text(id),
                          text_of(graph.values[static_cast<std::size_t>(id)]));
  };
  outside("argument", graph.arguments);
  outside("captured", graph.captured);
  outside("seed", graph.seeds);
  std::map<std::string, std::string> clusters;
  for (std::size_t i = 0; i < graph.instructions.size(); ++i) {
    const auto& instruction = graph.instructions[i];
    const auto id = instruction.outputs.front();
    const auto node = fmt::format("  v{} [label=\"{}\\n{}\"];\n", id, name_of(instruction.op),
                                  text_of(graph.values[static_cast<std::size_t>(id)]));
    clusters[i < groups.size() ? groups[i] : ""] += node;
  }
  int number = 0;
  for (const auto& [name, nodes] : clusters)
    text += name.empty()
                ? nodes
                : fmt::format("  subgraph cluster_{} {{\n  label=\"{}\";\n{}  }}\n", number++, name, nodes);
  for (const auto& instruction : graph.instructions)
    for (const auto from : instruction.inputs)
      text += fmt::format("  v{} -> v{};\n", from, instruction.outputs.front());
  return text + "}\n";
}

std::uint64_t hash_of(const Graph& graph) {
  Mixer mixer;
  for (const auto* list : {&graph.arguments, &graph.captured, &graph.seeds, &graph.results}) mixer.add(*list);
  for (const auto& type : graph.values) mixer.add(type);
  for (const auto& instruction : graph.instructions) {
    mixer.add(static_cast<std::uint64_t>(instruction.op));
    mixer.add(instruction.inputs);
    mixer.add(instruction.outputs);
    mixer.add(instruction.attributes);
  }
  for (const auto& a : graph.assignments) {
    mixer.add(a.captured);
    mixer.add(static_cast<std::uint64_t>(a.value));
  }
  return mixer.state;
}

bool same(const Graph& a, const Graph& b) {
  const auto equal = [](const Instruction& x, const Instruction& y) {
    return x.op == y.op && x.inputs == y.inputs && x.outputs == y.outputs && x.attributes == y.attributes;
  };
  return a.values == b.values && a.arguments == b.arguments && a.captured == b.captured &&
         a.seeds == b.seeds && a.results == b.results &&
         std::ranges::equal(a.instructions, b.instructions, equal) &&
         std::ranges::equal(a.assignments, b.assignments, [](const Assignment& x, const Assignment& y) {
           return x.captured == y.captured && x.value == y.value;
         });
}

}  // namespace tare::ad::graph
