// Generated code: its functions against the C library's, its cache on disk, and objects that are not what
// they should be.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sys/stat.h>
#include <unistd.h>

#include "ad/compile.hpp"
#include "ad/jit/jit.hpp"
#include "ad/jit/object.hpp"
#include "ad/support/cache_file.hpp"
#include "ad/tensor/ops.hpp"

namespace tare::ad::jit {
namespace {

namespace fs = std::filesystem;

class Jit : public testing::Test {
 protected:
  void SetUp() override {
    if (!available()) GTEST_SKIP() << "no code generator in this build";
    auto pattern = (fs::temp_directory_path() / "tare-jit-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
    forget_code();
  }
  void TearDown() override {
    if (folder_.empty()) return;
    fs::permissions(folder_, fs::perms::owner_all);
    fs::remove_all(folder_);
  }
  [[nodiscard]] std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder_))
      if (entry.is_regular_file()) found.push_back(entry.path());
    return found;
  }
  fs::path folder_;
};

/// Twice the negative square of 3 and 4, by a kernel that has to be found or made anew.
void run_something() {
  auto f = compile([](const Tensor& x) { return -square(x) * 2.0; });
  EXPECT_EQ(f(Tensor::of({3.0F, 4.0F}, {2})).to_vector(), (std::vector<double>{-18, -32}));
}

TEST_F(Jit, FunctionsAreAsExactAsTheirDescriptionSays) {
  struct Function {
    Tensor (*ours)(const Tensor&);
    double (*exact)(double);
    double low, high, ulps;
  };
  // ad/ops/vector_math.hpp states the bounds.
  const std::vector<Function> functions{
      {ad::exp, std::exp, -87, 88, 1.1},     {ad::expm1, std::expm1, -20, 80, 1.6},
      {ad::log, std::log, 1e-30, 1e30, 0.9}, {ad::log1p, std::log1p, -0.9, 1e6, 1.4},
      {ad::tanh, std::tanh, -10, 10, 1.4},   {ad::erf, std::erf, -4, 4, 1.3},
      {ad::sin, std::sin, -1e5, 1e5, 1.6},   {ad::cos, std::cos, -1e5, 1e5, 1.6}};
  std::mt19937_64 random(5);
  for (std::size_t k = 0; k < functions.size(); ++k) {
    const auto& f = functions[k];
    std::vector<float> xs(40000);
    for (auto& x : xs) x = static_cast<float>(std::uniform_real_distribution<double>(f.low, f.high)(random));
    const Tensor x = Tensor::of(std::span<const float>(xs), {static_cast<std::int64_t>(xs.size())});
    auto compiled = compile([&](const Tensor& given) { return -f.ours(given); });
    const auto got = compiled(x).to_vector();
    EXPECT_NE(compiled.function().steps_text().find("compiled"), std::string::npos);
    double worst = 0;
    for (std::size_t i = 0; i < xs.size(); ++i) {
      const double want = -f.exact(static_cast<double>(xs[i]));
      const double ulp = std::max(std::ldexp(1.0, std::ilogb(want) - 23), 1e-45);
      worst = std::max(worst, std::abs(got[i] - want) / ulp);
    }
    EXPECT_LE(worst, f.ulps) << "function " << k;
  }
}

TEST_F(Jit, LargeAnglesAndNanAreTheLibrarys) {
  auto f = compile([](const Tensor& x) { return sin(x) + cos(x); });
  const std::vector<float> xs{1e6F, -3e7F, NAN, 0.5F};
  const auto got = f(Tensor::of(std::span<const float>(xs), {4})).to_vector();
  EXPECT_NEAR(got[0], static_cast<double>(std::sin(1e6F) + std::cos(1e6F)), 1e-6);
  EXPECT_NEAR(got[1], static_cast<double>(std::sin(-3e7F) + std::cos(-3e7F)), 1e-6);
  EXPECT_TRUE(std::isnan(got[2]));
}

TEST_F(Jit, CodeIsFoundOnDiskAgain) {
  const auto before = stats();
  run_something();
  const auto generated = stats();
  EXPECT_EQ(generated.generated, before.generated + 1);
  EXPECT_EQ(files().size(), 1U);
  forget_code();
  run_something();
  EXPECT_EQ(stats().generated, generated.generated);
  EXPECT_EQ(stats().from_disk, generated.from_disk + 1);
  run_something();
  EXPECT_EQ(stats().from_memory, generated.from_memory + 1);
}

TEST_F(Jit, BrokenFilesAreMadeAnew) {
  run_something();
  const auto file = files().at(0);
  const auto good = *read_file(file.string());
  std::mt19937 random(2);
  for (int round = 0; round < 40; ++round) {
    auto bad = good;
    if (round % 4 == 0) {
      bad.resize(random() % bad.size());
    } else {
      bad[random() % bad.size()] ^= static_cast<char>(1 + random() % 255);
    }
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bad;
    forget_code();
    const auto before = stats().generated;
    run_something();
    EXPECT_EQ(stats().generated, before + 1) << round;
    EXPECT_EQ(*read_file(file.string()), good) << round;
  }
}

TEST_F(Jit, WorksWithoutAPlaceToKeepCode) {
  setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
  run_something();
  bool said = false;
  for (const auto& message : messages())
    said = said || message.find("cannot be written") != std::string::npos;
  EXPECT_TRUE(said);
}

TEST_F(Jit, ObjectsThatAreNoneAreRefused) {
  run_something();
  const auto bytes = *read_file(files().at(0).string());
  const auto object =
      bytes.substr(bytes.find("\x7f"
                              "ELF"));
  std::string why;
  EXPECT_NE(load_object(std::as_bytes(std::span(object)), why), nullptr) << why;
  for (std::size_t length = 0; length < object.size(); length += 7) {
    why.clear();
    const bool loaded = load_object(std::as_bytes(std::span(object).first(length)), why) != nullptr;
    EXPECT_TRUE(loaded || !why.empty());
  }
  std::mt19937 random(3);
  for (int round = 0; round < 3000; ++round) {
    auto bad = object;
    for (int change = 0; change < 3; ++change) bad[random() % bad.size()] = static_cast<char>(random());
    (void)load_object(std::as_bytes(std::span(bad)), why);  // loaded or refused, never outside of the bytes
  }
}

TEST(WithoutGenerator, KernelsAreInterpreted) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        setenv("TARE_JIT_MODULE", "/nowhere/libtare_jit.so", 1);
        setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
        auto f = compile([](const Tensor& x) { return -square(x) * 2.0; });
        const bool right = f(Tensor::of({3.0F}, {1})).item() == -18;
        const bool said = messages().size() == 1 && messages()[0].find("interpreted") != std::string::npos;
        std::exit(right && said ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace tare::ad::jit
