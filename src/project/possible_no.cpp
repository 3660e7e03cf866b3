#include "project/possible_no.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <string>

#include "core/text.h"

namespace wright::project {
namespace {

// Names that say no by themselves, unless there is nothing of it: `"errors": 0`.
constexpr auto kNo = std::to_array<std::string_view>(
    {"abort", "block",  "cancel", "danger", "denial",  "denied",   "deny",    "disallow",
     "error", "fail",   "forbid", "halt",   "invalid", "notallow", "prevent", "prohibit",
     "refus", "reject", "stop",   "unsafe", "veto",    "violat"});
// Names of what is decided, whichever way it was.
constexpr auto kDecided = std::to_array<std::string_view>(
    {"allow", "approv", "confirm", "continue", "decid", "decis", "grant", "hookspecificoutput",
     "permi", "proceed", "updatedinput", "verdict"});
// Texts that are a no as a whole, and words that are one wherever they stand.
constexpr auto kNoAlone =
    std::to_array<std::string_view>({"ask", "error", "fail", "failed", "failure", "false",
                                     "invalid", "ko", "no", "nok", "stop", "unsafe"});
constexpr auto kNoInText =
    std::to_array<std::string_view>({"abort", "block", "denied", "deny", "disallow", "forbid",
                                     "not allow", "prohibit", "refus", "reject", "veto"});

bool has_any(std::string_view text, const auto& words) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

bool is_nothing(const Json& value) {
  if (value.is_number()) return value.to_number<double>() == 0;
  return value == Json(false) || value == Json("") || value == Json(JsonArray()) ||
         value == Json(JsonObject());
}

bool is_no(const Json& value) {
  if (value.is_bool()) return !value.get_bool();
  if (value.is_string()) {
    const std::string text = lower(trimmed(value.get_string()));
    return is_one_of(text, kNoAlone) || has_any(text, kNoInText);
  }
  if (value.is_array()) return std::ranges::any_of(value.get_array(), is_no);
  if (!value.is_object()) return false;
  return std::ranges::any_of(value.get_object(), [](const auto& member) {
    return may_mean_no(member.key(), member.value());
  });
}

}  // namespace

std::string bare_name(std::string_view key) {
  std::string name = lower(key);
  std::erase_if(name, [](char c) { return c == '_' || c == '-' || c == ' '; });
  return name;
}

bool may_mean_no(std::string_view key, const Json& value) {
  if (value.is_null()) return false;
  const std::string name = bare_name(key);
  if (has_any(name, kNo)) return !is_nothing(value);
  if (name == "ask" || has_any(name, kDecided)) return true;
  return is_no(value);
}

}  // namespace wright::project
