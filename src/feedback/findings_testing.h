// What tests of findings share: tools, calls of them, and what was found.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "feedback/findings.h"

namespace wright::feedback::sample {

inline Json parsed(std::string_view text) {
  auto json = parse_json(text);
  EXPECT_TRUE(json) << text;
  return json ? *json : Json();
}

inline ToolFacts tool_named(std::string name, std::string_view schema = R"({"type":"object"})",
                            std::string description = {}) {
  return facts_of(ToolSpec{.name = std::move(name),
                           .description = std::move(description),
                           .parameters = parsed(schema)});
}

// A simple search tool: equality and CONTAINS only.
inline ToolFacts plain_query_entities() {
  return tool_named("query_entities", R"({"type":"object","properties":{
      "entity_type":{"type":"string"},
      "conditions":{"type":"array","items":{"type":"object","properties":{
          "field":{"type":"string"},"operator":{"enum":["=","!=","CONTAINS"]},"value":{}}}}}})");
}

inline CallRecord call_of(std::string name, std::string_view result,
                          std::string arguments = R"({"entity_type":"class"})") {
  return {.name = std::move(name),
          .arguments = std::move(arguments),
          .shape = shape_of(parsed(result))};
}

inline CallRecord failed_call(std::string name, std::string error,
                              ErrorCode code = ErrorCode::tool_failed,
                              std::string arguments = R"({"entity_type":"class"})") {
  return {.name = std::move(name),
          .arguments = std::move(arguments),
          .state = CallRecord::State::failed,
          .error = error,
          .failure = failure_of(code, error)};
}

inline const Suggestion* tool_suggestion(const Findings& findings, std::string_view name) {
  const auto found = std::ranges::find_if(findings.suggestions, [&](const Suggestion& each) {
    return each.tool_spec && each.tool_spec->name == name;
  });
  return found == findings.suggestions.end() ? nullptr : &*found;
}

inline const Suggestion* suggestion_of(const Findings& findings, SuggestionType type) {
  const auto found = std::ranges::find(findings.suggestions, type, &Suggestion::type);
  return found == findings.suggestions.end() ? nullptr : &*found;
}

inline bool has_limitation(const Findings& findings, std::string_view words, Impact impact,
                           std::optional<MissingCapability> missing) {
  return std::ranges::any_of(findings.limitations, [&](const Limitation& each) {
    return each.description.find(words) != std::string::npos && each.impact == impact &&
           each.missing_capability == missing;
  });
}

inline constexpr std::string_view kClasses =
    R"({"entities":[{"name":"Agent","startLine":10,"endLine":255,"file":"a.ts"}]})";

}  // namespace wright::feedback::sample
