// tare doctor: is this machine fit to measure, and what could it see?
#include "bench/measure/machine/doctor.hpp"

#include <memory>

#include "bench/measure/machine/environment.hpp"
#include "bench/model/json.hpp"
#include "bench/report/doctor_report.hpp"
#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/terminal.hpp"

namespace tare::cli {

void add_doctor(CLI::App& app, Chosen& chosen) {
  auto json = std::make_shared<bool>(false);
  auto* command =
      app.add_subcommand("doctor", "Is this machine fit to measure? What to do about what is not?");
  command->footer(
      "Examples:\n"
      "  tare doctor\n"
      "  tare doctor --json\n\n"
      "Takes about two seconds, most of it to measure the noise floor.");
  command->add_flag("--json", *json, "As JSON");
  command->callback([json, &chosen] {
    chosen.run = [json] {
      ProgressLine line;
      line.draw("measuring the noise floor …");
      const auto findings = examine(observe_machine());
      line.clear();
      print(*json ? to_text(to_json(findings), 2) + "\n" : doctor_report(findings, report_options()));
      return exit_good;
    };
  });
}

}  // namespace tare::cli
