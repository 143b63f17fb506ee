// tare completion: shell completion, made from the same command descriptions that --help prints.
#include <algorithm>
#include <fmt/format.h>
#include <memory>

#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/terminal.hpp"

namespace tare::cli {
namespace {

std::vector<const CLI::App*> actions_of(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App*) { return true; });
}

/// Of the command and of its own subcommands, each once.
std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* action : actions_of(app)) {
    for (auto& name : options_of(*action)) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    }
  }
  if (!names.empty()) return names;
  for (const auto* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> names_of(const std::vector<const CLI::App*>& commands) {
  std::vector<std::string> names;
  for (const auto* command : commands) names.push_back(command->get_name());
  return names;
}

std::string words(const std::vector<std::string>& list) {
  return fmt::format("{}", fmt::join(list, " "));
}

std::string bash(const CLI::App& app) {
  std::string cases;
  std::string actions;
  for (const auto* command : actions_of(app)) {
    cases += fmt::format("    {}) options=\"{}\" ;;\n", command->get_name(), words(options_of(*command)));
    if (const auto own = names_of(actions_of(*command)); !own.empty()) {
      actions += fmt::format("    {}) COMPREPLY=($(compgen -W \"{}\" -- \"$current\")); return ;;\n",
                             command->get_name(), words(own));
    }
  }
  return fmt::format(
      R"(# bash completion for tare: source <(tare completion bash)
_tare() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}" options=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{} --help --version" -- "$current"))
    return
  fi
  case "$previous" in
    --format) COMPREPLY=($(compgen -W "text json csv markdown samples" -- "$current")); return ;;
    completion) COMPREPLY=($(compgen -W "bash zsh" -- "$current")); return ;;
{}  esac
  case "${{COMP_WORDS[1]}}" in
{}  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
    *) COMPREPLY=($(compgen -f -- "$current")) ;;
  esac
}}
complete -o filenames -F _tare tare
)",
      words(names_of(actions_of(app))), actions, cases);
}

std::string zsh(const CLI::App& app) {
  std::string commands;
  std::string cases;
  const auto quote = [](const std::string& text) {
    std::string quoted;
    for (const char c : text) {
      if (c == '[' || c == ']' || c == ':') quoted += '\\';
      quoted += c == '\'' ? '"' : c;
    }
    return quoted;
  };
  for (const auto* command : actions_of(app)) {
    commands += fmt::format("    '{}:{}'\n", command->get_name(), quote(command->get_description()));
    cases += fmt::format("    {}) _arguments", command->get_name());
    for (const auto* option : command->get_options()) {
      for (const auto& name : option->get_lnames()) {
        cases += fmt::format(" '--{}[{}]{}'", name, quote(option->get_description()),
                             option->get_items_expected_max() > 0 ? ":value:_files" : "");
      }
    }
    if (const auto own = names_of(actions_of(*command)); !own.empty()) {
      cases += fmt::format(" '1:action:({})'", words(own));
    }
    cases += " '*:file:_files' ;;\n";
  }
  return fmt::format(
      R"(#compdef tare
# zsh completion for tare: tare completion zsh > "${{fpath[1]}}/_tare"
_tare() {{
  local -a commands
  commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{}  esac
}}
if [ "$funcstack[1]" = "_tare" ]; then _tare "$@"; else compdef _tare tare; fi
)",
      commands, cases);
}

}  // namespace

void add_completion(CLI::App& app, Chosen& chosen) {
  auto shell = std::make_shared<std::string>();
  auto* command = app.add_subcommand("completion", "Print the completion script for a shell");
  command->footer(
      "Examples:\n"
      "  source <(tare completion bash)\n"
      "  tare completion zsh > \"${fpath[1]}/_tare\"");
  command->add_option("shell", *shell, "bash or zsh")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh"}))
      ->type_name("SHELL");
  command->callback([shell, &app, &chosen] {
    chosen.run = [shell, &app] {
      print(*shell == "bash" ? bash(app) : zsh(app));
      return exit_good;
    };
  });
}

}  // namespace tare::cli
