// A table in HTML (end tags that the language lets one leave out are left out), readable as it is and made to
// be sorted, filtered and paged by the page's script: numeric cells carry their value, rows beyond a limit
// wait inside <noscript>, where a browser that runs scripts sees only text.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tare {

struct HtmlCell {
  std::string html;           ///< escaped already
  std::optional<double> key;  ///< to sort by; text sorts by what is shown
  std::string attributes;     ///< further ones, escaped already, such as a class

  /// Text of any kind.
  static HtmlCell text(std::string_view text, std::optional<double> key = {});
};

struct HtmlColumn {
  std::string header;
  bool number = false;
};

class HtmlTable {
 public:
  /// The name is what the script and the tests call it.
  HtmlTable(std::string name, std::vector<HtmlColumn> columns)
      : name_(std::move(name)), columns_(std::move(columns)) {}
  /// A row that belongs to the one above moves with it.
  void row(const std::vector<HtmlCell>& cells, bool belongs_above = false, const std::string& classes = "");
  /// A first cell, and one text across all other columns.
  void sentence(const HtmlCell& first, const std::string& html, const std::string& classes = "");
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  [[nodiscard]] std::string str() const;

 private:
  std::string name_;
  std::vector<HtmlColumn> columns_;
  std::vector<std::string> rows_;
};

/// "<dl>" of names and values; what has no value is left out.
std::string html_facts(const std::vector<std::pair<std::string, std::string>>& facts);
/// A place for a chart, filled by the script; `chart` names it, `data` are further attributes.
std::string html_chart(std::string_view chart, std::string_view caption, std::string_view data = "");
/// Six significant digits: enough for a chart or for sorting.
std::string short_number(double value);

}  // namespace tare
