// Changes one key in the text of a configuration file; all else stays as it is, comments too. Pure.
#pragma once

#include <string>
#include <string_view>

#include "app/settings/config_keys.h"
#include "wright/error.h"

namespace wright::app {

// The key of this full name; the error names the nearest.
Result<const ConfigKey*> config_key_named(std::string_view full_name);

// The value as it stands in the file: quoted, a list, a number. Refused where it does not fit the
// key.
Result<std::string> toml_value(const ConfigKey& key, std::string_view text);

// The text with that value: in place of an old one, else below its section, else in a new section
// at the end. Refused where the text is written so that another key would change, or this would not.
Result<std::string> with_value(std::string_view text, const ConfigKey& key, std::string_view value);

}  // namespace wright::app
