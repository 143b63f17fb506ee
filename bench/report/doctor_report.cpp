#include "bench/report/doctor_report.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "bench/report/layout.hpp"
#include "bench/support/text.hpp"

namespace tare {
namespace {

struct Sign {
  const char* glyph;
  Ink ink;
};

Sign sign_of(Health health) {
  switch (health) {
    case Health::good:
      return {"✓", Ink::good};
    case Health::caution:
      return {"!", Ink::caution};
    case Health::bad:
      return {"✗", Ink::bad};
    case Health::unknown:
      break;
  }
  return {"?", Ink::faint};
}

}  // namespace

std::string doctor_report(const std::vector<Finding>& findings, const ReportOptions& options) {
  const auto width = std::max<std::size_t>(options.width, 40);
  const auto& style = options.style;
  std::size_t topic_width = 0;
  for (const auto& finding : findings) {
    topic_width = std::max(topic_width, display_width(printable(finding.topic)));
  }
  topic_width = std::min<std::size_t>(topic_width, 20);

  std::string all;
  const auto margin = topic_width + 4;
  for (const auto& finding : findings) {
    const auto sign = sign_of(finding.health);
    const auto observed = wrap(printable(finding.observed), width - margin);
    for (std::size_t i = 0; i < observed.size(); ++i) {
      all += i > 0 ? std::string(margin, ' ')
                   : style.paint(sign.ink, sign.glyph) + " " +
                         pad_right(shorten_middle(printable(finding.topic), topic_width), topic_width) + "  ";
      all += observed[i] + "\n";
    }
    if (finding.advice.empty()) continue;
    const auto advice = wrap(printable(finding.advice), width - margin - 2);
    for (std::size_t i = 0; i < advice.size(); ++i) {
      all += std::string(margin, ' ') + (i == 0 ? "→ " : "  ") + style.paint(sign.ink, advice[i]) + "\n";
    }
  }

  const auto count = [&](Health health) {
    return static_cast<std::size_t>(std::count_if(findings.begin(), findings.end(),
                                                  [&](const Finding& f) { return f.health == health; }));
  };
  const auto good = count(Health::good), caution = count(Health::caution), bad = count(Health::bad),
             unknown = count(Health::unknown);
  std::string verdict;
  if (findings.empty()) {
    verdict = "Nothing was examined.";
  } else if (bad > 0) {
    verdict = fmt::format("{} of {} will disturb times measured here: follow the advice at ✗ first.", bad,
                          plural(findings.size(), "finding"));
  } else if (caution > 0) {
    verdict = fmt::format("Fit to measure with care: {} of {} may disturb small differences.", caution,
                          plural(findings.size(), "finding"));
  } else if (unknown > 0) {
    verdict = fmt::format("Nothing disturbing was seen, but {} of {} could not be examined.", unknown,
                          plural(findings.size(), "finding"));
  } else {
    verdict = fmt::format("This machine is fit to measure: {} examined, all good.", plural(good, "point"));
  }
  if (!all.empty()) all += "\n";
  for (const auto& line : wrap(verdict, width)) {
    all += style.paint(bad > 0 ? Ink::bad : caution > 0 ? Ink::caution : Ink::plain, line) + "\n";
  }
  return all;
}

}  // namespace tare
