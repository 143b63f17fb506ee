// Sentences of a small grammar: who does what to what, and where. Number and verb agree across the words
// between them, so that the best guess of a character needs more than its neighbour.
#include <algorithm>
#include <array>

#include "workloads/tasks/random.hpp"
#include "workloads/tasks/task.hpp"

namespace tare::workloads {
namespace {

using Word = std::string_view;

template <std::size_t N>
Word one_of(Random& random, const std::array<Word, N>& words) {
  return words[static_cast<std::size_t>(random.below(N))];
}

constexpr std::array<Word, 10> things{"pump",   "lamp", "wheel",  "bridge", "kettle",
                                      "ladder", "rope", "mirror", "clock",  "gate"};
constexpr std::array<Word, 8> qualities{"old", "small", "green", "quiet", "heavy", "bright", "worn", "round"};
constexpr std::array<Word, 8> deeds{"hold", "move", "lift", "carry", "watch", "mend", "follow", "turn"};
constexpr std::array<Word, 6> places{"near the river", "in the yard", "under the roof",
                                     "by the road",    "on the hill", "at night"};

std::string sentence(Random& random) {
  const bool many = random.below(2) == 0;
  std::string text = many ? "some " : "one ";
  if (random.below(2) == 0) text.append(one_of(random, qualities)).append(" ");
  text.append(one_of(random, things)).append(many ? "s " : " ");
  if (random.below(3) == 0) text.append(one_of(random, places)).append(" ");
  text.append(one_of(random, deeds)).append(many ? " the " : "s the ");
  if (random.below(2) == 0) text.append(one_of(random, qualities)).append(" ");
  return text.append(one_of(random, things)).append(". ");
}

std::vector<std::int64_t> characters(std::uint64_t seed, std::size_t count, std::string_view alphabet) {
  Random random(seed);
  std::vector<std::int64_t> ids;
  while (ids.size() < count) {
    for (const char c : sentence(random)) ids.push_back(static_cast<std::int64_t>(alphabet.find(c)));
  }
  ids.resize(count);
  return ids;
}

}  // namespace

const Text& sentences() {
  static const Text text = [] {
    Text made{"abcdefghijklmnopqrstuvwxyz .", {}, {}, ""};
    made.train = characters(41, 60'000, made.alphabet);
    made.test = characters(42, 4'096, made.alphabet);
    std::string all = made.alphabet;
    for (const auto* part : {&made.train, &made.test})
      std::ranges::transform(*part, std::back_inserter(all),
                             [](std::int64_t id) { return static_cast<char>(id); });
    made.hash = hash_of(all);
    return made;
  }();
  return text;
}

}  // namespace tare::workloads
