// One self-contained HTML page: tables and verdicts as plain HTML, charts drawn by the embedded script from
// the embedded JSON. Nothing is loaded from anywhere, and its content security policy forbids it.
#pragma once

#include <string>
#include <string_view>

#include "bench/report/content.hpp"

namespace tare {

/// What web/ was built into. Without a script the page says that it has no charts.
struct ReportAssets {
  std::string_view style;
  std::string_view script;
  std::string_view script_hash;  ///< "sha256-…" of the script, for the policy
};

std::string html_report(const ReportContent& content, const ReportAssets& assets);

}  // namespace tare
