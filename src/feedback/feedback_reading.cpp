#include "feedback/feedback_reading.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <iterator>

#include "core/text.h"
#include "feedback/feedback_repair.h"
#include "feedback/feedback_xml.h"
#include "feedback/lenient_reading.h"
#include "wright/feedback.h"

namespace wright {
namespace feedback {
namespace {

constexpr std::string_view kBegin = "<tool_feedback";
constexpr std::string_view kEnd = "</tool_feedback>";
constexpr std::string_view kMember = "tool_feedback";

// The inside of a ``` fence around the whole text; otherwise the text.
std::string_view without_fence(std::string_view text) {
  text = trimmed(text);
  const std::size_t first_line = text.find('\n');
  if (!text.starts_with("```") || !text.ends_with("```") || first_line == std::string_view::npos ||
      first_line + 3 >= text.size()) {
    return text;
  }
  return trimmed(text.substr(first_line, text.size() - 3 - first_line));
}

std::optional<AnswerWithFeedback> split_xml(std::string_view text) {
  const std::size_t begin = text.find(kBegin);
  if (begin == std::string_view::npos) return std::nullopt;
  const std::size_t after = begin + kBegin.size();
  if (after >= text.size() || (text[after] != '>' && text[after] != ' ')) return std::nullopt;
  const std::size_t end = text.find(kEnd, after);
  const std::size_t rest = end == std::string_view::npos ? text.size() : end + kEnd.size();
  std::string answer(trimmed(text.substr(0, begin)));
  if (const auto below = trimmed(text.substr(rest)); !below.empty()) {
    if (!answer.empty()) answer += "\n\n";
    answer += below;
  }
  return AnswerWithFeedback{std::move(answer), std::string(text.substr(begin, rest - begin))};
}

// One past the end of the JSON object that begins at `begin`; npos if it is not closed.
std::size_t end_of_object(std::string_view text, std::size_t begin) {
  std::size_t depth = 0;
  bool is_string = false;
  for (std::size_t i = begin; i < text.size(); ++i) {
    const char c = text[i];
    if (is_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        is_string = false;
      }
    } else if (c == '"') {
      is_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

// Whether "tool_feedback" is a key in it, and not a value.
bool names_member(std::string_view text) {
  constexpr std::string_view kName = "\"tool_feedback\"";
  for (std::size_t at = text.find(kName); at != std::string_view::npos;
       at = text.find(kName, at + 1)) {
    const std::size_t next = text.find_first_not_of(" \t\r\n", at + kName.size());
    if (next != std::string_view::npos && text[next] == ':') return true;
  }
  return false;
}

// The text of the member `answer` of an object that is broken later on; empty if there is none.
std::string answer_of_broken(std::string_view text) {
  constexpr std::string_view kKey = "\"answer\"";
  const std::size_t key = text.find(kKey);
  if (key == std::string_view::npos) return {};
  std::string_view rest = trimmed(text.substr(key + kKey.size()));
  if (!rest.starts_with(':')) return {};
  rest = trimmed(rest.substr(1));
  if (!rest.starts_with('"')) return {};
  std::size_t end = 1;
  while (end < rest.size() && rest[end] != '"') end += rest[end] == '\\' ? 2 : 1;
  if (end >= rest.size()) return {};
  const auto parsed = parse_json(rest.substr(0, end + 1));
  if (!parsed || !parsed->is_string()) return {};
  return std::string(parsed->get_string());
}

// Reads an object that wraps answer and feedback; nothing when it is not one.
std::optional<AnswerWithFeedback> split_object(std::string_view text) {
  auto parsed = parse_json(text);
  if (!parsed) {
    return AnswerWithFeedback{answer_of_broken(text), std::string(text)};
  }
  JsonObject* object = parsed->if_object();
  if (object == nullptr || !object->contains(kMember)) return std::nullopt;
  Json feedback = std::move(object->at(kMember));
  object->erase(kMember);
  if (const Json* reasoning = object->if_contains("reasoning")) {
    JsonObject* inner = feedback.if_object();
    if (inner != nullptr && !inner->contains("reasoning")) (*inner)["reasoning"] = *reasoning;
    object->erase("reasoning");
  }
  AnswerWithFeedback split{{}, to_text(feedback)};
  const Json* answer = object->if_contains("answer");
  if (answer != nullptr && answer->is_string()) {
    split.answer = answer->get_string();
  } else if (answer != nullptr && !answer->is_null()) {
    split.answer = to_text(*answer);
  } else if (answer == nullptr && !object->empty()) {
    split.answer = to_text(*object);
  }
  return split;
}

// The last object that begins a line and ends the text, alone or inside a fence. What precedes it
// belongs to the answer.
std::optional<AnswerWithFeedback> split_json(std::string_view text) {
  constexpr int kMostObjects = 100;
  int seen = 0;
  for (std::size_t line = 0; line < text.size() && seen < kMostObjects;) {
    const std::size_t begin = text.find_first_not_of(" \t", line);
    if (begin == std::string_view::npos) break;
    if (text[begin] != '{') {
      const std::size_t next = text.find('\n', begin);
      if (next == std::string_view::npos) break;
      line = next + 1;
      continue;
    }
    ++seen;
    const std::size_t closed = end_of_object(text, begin);
    const std::size_t end = closed == std::string_view::npos ? text.size() : closed;
    const std::string_view below = trimmed(text.substr(end));
    const std::string_view object = text.substr(begin, end - begin);
    const bool is_last = below.empty() || below == "```";
    if (is_last && names_member(object)) {
      auto split = split_object(object);
      if (!split) return std::nullopt;
      std::string_view above = trimmed(text.substr(0, begin));
      const std::size_t last_line =
          above.rfind('\n') == std::string_view::npos ? 0 : above.rfind('\n') + 1;
      if (above.substr(last_line).starts_with("```")) above = trimmed(above.substr(0, last_line));
      if (!above.empty()) {
        split->answer = std::string(above) + (split->answer.empty() ? "" : "\n\n" + split->answer);
      }
      return split;
    }
    if (closed == std::string_view::npos) break;
    line = end;
  }
  return std::nullopt;
}

// Models wrap what they were asked for in a member of that name.
const Json& unwrapped(const Json& json) {
  constexpr auto kWrappers =
      std::to_array<std::string_view>({kMember, "feedback", kReportToolFeedback});
  const JsonObject* object = json.if_object();
  if (object == nullptr || object->size() != 1) return json;
  for (const std::string_view name : kWrappers) {
    if (const Json* inner = object->if_contains(name)) return *inner;
  }
  return json;
}

ReadFeedback unreadable(std::string note) {
  ReadFeedback read;
  read.notes.push_back(std::move(note));
  return read;
}

ReadFeedback read_xml(std::string_view text) {
  XmlFeedback xml = feedback_from_xml(text);
  ReadFeedback read = tool_feedback_from_json(xml.json);
  if (xml.notes.size() > kMostNotes) xml.notes.resize(kMostNotes);
  read.notes.insert(read.notes.begin(), xml.notes.begin(), xml.notes.end());
  return read;
}

}  // namespace

std::optional<AnswerWithFeedback> split_answer(std::string_view text) {
  if (text.find(kMember) == std::string_view::npos) return std::nullopt;
  if (auto split = split_json(text)) return split;
  return split_xml(text);
}

}  // namespace feedback

ReadFeedback tool_feedback_from_json(const Json& json) {
  const Json& given = feedback::unwrapped(json);
  // Feedback as text inside JSON.
  if (given.is_string()) return tool_feedback_from_text(given.get_string());
  auto [inner, guesses] = feedback::repaired(given);
  feedback::LenientReader reader;
  ReadFeedback read;
  read.feedback = reader.read_parts<ToolFeedback>(inner).value;
  read.notes = std::move(guesses);
  std::ranges::move(reader.take_notes(), std::back_inserter(read.notes));
  if (const JsonObject* object = inner.if_object()) {
    const Json* quality = object->if_contains("answer_quality");
    feedback::LenientReader silent;
    read.is_rated = quality != nullptr && silent.read<AnswerQuality>(*quality).has_value();
  }
  return read;
}

ReadFeedback tool_feedback_from_text(std::string_view text) {
  using namespace feedback;
  if (text.size() > kLongestFeedback) {
    return unreadable(fmt::format("The feedback has {} bytes; at most {} are read; dropped",
                                  text.size(), kLongestFeedback));
  }
  const std::string valid = to_valid_utf8(std::string(text));
  const std::string_view inner = without_fence(valid);
  if (inner.empty()) return unreadable("The feedback is empty");
  if (inner.starts_with('<')) return read_xml(inner);
  const auto json = parse_json(inner);
  if (!json) {
    return unreadable(
        fmt::format("The feedback is not valid JSON: {}; dropped", json.error().message));
  }
  // Text within text within text would never end.
  if (json->is_string() && trimmed(json->get_string()).starts_with('"')) {
    return unreadable("The feedback is a text in quotes; dropped");
  }
  return tool_feedback_from_json(*json);
}

}  // namespace wright
