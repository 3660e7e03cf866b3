// How labels and tenants of sessions may be spelt.
#pragma once

#include <string>
#include <string_view>

namespace wright {

bool is_label(std::string_view text);
// Why it is none, for people.
std::string no_label(std::string_view text);

}  // namespace wright
