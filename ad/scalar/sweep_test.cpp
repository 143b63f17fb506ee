#include "ad/scalar/sweep.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

namespace tare::ad::detail {
namespace {

constexpr std::uint32_t inputs = 5;

/// A stream with room in front of it, as a recorder lays it out.
template <class T>
struct Stream {
  static constexpr std::size_t front = bytes_ahead / sizeof(Entry<T>);
  std::vector<Entry<T>> memory = std::vector<Entry<T>>(front);
  std::uint32_t statements = 0;

  [[nodiscard]] const Entry<T>* begin() const { return memory.data() + front; }
  [[nodiscard]] const Entry<T>* end() const { return memory.data() + memory.size(); }
};

/// Statements of one to nine entries, some of which go on from their predecessor. Partials are small whole
/// numbers and mostly zero, so that sums are exact however they are rounded and neighbours are skipped, too.
template <class T>
Stream<T> random_stream(std::mt19937& random, std::uint32_t statements) {
  Stream<T> stream;
  stream.statements = statements;
  for (std::uint32_t lhs = inputs + 1; lhs <= inputs + statements; ++lhs) {
    const std::uint32_t count = 1 + random() % 9;
    for (std::uint32_t i = 0; i < count; ++i) {
      std::uint32_t flags = i == 0 ? first_flag : 0;
      if (i == 0 && lhs > inputs + 1 && random() % 8 == 0) flags |= chain_flag;
      // Half of them near, so that a statement often ends at its predecessor.
      const std::uint32_t reach = random() % 2 == 0 ? std::min<std::uint32_t>(3, lhs - 1) : lhs - 1;
      const std::uint32_t to = lhs - 1 - random() % reach;
      stream.memory.push_back({random() % 3 == 0 ? T(1) : T(0), to | flags});
    }
  }
  return stream;
}

/// The definition: statement by statement, entry by entry, each adjoint read from where it stands.
template <class T>
std::vector<T> by_definition(const Stream<T>& stream) {
  std::vector<T> adjoint(inputs + stream.statements + 1);
  std::uint32_t lhs = inputs + stream.statements;
  adjoint[lhs] = 1;
  for (const Entry<T>* at = stream.end(); at != stream.begin();) {
    --at;
    const T partial = at->partial;
    adjoint[at->index & index_mask] += partial * adjoint[lhs];
    if ((at->index & first_flag) == 0) continue;
    if ((at->index & chain_flag) != 0) adjoint[lhs - 1] += adjoint[lhs];
    --lhs;
  }
  return adjoint;
}

template <class T>
class SweepOf : public testing::Test {};
using Numbers = testing::Types<double, float>;
TYPED_TEST_SUITE(SweepOf, Numbers);

TYPED_TEST(SweepOf, does_what_each_entry_says) {
  using T = TypeParam;
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const auto stream = random_stream<T>(random, 1 + random() % 40);
    const auto expected = by_definition(stream);
    ASSERT_LT(*std::max_element(expected.begin(), expected.end()), T(1 << 20));  // exact in single precision
    std::vector<T> adjoint(expected.size()), here(expected.size());
    const std::uint32_t last = inputs + stream.statements;
    adjoint[last] = here[last] = 1;
    sweep(stream.begin(), stream.end(), adjoint.data(), last);
    sweep_here(stream.begin(), stream.end(), here.data(), last);
    ASSERT_EQ(adjoint, expected);
    ASSERT_EQ(here, expected);
  }
}

TYPED_TEST(SweepOf, does_nothing_with_an_empty_stream) {
  using T = TypeParam;
  const Stream<T> stream;
  std::vector<T> adjoint(inputs + 1, T(3));
  sweep(stream.begin(), stream.end(), adjoint.data(), inputs);
  EXPECT_EQ(adjoint, std::vector<T>(inputs + 1, T(3)));
}

TYPED_TEST(SweepOf, passes_no_infinity_where_nothing_depends_on_it) {
  using T = TypeParam;
  Stream<T> stream;
  stream.statements = 2;
  stream.memory.push_back({std::numeric_limits<T>::infinity(), 1 | first_flag});  // statement 6, unused
  stream.memory.push_back({T(2), 2 | first_flag});                                // statement 7
  std::vector<T> adjoint(8);
  adjoint[7] = 1;
  sweep(stream.begin(), stream.end(), adjoint.data(), 7);
  EXPECT_EQ(adjoint[1], T(0));
  EXPECT_EQ(adjoint[2], T(2));
}

}  // namespace
}  // namespace tare::ad::detail
