// The pages of the report, each a piece of HTML without its heading; empty when there is nothing to show.
#pragma once

#include <string>

#include "bench/report/content.hpp"

namespace tare {

std::string overview_page(const ReportContent& content);
std::string comparison_page(const ReportContent& content);
/// An article for every benchmark, "b0", "b1", … in the order of the runs and their results.
std::string benchmark_articles(const ReportContent& content);
std::string scaling_page(const ReportContent& content);
std::string engines_page(const ReportContent& content);
std::string breakdown_page(const ReportContent& content);
std::string pareto_page(const ReportContent& content);
std::string environment_page(const ReportContent& content);

/// A benchmark's name, shortened, as a link to its article.
std::string benchmark_link(const std::string& name, std::size_t index);

}  // namespace tare
