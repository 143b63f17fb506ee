// Where compiled code lies, and that it can be run.
#include "ad/scalar/native/code_memory.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <vector>

#include "ad/scalar/recorder.hpp"

namespace tare::ad::detail {
namespace {

const void* library() {
  return reinterpret_cast<const void*>(static_cast<double (*)(double)>(&std::exp));
}

TEST(CodeMemory, is_reached_by_direct_calls_of_the_library_even_among_large_recordings) {
  // Each sets gigabytes of addresses aside, which push what is mapped later away from the library.
  std::array<Recorder<double>, 3> recorders;
  for (const std::size_t bytes : {std::size_t{100}, std::size_t{50} << 20U}) {
    const CodeMemory memory(bytes);
    EXPECT_TRUE(within_reach(memory.data(), bytes, library())) << bytes;
  }
}

TEST(CodeMemory, can_be_run_once_it_is_executable) {
  CodeMemory memory(1);
  const std::array<unsigned char, 6> answer{0xB8, 42, 0, 0, 0, 0xC3};  // mov eax, 42; ret
  std::memcpy(memory.data(), answer.data(), answer.size());
  ASSERT_TRUE(memory.make_executable());
  EXPECT_EQ(reinterpret_cast<int (*)()>(memory.data())(), 42);
}

TEST(CodeMemory, reach_is_measured_from_the_far_end) {
  const auto at = [](std::uintptr_t address) { return reinterpret_cast<const void*>(address); };
  constexpr std::uintptr_t base = std::uintptr_t{1} << 40U;
  constexpr std::uintptr_t gigabyte = std::uintptr_t{1} << 30U;
  EXPECT_TRUE(within_reach(at(base), 100, at(base + gigabyte)));
  EXPECT_FALSE(within_reach(at(base), 100, at(base + 2 * gigabyte)));
  EXPECT_TRUE(within_reach(at(base), 100, at(base - gigabyte)));
  EXPECT_FALSE(within_reach(at(base), gigabyte, at(base - gigabyte)));
}

}  // namespace
}  // namespace tare::ad::detail
