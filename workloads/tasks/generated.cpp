// Tasks made by seeded generators. What makes each hard is stated in its `about` and in the constants here.
#include <algorithm>
#include <array>
#include <cmath>

#include "workloads/tasks/random.hpp"
#include "workloads/tasks/task.hpp"

namespace tare::workloads {
namespace {

constexpr std::int64_t side = 16;
using Picture = std::array<double, side * side>;

double& at(Picture& picture, std::int64_t row, std::int64_t column) {
  return picture[static_cast<std::size_t>(row * side + column)];
}

template <class Values>
void append(Examples& examples, const Values& values, std::int64_t label) {
  for (const double value : values)
    examples.inputs.push_back(static_cast<float>(std::round(value * 64) / 64));
  examples.labels.push_back(label);
}

/// Draws `count` examples; make(random, label) gives one input.
template <class Make>
Examples draw(std::uint64_t seed, std::int64_t count, std::int64_t labels, const Make& make) {
  Random random(seed);
  Examples examples;
  for (std::int64_t i = 0; i < count; ++i) append(examples, make(random, i % labels), i % labels);
  return examples;
}

// Keywords: two tones whose pitch moves through five points of the word's own.
constexpr std::int64_t words = 8;
constexpr double keyword_noise = 0.35;

double between_points(const std::array<double, 5>& points, double place) {
  const double scaled = std::clamp(place, 0.0, 1.0) * 4;
  const auto left = std::min<std::size_t>(static_cast<std::size_t>(scaled), 3);
  const double share = scaled - static_cast<double>(left);
  return points[left] * (1 - share) + points[left + 1] * share;
}

Picture utterance(Random& random, std::int64_t word) {
  Random voice(0x5eed + static_cast<std::uint64_t>(word));
  std::array<double, 5> low{}, high{};
  for (auto& pitch : low) pitch = voice.between(1, 7);
  for (auto& pitch : high) pitch = voice.between(8, 15);
  const double length = 12 * random.between(0.75, 1.2), start = random.between(-1, 4),
               shift = random.between(-1, 1);
  const double loudness = random.between(0.6, 1.3);
  Picture picture{};
  for (std::int64_t frame = 0; frame < side; ++frame) {
    const double place = (static_cast<double>(frame) - start) / length;
    const bool voiced = place >= 0 && place <= 1;
    const double first = between_points(low, place) + shift, second = between_points(high, place) + shift;
    for (std::int64_t band = 0; band < side; ++band) {
      const auto tone = [&](double pitch) {
        return std::exp(-std::pow(static_cast<double>(band) - pitch, 2));
      };
      at(picture, frame, band) =
          (voiced ? loudness * (tone(first) + 0.8 * tone(second)) : 0) + keyword_noise * random.normal();
    }
  }
  return picture;
}

// Figures: a head (a disc) above a body (a bar). Pictures without a figure hold the same parts elsewhere.
constexpr double figure_noise = 0.25;

void disc(Picture& picture, double row, double column, double radius, double ink) {
  for (std::int64_t r = 0; r < side; ++r) {
    for (std::int64_t c = 0; c < side; ++c) {
      const double away = std::hypot(static_cast<double>(r) - row, static_cast<double>(c) - column);
      at(picture, r, c) += ink * std::clamp(radius + 0.5 - away, 0.0, 1.0);
    }
  }
}

void bar(Picture& picture, double row, double column, double height, double width, double ink) {
  const auto inside = [](double place, double from, double length) {
    return std::clamp(std::min(place - from + 1, from + length - place), 0.0, 1.0);
  };
  for (std::int64_t r = 0; r < side; ++r) {
    for (std::int64_t c = 0; c < side; ++c) {
      at(picture, r, c) += ink * inside(static_cast<double>(r), row, height) *
                           inside(static_cast<double>(c), column - width / 2, width);
    }
  }
}

Picture scene(Random& random, std::int64_t figure) {
  Picture picture{};
  const double size = random.between(0.8, 1.3), ink = random.between(0.7, 1.2),
               column = random.between(4, 11);
  const double radius = 1.6 * size, top = random.between(1.5, 4), height = 5.5 * size, width = 2.6 * size;
  const double body = top + radius;
  bar(picture, body, column, height, width, ink);
  if (figure == 1) {
    disc(picture, top, column + random.between(-0.4, 0.4), radius, ink);
  } else {
    // The head lies beside the body or under it.
    const double aside = (random.below(2) == 0 ? -1 : 1) * (radius + width / 2 + random.between(1, 2.5));
    const bool under = random.below(2) == 0;
    disc(picture, under ? body + height + radius - 0.5 : body + random.between(0, height),
         column + (under ? 0 : aside), radius, ink);
  }
  // Clutter that belongs to neither.
  bar(picture, random.between(0, 12), random.between(1, 14), random.between(1, 3), random.between(1, 3),
      random.between(0.3, 0.8));
  disc(picture, random.between(1, 14), random.between(1, 14), random.between(0.5, 1.2),
       random.between(0.3, 0.8));
  for (auto& pixel : picture) pixel += figure_noise * random.normal();
  return picture;
}

// Anomalies: harmonics of a speed, louder with the load. A fault adds a tone that is no harmonic, takes a
// harmonic away, or raises a stretch of the floor.
constexpr std::size_t bands = 64;
constexpr double machine_noise = 0.06;
constexpr double fault_strength = 0.35;

std::array<double, bands> spectrum(Random& random, std::int64_t faulty) {
  const double speed = random.between(9, 12), load = random.between(0.5, 1);
  const auto fault = faulty == 0 ? -1 : random.below(3);
  const double strength = fault_strength * random.between(0.8, 1.6);
  std::array<double, bands> values{};
  const auto add = [&](double place, double ink, double width) {
    for (std::size_t band = 0; band < bands; ++band)
      values[band] += ink * std::exp(-std::pow((static_cast<double>(band) - place) / width, 2));
  };
  const auto missing = fault == 1 ? 1 + random.below(3) : 0;
  for (std::int64_t k = 1; k <= 5; ++k) {
    if (k != missing) add(speed * static_cast<double>(k), load / std::sqrt(static_cast<double>(k)), 1.5);
  }
  if (fault == 0)
    add(speed * (static_cast<double>(1 + random.below(4)) + random.between(0.35, 0.65)), strength, 1.5);
  if (fault == 2) add(random.between(10, 54), strength, 6);
  for (auto& value : values) value += machine_noise * random.normal();
  return values;
}

Task finished(Task task) {
  task.hash = hash_of(task.train, task.test);
  return task;
}

}  // namespace

const Task& keywords() {
  static const Task task =
      finished({"keywords",
                "eight made-up words, 16 frames of 16 bands; lengths vary by a quarter, starts by "
                "five frames, noise 0.35 of a tone's height",
                {1, side, side},
                words,
                draw(11, 2400, words, utterance),
                draw(12, 800, words, utterance),
                ""});
  return task;
}

const Task& figures() {
  static const Task task =
      finished({"figures",
                "a head above a body, or the same parts elsewhere, 16×16 pixels; clutter, noise "
                "a quarter of the ink",
                {1, side, side},
                2,
                draw(21, 2400, 2, scene),
                draw(22, 800, 2, scene),
                ""});
  return task;
}

const Task& anomalies() {
  static const Task task =
      finished({"anomalies",
                "spectra of a machine, 64 bands; sound ones to learn from, half of those held out "
                "with a fault of about six times the noise",
                {static_cast<std::int64_t>(bands)},
                2,
                draw(31, 2000, 1, spectrum),
                draw(32, 800, 2, spectrum),
                ""});
  return task;
}

}  // namespace tare::workloads
