// Values of settings as a person writes them: after --set, in the environment, in the strings of
// the configuration file. Knows nothing of where they came from.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/settings/config_keys.h"
#include "wright/error.h"

namespace wright::app {

// monostate: nothing sets it, and there is no default.
using SettingValue = std::variant<std::monostate, std::string, bool, std::int64_t>;

// The value that `text` means for `key`; the error says what is allowed: "must be a duration such
// as 250ms, 30s, 5m or 1h, or off, not 'soon'". Durations, rates and lists stay texts, which the
// functions below read.
Result<SettingValue> setting_value_from(const ConfigKey& key, std::string_view text);

// What is wrong with a number for this key, or nothing.
std::string problem_with_count(const ConfigKey& key, std::int64_t value);

// "250ms", "1.5s", "5m" or "5min", "1h"; nothing for any other text.
std::optional<std::chrono::milliseconds> duration_from(std::string_view text);

// How many a second "5/s", "100/min" or "1000/h" are; nothing for any other text.
std::optional<double> rate_from(std::string_view text);

// The names in "a, b,c".
std::vector<std::string_view> names_in(std::string_view list);

}  // namespace wright::app
