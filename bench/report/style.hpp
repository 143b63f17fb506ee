// How a report looks: colour and width as values that the caller decides (terminal or not, NO_COLOR, its
// columns). The same report without colour is the same text without the escape codes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tare {

enum class Ink { plain, strong, faint, good, caution, bad };

struct Style {
  bool colour = false;

  [[nodiscard]] std::string paint(Ink ink, std::string_view text) const {
    if (!colour || ink == Ink::plain || text.empty()) return std::string(text);
    const char* code = ink == Ink::strong    ? "1"
                       : ink == Ink::faint   ? "2"
                       : ink == Ink::good    ? "32"
                       : ink == Ink::caution ? "33"
                                             : "31";
    return std::string("\x1b[") + code + "m" + std::string(text) + "\x1b[0m";
  }
};

struct ReportOptions {
  std::size_t width = 100;  ///< columns of the terminal; no line is longer, except a command to copy
  Style style;
  bool ascii = false;  ///< draw histograms with ASCII characters only
};

}  // namespace tare
