// Requests that another tool of the agent may answer: found by the words of its name and
// description, and called when every parameter that it requires can be filled from the prompt.
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>

#include "core/json_members.h"
#include "offline/index.h"
#include "offline/markdown.h"
#include "offline/plans.h"
#include "offline/wording.h"

namespace wright::offline {
namespace {

// What a prompt offers as values for parameters; each is used once.
struct Values {
  std::vector<std::string> quoted;
  std::vector<std::string> after_preposition;  // "in Oslo", "for 3 days"
  std::vector<std::string> numbers;
  std::vector<std::string> words;
};

void collect(std::vector<std::string>& into, const std::string& text, const RE2& pattern) {
  re2::StringPiece rest(text);
  std::string found;
  while (into.size() < 20 && RE2::FindAndConsume(&rest, pattern, &found)) into.push_back(found);
}

Values values_in(const std::string& prompt) {
  static const RE2 kQuoted(R"(["'`]([^"'`]+)["'`])");
  static const RE2 kAfter(
      R"((?i)\b(?:in|for|of|at|to|from|about|on|with|named|called)\s+(?:the\s+)?((?-i:[A-ZÀ-Þ][\w'-]*(?:\s+[A-ZÀ-Þ][\w'-]*)*)|[^\s?!.,;:]+))");
  static const RE2 kNumber(R"((?:^|[^\w.])(-?\d+(?:\.\d+)?)(?:[^\w]|$))");
  Values values;
  collect(values.quoted, prompt, kQuoted);
  collect(values.after_preposition, prompt, kAfter);
  collect(values.numbers, prompt, kNumber);
  values.words = words_of(prompt);
  return values;
}

std::optional<std::string> take(std::vector<std::string>& from) {
  if (from.empty()) return std::nullopt;
  std::string value = std::move(from.front());
  from.erase(from.begin());
  return value;
}

// A value that stands right behind the parameter's own name: "city Oslo", "days: 3".
std::optional<std::string> named_value(const std::string& prompt, std::string_view name) {
  std::string spoken(name);
  std::ranges::replace(spoken, '_', ' ');
  const RE2 pattern(fmt::format(R"((?i)\b(?:{}|{})\s*(?:=|:|is|of)?\s*["'`]?([\w.@/+-]+))",
                                quote_for_regex(name), quote_for_regex(spoken)));
  std::string found;
  if (!RE2::PartialMatch(prompt, pattern, &found)) return std::nullopt;
  return found;
}

std::optional<Json> number_from(const std::string& text, bool is_integer) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!is_integer) return Json(value);
  if (value != static_cast<double>(static_cast<std::int64_t>(value))) return std::nullopt;
  return Json(static_cast<std::int64_t>(value));
}

std::optional<Json> value_for(std::string_view name, const JsonObject& schema, Values& values,
                              const std::string& prompt) {
  if (const Json* choices = schema.if_contains("enum"); choices != nullptr && choices->is_array()) {
    for (const Json& choice : choices->get_array()) {
      if (!choice.is_string()) continue;
      const std::string word = lower(std::string_view(choice.get_string()));
      const bool is_said = std::ranges::any_of(
          values.words, [&](const std::string& said) { return lower(said) == word; });
      if (is_said) return choice;
    }
    return std::nullopt;
  }
  const std::string type = text_in(schema, "type");
  if (type == "integer" || type == "number") {
    const auto text = take(values.numbers);
    return text ? number_from(*text, type == "integer") : std::nullopt;
  }
  if (type == "boolean") return std::nullopt;
  if (type == "array" || type == "object") return std::nullopt;
  // A message to another agent is the question, not a word of it.
  constexpr auto kWhole = std::to_array<std::string_view>(
      {"message", "prompt", "question", "task", "request", "instruction", "instructions"});
  if (std::ranges::find(kWhole, name) != kWhole.end() && !prompt.empty()) return Json(prompt);
  if (auto text = take(values.quoted)) return Json(*text);
  if (auto text = take(values.after_preposition)) return Json(*text);
  if (auto text = named_value(prompt, name)) return Json(*text);
  const bool wants_everything = name == "query" || name == "text" || name == "input";
  if (wants_everything && !prompt.empty()) return Json(prompt);
  return std::nullopt;
}

struct Prepared {
  JsonObject arguments;
  std::vector<std::string> missing;
};

Prepared prepare(const Tool& tool, const std::string& prompt) {
  Prepared prepared;
  const JsonObject* schema = tool.spec.parameters.if_object();
  const JsonObject* properties = schema == nullptr ? nullptr : object_in(*schema, "properties");
  if (properties == nullptr) return prepared;
  std::set<std::string> required;
  if (const Json* names = schema->if_contains("required"); names != nullptr && names->is_array()) {
    for (const Json& name : names->get_array()) {
      if (name.is_string()) required.emplace(std::string_view(name.get_string()));
    }
  }
  Values values = values_in(prompt);
  // Optional ones are left out: nothing says that a number in the prompt is meant for them.
  for (const auto& member : *properties) {
    const std::string name(member.key());
    if (!required.contains(name)) continue;
    const JsonObject* described = member.value().if_object();
    const auto value = value_for(name, described ? *described : JsonObject{}, values, prompt);
    if (value) {
      prepared.arguments[name] = *value;
    } else {
      prepared.missing.push_back(name);
    }
  }
  return prepared;
}

// How strongly the prompt speaks of the tool: its name counts more than its description.
int affinity(const Tool& tool, const std::vector<std::string>& said) {
  const auto is_said = [&](const std::string& word) {
    return std::ranges::any_of(said,
                               [&](const std::string& other) { return stem(other) == stem(word); });
  };
  int score = 0;
  for (const std::string& word : words_in_name(tool.spec.name))
    score += word.size() > 1 && is_said(word) ? 10 : 0;
  for (const std::string& word : content_words(tool.spec.description))
    score += is_said(word) ? 2 : 0;
  return score;
}

bool is_file_tool(std::string_view name) {
  return name == "list_files" || name == "read_file" || name == "grep";
}

struct Choice {
  const Tool* tool = nullptr;
  int score = 0;
};

Choice choose(const ParsedPrompt& question, const Investigation& look) {
  const std::vector<std::string> said = content_words(question.prompt);
  Choice best;
  // What can change files is never called on a guess.
  if (changes_code(look)) return best;
  for (const Tool& tool : look.tools()) {
    if (is_file_tool(tool.spec.name) && look.offers(tool.spec.name)) continue;
    if (is_entity_tool(tool.spec.name)) continue;
    const int score = affinity(tool, said);
    if (score > best.score) best = {&tool, score};
  }
  return best;
}

// What a tool returned, for people: text as it is, objects field by field.
std::string shown_result(const Json& result) {
  constexpr std::size_t kLongest = 6000;
  if (result.is_string()) return std::string(utf8_prefix(result.get_string(), kLongest));
  const JsonObject* object = result.if_object();
  const bool is_flat = object != nullptr && !object->empty() && object->size() <= 12 &&
                       std::ranges::none_of(*object, [](const auto& member) {
                         return member.value().is_object() || member.value().is_array();
                       });
  if (!is_flat) {
    const std::string text = to_pretty_text(result);
    const std::string_view kept = utf8_prefix(text, kLongest);
    return fmt::format("```json\n{}\n```{}", kept, kept.size() < text.size() ? "\n(cut)" : "");
  }
  AnswerText answer;
  for (const auto& member : *object) {
    const Json& value = member.value();
    answer.item(
        fmt::format("{}: {}", std::string_view(member.key()),
                    value.is_string() ? shortened(value.get_string(), 2000) : to_text(value)));
  }
  return answer.text();
}

}  // namespace

bool mentions_other_tool(const ParsedPrompt& question, const Investigation& look) {
  return choose(question, look).score >= 10;
}

std::string plan_other_tools(const ParsedPrompt& question, Investigation& look) {
  const Choice choice = choose(question, look);
  if (choice.tool == nullptr || choice.score < 2) return {};
  const std::string& name = choice.tool->spec.name;
  Prepared prepared = prepare(*choice.tool, question.prompt);
  if (!prepared.missing.empty()) {
    return fmt::format(
        "The tool {} may answer this, but I could not find a value for {} in your message. Put it "
        "in "
        "quotes, or name it: {}.",
        code_span(name), code_span(fmt::format("{}", fmt::join(prepared.missing, ", "))),
        code_span(prepared.missing.front() + " \"…\""));
  }
  const Json result = look.call(name, std::move(prepared.arguments));
  if (look.is_waiting()) return fmt::format("Asking the tool {}.", code_span(name));
  if (look.has_failed()) return fmt::format("The tool {} could not answer.", code_span(name));
  return fmt::format("The tool {} answers:\n\n{}", code_span(name), shown_result(result));
}

}  // namespace wright::offline
