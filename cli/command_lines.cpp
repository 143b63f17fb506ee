#include "cli/command_lines.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

#include "bench/support/text.hpp"

namespace tare::cli {
namespace {

constexpr std::string_view blanks = " \t\n";

/// What only a shell understands between these quotes, or outside of any.
std::string_view special_in(char quote) {
  return quote == '\'' ? "" : quote == '"' ? "$`" : "|&;<>()$`*?[~#!{}\n";
}

/// Whether a backslash before this rest takes away the meaning of what follows.
bool escapes(char quote, std::string_view rest) {
  if (quote == 0) return true;
  return quote == '"' && !rest.empty() &&
         std::string_view("\"\\$`").find(rest.front()) != std::string_view::npos;
}

Error needs_shell(std::string_view command, char which) {
  return fail(fmt::format("'{}' needs a shell for {}; quote it, or leave --no-shell out", printable(command),
                          printable(std::string_view(&which, 1))));
}

bool is_name(std::string_view text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; });
}

/// A {word} from `from` on, as the positions of its braces.
struct Mention {
  std::size_t open = std::string_view::npos;
  std::size_t close = 0;
  bool doubled = false;  ///< "{{word}}", the outer braces counted
  [[nodiscard]] bool found() const { return open != std::string_view::npos; }
};

Mention next_mention(std::string_view text, std::size_t from) {
  for (auto open = text.find('{', from); open != std::string_view::npos; open = text.find('{', open + 1)) {
    if (open > 0 && text[open - 1] == '$') continue;
    const bool doubled = text.substr(open).starts_with("{{");
    const auto start = open + (doubled ? 2 : 1);
    const auto close = text.find('}', start);
    if (close == std::string_view::npos || !is_name(text.substr(start, close - start))) continue;
    if (doubled && !text.substr(close).starts_with("}}")) continue;
    return {open, close + (doubled ? 1 : 0), doubled};
  }
  return {};
}

std::string_view word_in(std::string_view text, const Mention& mention) {
  const std::size_t braces = mention.doubled ? 2 : 1;
  return text.substr(mention.open + braces, mention.close + 1 - mention.open - 2 * braces);
}

}  // namespace

Result<std::vector<std::string>> split_command(std::string_view command) {
  std::vector<std::string> words;
  bool inside = false;  // a word, maybe an empty one between quotes
  char quote = 0;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (quote == 0 && blanks.find(c) != std::string_view::npos && c != '\n') {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    const bool assigns = c == '=' && quote == 0 && words.size() == 1 && is_name(words.back());
    if (quote != 0 && c == quote) {
      quote = 0;
    } else if (c == '\\' && escapes(quote, command.substr(i + 1))) {
      if (++i == command.size())
        return fail(fmt::format("'{}' ends with a backslash that quotes nothing", printable(command)));
      words.back() += command[i];
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (assigns || special_in(quote).find(c) != std::string_view::npos) {
      return needs_shell(command, c);
    } else {
      words.back() += c;
    }
  }
  if (quote != 0) return fail(fmt::format("'{}' has a {} that does not end", printable(command), quote));
  return words;
}

Result<std::vector<Parameters>> combine_parameters(const std::vector<std::string>& assignments) {
  std::vector<Parameters> combinations{{}};
  for (const auto& assignment : assignments) {
    auto pair = parse_assignment(assignment);
    if (!pair) return pair.error();
    const auto& [name, values] = *pair;
    if (!is_name(name))
      return fail(fmt::format("'{}' is not a name; use letters and digits", printable(name)));
    std::vector<Parameters> more;
    for (const auto& combination : combinations) {
      std::vector<std::string> seen;
      for (const auto& value : split(values, ',')) {
        if (value.empty() || std::find(seen.begin(), seen.end(), value) != seen.end())
          return fail(fmt::format("'{}' has {}; write it like n=1,2,3", printable(assignment),
                                  value.empty() ? "an empty value" : "a value twice"));
        seen.push_back(value);
        more.push_back(combination);
        more.back().emplace_back(name, value);
      }
      const auto known = std::count_if(combination.begin(), combination.end(),
                                       [&](const auto& one) { return one.first == name; });
      if (known > 0) return fail(fmt::format("'{}' is given twice; list all values in one", printable(name)));
    }
    combinations = std::move(more);
  }
  return combinations;
}

Result<std::string> substitute(std::string_view text, const Parameters& parameters) {
  if (parameters.empty()) return std::string(text);
  std::string result;
  std::size_t done = 0;
  for (auto mention = next_mention(text, 0); mention.found(); mention = next_mention(text, done)) {
    const auto word = word_in(text, mention);
    result += text.substr(done, mention.open - done);
    const auto value = std::find_if(parameters.begin(), parameters.end(),
                                    [&](const auto& parameter) { return parameter.first == word; });
    if (mention.doubled) {
      result += fmt::format("{{{}}}", word);
    } else if (value != parameters.end()) {
      result += value->second;
    } else {
      return fail(fmt::format(
          "'{0}' has {{{1}}}, and there is no --parameter {1}; {{{{{1}}}}} stands for {{{1}}} itself",
          printable(text), word));
    }
    done = mention.close + 1;
  }
  result += text.substr(done);
  return result;
}

bool mentions(std::string_view text, std::string_view name) {
  for (auto mention = next_mention(text, 0); mention.found(); mention = next_mention(text, mention.close + 1))
    if (!mention.doubled && word_in(text, mention) == name) return true;
  return false;
}

}  // namespace tare::cli
