// The files are put into the program by the assembler: it takes them as they are, of any size, at once.
#include "cli/report_assets.hpp"

// NOLINTBEGIN(cppcoreguidelines-macro-usage,bugprone-macro-parentheses)
#define TARE_EMBED(name, file)                                                                             \
  __asm__(".pushsection .rodata\n.global " #name "_begin\n.global " #name "_end\n" #name                   \
          "_begin:\n.incbin \"" TARE_REPORT_ASSETS "/" file "\"\n" #name "_end:\n.byte 0\n.popsection\n"); \
  extern "C" const char name##_begin[];                                                                    \
  extern "C" const char name##_end[]
// NOLINTEND(cppcoreguidelines-macro-usage,bugprone-macro-parentheses)

TARE_EMBED(tare_report_script, "report.js");
TARE_EMBED(tare_report_style, "report.css");
TARE_EMBED(tare_report_hash, "report.hash");

namespace tare::cli {
namespace {

std::string_view between(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace

ReportAssets report_assets() {
  return {between(tare_report_style_begin, tare_report_style_end),
          between(tare_report_script_begin, tare_report_script_end),
          between(tare_report_hash_begin, tare_report_hash_end)};
}

}  // namespace tare::cli
