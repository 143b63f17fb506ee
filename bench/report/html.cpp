#include "bench/report/html.hpp"

#include <array>
#include <fmt/format.h>

#include "bench/report/html_escape.hpp"
#include "bench/report/html_pages.hpp"
#include "bench/report/html_table.hpp"
#include "bench/report/report_json.hpp"

namespace tare {
namespace {

struct Page {
  const char* id;
  const char* title;
  std::string (*html)(const ReportContent&);
};

constexpr std::array pages{Page{"overview", "Overview", overview_page},
                           Page{"comparison", "Comparison", comparison_page},
                           Page{"scaling", "Scaling", scaling_page},
                           Page{"engines", "Engines", engines_page},
                           Page{"breakdown", "Roofline and breakdown", breakdown_page},
                           Page{"pareto", "Pareto", pareto_page},
                           Page{"environment", "Environment", environment_page}};

/// Style attributes stay allowed: heat tables and charts set colours and sizes by them.
std::string policy(const ReportAssets& assets) {
  const auto script = assets.script.empty() ? std::string("'none'") : fmt::format("'{}'", assets.script_hash);
  return fmt::format(
      "default-src 'none'; script-src {}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
      "form-action 'none'",
      script);
}

std::string head(const ReportContent& content, const ReportAssets& assets) {
  return fmt::format(
      "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
      "<meta http-equiv=Content-Security-Policy content=\"{}\">\n"
      "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=color-scheme content=\"light dark\">\n"
      "<meta name=generator content=\"tare {}\">\n<link rel=icon href=\"data:,\">\n<title>{}</title>\n"
      "<style>{}</style>\n</head>\n",
      policy(assets), html_escape(content.version), html_escape(content.title), assets.style);
}

std::string subtitle(const ReportContent& content) {
  if (content.runs.empty()) return "";
  const auto& run = content.runs.back();
  std::string text = format_time_utc(run.started_unix_ms) + " UTC";
  if (!run.machine.cpu.empty()) text += " · " + run.machine.cpu;
  if (!run.commit.empty()) text += " · commit " + run.commit.substr(0, 12);
  return text;
}

/// A browser that would run scripts shows nothing of <noscript>, though here no script would take its content
/// up.
std::string laid_open(std::string page) {
  for (std::size_t at = 0; (at = page.find("<noscript", at)) != std::string::npos;)
    page.erase(at, page.find('>', at) + 1 - at);
  for (std::size_t at = 0; (at = page.find("</noscript>", at)) != std::string::npos;) page.erase(at, 11);
  return page;
}

}  // namespace

std::string html_report(const ReportContent& content, const ReportAssets& assets) {
  std::string navigation, sections;
  for (const auto& page : pages) {
    const auto html = page.html(content);
    if (html.empty()) continue;
    navigation += fmt::format("<a href=\"#{}\">{}</a>", page.id, page.title);
    sections += fmt::format(
        "<section class=page id={} aria-labelledby=\"{}-title\"><h2 id=\"{}-title\">{}</h2>\n{}</section>\n",
        page.id, page.id, page.id, page.title, html);
  }
  auto all = head(content, assets);
  all += fmt::format(
      "<body>\n<a class=skip href=\"#main\">Skip to the content</a>\n"
      "<header><div class=masthead><div><h1>{}</h1><p class=lede>{}</p></div><div class=tools "
      "id=tools></div></div>\n"
      "<nav aria-label=Pages>{}</nav></header>\n<main id=main tabindex=-1>\n{}"
      "<section class=page id=benchmark aria-label=Benchmark></section>\n</main>\n<footer><p>Written {} UTC "
      "by tare {}. "
      "{}</p></footer>\n",
      html_escape(content.title), html_escape(subtitle(content)), navigation, sections,
      format_time_utc(content.written_unix_ms), html_escape(content.version),
      assets.script.empty()
          ? "This tare was built without node: the tables are all there is; charts need a build with it."
          : "<noscript>Charts, sorting and searching need JavaScript; the tables are complete without "
            "it.</noscript>");
  // The script comes before what is long and seldom looked at, so that the tables need not wait for it.
  if (!assets.script.empty()) all += fmt::format("<script>{}</script>\n", assets.script);
  all += fmt::format("<noscript id=articles>\n<h2>Benchmarks</h2>\n{}</noscript>\n",
                     benchmark_articles(content));
  all += fmt::format("<script type=\"application/json\" id=data>{}</script>\n",
                     script_json(report_json(content)));
  all += "</body>\n</html>\n";
  return assets.script.empty() ? laid_open(std::move(all)) : all;
}

}  // namespace tare
