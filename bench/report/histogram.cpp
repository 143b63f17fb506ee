#include "bench/report/histogram.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

#include "bench/report/layout.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

constexpr std::array blocks{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

struct Glyphs {
  const char *wall, *line, *corner, *open, *point, *close;
};
constexpr Glyphs unicode{"│", "─", "└", "├", "◆", "┤"};
constexpr Glyphs plain{"|", "-", "+", "[", "*", "]"};

/// How much of a cell `level` rows above the ground a bar of this height (in rows) fills.
const char* cell_of(double height, std::size_t level, bool ascii) {
  const double part = std::clamp(height - static_cast<double>(level), 0.0, 1.0);
  if (ascii) return part >= 0.5 ? "#" : part > 0 && level == 0 ? "." : " ";
  auto eighths = static_cast<std::size_t>(std::lround(part * 8));
  if (level == 0 && part > 0) eighths = std::max<std::size_t>(eighths, 1);
  return blocks[eighths];
}

}  // namespace

std::string draw_histogram(const Histogram& histogram, std::string_view unit,
                           const std::optional<Estimate>& mark, const HistogramOptions& options) {
  const auto& glyphs = options.ascii ? plain : unicode;
  auto counts = histogram.counts;
  const auto all_counts = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  if (all_counts == 0 || options.height == 0) return "";

  const auto most_digits = std::to_string(all_counts).size();
  const auto margin = most_digits + 2;
  const auto room = std::max<std::size_t>(options.width > margin ? options.width - margin : 1, 10);
  const auto together = (counts.size() + room - 1) / room;
  if (together > 1) {
    std::vector<std::size_t> merged((counts.size() + together - 1) / together);
    for (std::size_t i = 0; i < counts.size(); ++i) merged[i / together] += counts[i];
    counts = std::move(merged);
  }
  // Whole bins added together may reach beyond the last of them.
  const double bin = (histogram.high - histogram.low) / static_cast<double>(histogram.counts.size());
  const double high = histogram.low + bin * static_cast<double>(counts.size() * together);
  const auto stretch = std::clamp<std::size_t>(room / counts.size(), 1, 4);
  const auto columns = counts.size() * stretch;
  const auto tallest = *std::max_element(counts.begin(), counts.end());

  std::string all;
  for (std::size_t row = options.height; row-- > 0;) {
    const auto scale = row + 1 == options.height ? std::to_string(tallest) : std::string();
    std::string bars;
    for (const auto count : counts) {
      const double height =
          static_cast<double>(count) / static_cast<double>(tallest) * static_cast<double>(options.height);
      bars += repeat(cell_of(height, row, options.ascii), stretch);
    }
    bars.erase(bars.find_last_not_of(' ') + 1);
    all += options.style.paint(Ink::faint, pad_left(scale, most_digits) + " " + glyphs.wall);
    all += bars + "\n";
  }

  // The axis carries the mark, so that the interval is read against the bars above it.
  std::vector<std::string> axis(columns, glyphs.line);
  const auto column_at = [&](double value) -> std::optional<std::size_t> {
    const double share = (value - histogram.low) / (high - histogram.low);
    if (!(high > histogram.low)) return value == histogram.low ? std::optional(columns / 2) : std::nullopt;
    if (!(share >= 0 && share <= 1)) return std::nullopt;
    return std::min(static_cast<std::size_t>(share * static_cast<double>(columns)), columns - 1);
  };
  const auto place = [&](const std::optional<double>& value, const char* glyph) {
    if (!value) return;
    if (const auto column = column_at(*value)) axis[*column] = options.style.paint(Ink::good, glyph);
  };
  if (mark) {
    place(mark->low, glyphs.open);
    place(mark->high, glyphs.close);
    place(mark->point, glyphs.point);
  }
  all += options.style.paint(Ink::faint, std::string(most_digits + 1, ' ') + glyphs.corner);
  for (const auto& glyph : axis) all += glyph;
  all += "\n";

  const auto left = metric_value(histogram.low, unit);
  const auto right = high > histogram.low ? metric_value(high, unit) : std::string();
  const auto used = display_width(left) + display_width(right);
  all += std::string(margin, ' ') + left;
  if (!right.empty()) all += std::string(columns > used + 1 ? columns - used : 1, ' ') + right;
  all += "\n";
  if (mark) {
    auto caption = fmt::format("{} median {}", glyphs.point, metric_value(mark->point, unit));
    if (mark->low && mark->high) {
      caption += fmt::format(", {}{}{} its {} interval", glyphs.open, glyphs.line, glyphs.close,
                             confidence_text(mark->confidence));
    }
    if (histogram.below > 0) caption += fmt::format(", {} below", plural(histogram.below, "value"));
    if (histogram.above > 0) caption += fmt::format(", {} above", plural(histogram.above, "value"));
    all += hanging(std::string(margin, ' '), caption, options.width);
  } else if (histogram.below + histogram.above > 0) {
    all +=
        hanging(std::string(margin, ' '),
                fmt::format("outside: {} below, {} above", histogram.below, histogram.above), options.width);
  }
  return all;
}

}  // namespace tare
