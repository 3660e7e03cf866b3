#include "project/hook_answer.h"

#include <fmt/format.h>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <expected>
#include <utility>

#include "core/json_members.h"
#include "core/text.h"
#include "project/doubled_key.h"
#include "project/json_in_words.h"
#include "project/possible_no.h"

namespace wright::project {
namespace {

constexpr std::string_view kInner = "hookSpecificOutput";
constexpr auto kDeciding =
    std::to_array<std::string_view>({"permissionDecision", "decision", "continue", "updatedInput"});
constexpr auto kNeverMisspelt = std::to_array<std::string_view>(
    {kInner, "permissionDecision", "decision", "continue", "updatedInput"});
// Of hooks for this and for other agents: what goes with a decision, or has no say here.
constexpr auto kPassedOver = std::to_array<std::string_view>(
    {"additionalContext", "async", "asyncTimeout", "hookEventName", "permissionDecisionReason",
     "reason", "sessionTitle", "stopReason", "suppressOutput", "systemMessage",
     "terminalSequence"});

bool is_among(const auto& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

// A word that decides, spelt in another way: it would decide nothing. With the right one.
std::optional<std::pair<std::string, std::string_view>> misspelt_key(const JsonObject& place) {
  for (const auto& member : place) {
    for (const std::string_view word : kNeverMisspelt) {
      if (bare_name(member.key()) == bare_name(word) && member.key() != word) {
        return std::pair(std::string(member.key()), word);
      }
    }
  }
  return std::nullopt;
}

bool has_decision(const JsonObject& place) {
  return std::ranges::any_of(kDeciding, [&](std::string_view word) {
    const Json* value = place.if_contains(word);
    return value != nullptr && !value->is_null();
  });
}

// Where nothing else decides, it may be meant to.
std::optional<std::string> unknown_key(const JsonObject& place, std::string_view also_known) {
  for (const auto& member : place) {
    const std::string_view key = member.key();
    if (key == also_known || is_among(kDeciding, key) || is_among(kPassedOver, key)) continue;
    if (may_mean_no(key, member.value())) return std::string(key);
  }
  return std::nullopt;
}

HookAnswer failed_hook(std::string why) {
  return {.verdict = HookAnswer::Verdict::failed, .reason = std::move(why)};
}

bool decides(HookMoment moment) {
  return moment == HookMoment::PreToolUse || moment == HookMoment::UserPromptSubmit;
}

// Which of the two it means is not known; where one may be a no, it is one.
HookAnswer answer_said_twice(std::string_view text, std::string_view key) {
  HookAnswer doubled = failed_hook(fmt::format("'{}' stands twice in what it printed", key));
  if (text.find("\"deny\"") != std::string_view::npos ||
      text.find("\"block\"") != std::string_view::npos) {
    doubled.verdict = HookAnswer::Verdict::refuse;
  }
  return doubled;
}

// Adds what one of the two objects says. What is wrong with it, otherwise.
std::expected<void, std::string> add_what_is_said(const JsonObject& place, HookAnswer& said) {
  const auto decide = [&](HookAnswer::Verdict verdict) {
    said.verdict = std::max(said.verdict, verdict);
  };
  if (const Json* word = place.if_contains("permissionDecision"); word && !word->is_null()) {
    if (*word != Json("allow") && *word != Json("deny") && *word != Json("ask")) {
      return std::unexpected("permissionDecision must be allow, deny or ask");
    }
    said.allows = said.allows || *word == Json("allow");
    if (*word == Json("ask")) decide(HookAnswer::Verdict::ask);
    if (*word == Json("deny")) decide(HookAnswer::Verdict::refuse);
  }
  if (const Json* word = place.if_contains("decision"); word && !word->is_null()) {
    if (*word != Json("approve") && *word != Json("block")) {
      return std::unexpected("decision must be approve or block");
    }
    said.allows = said.allows || *word == Json("approve");
    if (*word == Json("block")) decide(HookAnswer::Verdict::refuse);
  }
  if (const Json* word = place.if_contains("continue"); word && !word->is_null()) {
    if (!word->is_bool()) return std::unexpected("continue must be true or false");
    if (!word->get_bool()) decide(HookAnswer::Verdict::refuse);
    if (said.reason.empty()) said.reason = text_in(place, "stopReason");
  }
  if (const std::string why = text_in(place, "permissionDecisionReason"); !why.empty()) {
    said.reason = why;
  }
  if (said.note.empty()) said.note = text_in(place, "additionalContext");
  if (const Json* input_now = place.if_contains("updatedInput"); input_now && !said.input) {
    if (!input_now->is_object()) return std::unexpected("updatedInput is no object");
    said.input = *input_now;
  }
  return {};
}

HookAnswer answer_in_object(const JsonObject& answer, HookMoment moment) {
  const Json* own = answer.if_contains(kInner);
  if (own != nullptr && !own->is_object() && !own->is_null()) {
    return failed_hook(fmt::format("{} is no object", kInner));
  }
  const JsonObject nothing;
  const JsonObject& inner = own != nullptr && own->is_object() ? own->get_object() : nothing;
  for (const JsonObject* place : {&inner, &answer}) {
    if (const auto misspelt = misspelt_key(*place)) {
      return failed_hook(
          fmt::format("'{}' must be written '{}'", misspelt->first, misspelt->second));
    }
  }
  if (decides(moment)) {
    std::optional<std::string> unknown;
    if (!has_decision(inner)) unknown = unknown_key(inner, {});
    if (!unknown && !has_decision(inner) && !has_decision(answer)) {
      unknown = unknown_key(answer, kInner);
    }
    if (unknown) {
      return failed_hook(
          fmt::format("'{}' in what it printed is not known, and nothing else decides", *unknown));
    }
  }
  HookAnswer said{.reason = text_in(answer, "reason")};
  for (const JsonObject* place : {&inner, &answer}) {
    if (auto added = add_what_is_said(*place, said); !added) {
      return failed_hook(std::move(added).error());
    }
  }
  return said;
}

// Whether it has a word that decides, however spelt.
bool decides(const JsonObject& object, std::string_view written) {
  return std::ranges::any_of(object, [&](const auto& member) {
    const std::string name = bare_name(member.key());
    if (name == "continue" && member.value() == Json(true) && !doubled_key(written)) return false;
    return std::ranges::any_of(kNeverMisspelt,
                               [&](std::string_view word) { return bare_name(word) == name; });
  });
}

// Whether an answer stands there that is a no, although nobody can read it: a quote in the reason
// that nothing escapes, a comma too many, a colour behind it.
bool spells_a_no(std::string_view words) {
  std::string bare = lower(words);
  std::erase_if(bare,
                [](unsigned char c) { return c <= ' ' || c == '_' || c == '-' || c == '\\'; });
  std::ranges::replace(bare, '\'', '"');
  for (const std::string_view key : {"decision", "permissiondecision"}) {
    for (const std::string_view no : {"block", "deny", "ask"}) {
      if (bare.find(fmt::format("\"{}\":\"{}\"", key, no)) != std::string::npos) return true;
    }
  }
  return std::ranges::any_of(
      std::to_array<std::string_view>({"\"continue\":false", "\"block\":true", "\"deny\":true"}),
      [&](std::string_view no) { return bare.find(no) != std::string::npos; });
}

// What a person says goes on with any words beside it, unless they end with an answer, or one that
// is a no stands in them.
bool has_answer(std::string_view words) {
  if (words.find('{') != std::string_view::npos && spells_a_no(words)) return true;
  return std::ranges::any_of(json_in_words(words), [](const JsonInWords& found) {
    const auto is_answer = [&](const Json& value) {
      if (!value.is_object()) return false;
      const JsonObject& object = value.get_object();
      if (found.is_at_end && decides(object, found.written)) return true;
      if (!found.has_own_lines) return false;
      const auto verdict = answer_in_object(object, HookMoment::UserPromptSubmit).verdict;
      return verdict == HookAnswer::Verdict::refuse || verdict == HookAnswer::Verdict::ask;
    };
    if (!found.value.is_array()) return is_answer(found.value);
    return std::ranges::any_of(found.value.get_array(), is_answer);
  });
}

// What is no JSON object.
HookAnswer answer_in_words(std::string_view text, HookMoment moment) {
  if (moment == HookMoment::UserPromptSubmit) {
    if (!has_answer(text)) return {.note = std::string(utf8_prefix(text, kMostSaidByHook))};
  } else {
    const bool may_mean_something =
        text.find('{') != std::string_view::npos || text.starts_with('[') || text.starts_with('"');
    if (!decides(moment) || !may_mean_something) return {};
  }
  return failed_hook("what it printed is not one JSON object alone");
}

}  // namespace

// Before a call, what cannot be understood is no yes.
HookAnswer answer_in(std::string_view text, HookMoment moment) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (!text.starts_with('{')) return answer_in_words(text, moment);
  const auto json = parse_json(text);
  if (!json || !json->is_object()) return failed_hook("what it printed is no JSON");
  if (const auto key = doubled_key(text)) return answer_said_twice(text, *key);
  HookAnswer said = answer_in_object(json->get_object(), moment);
  if (said.reason.empty() && said.verdict == HookAnswer::Verdict::refuse)
    said.reason = kNoReasonOfHook;
  if (said.reason.empty() && said.verdict == HookAnswer::Verdict::ask) {
    said.reason = "A hook wants a person to decide";
  }
  said.reason = utf8_prefix(said.reason, kMostSaidByHook);
  said.note = utf8_prefix(said.note, kMostSaidByHook);
  return said;
}

}  // namespace wright::project
