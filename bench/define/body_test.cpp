// The meter's probe and the clock must bracket the same region; an asynchronous device must be waited for.
#include "bench/define/body.hpp"

#include <condition_variable>
#include <deque>
#include <gtest/gtest.h>

#include "bench/define/context.hpp"

namespace tare {
namespace {

struct EventProbe : Probe {
  explicit EventProbe(std::vector<std::string>& events, bool one = false) : events(events), one(one) {}
  bool one_at_a_time() const override { return one; }
  void start() override { events.emplace_back("start"); }
  void stop(std::size_t phase) override { events.push_back("stop " + std::to_string(phase)); }
  std::vector<std::string>& events;
  bool one;
};

struct ProbeDriver : Driver {
  explicit ProbeDriver(std::vector<std::string>& events, bool one = false) : events(events), one(one) {}
  void drive(Body& body) override {
    events.clear();  // the cold call of phases has taken place
    EventProbe probe(events, one);
    body.probe(body.granularity(), probe);
  }
  std::vector<std::string>& events;
  bool one;
};

using Events = std::vector<std::string>;

TEST(ProbeOfABody, brackets_the_body_and_the_wait) {
  Events events;
  ProbeDriver driver(events);
  Context c({"b", {}}, 1, driver);
  c.synchronise([&] { events.emplace_back("wait"); });
  c.measure([&] { events.emplace_back("body"); });
  EXPECT_EQ(events, (Events{"wait", "start", "body", "wait", "stop 0"}));
}

TEST(ProbeOfABody, leaves_preparation_outside) {
  Events events;
  ProbeDriver driver(events);
  Context c({"b", {}}, 1, driver);
  c.phases([] { return 0; })
      .prepare([&](int&) { events.emplace_back("prepare"); })
      .phase("f", [&](int&) { events.emplace_back("f"); })
      .prepare([&](int&) { events.emplace_back("between"); })
      .phase("b", [&](int&) { events.emplace_back("b"); })
      .batch(2)
      .measure();
  EXPECT_EQ(events, (Events{"prepare", "prepare", "start", "f", "f", "stop 0", "between", "between", "start",
                            "b", "b", "stop 1"}));
}

TEST(ProbeOfABody, may_ask_for_one_state_at_a_time) {
  Events events;
  ProbeDriver driver(events, true);
  Context c({"b", {}}, 1, driver);
  int made = 0;
  c.phases([&] { return made++; })
      .prepare([&](int& state) { events.push_back("prepare " + std::to_string(state)); })
      .phase("f", [&](int& state) { events.push_back("f " + std::to_string(state)); })
      .batch(2)
      .measure();
  EXPECT_EQ(events, (Events{"prepare 0", "start", "f 0", "stop 0", "prepare 1", "start", "f 1", "stop 0"}));
}

/// A device of its own thread that runs jobs when it is told to; `finished` counts them.
class Queue {
 public:
  Queue() : worker_([this] { work(); }) {}
  ~Queue() {
    launch(nullptr);
    worker_.join();
  }
  void launch(std::function<void()> job) {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return jobs_.empty(); });
  }
  std::atomic<int> finished{0};

 private:
  void work() {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return !jobs_.empty(); });
      const auto job = jobs_.front();
      if (!job) return;
      lock.unlock();
      job();
      ++finished;
      lock.lock();
      jobs_.pop_front();
      changed_.notify_all();
    }
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  std::thread worker_;
};

/// Records how many jobs the device had finished when the clock would have stopped.
struct FinishedProbe : Probe {
  explicit FinishedProbe(const Queue& queue) : queue(queue) {}
  void start() override {}
  void stop(std::size_t) override { finished = queue.finished; }
  const Queue& queue;
  int finished = -1;
};

TEST(SynchroniseHook, makes_the_clock_wait_for_the_device) {
  Queue queue;
  std::atomic<bool> open{false};
  const auto job = [&] {
    while (!open) std::this_thread::yield();
  };
  FinishedProbe probe(queue);
  const Synchronise none;
  auto launch = [&] { queue.launch(job); };
  detail::PlainBody without(launch, none);
  without.probe(3, probe);
  EXPECT_EQ(probe.finished, 0) << "without the hook only the launch is seen";

  open = true;
  queue.wait();
  const Synchronise wait = [&] { queue.wait(); };
  detail::PlainBody with(launch, wait);
  with.probe(3, probe);
  EXPECT_EQ(probe.finished, 6) << "with it the clock stops after the last job";
}

}  // namespace
}  // namespace tare
