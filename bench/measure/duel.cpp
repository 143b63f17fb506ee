#include "bench/measure/duel.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <random>

#include "bench/measure/session.hpp"

namespace tare {
namespace {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

/// Long enough for the clock, short enough that most samples pass between two interruptions.
constexpr double least_sample_ns = 150e3;
constexpr double most_sample_ns = 20e6;
/// A turn is what one side does before the other: several samples where they are short, since every change of
/// turns costs as much as a short sample, and on a busy machine far more.
constexpr double turn_ns = 600e3;
constexpr double most_in_turn = 8;
/// The faster side of a very uneven pair may ask for so much more than suffices for the slower one.
constexpr std::uint64_t most_uneven = 20;

struct SideFailure : Failure {
  std::size_t side = 0;
};

class Duel {
 public:
  Duel(const Contender& before, const Contender& after, const DuelPlan& plan, const DuelHooks& hooks)
      : sides_{&before, &after},
        gathering_{Gathering(before.listed), Gathering(after.listed)},
        plan_(plan),
        hooks_(hooks),
        shares_cpu_(!plan.cpus.empty()),
        begun_(steady_clock::now()),
        random_(std::random_device{}()) {}

  DuelResult run() {
    DuelResult result;
    nanoseconds longest{};
    for (bool last = false; !last;) {
      const auto pair_begun = steady_clock::now();
      auto rounds = one_pair(result.processes);
      if (!rounds) return given_up(std::move(result), rounds.error());
      if (*rounds == 0) continue;  // the bodies turned out to have threads: again, on all CPUs
      result.rounds += *rounds;
      ++result.processes;
      const auto now = steady_clock::now();
      longest = std::max(longest, nanoseconds(now - pair_begun));
      last = plan_.plan.processes ? result.processes >= *plan_.plan.processes
                                  : (now - begun_) + longest > plan_.plan.budget;
      if (hooks_.decided && hooks_.decided(gathering_[0].result(), gathering_[1].result(),
                                           last ? 1.0 : fraction(result.processes))) {
        break;
      }
    }
    result.before = gathering_[0].finish();
    result.after = gathering_[1].finish();
    result.seconds = seconds_spent();
    return result;
  }

 private:
  using Sessions = std::array<std::optional<Session>, 2>;
  template <class T>
  using SideAnswer = Result<T, SideFailure>;

  Instant limit() const { return begun_ + plan_.plan.time_limit; }
  double seconds_spent() const { return std::chrono::duration<double>(steady_clock::now() - begun_).count(); }
  double fraction(std::size_t processes) const {
    const double done = plan_.plan.processes
                            ? static_cast<double>(processes) / static_cast<double>(*plan_.plan.processes)
                            : seconds_spent() / std::chrono::duration<double>(plan_.plan.budget).count();
    return std::min(done, 1.0);
  }
  nanoseconds share() const { return share_of_pair(plan_, start_cost_); }
  DuelResult given_up(DuelResult result, const SideFailure& problem) {
    std::array sides{&result.before, &result.after};
    *sides[problem.side] = gathering_[problem.side].fail(problem);
    *sides[1 - problem.side] = gathering_[1 - problem.side].finish();
    result.seconds = seconds_spent();
    return result;
  }

  /// The rounds taken; 0 when the pair must be repeated on all CPUs.
  SideAnswer<std::size_t> one_pair(std::size_t process) {
    const auto pair_begun = steady_clock::now();
    // Drawn for each pair alone, not in turn: then swapping the sides of any one pair is as likely as not,
    // which is all that a test of signs needs, whatever the first place or a CPU is worth.
    const std::size_t first = random_() & 1;
    const std::array order{first, 1 - first};
    const auto cpu = shares_cpu_ ? std::optional(plan_.cpus[random_() % plan_.cpus.size()]) : std::nullopt;
    Sessions sessions;
    for (const auto side : order) {
      auto session = start(side, process, cpu);
      if (!session) return SideFailure{session.error(), side};
      sessions[side].emplace(std::move(*session));
    }
    if (shares_cpu_ && (has_threads(*sessions[0]) || has_threads(*sessions[1]))) {
      shares_cpu_ = false;
      for (const std::size_t side : {0, 1}) gathering_[side] = Gathering(sides_[side]->listed);
      return std::size_t{0};
    }
    // The least of them: on a busy machine a start now and then takes far longer than it costs.
    start_cost_ = std::min(start_cost_, nanoseconds(steady_clock::now() - pair_begun));
    if (iterations_ == 0) {
      if (auto good = calibrate(sessions); !good) return good.error();
    }
    // A batch may be of another size in every process.
    const auto step = std::lcm(sessions[0]->prepared().granularity, sessions[1]->prepared().granularity);
    iterations_ = (iterations_ + step - 1) / step * step;
    for (const auto side : order) {
      if (auto good = sessions[side]->warm(iterations_); !good) return SideFailure{good.error(), side};
    }
    auto rounds = take_rounds(sessions, process, pair_begun);
    if (!rounds) return rounds;
    for (const auto side : order) {
      // Twice, so that a count meant to be exact is seen to differ.
      if (process < 2) {
        if (auto good = sessions[side]->meters(plan_.plan, iterations_); !good)
          return SideFailure{good.error(), side};
      }
      if (auto good = sessions[side]->end(); !good) return SideFailure{good.error(), side};
    }
    return rounds;
  }

  Answer<Session> start(std::size_t side, std::size_t process, std::optional<int> cpu) {
    auto worker = sides_[side]->start(std::min<Instant>(steady_clock::now() + start_limit, limit()), cpu);
    if (!worker) return worker.error();
    return Session::begin(std::move(*worker), gathering_[side], process, plan_.plan.seed, limit());
  }

  static bool has_threads(const Session& session) {
    return session.prepared().workload.threads > 1 || session.worker().threads().value_or(1) > 1;
  }

  SideAnswer<Done> calibrate(Sessions& sessions) {
    const double wanted = static_cast<double>(share().count()) / 500;
    std::array<Session::Calibrated, 2> found;
    for (const std::size_t side : {0, 1}) {
      auto& session = *sessions[side];
      const double clock =
          1000 * std::max(session.prepared().resolution_ns, session.prepared().overhead.fixed);
      auto answer = session.calibrate(std::max(std::clamp(wanted, least_sample_ns, most_sample_ns), clock));
      if (!answer) return SideFailure{answer.error(), side};
      found[side] = *answer;
    }
    const auto [few, many] = std::minmax(found[0].iterations, found[1].iterations);
    const auto step = std::lcm(sessions[0]->prepared().granularity, sessions[1]->prepared().granularity);
    iterations_ = (std::min(many, most_uneven * few) + step - 1) / step * step;
    const auto lasts = [&](const Session::Calibrated& c) {
      return c.sample_ns * static_cast<double>(iterations_) / static_cast<double>(c.iterations);
    };
    const double fit = turn_ns / std::max({lasts(found[0]), lasts(found[1]), 1.0});
    in_turn_ = static_cast<std::uint64_t>(std::clamp(fit, 1.0, most_in_turn));
    return Done{};
  }

  SideAnswer<std::size_t> take_rounds(Sessions& sessions, std::size_t process, Instant pair_begun) {
    const std::size_t most = plan_.rounds.value_or(plan_.plan.most_samples);
    for (std::size_t round = 1;; ++round) {
      const std::size_t outer = random_() & 1;
      for (const auto& [side, turns] : {std::pair{outer, 1}, {1 - outer, 2}, {outer, 1}}) {
        if (auto good = sessions[side]->sample(iterations_, in_turn_ * static_cast<std::uint64_t>(turns));
            !good)
          return SideFailure{good.error(), side};
      }
      if (hooks_.progress) hooks_.progress({process, fraction(process + 1)});
      if (round >= most || (!plan_.rounds && steady_clock::now() - pair_begun >= share())) return round;
    }
  }

  std::array<const Contender*, 2> sides_;
  std::array<Gathering, 2> gathering_;
  const DuelPlan& plan_;
  const DuelHooks& hooks_;
  bool shares_cpu_;
  Instant begun_;
  std::mt19937_64 random_;
  nanoseconds start_cost_ = nanoseconds::max();
  std::uint64_t iterations_ = 0;
  std::uint64_t in_turn_ = 1;
};

}  // namespace

std::chrono::nanoseconds share_of_pair(const DuelPlan& plan, nanoseconds start_cost) {
  const nanoseconds budget = plan.plan.budget;
  if (plan.plan.processes) return budget / static_cast<std::int64_t>(*plan.plan.processes);
  const auto most = budget / static_cast<std::int64_t>(std::max<std::size_t>(plan.pairs, 1));
  return std::min(std::max(4 * std::min(start_cost, budget), budget / 40), most);
}

DuelResult measure_duel(const Contender& before, const Contender& after, const DuelPlan& plan,
                        const DuelHooks& hooks) {
  return Duel(before, after, plan, hooks).run();
}

}  // namespace tare
