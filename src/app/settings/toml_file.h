// What the readers of our TOML files share: the file's text, words for what is in it, and rules in
// the order of the file. Knows none of the keys.
#pragma once

#include <toml++/toml.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "wright/error.h"
#include "wright/interceptors.h"

namespace wright::app {

// At most a megabyte. `what` names it in errors: "the configuration".
Result<std::string> read_toml_file(const std::filesystem::path& path, std::string_view what);

// "a table", "an integer", …
std::string_view kind_of(const toml::node& node);

int line_of(const toml::source_region& source);

// allow, deny or ask.
std::optional<intercept::Permission> permission_named(std::string_view word);

}  // namespace wright::app
