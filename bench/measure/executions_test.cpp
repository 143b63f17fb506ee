#include "bench/measure/executions.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <thread>
#include <unistd.h>

namespace tare {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Execution shell(const std::string& text) {
  Execution execution;
  execution.argv = {"/bin/sh", "-c", text};
  return execution;
}

std::string output_of(Execution execution) {
  std::FILE* file = std::tmpfile();
  execution.output = ::fileno(file);
  const auto executed = execute(execution);
  EXPECT_TRUE(executed && executed->outcome == Outcome::ok) << executed->ending;
  std::rewind(file);
  std::string text(1 << 16, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

TEST(Execute, a_command_that_ends_well_has_a_time) {
  const auto executed = execute(shell("sleep 0.02"));
  ASSERT_TRUE(executed) << executed.error().message;
  EXPECT_EQ(executed->outcome, Outcome::ok);
  EXPECT_EQ(executed->ending, "");
  EXPECT_GE(executed->wall_ns, 20e6);
  EXPECT_GE(executed->cpu_ns, 0);
  EXPECT_LT(executed->cpu_ns, executed->wall_ns);
}

TEST(Execute, an_exit_code_comes_with_the_last_words) {
  const auto executed = execute(shell("echo first >&2; echo the last words >&2; exit 3"));
  ASSERT_TRUE(executed);
  EXPECT_EQ(executed->outcome, Outcome::failed);
  EXPECT_EQ(executed->ending, "exit code 3: first / the last words");
}

TEST(Execute, only_the_end_of_long_complaints_is_told) {
  const auto executed = execute(shell("yes nonsense | head -c 100000 >&2; echo END >&2; exit 1"));
  ASSERT_TRUE(executed);
  EXPECT_THAT(executed->ending, StartsWith("exit code 1: …"));
  EXPECT_THAT(executed->ending, HasSubstr("END"));
  EXPECT_LT(executed->ending.size(), 500);
}

TEST(Execute, a_signal_is_named) {
  const auto executed = execute(shell("kill -SEGV $$"));
  ASSERT_TRUE(executed);
  EXPECT_EQ(executed->outcome, Outcome::crashed);
  EXPECT_THAT(executed->ending, StartsWith("signal 11"));
}

TEST(Execute, the_limit_kills_the_whole_group) {
  const auto path = std::filesystem::temp_directory_path() / ("tare_group_" + std::to_string(::getpid()));
  auto execution = shell("sleep 30 & echo $! > " + path.string() + "; wait");
  execution.limit = std::chrono::milliseconds(1500);
  const auto executed = execute(execution);
  ASSERT_TRUE(executed);
  EXPECT_EQ(executed->outcome, Outcome::timed_out);
  EXPECT_EQ(executed->ending, "did not end within 1.50 s and was killed");
  pid_t grandchild = 0;
  std::ifstream(path) >> grandchild;
  std::filesystem::remove(path);
  ASSERT_GT(grandchild, 0);
  // Somebody else's child may stay a zombie, but it does not sleep on.
  std::string state;
  for (int tries = 0; tries < 200 && state != "Z" && state != "gone"; ++tries) {
    std::ifstream stat("/proc/" + std::to_string(grandchild) + "/stat");
    std::string pid, name;
    if (!(stat >> pid >> name >> state)) state = "gone";
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_TRUE(state == "Z" || state == "gone") << state;
}

TEST(Execute, a_cancelled_one_ends_at_once) {
  const std::atomic<bool> cancelled{true};
  const auto executed = execute(shell("sleep 30"), &cancelled);
  ASSERT_TRUE(executed);
  EXPECT_EQ(executed->outcome, Outcome::cancelled);
}

TEST(Execute, reads_its_input_and_writes_its_output) {
  const auto path = std::filesystem::temp_directory_path() / ("tare_input_" + std::to_string(::getpid()));
  std::ofstream(path) << "from the file\n";
  auto execution = shell("cat; echo done");
  EXPECT_EQ(output_of(execution), "done\n") << "no input unless asked for";
  execution.input = path.string();
  EXPECT_EQ(output_of(execution), "from the file\ndone\n");
  std::filesystem::remove(path);
  const auto missing = execute(execution);
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("cannot read " + path.string()));
}

TEST(Execute, pads_the_environment_and_pins) {
  auto execution = shell("printf %s \"$TARE_PADDING\" | wc -c; grep Cpus_allowed_list /proc/self/status");
  execution.environment_bytes = 1234;
  execution.cpu = usable_cpus().back();
  const auto text = output_of(execution);
  EXPECT_THAT(text, StartsWith("1234\n"));
  EXPECT_THAT(text, HasSubstr("Cpus_allowed_list:\t" + std::to_string(*execution.cpu) + "\n"));
}

TEST(Execute, peak_memory_is_that_of_the_command) {
  const auto executed = execute(shell("head -c 200000000 /dev/zero | tail -n 1 > /dev/null"));
  ASSERT_TRUE(executed);
  ASSERT_TRUE(executed->peak_rss_bytes);
  EXPECT_GT(*executed->peak_rss_bytes, 100e6);
}

TEST(Execute, what_cannot_be_started_is_an_error) {
  Execution execution;
  execution.argv = {"/nowhere/at all"};
  const auto executed = execute(execution);
  ASSERT_FALSE(executed);
  EXPECT_EQ(executed.error().message, "cannot run '/nowhere/at all': No such file or directory");
  EXPECT_THROW((void)execute({}), std::invalid_argument);
}

TEST(FindProgram, looks_along_the_path) {
  EXPECT_THAT(find_program("sh").value_or(""), testing::EndsWith("/sh"));
  EXPECT_EQ(find_program("/bin/sh").value_or(""), "/bin/sh");
  EXPECT_EQ(find_program("no-such-program").error().message, "there is no program no-such-program on PATH");
  EXPECT_EQ(find_program("/etc/passwd").error().message, "there is no program /etc/passwd");
  EXPECT_FALSE(find_program("/tmp"));
}

}  // namespace
}  // namespace tare
