// Secrets that JSON holds in members whose names say so: headers, keys, tokens, and addresses with
// something behind their hosts. Some vendors' tools take them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wright/json.h"

namespace wright {

// Puts the mark of what is hidden (kRedacted) in place of their texts. Whether there was any.
bool hide_secret_members(Json& json);
// The same of one member.
bool hide_secret_member(std::string_view name, Json& value);

// The texts that would be hidden, but for addresses.
std::vector<std::string> secret_members(const Json& json);

}  // namespace wright
