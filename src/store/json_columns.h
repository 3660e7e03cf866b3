// The columns that hold JSON text, such as a call's request and a session's config. Whoever
// reads the database with other programs finds valid JSON in all of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wright/json.h"

namespace wright::store {

// A call's arguments as a column: unchanged when they are valid JSON, else as one JSON string that
// holds the raw text. Arguments that are a JSON string themselves are wrapped too, so that reading
// back is never ambiguous.
std::string request_column(std::string_view arguments);
Result<std::string> arguments_from(std::string request_column);

// Refuses a value that parse_json() would not read back, since it is nested too deeply.
Result<std::string> json_column(const Json& value);
Result<std::optional<std::string>> json_column(const std::optional<Json>& value);
Result<std::optional<Json>> json_from(const std::optional<std::string>& column);

// A session's config: an object, or nothing for null. Refuses anything else.
Result<std::optional<std::string>> config_column(const Json& config);

// What an approval for the session covers (see Waiting): always an array.
std::string covers_column(const std::vector<std::string>& covers);
// Before there was a column for it, it stood in what was shown.
Result<std::vector<std::string>> covers_from(const std::optional<std::string>& column,
                                             const Json& shown);

// What a wait keeps for its call (see Waiting): no column for null.
Result<std::optional<std::string>> state_column(const Json& state);
Result<Json> state_from(const std::optional<std::string>& column);

}  // namespace wright::store
