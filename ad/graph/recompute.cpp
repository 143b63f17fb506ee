// Values are looked at kernel by kernel. One that only other kernels read is computed again in all of them;
// one that others read too, soon and then much later, as backward passes do, is computed again for those who
// read it late, by a kernel of its own in front of them. What such a computation starts from has to be kept
// instead, unless it is kept anyway: the exchange is made where fewer numbers are kept afterwards.
#include "ad/graph/recompute.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "ad/graph/kernel.hpp"
#include "ad/graph/kernel_cost.hpp"
#include "ad/graph/passes.hpp"

namespace tare::ad::graph {
namespace {

constexpr double most_cost = 150;        ///< flops an element; beyond that memory is faster
constexpr std::int32_t much_later = 12;  ///< instructions
constexpr std::int64_t worth_it = 4096;  ///< numbers; smaller values fit in the caches anyway
constexpr std::size_t most_instructions = 5000;

class Recomputation {
 public:
  Recomputation(Graph& graph, Groups& groups) : graph_(graph), groups_(groups), index_(graph) {
    group_of_.assign(graph.instructions.size(), -1);
    for (std::size_t g = 0; g < groups.size(); ++g)
      for (const auto at : groups[g]) group_of_[static_cast<std::size_t>(at)] = static_cast<std::int32_t>(g);
  }

  /// For what one group keeps. False when nothing is gained; then nothing has changed.
  bool run(std::int32_t keeper) {
    keeper_ = keeper;
    for (const auto at : groups_[static_cast<std::size_t>(keeper)]) find_readers(instruction(at).outputs[0]);
    for (bool dropped = true; dropped;) {
      costly_.clear();
      dropped =
          std::erase_if(redirected_, [&](const auto& entry) { return !traced(entry.first, costly_); }) > 0;
    }
    if (kept() <= total(costly_)) {
      // Those that need nothing more than is there.
      for (bool dropped = true; dropped;)
        dropped = std::erase_if(redirected_, [&](const auto& entry) {
                    std::set<ValueId> from;
                    return !traced(entry.first, from) || !from.empty();
                  }) > 0;
    }
    if (redirected_.empty()) return false;
    rewrite();
    return true;
  }

 private:
  const Instruction& instruction(std::int32_t at) const {
    return graph_.instructions[static_cast<std::size_t>(at)];
  }
  std::int64_t count(ValueId id) const { return graph_.values[static_cast<std::size_t>(id)].shape.count(); }
  std::int64_t total(const std::set<ValueId>& ids) const {
    std::int64_t sum = 0;
    for (const auto id : ids) sum += count(id);
    return sum;
  }
  std::int64_t kept() const {
    std::int64_t sum = 0;
    for (const auto& [id, readers] : redirected_) sum += count(id);
    return sum;
  }
  std::int32_t maker(ValueId id) const { return index_.definitions[static_cast<std::size_t>(id)]; }
  bool in_keeper(std::int32_t at) const {
    return at >= 0 && group_of_[static_cast<std::size_t>(at)] == keeper_;
  }
  std::int32_t end_of_keeper() const { return groups_[static_cast<std::size_t>(keeper_)].back(); }
  bool is_fold(std::int32_t at) const {
    const auto op = instruction(at).op;
    return op == Op::sum || op == Op::mean || op == Op::amax || op == Op::amin;
  }

  struct Reader {
    std::int32_t direct;  ///< reads the value itself: an instruction, or a view of it
    std::int32_t at;      ///< reads it, or that view
  };
  void outside_readers(ValueId id, std::vector<Reader>& into, std::int32_t direct = -1) const {
    for (const auto at : index_.users[static_cast<std::size_t>(id)]) {
      const auto first = direct < 0 ? at : direct;
      if (is_seen_through(instruction(at))) {
        outside_readers(instruction(at).outputs[0], into, first);
      } else if (!in_keeper(at)) {
        into.push_back({first, at});
      }
    }
  }
  bool is_leaf(ValueId id) const {
    if (index_.leaves[static_cast<std::size_t>(id)] != 0) return true;
    return std::ranges::any_of(index_.users[static_cast<std::size_t>(id)], [&](std::int32_t at) {
      return is_seen_through(instruction(at)) && is_leaf(instruction(at).outputs[0]);
    });
  }

  /// Readers of a value that could have one of their own.
  void find_readers(ValueId id) {
    if (is_leaf(id) || count(id) < worth_it) return;
    std::vector<Reader> readers;
    outside_readers(id, readers);
    std::ranges::sort(readers, {}, &Reader::at);
    const auto is_kernel = [&](const Reader& r) { return is_fusable(graph_, instruction(r.at)); };
    // A view that kernels look through would have to be made again in each.
    if (readers.empty() ||
        std::ranges::any_of(readers, [&](const Reader& r) { return r.direct != r.at && is_kernel(r); }))
      return;
    if (!std::ranges::all_of(readers, is_kernel))
      std::erase_if(readers,
                    [first = readers.front().at](const Reader& r) { return r.at <= first + much_later; });
    for (const auto& reader : readers) redirected_[id].insert(reader.direct);
  }

  /// In memory long after the keeper, whoever computes what again.
  bool is_there_later(ValueId id) const {
    if (is_leaf(id)) return true;
    std::vector<Reader> readers;
    outside_readers(id, readers);
    const auto known = redirected_.find(id);
    return std::ranges::any_of(readers, [&](const Reader& r) {
      return r.at > end_of_keeper() + much_later &&
             (known == redirected_.end() || !known->second.contains(r.direct));
    });
  }
  /// Computed again with what needs it, rather than taken from memory.
  bool is_copied(ValueId id, bool first) const {
    const auto at = maker(id);
    return in_keeper(at) && !is_fold(at) && (first || !is_there_later(id));
  }

  /// Can the value be computed again? Adds what has to be kept for that and otherwise would not be.
  bool traced(ValueId id, std::set<ValueId>& costly) const {
    double cost = 0;
    std::set<ValueId> from;
    if (!trace(id, from, cost, true)) return false;
    costly.insert(from.begin(), from.end());
    return true;
  }
  bool trace(ValueId id, std::set<ValueId>& costly, double& cost, bool first) const {
    if (!is_copied(id, first)) {
      // Numbers of rows are few, and a fold's result is kept with them.
      if (in_keeper(maker(id))) return true;
      const auto root = root_of(id);
      if (maker(root) >= 0 && instruction(maker(root)).op != Op::full && count(root) >= worth_it &&
          !is_there_later(root))
        costly.insert(root);
      return true;
    }
    const auto& i = instruction(maker(id));
    if (i.op == Op::gather || i.op == Op::scatter_add) return false;
    cost += cost_of({.kind = KernelNode::Kind::op, .op = i.op});
    if (cost > most_cost) return false;
    return std::ranges::all_of(i.inputs, [&](ValueId input) { return trace(input, costly, cost, false); });
  }
  ValueId root_of(ValueId id) const {
    for (auto at = maker(id); at >= 0 && is_seen_through(instruction(at)); at = maker(id))
      id = instruction(at).inputs[0];
    return id;
  }

  /// Copies stand in front of the first instruction that reads them, in its group or, where that is no
  /// kernel, in one of their own.
  void rewrite() {
    std::map<std::int32_t, std::map<ValueId, ValueId>> copies;  // by group
    std::map<ValueId, std::int32_t> own_groups;
    for (std::int32_t at = 0; at < static_cast<std::int32_t>(graph_.instructions.size()); ++at) {
      auto i = instruction(at);
      for (auto& input : i.inputs) {
        const auto known = redirected_.find(input);
        if (known == redirected_.end() || !known->second.contains(at)) continue;
        auto g = group_of_[static_cast<std::size_t>(at)];
        if (!is_fusable(graph_, i)) {
          const auto [place, fresh] =
              own_groups.try_emplace(input, static_cast<std::int32_t>(groups_.size()));
          if (fresh) groups_.emplace_back();
          g = place->second;
        }
        input = copy(input, copies[g], g, true);
      }
      made_.push_back(std::move(i));
      made_group_.push_back(group_of_[static_cast<std::size_t>(at)]);
    }
    graph_.instructions = std::move(made_);
    for (auto& group : groups_) group.clear();
    for (std::size_t at = 0; at < made_group_.size(); ++at)
      groups_[static_cast<std::size_t>(made_group_[at])].push_back(static_cast<std::int32_t>(at));
  }

  ValueId copy(ValueId id, std::map<ValueId, ValueId>& copies, std::int32_t g, bool first) {
    if (!is_copied(id, first)) return id;
    if (const auto known = copies.find(id); known != copies.end()) return known->second;
    Instruction again = instruction(maker(id));
    for (auto& input : again.inputs) input = copy(input, copies, g, false);
    const Type type = graph_.values[static_cast<std::size_t>(id)];
    graph_.values.push_back(type);
    const auto fresh = static_cast<ValueId>(graph_.values.size()) - 1;
    again.outputs = {fresh};
    made_.push_back(std::move(again));
    made_group_.push_back(g);
    return copies[id] = fresh;
  }

  Graph& graph_;
  Groups& groups_;
  GraphIndex index_;
  std::vector<std::int32_t> group_of_;
  std::int32_t keeper_ = -1;
  std::map<ValueId, std::set<std::int32_t>> redirected_;  ///< readers that get a copy of the value
  std::set<ValueId> costly_;
  std::vector<Instruction> made_;
  std::vector<std::int32_t> made_group_;
};

bool all_build(const Graph& graph, const Groups& groups) {
  const GraphIndex index(graph);
  return std::ranges::all_of(groups, [&](const auto& members) {
    return members.size() < 2 || build_kernel(index, members).has_value();
  });
}

/// What is no longer read leaves the graph and its group.
void drop_dead(Graph& graph, Groups& groups) {
  std::vector<std::int32_t> group_of(graph.instructions.size(), -1);
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (const auto at : groups[g]) group_of[static_cast<std::size_t>(at)] = static_cast<std::int32_t>(g);
  std::vector<ValueId> outputs;
  for (const auto& i : graph.instructions) outputs.push_back(i.outputs[0]);
  remove_dead(graph);
  for (auto& group : groups) group.clear();
  std::size_t before = 0;
  for (std::size_t at = 0; at < graph.instructions.size(); ++at, ++before) {
    while (outputs[before] != graph.instructions[at].outputs[0]) ++before;
    groups[static_cast<std::size_t>(group_of[before])].push_back(static_cast<std::int32_t>(at));
  }
}

}  // namespace

void recompute(Graph& graph, Groups& groups) {
  if (graph.instructions.size() > most_instructions) return;
  const auto before = groups.size();
  for (std::size_t g = 0; g < before; ++g) {
    if (groups[g].size() < 2) continue;
    auto changed = graph;
    auto regrouped = groups;
    if (!Recomputation(changed, regrouped).run(static_cast<std::int32_t>(g))) continue;
    if (!all_build(changed, regrouped)) continue;
    drop_dead(changed, regrouped);
    graph = std::move(changed);
    groups = std::move(regrouped);
  }
}

}  // namespace tare::ad::graph
