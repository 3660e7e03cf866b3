#include "feedback/feedback_reading.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <array>

#include "core/text.h"
#include "feedback/feedback_xml.h"
#include "feedback/lenient_reading.h"
#include "wright/feedback.h"

namespace wright {
namespace feedback {
namespace {

constexpr std::string_view kBegin = "<tool_feedback";
constexpr std::string_view kEnd = "</tool_feedback>";
constexpr std::string_view kMember = "tool_feedback";

// What is inside a ``` fence that goes around all of the text; else the text.
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

std::optional<AnswerWithFeedback> split_json(std::string_view text) {
  const std::string_view inner = without_fence(text);
  if (!inner.starts_with('{') || inner.find(kMember) == std::string_view::npos) {
    return std::nullopt;
  }
  auto parsed = parse_json(inner);
  if (!parsed || !parsed->is_object() || !parsed->get_object().contains(kMember)) {
    return std::nullopt;
  }
  JsonObject& object = parsed->get_object();
  AnswerWithFeedback split{{}, to_text(object.at(kMember))};
  object.erase(kMember);
  const Json* answer = object.if_contains("answer");
  split.answer = answer != nullptr && answer->is_string() ? std::string(answer->get_string())
                                                          : to_text(object);
  return split;
}

// Models wrap what they were asked for into a member of its name.
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
  const Json& inner = feedback::unwrapped(json);
  // Feedback as text inside of JSON.
  if (inner.is_string()) return tool_feedback_from_text(inner.get_string());
  feedback::LenientReader reader;
  ReadFeedback read;
  read.feedback = reader.read_parts<ToolFeedback>(inner).value;
  read.notes = reader.take_notes();
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
