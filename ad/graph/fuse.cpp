// Groups grow along the edges from producer to consumer, then between groups that read the same large value.
// Two groups become one when they are one kernel and nothing outside lies between them.
#include "ad/graph/fuse.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <stdexcept>

#include "ad/graph/recompute.hpp"

namespace tare::ad::graph {
namespace {

constexpr std::size_t most_nodes = 160;
constexpr std::size_t most_operands = 40;
constexpr std::size_t most_looks = 4000;  ///< instructions looked at before two groups stay two

class Fusion {
 public:
  explicit Fusion(const Graph& graph) : graph_(graph), index_(graph), group_(graph.instructions.size()) {
    std::iota(group_.begin(), group_.end(), 0);
    for (std::int32_t i = 0; i < count(); ++i) {
      members_.push_back({i});
      fusable_.push_back(is_fusable(graph, instruction(i)) ? 1 : 0);
      kernels_.emplace_back();
      if (fusable_.back() != 0) kernels_.back() = build_kernel(index_, members_.back());
    }
  }

  void run() {
    for (std::int32_t at = 0; at < count(); ++at)
      for (const auto id : instruction(at).inputs) join(producer(id), at);
    for (std::size_t id = 0; id < graph_.values.size(); ++id) {
      const auto readers = readers_of(static_cast<ValueId>(id));
      for (std::size_t k = 1; k < readers.size(); ++k)
        if (shared_by(static_cast<ValueId>(id), readers[0], readers[k])) join(readers[0], readers[k]);
    }
  }

  Groups groups() {
    Groups made;
    for (auto& members : members_)
      if (!members.empty()) made.push_back(std::move(members));
    return made;
  }

 private:
  std::int32_t count() const { return static_cast<std::int32_t>(graph_.instructions.size()); }
  const Instruction& instruction(std::int32_t at) const {
    return graph_.instructions[static_cast<std::size_t>(at)];
  }
  std::size_t group(std::int32_t at) {
    auto g = static_cast<std::size_t>(at);
    while (group_[g] != static_cast<std::int32_t>(g)) g = static_cast<std::size_t>(group_[g]);
    return g;
  }
  bool fuses(std::int32_t at) const { return at >= 0 && fusable_[static_cast<std::size_t>(at)] != 0; }

  /// What computes a value, views looked through; −1: it comes from outside.
  std::int32_t producer(ValueId id) const {
    auto at = index_.definitions[static_cast<std::size_t>(id)];
    while (at >= 0 && is_seen_through(instruction(at)))
      at = index_.definitions[static_cast<std::size_t>(instruction(at).inputs[0])];
    return at;
  }
  void readers_of(ValueId id, std::vector<std::int32_t>& into) {
    for (const auto at : index_.users[static_cast<std::size_t>(id)]) {
      if (is_seen_through(instruction(at))) {
        readers_of(instruction(at).outputs[0], into);
      } else if (fuses(at)) {
        into.push_back(at);
      }
    }
  }
  std::vector<std::int32_t> readers_of(ValueId id) {
    std::vector<std::int32_t> readers;
    const auto maker = index_.definitions[static_cast<std::size_t>(id)];
    if (maker < 0 || !is_seen_through(instruction(maker))) readers_of(id, readers);
    return readers;
  }
  /// Do both go through the whole value, and is it large enough that reading it once is worth the trouble?
  bool shared_by(ValueId id, std::int32_t a, std::int32_t b) {
    const auto count = graph_.values[static_cast<std::size_t>(id)].shape.count();
    const auto spans = [&](const std::optional<BoundKernel>& k) {
      return k && k->kernel.rows * k->kernel.columns == count;
    };
    return count >= 1024 && spans(kernels_[group(a)]) && spans(kernels_[group(b)]);
  }

  void join(std::int32_t first, std::int32_t second) {
    if (!fuses(first) || !fuses(second)) return;
    auto a = group(first), b = group(second);
    if (a == b) return;
    if (a > b) std::swap(a, b);
    if (!kernels_[a] && members_[a].size() > 1) return;
    if (members_[a].size() + members_[b].size() > most_nodes) return;
    if (lies_between(a, b) || lies_between(b, a)) return;
    std::vector<std::int32_t> all;
    std::ranges::merge(members_[a], members_[b], std::back_inserter(all));
    auto kernel = build_kernel(index_, all);
    if (!kernel || kernel->kernel.nodes.size() > 2 * most_nodes ||
        kernel->kernel.operands.size() > most_operands)
      return;
    members_[a] = std::move(all);
    members_[b].clear();
    kernels_[a] = std::move(kernel);
    kernels_[b].reset();
    group_[b] = static_cast<std::int32_t>(a);
  }

  /// Is there a way from group a to group b through a third?
  bool lies_between(std::size_t a, std::size_t b) {
    const auto last = members_[b].back();
    std::vector<std::int32_t> open;
    std::set<std::size_t> seen;
    const auto follow = [&](std::int32_t at, bool direct, auto&& self) -> bool {
      for (const auto id : instruction(at).outputs)
        for (const auto user : index_.users[static_cast<std::size_t>(id)]) {
          if (is_seen_through(instruction(user))) {
            if (self(user, direct, self)) return true;
            continue;
          }
          const auto g = group(user);
          if (g == a) continue;
          if (g == b) {
            if (!direct) return true;
            continue;
          }
          if (members_[g].front() <= last && seen.insert(g).second)
            open.insert(open.end(), members_[g].begin(), members_[g].end());
        }
      return false;
    };
    for (const auto at : members_[a])
      if (follow(at, true, follow)) return true;
    for (std::size_t looks = 0; !open.empty(); ++looks) {
      if (looks > most_looks) return true;
      const auto at = open.back();
      open.pop_back();
      if (follow(at, false, follow)) return true;
    }
    return false;
  }

  const Graph& graph_;
  GraphIndex index_;
  std::vector<std::int32_t> group_;  ///< a forest: the group of an instruction is its root
  std::vector<std::vector<std::int32_t>> members_;
  std::vector<char> fusable_;
  std::vector<std::optional<BoundKernel>> kernels_;
};

}  // namespace

namespace {

std::vector<ValueId> of_parts(const Graph& graph, const Step& step,
                              std::vector<ValueId> (*ids_of)(const Graph&, const Step&)) {
  std::vector<ValueId> all;
  for (const auto& part : step.parts)
    for (const auto id : ids_of(graph, part)) all.push_back(id);
  return all;
}

}  // namespace

std::vector<ValueId> reads_of(const Graph& graph, const Step& step) {
  if (!step.parts.empty()) return of_parts(graph, step, reads_of);
  if (!step.kernel) return graph.instructions[static_cast<std::size_t>(step.instructions[0])].inputs;
  const auto& bound = *step.kernel;
  return {bound.operands.begin(), bound.operands.begin() + bound.kernel.reads};
}
std::vector<ValueId> writes_of(const Graph& graph, const Step& step) {
  if (!step.parts.empty()) return of_parts(graph, step, writes_of);
  if (!step.kernel) return graph.instructions[static_cast<std::size_t>(step.instructions[0])].outputs;
  const auto& bound = *step.kernel;
  return {bound.operands.begin() + bound.kernel.reads, bound.operands.end()};
}

namespace {

/// Steps whose results somebody reads.
std::vector<Step> needed(const Graph& graph, std::vector<Step> steps) {
  std::vector<char> read(graph.values.size(), 0);
  for (const auto id : graph.results) read[static_cast<std::size_t>(id)] = 1;
  for (const auto& a : graph.assignments) read[static_cast<std::size_t>(a.value)] = 1;
  std::vector<std::int32_t> step_of(graph.values.size(), -1);
  for (std::size_t s = 0; s < steps.size(); ++s)
    for (const auto id : writes_of(graph, steps[s]))
      step_of[static_cast<std::size_t>(id)] = static_cast<std::int32_t>(s);
  std::vector<char> kept(steps.size(), 0);
  std::vector<ValueId> open;
  for (std::size_t v = 0; v < read.size(); ++v)
    if (read[v] != 0) open.push_back(static_cast<ValueId>(v));
  while (!open.empty()) {
    const auto s = step_of[static_cast<std::size_t>(open.back())];
    open.pop_back();
    if (s < 0 || std::exchange(kept[static_cast<std::size_t>(s)], 1) != 0) continue;
    for (const auto id : reads_of(graph, steps[static_cast<std::size_t>(s)])) open.push_back(id);
  }
  std::vector<Step> made;
  for (std::size_t s = 0; s < steps.size(); ++s)
    if (kept[s] != 0) made.push_back(std::move(steps[s]));
  return made;
}

/// A list schedule: of the steps that could be next, the one that frees most memory, else the first.
class Ordering {
 public:
  Ordering(const Graph& graph, std::vector<Step> steps)
      : graph_(graph),
        steps_(std::move(steps)),
        waits_(steps_.size(), 0),
        readers_(graph.values.size()),
        before_(steps_.size()),
        owner_(graph.values.size()) {
    std::iota(owner_.begin(), owner_.end(), 0);
    for (const auto& i : graph.instructions)
      if (row_of(i.op).view)
        owner_[static_cast<std::size_t>(i.outputs[0])] = owner_[static_cast<std::size_t>(i.inputs[0])];
    left_.assign(graph.values.size(), 0);
    const auto hold = [&](ValueId id) { ++left_[static_cast<std::size_t>(owner(id))]; };
    for (const auto id : graph.results) hold(id);
    for (const auto& a : graph.assignments) {
      hold(graph.captured[a.captured]);
      hold(a.value);
      replaces_.insert(a.value);
    }
    for (const auto* list : {&graph.arguments, &graph.captured, &graph.seeds})
      for (const auto id : *list) hold(id);
    std::vector<std::int32_t> maker(graph.values.size(), -1);
    for (std::size_t s = 0; s < steps_.size(); ++s)
      for (const auto id : writes_of(graph_, steps_[s]))
        maker[static_cast<std::size_t>(id)] = static_cast<std::int32_t>(s);
    for (std::size_t s = 0; s < steps_.size(); ++s)
      for (const auto id : unique(reads_of(graph_, steps_[s]))) {
        hold(id);
        if (maker[static_cast<std::size_t>(id)] < 0) continue;
        ++waits_[s];
        readers_[static_cast<std::size_t>(id)].push_back(static_cast<std::int32_t>(s));
      }
    for (const auto& a : graph.assignments)
      if (const auto s = maker[static_cast<std::size_t>(a.value)]; s >= 0)
        wait_for_readers(static_cast<std::size_t>(s), graph.captured[a.captured]);
  }

  /// Sparing memory, or in the program's own order as far as kernels allow.
  std::vector<Step> run(bool sparing) {
    std::set<std::size_t> ready;
    for (std::size_t s = 0; s < steps_.size(); ++s)
      if (waits_[s] == 0) ready.insert(s);
    std::vector<Step> made;
    while (!ready.empty()) {
      auto best = *ready.begin();
      // What frees memory goes first, the rest in the program's own order: it has reasons.
      std::int64_t least = 0;
      int looked = 0;
      for (const auto s : ready) {
        if (!sparing || ++looked > 64) break;
        if (const auto g = growth(s); g < least) {
          least = g;
          best = s;
        }
      }
      ready.erase(best);
      finish(best, ready);
      made.push_back(std::move(steps_[best]));
    }
    return made;
  }

 private:
  /// What replaces a tensor comes after those that read the old one, so that it can be written in its place.
  void wait_for_readers(std::size_t s, ValueId old) {
    for (std::size_t r = 0; r < steps_.size(); ++r) {
      const auto reads = reads_of(graph_, steps_[r]);
      if (r == s || std::ranges::none_of(reads, [&](ValueId id) { return owner(id) == old; })) continue;
      if (depends(r, s)) continue;
      ++waits_[s];
      before_[r].push_back(static_cast<std::int32_t>(s));
    }
  }
  /// Does step r need what step s computes?
  bool depends(std::size_t r, std::size_t s) const {
    std::vector<std::size_t> open{s};
    std::vector<char> seen(steps_.size(), 0);
    while (!open.empty()) {
      const auto at = open.back();
      open.pop_back();
      if (at == r) return true;
      if (std::exchange(seen[at], 1) != 0) continue;
      for (const auto id : writes_of(graph_, steps_[at]))
        for (const auto reader : readers_[static_cast<std::size_t>(id)])
          open.push_back(static_cast<std::size_t>(reader));
      for (const auto later : before_[at]) open.push_back(static_cast<std::size_t>(later));
    }
    return false;
  }

  static std::vector<ValueId> unique(std::vector<ValueId> ids) {
    std::ranges::sort(ids);
    ids.erase(std::ranges::unique(ids).begin(), ids.end());
    return ids;
  }
  ValueId owner(ValueId id) const { return owner_[static_cast<std::size_t>(id)]; }
  std::int64_t bytes(ValueId id) const {
    const auto& type = graph_.values[static_cast<std::size_t>(id)];
    return type.shape.count() * static_cast<std::int64_t>(size_of(type.dtype));
  }
  std::int64_t growth(std::size_t s) const {
    std::int64_t grown = 0;
    // What replaces a tensor is mostly written in its place.
    for (const auto id : writes_of(graph_, steps_[s]))
      if (owner(id) == id && !replaces_.contains(id)) grown += bytes(id);
    std::vector<ValueId> owners;
    for (const auto id : unique(reads_of(graph_, steps_[s]))) owners.push_back(owner(id));
    for (const auto id : unique(owners))
      if (left_[static_cast<std::size_t>(id)] == std::ranges::count(owners, id)) grown -= bytes(id);
    return grown;
  }
  void finish(std::size_t s, std::set<std::size_t>& ready) {
    for (const auto id : unique(reads_of(graph_, steps_[s]))) --left_[static_cast<std::size_t>(owner(id))];
    for (const auto id : writes_of(graph_, steps_[s]))
      for (const auto reader : readers_[static_cast<std::size_t>(id)]) release(reader, ready);
    for (const auto later : before_[s]) release(later, ready);
  }
  void release(std::int32_t s, std::set<std::size_t>& ready) {
    if (--waits_[static_cast<std::size_t>(s)] == 0) ready.insert(static_cast<std::size_t>(s));
  }

  const Graph& graph_;
  std::vector<Step> steps_;
  std::vector<std::int32_t> waits_;  ///< values that a step still waits for
  std::vector<std::vector<std::int32_t>> readers_;
  std::vector<std::vector<std::int32_t>> before_;  ///< steps that wait for a step without reading its results
  std::vector<ValueId> owner_;                     ///< whose memory a value is
  std::set<ValueId> replaces_;
  std::vector<std::int32_t> left_;  ///< readings still to come, of what owns memory
};

}  // namespace

std::vector<Step> fuse(Graph& graph, const Passes& passes) {
  Groups groups;
  if (passes.fuse) {
    Fusion fusion(graph);
    fusion.run();
    groups = fusion.groups();
    if (passes.recompute) recompute(graph, groups);
  } else {
    for (std::size_t i = 0; i < graph.instructions.size(); ++i)
      groups.push_back({static_cast<std::int32_t>(i)});
  }
  if (auto wrong = verify(graph); !wrong.empty()) throw std::logic_error("fusion broke the graph: " + wrong);
  std::erase_if(groups, [](const auto& members) { return members.empty(); });
  std::ranges::sort(groups, {}, [](const auto& members) { return members.front(); });
  const GraphIndex index(graph);
  std::vector<Step> steps;
  for (auto& members : groups) {
    Step step{std::move(members), {}};
    if (step.instructions.size() > 1) step.kernel = build_kernel(index, step.instructions);
    steps.push_back(std::move(step));
  }
  return Ordering(graph, needed(graph, std::move(steps))).run(passes.reuse_memory);
}

}  // namespace tare::ad::graph
