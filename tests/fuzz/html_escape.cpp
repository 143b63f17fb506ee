// Any bytes as text in a page, as an attribute, and as a string in its JSON.
#include "bench/report/html_escape.hpp"

#include "bench/support/text.hpp"
#include "tests/fuzz/input.hpp"

using namespace tare;

namespace {

std::string unescaped(std::string text) {
  for (const auto& [entity, character] :
       {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&amp;", "&"}}) {
    for (std::size_t at = 0; (at = text.find(entity, at)) != std::string::npos; ++at)
      text.replace(at, std::string_view(entity).size(), character);
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = as_text(data, size);
  const auto html = html_escape(text);
  require(html.find_first_of("<>\"'") == std::string::npos);
  require(unescaped(html) == printable(text));

  const Json json{{"key", text}, {std::string(text), 1}};
  const auto script = script_json(json);
  require(script.find_first_of("<>&") == std::string::npos);
  // What is not UTF-8 is replaced on the way; from then on nothing changes any more.
  const auto back = parse_json(script);
  require(back.has_value());
  require(*back == *parse_json(to_text(json)));
  return 0;
}
