// "&amp;", "&#8230;" and their like in HTML.
#pragma once

#include <string>
#include <string_view>

namespace wright::tools {

// The text with entities replaced by what they stand for; what is no known entity stays.
std::string decode_entities(std::string_view text);

}  // namespace wright::tools
