// Words that nobody has agreed on, in what a hook says: whether they may be meant as a no. Rather
// one too many: such a hook has failed, and a person is asked.
#pragma once

#include <string>
#include <string_view>

#include "wright/json.h"

namespace wright::project {

// `{"block": true}`, `{"ok": false}`, `{"status": "denied"}`; and everything of that kind inside.
bool may_mean_no(std::string_view key, const Json& value);

// Without what different spellings of one name differ in.
std::string bare_name(std::string_view key);

}  // namespace wright::project
