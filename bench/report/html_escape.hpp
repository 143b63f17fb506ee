// Text into HTML and JSON into a script element: the only two ways by which content enters a page. Both take
// any bytes; what is not UTF-8 or is a control character is shown escaped, never passed on.
#pragma once

#include <string>
#include <string_view>

#include "bench/support/json.hpp"

namespace tare {

/// For text between tags and for attributes in double quotes.
std::string html_escape(std::string_view text);

/// JSON as the content of <script type="application/json">: no character in it can end or open a tag, and a
/// JSON parser reads the same value.
std::string script_json(const Json& json);

}  // namespace tare
