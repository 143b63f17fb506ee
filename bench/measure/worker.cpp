#include "bench/measure/worker.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "bench/measure/serve.hpp"
#include "bench/model/json.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

constexpr std::size_t kept_words = 2000;

Failure nonsense(const Error& error) {
  return {Outcome::failed, "the worker's answer makes no sense: " + error.message};
}

/// The list in the reply, each element read by `read`.
template <class Read>
auto read_all(const Json& list, Read read) -> Answer<std::vector<typename decltype(read(list))::value_type>> {
  if (!list.is_array()) return nonsense(fail("a list was expected"));
  std::vector<typename decltype(read(list))::value_type> all;
  for (const auto& entry : list) {
    auto value = read(entry);
    if (!value) return nonsense(value.error());
    all.push_back(std::move(*value));
  }
  return all;
}

}  // namespace

Worker::Worker(int socket, const std::atomic<bool>* cancelled) : channel_(socket), cancelled_(cancelled) {}

Worker::Worker(Worker&& other) noexcept
    : name_(std::move(other.name_)),
      channel_(std::move(other.channel_)),
      cancelled_(other.cancelled_),
      hello_(std::move(other.hello_)),
      phases_(other.phases_),
      pid_(std::exchange(other.pid_, -1)),
      errors_(std::exchange(other.errors_, -1)),
      last_words_(std::move(other.last_words_)),
      thread_(std::move(other.thread_)) {}

Worker& Worker::operator=(Worker&& other) noexcept {
  if (this != &other) {
    end();
    name_ = std::move(other.name_);
    channel_ = std::move(other.channel_);
    cancelled_ = other.cancelled_;
    hello_ = std::move(other.hello_);
    phases_ = other.phases_;
    pid_ = std::exchange(other.pid_, -1);
    errors_ = std::exchange(other.errors_, -1);
    last_words_ = std::move(other.last_words_);
    thread_ = std::move(other.thread_);
  }
  return *this;
}

Worker::~Worker() {
  end();
}

void Worker::end() noexcept {
  if (pid_ > 0 || thread_.joinable()) (void)channel_.write_line(to_text(to_json(Request{QuitRequest{}})));
  channel_.close();
  // A benchmark's destructors get a moment; a hanging one does not get the run.
  if (pid_ > 0) reap(pid_, 500);
  pid_ = -1;
  if (errors_ >= 0) ::close(errors_);
  errors_ = -1;
  if (thread_.joinable()) thread_.join();
}

Answer<Worker> Worker::start(const SpawnOptions& options, Instant deadline,
                             const std::atomic<bool>* cancelled) {
  auto spawned = spawn(options);
  if (!spawned) return Failure{Outcome::failed, spawned.error().message};
  Worker worker(spawned->socket, cancelled);
  worker.name_ = options.command.front();
  worker.pid_ = spawned->pid;
  worker.errors_ = spawned->errors;
  auto hello = worker.greet(deadline);
  if (!hello) return hello.error();
  worker.hello_ = *hello;
  return worker;
}

Answer<Worker> Worker::in_process(const Registry& registry, const std::atomic<bool>* cancelled) {
  std::array<int, 2> socket{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, socket.data()) != 0) {
    return Failure{Outcome::failed, fmt::format("socketpair: {}", std::strerror(errno))};
  }
  Worker worker(socket[0], cancelled);
  worker.name_ = "this process";
  worker.thread_ = std::thread([&registry, descriptor = socket[1]] { serve(registry, descriptor); });
  auto hello = worker.greet(Instant::max());
  if (!hello) return hello.error();
  worker.hello_ = *hello;
  return worker;
}

Answer<Hello> Worker::greet(Instant deadline) {
  const auto not_ours = [&](const std::string& why) {
    return Failure{
        Outcome::failed,
        fmt::format("{} is not a tare benchmark: {}; link it with tare::bench_main, or see docs/protocol.md",
                    name_, why)};
  };
  auto line = channel_.read_line(deadline, cancelled_, errors_, [this] { return drain_errors(); });
  if (!line && line.error().problem == ChannelProblem::closed && pid_ > 0) {
    const auto ending = reap(std::exchange(pid_, -1), 1000);
    drain_errors();
    return not_ours(fmt::format("it ended ({}) without speaking the worker protocol", ending.text));
  }
  if (!line && line.error().problem == ChannelProblem::timed_out) return not_ours("it said nothing in time");
  if (!line) return failure_of(line.error());
  auto hello = parse_json(*line).and_then([](const Json& json) { return hello_from_json(json); });
  if (!hello) return not_ours(hello.error().message);
  return *hello;
}

bool Worker::drain_errors() {
  std::array<char, 4096> chunk;
  for (;;) {
    const auto n = ::read(errors_, chunk.data(), chunk.size());
    if (n > 0) {
      last_words_.append(chunk.data(), static_cast<std::size_t>(n));
      if (last_words_.size() > 2 * kept_words) last_words_.erase(0, last_words_.size() - kept_words);
      // One chunk at a time: a worker that never stops writing must not keep us from its answers and
      // deadline.
      return true;
    }
    if (n == 0) return false;
    if (errno != EINTR) return errno == EAGAIN;
  }
}

Failure Worker::failure_of(const ChannelError& error) {
  switch (error.problem) {
    case ChannelProblem::timed_out:
      kill_group(pid_);
      return {Outcome::timed_out, "no answer within the time limit"};
    case ChannelProblem::cancelled:
      kill_group(pid_);
      return {Outcome::cancelled, "cancelled"};
    case ChannelProblem::closed: {
      if (pid_ <= 0) return {Outcome::crashed, error.message};
      const auto ending = reap(std::exchange(pid_, -1), 1000);
      for (int chunk = 0; chunk < 32 && drain_errors(); ++chunk) {
      }
      auto message = fmt::format("the worker ended by {}", ending.text);
      const auto words = trim(last_words_);
      if (!words.empty()) {
        const auto line =
            words.substr(words.rfind('\n') == std::string_view::npos ? 0 : words.rfind('\n') + 1);
        message += fmt::format("; its last words: {}", printable(line.substr(0, 300)));
      }
      return {Outcome::crashed, message};
    }
    case ChannelProblem::too_long:
    case ChannelProblem::broken:
      kill_group(pid_);
      return {Outcome::failed, "the worker's answer broke off: " + error.message};
  }
  return {Outcome::failed, error.message};
}

Answer<Json> Worker::read(Instant deadline) {
  auto line = channel_.read_line(deadline, cancelled_, errors_, [this] { return drain_errors(); });
  if (!line) return failure_of(line.error());
  auto json = parse_json(*line);
  if (!json) return nonsense(json.error());
  if (auto skipped = field<std::string>(*json, "skipped")) return Failure{Outcome::skipped, *skipped};
  if (auto failed = field<std::string>(*json, "failed")) return Failure{Outcome::failed, *failed};
  auto payload = field<Json>(*json, "ok");
  if (!payload) return nonsense(payload.error());
  return std::move(*payload);
}

Answer<Json> Worker::ask(const Request& request, Instant deadline) {
  if (auto sent = channel_.write_line(to_text(to_json(request))); !sent) return failure_of(sent.error());
  return read(deadline);
}

std::optional<std::size_t> Worker::threads() const {
  if (pid_ <= 0) return std::nullopt;
  std::error_code problem;
  std::size_t count = 0;
  for (std::filesystem::directory_iterator entry(fmt::format("/proc/{}/task", pid_), problem), end;
       !problem && entry != end; entry.increment(problem)) {
    ++count;
  }
  if (problem) return std::nullopt;
  return count;
}

Answer<std::vector<Listed>> Worker::list(Instant deadline) {
  auto reply = ask(ListRequest{}, deadline);
  if (!reply) return reply.error();
  return read_all(*reply, [](const Json& json) { return listed_from_json(json); });
}

Answer<Preparation> Worker::prepare(const BenchmarkId& id, std::uint64_t seed, Instant deadline) {
  auto reply = ask(PrepareRequest{id, seed}, deadline);
  if (!reply) return reply.error();
  auto preparation = preparation_from_json(*reply);
  if (!preparation) return nonsense(preparation.error());
  phases_ = preparation->phases.size();
  return *preparation;
}

Answer<std::vector<Reading>> Worker::sample(const SampleRequest& request, Instant deadline) {
  auto reply = ask(request, deadline);
  if (!reply) return reply.error();
  auto readings = read_all(*reply, [this](const Json& json) { return reading_from_json(json, phases_); });
  if (readings && readings->size() != request.count) {
    return nonsense(fail(fmt::format("{} samples instead of {}", readings->size(), request.count)));
  }
  return readings;
}

Answer<Checked> Worker::check(std::uint64_t seed, Instant deadline) {
  auto reply = ask(CheckRequest{seed}, deadline);
  if (!reply) return reply.error();
  auto checked = checked_from_json(*reply);
  if (!checked) return nonsense(checked.error());
  return *checked;
}

Answer<std::vector<Metric>> Worker::meter(const MeterRequest& request, Instant deadline) {
  auto reply = ask(request, deadline);
  if (!reply) return reply.error();
  return read_all(*reply, [](const Json& json) { return metric_from_json(json); });
}

Answer<Explanation> Worker::explain(const ExplainRequest& request, Instant deadline) {
  auto reply = ask(request, deadline);
  if (!reply) return reply.error();
  auto explanation = explanation_from_json(*reply);
  if (!explanation) return nonsense(explanation.error());
  if (explanation->traces.size() != request.count)
    return nonsense(fail(fmt::format("{} traces instead of {}", explanation->traces.size(), request.count)));
  return std::move(*explanation);
}

Answer<std::vector<Metric>> Worker::finish(Instant deadline) {
  auto reply = ask(FinishRequest{}, deadline);
  if (!reply) return reply.error();
  auto counters = field<Json>(*reply, "counters");
  if (!counters) return nonsense(counters.error());
  return read_all(*counters, [](const Json& json) { return metric_from_json(json); });
}

}  // namespace tare
