// The form in which a client's person approves a call. What they are asked about stands first, and
// then all that the call is: nothing is left out. What is too long for a form is not asked in one.
#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>

#include "core/deceptive_characters.h"
#include "core/text.h"
#include "core/try.h"
#include "mcp/elicitation.h"

namespace wright::mcp {
namespace {

constexpr std::string_view kDecision = "decision";
constexpr std::string_view kReason = "reason";
constexpr std::size_t kLongestRun = 80;  // of blanks

// What nobody sees, or what turns the text around it, as JSON escapes it: "\u202e". In JSON text
// both say the same.
std::string with_all_visible(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  while (!json.empty()) {
    std::size_t length = 1;
    while (length < json.size() && is_continuation(json[length])) ++length;
    const auto byte = [&](std::size_t i) {
      return static_cast<unsigned>(static_cast<unsigned char>(json[i]));
    };
    unsigned point = 0;
    if (length == 2) point = (byte(0) & 0x1FU) << 6 | (byte(1) & 0x3FU);
    if (length == 3) {
      point = (byte(0) & 0x0FU) << 12 | (byte(1) & 0x3FU) << 6 | (byte(2) & 0x3FU);
    }
    if (length == 4) {
      point = (byte(0) & 0x07U) << 18 | (byte(1) & 0x3FU) << 12 | (byte(2) & 0x3FU) << 6 |
              (byte(3) & 0x3FU);
    }
    const bool is_hidden = contains(kDeceptive, point) || contains(kOddBlanks, point);
    if (is_hidden && point > 0xFFFF) {  // JSON has pairs of halves for these
      const unsigned rest = point - 0x10000;
      text += fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (rest >> 10), 0xDC00 + (rest & 0x3FFU));
    } else if (is_hidden) {
      text += fmt::format("\\u{:04x}", point);
    } else {
      text += json.substr(0, length);
    }
    json.remove_prefix(length);
  }
  return text;
}

// What follows many blanks must not be out of sight: they are counted.
std::string with_blanks_counted(std::string_view text) {
  std::string made;
  while (!text.empty()) {
    const std::size_t run = std::min(text.find_first_not_of(' '), text.size());
    made += run > kLongestRun ? fmt::format(" [{} blanks] ", run) : std::string(run, ' ');
    text.remove_prefix(run);
    const std::size_t end = std::min(text.find(' '), text.size());
    made += text.substr(0, end);
    text.remove_prefix(end);
  }
  return made;
}

// On one line, with every run of blanks as one and without what drives a terminal.
std::string folded(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool is_space = c == ' ' || (c >= '\t' && c <= '\r');
    const bool is_control = static_cast<unsigned char>(c) < ' ' || c == '\x7f';
    if (!is_space) line += is_control ? '?' : c;
    if (is_space && !line.empty() && !line.ends_with(' ')) line += ' ';
  }
  return line;
}

// The commands of a line that no rule allows.
std::string asked_about(const JsonObject& shown) {
  const Json* commands = shown.if_contains("commands");
  if (commands == nullptr || !commands->is_array()) return {};
  std::string text;
  for (const Json& each : commands->get_array()) {
    const JsonObject* judged = each.if_object();
    if (judged != nullptr && text_in(*judged, "permission") == "allow") continue;
    const std::string command = judged != nullptr ? text_in(*judged, "command") : to_text(each);
    text += fmt::format("  {}\n", to_text(Json(folded(command))));
    const std::string why = judged != nullptr ? folded(text_in(*judged, kReason)) : std::string();
    if (!why.empty()) text += fmt::format("    {}\n", why);
  }
  return text;
}

JsonArray lines_of(std::string_view text) {
  JsonArray lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// All of it: first what a person decides about, then whatever else there is.
std::string all_of(const JsonObject& shown) {
  constexpr std::array<std::string_view, 5> kFirst{"problem", "diff", "folder", "commands",
                                                   "arguments"};
  JsonObject ordered;
  for (const std::string_view key : kFirst) {
    const Json* value = shown.if_contains(key);
    if (value == nullptr) continue;
    const bool has_lines = key == "diff" && value->is_string();
    ordered[key] = has_lines ? Json(lines_of(value->get_string())) : *value;
  }
  for (const auto& [key, value] : shown) {
    if (!ordered.contains(key)) ordered[key] = value;
  }
  return to_pretty_text(ordered);
}

std::string words_of_approval(std::string_view tool, const Json& shown) {
  std::string message = fmt::format("May {} run?\n", tool);
  const JsonObject* object = shown.if_object();
  if (object == nullptr) return shown.is_null() ? message : message + to_pretty_text(shown);
  if (const std::string why = folded(text_in(*object, kReason)); !why.empty()) {
    message += why + "\n";
  }
  if (const std::string commands = asked_about(*object); !commands.empty()) {
    message += fmt::format("It asks for:\n{}", commands);
  }
  return message + fmt::format("All of it:\n{}", all_of(*object));
}

}  // namespace

Result<JsonObject> approval_form(std::string_view tool, const Json& shown, DecisionHolds holds) {
  std::string message =
      with_blanks_counted(with_all_visible(to_valid_utf8(words_of_approval(tool, shown))));
  // Whatever the tool is called: who asks later whether it fitted may not know.
  if (message.size() > kLongestApproval + tool.size()) {
    return fail(
        ErrorCode::limit_reached,
        fmt::format("what {} would do takes {} KB to show, and a form of MCP shows {} KB at "
                    "most",
                    tool, (message.size() + 1023) >> 10, kLongestApproval >> 10));
  }
  const bool is_remembered = holds == DecisionHolds::for_its_kind_too;
  const JsonObject decision{
      {"type", "string"},
      {"title", "Decision"},
      {"description", is_remembered
                          ? "once: this call; session: all of its kind in this session; refuse: "
                            "not this call; never: none of its kind in this session"
                          : "once: this call; refuse: not this call"},
      {"enum", is_remembered ? JsonArray{"once", "session", "refuse", "never"}
                             : JsonArray{"once", "refuse"}}};
  const JsonObject reason{{"type", "string"}, {"title", "Reason"}};
  return JsonObject{
      {"mode", "form"},
      {"message", std::move(message)},
      {"requestedSchema",
       JsonObject{{"type", "object"},
                  {"properties", JsonObject{{kDecision, decision}, {kReason, reason}}},
                  {"required", JsonArray{kDecision}}}}};
}

Result<Approval> approval_in_form(const JsonObject& result) {
  if (text_in(result, "action") != "accept") {
    return Approval{Decision::refuse, "the person declined to decide"};
  }
  const JsonObject* content = object_in(result, "content");
  if (content == nullptr) return fail(ErrorCode::protocol, "The answer to an approval is empty");
  const Decision decision = TRY(decision_from(text_in(*content, kDecision)));
  return Approval{decision, text_in(*content, kReason)};
}

}  // namespace wright::mcp
