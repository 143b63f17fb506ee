// Products of every library against plain sums in double; the table of choices and its file.
#include "ad/tensor/kernels/gemm.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <thread>

#include "ad/support/error.hpp"
#include "ad/support/threads.hpp"
#include "ad/tensor/kernels/gemm_choice.hpp"
#include "ad/tensor/kernels/gemm_library.hpp"
#include "ad/tensor/mode.hpp"
#include "ad/tensor/ops.hpp"

namespace tare::ad::kernels {
namespace {

namespace fs = std::filesystem;

/// The table of choices in a folder of its own, and the threads as they were.
class Gemm : public testing::Test {
 protected:
  void SetUp() override {
    auto pattern = (fs::temp_directory_path() / "tare-gemm-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    const char* before = std::getenv("XDG_CACHE_HOME");
    before_ = before == nullptr ? "" : before;
    ::setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
    forget_choices();
  }
  void TearDown() override {
    set_thread_count(threads_);
    if (before_.empty()) {
      ::unsetenv("XDG_CACHE_HOME");
    } else {
      ::setenv("XDG_CACHE_HOME", before_.c_str(), 1);
    }
    forget_choices();
    std::error_code ignored;
    fs::permissions(folder_ / "tare", fs::perms::owner_all, ignored);
    fs::remove_all(folder_, ignored);
  }
  [[nodiscard]] static std::string file_text() {
    std::ifstream file(choice_file());
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void write_file(const std::string& text) {
    fs::create_directories(fs::path(choice_file()).parent_path());
    std::ofstream(choice_file()) << text;
  }

 private:
  fs::path folder_;
  std::string before_;
  int threads_ = thread_count();
};

template <class T>
struct Matrices {
  GemmShape shape;
  std::int64_t lda, ldb, ldc;
  std::vector<T> a, b, c;

  Matrices(const GemmShape& s, std::int64_t gap, T filler)
      : shape(s),
        lda((s.a_transposed ? s.m : s.k) + gap),
        ldb((s.b_transposed ? s.k : s.n) + gap),
        ldc(s.n + gap) {
    std::mt19937 random(7);
    std::uniform_real_distribution<T> uniform(-1, 1);
    a.resize(static_cast<std::size_t>((s.a_transposed ? s.k : s.m) * lda));
    b.resize(static_cast<std::size_t>((s.b_transposed ? s.n : s.k) * ldb));
    for (auto& v : a) v = uniform(random);
    for (auto& v : b) v = uniform(random);
    c.assign(static_cast<std::size_t>(s.m * ldc), filler);
  }
  [[nodiscard]] double expected(std::int64_t i, std::int64_t j) const {
    double sum = 0;
    for (std::int64_t l = 0; l < shape.k; ++l)
      sum +=
          static_cast<double>(a[static_cast<std::size_t>(shape.a_transposed ? l * lda + i : i * lda + l)]) *
          static_cast<double>(b[static_cast<std::size_t>(shape.b_transposed ? j * ldb + l : l * ldb + j)]);
    return sum;
  }
  /// C is the product plus `added`, and what lies between its rows is untouched.
  void check(double added, T filler) const {
    const double tolerance = (sizeof(T) == 4 ? 1e-6 : 1e-14) * static_cast<double>(shape.k + 4);
    for (std::int64_t i = 0; i < shape.m; ++i) {
      for (std::int64_t j = 0; j < ldc; ++j) {
        const auto got = static_cast<double>(c[static_cast<std::size_t>(i * ldc + j)]);
        if (j < shape.n) {
          ASSERT_NEAR(got, expected(i, j) + added, tolerance) << i << ", " << j;
        } else {
          ASSERT_TRUE(std::isnan(filler) ? std::isnan(got) : got == filler) << i << ", " << j;
        }
      }
    }
  }
};

const std::vector<std::array<std::int64_t, 3>> odd_sizes{
    {1, 1, 1}, {1, 7, 33},  {9, 1, 17},   {1, 4200, 13}, {1, 300, 65},  {301, 1, 64},
    {3, 5, 7}, {17, 33, 9}, {64, 64, 64}, {65, 129, 70}, {200, 31, 257}};

std::string described(const GemmShape& s, std::int64_t gap, int threads) {
  return std::to_string(s.m) + "x" + std::to_string(s.n) + "x" + std::to_string(s.k) +
         (s.a_transposed ? " At" : "") + (s.b_transposed ? " Bt" : "") + " gap " + std::to_string(gap) +
         " threads " + std::to_string(threads);
}

template <class T, class F>
void check_everything(F multiply) {
  constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  for (const int threads : {1, 2, 3}) {
    set_thread_count(threads);
    for (const auto& [m, n, k] : odd_sizes) {
      for (int kind = 0; kind < 4; ++kind) {
        for (const std::int64_t gap : {0, 3}) {
          const GemmShape shape{m, n, k, (kind & 1) != 0, (kind & 2) != 0};
          SCOPED_TRACE(described(shape, gap, threads));
          // beta 0 must not read C.
          Matrices<T> fresh(shape, gap, nan);
          multiply(fresh, T(0));
          fresh.check(0, nan);
          Matrices<T> added(shape, gap, T(2));
          multiply(added, T(1));
          added.check(2, T(2));
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST_F(Gemm, EveryLibraryGivesTheProduct) {
  for (const auto library : gemm_libraries()) {
    SCOPED_TRACE(name_of(library));
    const auto by_library = [library](auto& x, auto beta) {
      gemm(library, x.shape, x.a.data(), x.lda, x.b.data(), x.ldb, x.c.data(), x.ldc, beta);
    };
    check_everything<float>(by_library);
    check_everything<double>(by_library);
  }
}

TEST_F(Gemm, TheChosenLibraryGivesTheProduct) {
  const auto chosen = [](auto& x, auto beta) {
    gemm(x.shape, x.a.data(), x.lda, x.b.data(), x.ldb, x.c.data(), x.ldc, beta);
  };
  check_everything<float>(chosen);
  check_everything<double>(chosen);
}

TEST_F(Gemm, NothingToSumGivesBetaTimesC) {
  std::vector<float> c{1, 2, 3, 4};
  gemm({2, 2, 0, false, false}, nullptr, 1, nullptr, 2, c.data(), 2, 1.0F);
  EXPECT_EQ(c, (std::vector<float>{1, 2, 3, 4}));
  gemm({2, 2, 0, false, false}, nullptr, 1, nullptr, 2, c.data(), 2, 0.0F);
  EXPECT_EQ(c, (std::vector<float>{0, 0, 0, 0}));
}

TEST_F(Gemm, LibrariesMayBeCalledFromManyThreadsAtOnce) {
  for (const auto library : gemm_libraries()) {
    SCOPED_TRACE(name_of(library));
    std::vector<std::thread> callers;
    for (int t = 0; t < 4; ++t) {
      callers.emplace_back([library] {
        Matrices<float> narrow({33, 47, 65, false, true}, 0, 0);
        Matrices<double> wide({4, 30, 27, false, false}, 0, 0);
        for (int i = 0; i < 2000; ++i) {
          const auto multiply = [&](auto& x) {
            using T = std::remove_reference_t<decltype(x.c[0])>;
            run(library, Product<T>{x.shape, x.a.data(), x.lda, x.b.data(), x.ldb, x.c.data(), x.ldc, 0});
            if (i % 20 == 0) x.check(0, 0);
          };
          multiply(wide);
          if (i % 10 == 0) multiply(narrow);
        }
      });
    }
    for (auto& caller : callers) caller.join();
  }
}

TEST_F(Gemm, DeterministicModeGivesTheSameBitsForAnyNumberOfThreads) {
  const Deterministic scope;
  for (const auto& [m, n, k] :
       {std::array<std::int64_t, 3>{600, 80, 300}, {70, 1000, 129}, {1, 700, 300}, {515, 1, 400}}) {
    for (int kind = 0; kind < 4; ++kind) {
      const GemmShape shape{m, n, k, (kind & 1) != 0, (kind & 2) != 0};
      SCOPED_TRACE(described(shape, 0, 0));
      const auto product = [&](auto zero) {
        using T = decltype(zero);
        Matrices<T> x(shape, 0, 0);
        gemm(shape, x.a.data(), x.lda, x.b.data(), x.ldb, x.c.data(), x.ldc, T(0));
        return x.c;
      };
      set_thread_count(1);
      const auto narrow = product(float{});
      const auto wide = product(double{});
      for (const int threads : {2, 3, 5}) {
        set_thread_count(threads);
        EXPECT_EQ(product(float{}), narrow) << threads;
        EXPECT_EQ(product(double{}), wide) << threads;
      }
    }
  }
}

TEST_F(Gemm, DeterministicModeReachesBatchesOfProducts) {
  // Parts of a batch run on other threads, whose own mode is another.
  Generator generator(3);
  const Tensor a = Tensor::randn({6, 70, 90}, generator), b = Tensor::randn({6, 90, 60}, generator);
  const Deterministic scope;
  set_thread_count(1);
  const auto one = matmul(a, b).to_vector();
  set_thread_count(3);
  EXPECT_EQ(matmul(a, b).to_vector(), one);
  EXPECT_EQ(file_text(), "") << "something was measured";
}

TEST_F(Gemm, WholeNumbersAreSummedExactly) {
  for (const int threads : {1, 3}) {
    set_thread_count(threads);
    for (const auto& [m, n, k] : odd_sizes) {
      for (int kind = 0; kind < 4; ++kind) {
        const GemmShape s{m, n, k, (kind & 1) != 0, (kind & 2) != 0};
        SCOPED_TRACE(described(s, 0, threads));
        std::mt19937 random(5);
        std::vector<std::uint8_t> a(static_cast<std::size_t>(m * k));
        std::vector<std::int8_t> b(static_cast<std::size_t>(k * n));
        // Mostly the ends of the range, whose products cut 16 bits off where the CPU adds pairs.
        for (auto& v : a) v = static_cast<std::uint8_t>(random() % 3 == 0 ? random() : 255);
        for (auto& v : b) v = static_cast<std::int8_t>(random() % 3 == 0 ? random() : 127);
        std::vector<float> c(static_cast<std::size_t>(m * n), std::nanf(""));
        const auto lda = s.a_transposed ? m : k, ldb = s.b_transposed ? k : n;
        gemm_u8i8(s, a.data(), lda, b.data(), ldb, c.data(), n);
        for (std::int64_t i = 0; i < m; ++i) {
          for (std::int64_t j = 0; j < n; ++j) {
            std::int64_t sum = 0;
            for (std::int64_t l = 0; l < k; ++l)
              sum += static_cast<std::int64_t>(
                         a[static_cast<std::size_t>(s.a_transposed ? l * lda + i : i * lda + l)]) *
                     b[static_cast<std::size_t>(s.b_transposed ? j * ldb + l : l * ldb + j)];
            ASSERT_EQ(c[static_cast<std::size_t>(i * n + j)], static_cast<float>(sum)) << i << ", " << j;
          }
        }
      }
    }
  }
}

/// A product that is measured, and the number of choices the file then holds.
std::size_t multiply_and_count(std::int64_t m) {
  Matrices<float> x({m, 40, 24, false, false}, 0, 0);
  gemm(x.shape, x.a.data(), x.lda, x.b.data(), x.ldb, x.c.data(), x.ldc, 0.0F);
  x.check(0, 0);
  if (!fs::is_regular_file(choice_file())) return 0;
  std::ifstream file(choice_file());
  return parse_choices({std::istreambuf_iterator<char>(file), {}}).size();
}

TEST_F(Gemm, ChoicesAreKeptOnDiskAndReadBack) {
  if (gemm_libraries().size() < 4) GTEST_SKIP() << "fewer than two libraries: nothing to choose";
  EXPECT_EQ(multiply_and_count(48), 1U);
  EXPECT_EQ(multiply_and_count(96), 2U);
  const auto kept = file_text();
  EXPECT_EQ(text_of_choices(parse_choices(kept)), kept);
  forget_choices();
  const ChoiceKey key{48, 40, 24, threads_here()};
  ASSERT_TRUE(known_choice(key).has_value());
  const auto choices = parse_choices(kept);
  const auto line =
      std::find_if(choices.begin(), choices.end(), [&](const auto& c) { return c.first == key; });
  ASSERT_NE(line, choices.end());
  EXPECT_EQ(*known_choice(key), line->second);
}

TEST_F(Gemm, LinesOfAnotherProcessAreKept) {
  if (gemm_libraries().size() < 4) GTEST_SKIP() << "fewer than two libraries: nothing to choose";
  (void)multiply_and_count(48);
  // Another process has added a line since this one read the file.
  auto all = parse_choices(file_text());
  all.push_back({{7, 8, 900, 1}, {GemmLibrary::plain, Split::whole}});
  write_file(text_of_choices(all));
  EXPECT_EQ(multiply_and_count(96), 3U);
}

TEST_F(Gemm, ABrokenFileIsMeasuredAnew) {
  if (gemm_libraries().size() < 4) GTEST_SKIP() << "fewer than two libraries: nothing to choose";
  (void)multiply_and_count(48);
  (void)multiply_and_count(96);
  const auto good = file_text();
  std::vector<std::string> broken{"", "\n", "nonsense\n", std::string("\0\xff\xfe", 3),
                                  "tare-gemm 0; other\nf32 1 1 1 nn= 1 plain whole\n"};
  for (std::size_t cut = 0; cut < good.size(); cut += 7) broken.push_back(good.substr(0, cut));
  for (std::size_t at = 3; at < good.size(); at += 11) {
    auto changed = good;
    changed[at] = '~';
    broken.push_back(changed);
  }
  for (const auto& text : broken) {
    write_file(text);
    forget_choices();
    EXPECT_LE(parse_choices(text).size(), 2U);
    EXPECT_GE(multiply_and_count(48), 1U) << text;
  }
}

TEST_F(Gemm, WrongLinesAreLeftOut) {
  const auto header = text_of_choices({});
  for (const char* line :
       {"f32 5 6 7 nn= 1 mkl whole", "f32 5 6 7 nn= 1 plain halves", "f32 5 6 7 nn= 1 plain",
        "f16 5 6 7 nn= 1 plain whole", "f32 0 6 7 nn= 1 plain whole", "f32 5 -6 7 nn= 1 plain whole",
        "f32 5 6 7 nn= 0 plain whole", "f32 5 6 7 nn 1 plain whole", "f32 5 6 7 nn= 1 plain whole more",
        "f32 5 6 7 nn= 1 own whole", "f64 5 6 7 nn= 1 onednn whole",
        "f32 99999999999999999999 6 7 nn= 1 plain whole"})
    EXPECT_TRUE(parse_choices(header + line + "\n").empty()) << line;
  EXPECT_EQ(parse_choices(header + "f32 5 6 7 tn+ 2 plain rows\n").size(), 1U);
  EXPECT_TRUE(parse_choices(header + "f32 5 6 7 tn+ 2 plain rows").empty()) << "the end may be cut off";
}

TEST_F(Gemm, AFolderThatCannotBeWrittenIsNoError) {
  write_file("");
  fs::remove(choice_file());
  const auto folder = fs::path(choice_file()).parent_path();
  fs::permissions(folder, fs::perms::owner_read | fs::perms::owner_exec);
  (void)multiply_and_count(48);
  fs::permissions(folder, fs::perms::owner_all);
  fs::remove_all(folder);
  std::ofstream(folder) << "a file where the folder should be";
  forget_choices();
  EXPECT_EQ(multiply_and_count(48), 0U);
  fs::remove(folder);
}

TEST_F(Gemm, AFolderInPlaceOfTheFileIsNoError) {
  fs::create_directories(choice_file());
  EXPECT_EQ(multiply_and_count(48), 0U);
}

TEST_F(Gemm, NearShapesBorrowBeforeTheyAreMeasured) {
  const ChoiceKey first{1000, 512, 64, 1}, near{1010, 512, 64, 1}, far{300, 512, 64, 1};
  int measured = 0;
  const auto measure = [&] {
    ++measured;
    return Plan{GemmLibrary::plain, Split::whole};
  };
  const Plan fixed{GemmLibrary::own, Split::rows};
  EXPECT_EQ(choose(first, false, fixed, measure).calls_left, -1);
  EXPECT_EQ(measured, 1);
  EXPECT_EQ(choose(first, false, fixed, measure).calls_left, -1);
  EXPECT_EQ(measured, 1);
  const auto borrowed = choose(near, false, fixed, measure);
  EXPECT_EQ(borrowed.calls_left, borrowed_calls);
  EXPECT_EQ(borrowed.plan.library, GemmLibrary::plain);
  EXPECT_EQ(measured, 1);
  EXPECT_EQ(choose(near, true, fixed, measure).calls_left, -1);
  EXPECT_EQ(measured, 2);
  (void)choose(far, false, fixed, measure);
  EXPECT_EQ(measured, 3);
}

TEST_F(Gemm, WhileAShapeIsMeasuredOthersTakeTheFixedPlan) {
  const Plan fixed{GemmLibrary::own, Split::rows};
  (void)choose({10, 20, 30, 1}, false, fixed, [&] {
    std::thread([&] {
      const auto other = choose({400, 20, 30, 1}, false, fixed, [] { return Plan{}; });
      EXPECT_EQ(other.plan, fixed);
      EXPECT_EQ(other.calls_left, 1);
    }).join();
    return Plan{};
  });
}

TEST_F(Gemm, ALibraryThatIsNotThereIsRefused) {
  const auto all = gemm_libraries();
  for (const auto library : {GemmLibrary::openblas, GemmLibrary::blis, GemmLibrary::onednn}) {
    if (std::find(all.begin(), all.end(), library) != all.end()) continue;
    float c = 0;
    EXPECT_THROW(gemm(library, {1, 1, 1, false, false}, &c, 1, &c, 1, &c, 1, 0.0F), AdError);
  }
  EXPECT_EQ(all[0], GemmLibrary::plain);
  EXPECT_EQ(all[1], GemmLibrary::own);
}

}  // namespace
}  // namespace tare::ad::kernels
