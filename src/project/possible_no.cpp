#include "project/possible_no.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <string>

#include "core/text.h"

namespace wright::project {
namespace {

// Words that say no by themselves, in names and in texts; not a name with nothing of it: `"errors":
// 0`.
constexpr auto kNo = std::to_array<std::string_view>(
    {"abort",    "block",     "cancel",     "danger",    "denial",    "denied",    "deny",
     "disallow", "disapprov", "error",      "exceed",    "fail",      "forbid",    "forbidden",
     "halt",     "illegal",   "invalid",    "kill",      "leak",      "malicious", "never",
     "nope",     "notallow",  "prevent",    "prohibit",  "quarantin", "refus",     "reject",
     "restrict", "stop",      "suspicious", "unauthori", "unsafe",    "veto",      "violat"});
// Names of what is decided, whichever way it was.
constexpr auto kDecided = std::to_array<std::string_view>(
    {"allow", "approv", "confirm", "continue", "decid", "decis", "grant", "hookspecificoutput",
     "permi", "proceed", "updatedinput", "verdict"});
// Texts that are a no as a whole, beginnings of one, and words that are one in any text.
constexpr auto kNoAlone = std::to_array<std::string_view>({"false", "ko", "n", "no", "nok", "bad"});
constexpr auto kNoAtStart =
    std::to_array<std::string_view>({"ask", "no ", "no,", "no:", "no.", "no!", "not "});
constexpr auto kNoInText = std::to_array<std::string_view>({" not ", "n't ", "cannot"});
// Names of a yes, of which 0 is a no.
constexpr auto kYes = std::to_array<std::string_view>(
    {"clean", "good", "ok", "pass", "passed", "safe", "success", "successful", "valid"});
// Names of what programs say of their end: anything but 0, and 200 to 299, is a no.
constexpr auto kEnds = std::to_array<std::string_view>(
    {"code", "errno", "exit", "exitcode", "exitstatus", "rc", "returncode", "returnvalue", "status",
     "statuscode", "httpstatus"});

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
    const auto begins = [&](std::string_view start) { return text.starts_with(start); };
    return is_one_of(text, kNoAlone) || std::ranges::any_of(kNoAtStart, begins) ||
           has_any(text, kNoInText) || has_any(text, kNo);
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
  if (is_one_of(name, kYes) && (is_nothing(value) || value == Json("0") || value == Json("off"))) {
    return true;
  }
  if (value.is_number() && is_one_of(name, kEnds)) {
    const auto number = value.to_number<double>();
    return number != 0 && !(number >= 200 && number < 300);
  }
  return is_no(value);
}

}  // namespace wright::project
