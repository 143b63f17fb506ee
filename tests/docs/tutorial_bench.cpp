// The benchmarks of docs/tutorial.md. Every block of C++ shown there stands here; tests/test_docs.py compares
// them.
#include <bench/bench.hpp>
#include <numeric>
#include <vector>

void sum(tare::Context& c) {
  const std::vector<double> values(1000, 1.5);
  c.measure([&] {
    tare::clobber();
    tare::keep(std::accumulate(values.begin(), values.end(), 0.0));
  });
}
TARE_BENCHMARK("sum", sum);

#include <algorithm>
#include <random>

std::vector<int> numbers(std::int64_t n, std::uint64_t seed, bool ascending = false) {
  std::vector<int> values(static_cast<std::size_t>(n));
  std::mt19937 random(static_cast<std::uint32_t>(seed));
  for (int& value : values) value = static_cast<int>(random() % 1'000'000);
  if (ascending) std::sort(values.begin(), values.end());
  return values;
}

void search(tare::Context& c) {
  const auto n = c.param("n");
  const auto values = numbers(n, c.seed(), c.param<std::string>("order") == "sorted");
  c.measure([&] { tare::keep(std::find(values.begin(), values.end(), tare::opaque(-1))); });
}
TARE_BENCHMARK("search", search)
    .param("n", tare::range(100, 10'000, 10))
    .param("order", tare::list({"random", "sorted"}))
    .tag("kind", "scan");

void scale(tare::Context& c) {
  const auto n = c.param("n");
  std::vector<double> x(static_cast<std::size_t>(n), 1.0);
  c.items(n).bytes(16 * n).flops(n);  // of one iteration: 8 bytes read and 8 written per element
  c.measure([&] {
    for (double& value : x) value *= 1.0000001;
    tare::clobber();
  });
}
TARE_BENCHMARK("scale", scale)
    .param("n", tare::list({1000, 100'000}))
    .label("one multiplication per element");

void sort(tare::Context& c) {
  const auto n = c.param("n");
  const auto data = numbers(n, c.seed());
  c.workload().shape = {n};
  c.workload().dtype = "i32";
  c.workload().data_hash = tare::hash_bytes(std::as_bytes(std::span(data)));
  c.items(n);
  c.check([n](std::uint64_t seed) {
    auto fresh = numbers(n, seed);
    std::sort(fresh.begin(), fresh.end());
    return std::is_sorted(fresh.begin(), fresh.end());
  });
  c.phases([&] { return data; })
      .prepare([&](std::vector<int>& work) { work = data; })
      .phase("sort", [](std::vector<int>& work) { std::sort(work.begin(), work.end()); })
      .measure();
}
TARE_BENCHMARK("sort", sort).param("n", tare::list({100, 1000}));

struct Fit {  // of y = w·x
  std::vector<double> x, y, residual;
  double w = 0, gradient = 0;
};

void fit(tare::Context& c) {
  constexpr std::size_t n = 200;
  c.phases([] { return Fit{std::vector<double>(n, 2), std::vector<double>(n, 6), std::vector<double>(n)}; })
      .prepare([](Fit& s) { s.w = 0.5; })
      .phase("forward",
             [](Fit& s) {
               for (std::size_t i = 0; i < n; ++i) s.residual[i] = s.w * s.x[i] - s.y[i];
             })
      .phase("backward",
             [](Fit& s) { s.gradient = std::inner_product(s.x.begin(), s.x.end(), s.residual.begin(), 0.0); })
      .phase("step", [](Fit& s) { s.w -= 1e-4 * s.gradient; })
      .measure();
}
TARE_BENCHMARK("fit", fit);

#include <atomic>

void shared_counter(tare::Context& c) {
  std::atomic<long> count{0};
  c.items(c.threads());  // of one iteration on all threads together
  c.measure([&](int /*thread*/) { ++count; });
}
TARE_BENCHMARK("shared_counter", shared_counter).threads({1, 2});

#include <chrono>

void median_of(tare::Context& c) {
  const auto data = numbers(1000, c.seed());
  c.measure_told([&] {
    auto work = data;
    const auto begun = std::chrono::steady_clock::now();
    std::nth_element(work.begin(), work.begin() + 500, work.end());
    const auto ended = std::chrono::steady_clock::now();
    tare::keep(work);
    return ended - begun;
  });
}
TARE_BENCHMARK("median_of", median_of);

#include <thread>

class Device {  // stands for a GPU's queue: launch() returns at once
 public:
  ~Device() {
    stop_ = true;
    launch();
  }
  void launch() {
    ++asked_;
    asked_.notify_one();
  }
  void wait() const {
    for (unsigned seen = done_; seen != asked_; seen = done_) done_.wait(seen);
  }

 private:
  void work() {
    for (unsigned done = 0; !stop_; done_.notify_one()) {
      asked_.wait(done);
      for (int i = 0; i < 1000; ++i) tare::clobber();
      done_ = ++done;
    }
  }
  std::atomic<unsigned> asked_{0}, done_{0};
  std::atomic<bool> stop_{false};
  std::jthread thread_{[this] { work(); }};
};

void launches(tare::Context& c) {
  Device device;
  if (c.param<std::string>("wait") == "yes") c.synchronise([&] { device.wait(); });
  c.measure([&] { device.launch(); });
}
TARE_BENCHMARK("launches", launches).param("wait", tare::list({"no", "yes"}));

void run_lengths(tare::Context& c) {
  const auto data = numbers(2000, c.seed(), true);
  std::vector<std::pair<int, int>> runs;
  c.measure([&] {
    runs.clear();
    for (const int value : data) {
      if (runs.empty() || runs.back().first != value / 1000) runs.emplace_back(value / 1000, 0);
      ++runs.back().second;
    }
    tare::keep(runs);
  });
  c.counter({"runs", static_cast<double>(runs.size())});
  c.counter({"compression", 2000.0 / (2.0 * static_cast<double>(runs.size())), "x", tare::Better::more});
}
TARE_BENCHMARK("run_lengths", run_lengths);

void needs_many(tare::Context& c) {
  if (std::thread::hardware_concurrency() < 1000) c.skip("needs 1000 CPUs");
  c.measure([] {});
}
TARE_BENCHMARK("needs_many", needs_many);
