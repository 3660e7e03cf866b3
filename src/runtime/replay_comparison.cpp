#include "runtime/replay_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "feedback/debug_prompt.h"

namespace wright::runtime {
namespace {

// What our tools and interceptors say of the moment and not of the matter.
// When a file was touched last is no part of what it says.
constexpr std::array<std::string_view, 7> kMomentary{
    "_execution_metadata", "execution_time_secs", "execution_time_ms", "duration_ms",
    "stdout_file",         "stderr_file",         "last_modified"};

void forget_moment(Json& json) {
  if (JsonArray* array = json.if_array()) {
    for (Json& item : *array) forget_moment(item);
  } else if (JsonObject* object = json.if_object()) {
    for (const std::string_view name : kMomentary) object->erase(name);
    for (auto& member : *object) forget_moment(member.value());
  }
}

// Output that was too long is kept in a file of a new name each time.
std::string without_file_names(std::string text) {
  constexpr std::string_view kBefore = "All of it is in ";
  constexpr std::string_view kAfter = "; read_file";
  for (std::size_t at = 0; (at = text.find(kBefore, at)) != std::string::npos;) {
    at += kBefore.size();
    const std::size_t end = text.find(kAfter, at);
    if (end == std::string::npos) break;
    text.replace(at, end - at, "a file");
  }
  return text;
}

std::string matter_of(const std::string& content) {
  auto json = parse_json(content);
  if (!json || !json->is_structured()) return without_file_names(content);
  forget_moment(*json);
  return without_file_names(to_text(*json));
}

std::string readable_content(const std::string& content) {
  auto json = parse_json(content);
  if (!json || !json->is_structured()) return content;
  forget_moment(*json);
  return to_pretty_text(*json);
}

struct PartText {
  std::string operator()(const Text& part) const { return part.text; }
  std::string operator()(const Reasoning& part) const {
    return fmt::format("(thought) {}", part.text);
  }
  std::string operator()(const Image& part) const {
    return fmt::format("({}, {} bytes as base64)", part.media_type, part.base64.size());
  }
  std::string operator()(const ToolCall& part) const {
    return fmt::format("{} {}", part.name, readable_content(part.arguments));
  }
  std::string operator()(const ToolResult& part) const {
    std::string text = (part.is_error ? "failed: " : "") + readable_content(part.content);
    for (const Image& image : part.images) text += "\n" + (*this)(image);
    for (const Notice& told : part.notices) text += "\n" + told.text;
    return text;
  }
  std::string operator()(const Notice& part) const { return part.text; }
};

bool is_same_call(const ToolCall& recorded, const ToolCall& now) {
  return recorded.name == now.name && recorded.arguments == now.arguments;
}

const ToolResult* result_in(const Message& message) {
  if (message.parts.empty()) return nullptr;
  return std::get_if<ToolResult>(&message.parts.front());
}

bool is_ended_by_replay(const RecordedSession& session) {
  return session.status == SessionStatus::cancelled && session.error == kReplayEndsHere;
}

// The calls of a session by their ids. There may be very many of them.
class CallsOf {
 public:
  explicit CallsOf(const RecordedSession& session) {
    for (const RecordedCall& call : session.calls) calls_.emplace(call.id, &call);
  }
  const RecordedCall* find(std::string_view id) const {
    const auto found = calls_.find(id);
    return found == calls_.end() ? nullptr : found->second;
  }

 private:
  std::unordered_map<std::string_view, const RecordedCall*> calls_;
};

bool was_ended_by_replay(const ToolResult& result) {
  return result.is_error && result.content.ends_with(kReplayEndsHere);
}

std::string what_is(const Message& message) {
  if (const ToolResult* result = result_in(message)) {
    return fmt::format("the result of {}", result->name);
  }
  if (message.role != Role::assistant) return "what the user said";
  return message.tool_calls().empty() ? "what the model said" : "what the model called";
}

}  // namespace

std::string readable(const Message& message) {
  std::string text;
  for (const Part& part : message.parts) {
    if (!text.empty()) text += '\n';
    text += std::visit(PartText{}, part);
  }
  return text;
}

std::string readable_end(SessionStatus status, std::string_view error) {
  // Who cancelled, and in which words, is not the session's doing.
  if (status != SessionStatus::failed || error.empty()) return std::string(to_string(status));
  return fmt::format("failed: {}", error);
}

bool is_content_filter(std::string_view error) {
  // In the machine's own words.
  Run run = start({}, "");
  const auto accepted =
      accept(run, ModelAnswered{Response{.stop_reason = StopReason::content_filter}});
  return accepted && run.error.message == error;
}

bool failed_after_answer(const RecordedSession& recorded) {
  if (recorded.status != SessionStatus::failed || recorded.messages.empty()) return false;
  const Message& last = recorded.messages.back();
  return last.role == Role::assistant && last.tool_calls().empty() &&
         !is_content_filter(recorded.error);
}

bool ReplayComparison::is_same(const ToolResult& recorded, const ToolResult& now) const {
  if (recorded.name != now.name || recorded.is_error != now.is_error ||
      recorded.images != now.images) {
    return false;
  }
  const std::string then = text_of(recorded);
  const std::string today = text_of(now);
  if (then == today) return true;
  return matter_of(redacted(then)) == matter_of(redacted(today));
}

bool ReplayComparison::is_same(const Message& recorded, const Message& now) const {
  if (recorded.role != now.role || recorded.parts.size() != now.parts.size()) return false;
  return std::ranges::equal(recorded.parts, now.parts, [&](const Part& left, const Part& right) {
    if (left.index() != right.index()) return false;
    if (const auto* call = std::get_if<ToolCall>(&left)) {
      return is_same_call(*call, std::get<ToolCall>(right));
    }
    if (const auto* result = std::get_if<ToolResult>(&left)) {
      return is_same(*result, std::get<ToolResult>(right));
    }
    if (const auto* text = std::get_if<Text>(&left)) {
      const std::string& other = std::get<Text>(right).text;
      return text->text == other || redacted(text->text) == redacted(other);
    }
    return left == right;
  });
}

// Goes through two trees of sessions side by side.
class ReplayComparison::Walk {
 public:
  explicit Walk(const ReplayComparison& rules) : rules_(rules) {}

  void visit(const RecordedSession& recorded, const RecordedSession& now) {
    // A report on tools is asked for, or not, whatever was asked for then.
    const auto words = [&](const RecordedSession& session) {
      return rules_.redacted(
          std::string(feedback::without_debug_instructions(session.instructions)));
    };
    if (words(recorded) != words(now)) {
      add(Difference::Kind::instructions, {}, fmt::format("the instructions of {}", recorded.agent),
          recorded.instructions, now.instructions);
    }
    visit_messages(recorded, now);
  }

  std::vector<Difference> take() && { return std::move(found_); }

 private:
  void visit_messages(const RecordedSession& recorded, const RecordedSession& now) {
    const std::size_t shared = std::min(recorded.messages.size(), now.messages.size());
    const std::size_t before = found_.size();
    const CallsOf calls_then(recorded);
    const CallsOf calls_now(now);
    for (std::size_t i = 0; i < shared; ++i) {
      const Message& then = recorded.messages[i];
      const ToolResult* result = result_in(then);
      if (result != nullptr) {
        visit_specialist(calls_then.find(result->call_id), calls_now.find(result->call_id), now);
      }
      if (is_not_reached(now, now.messages[i])) return;
      if (rules_.is_same(then, now.messages[i])) continue;
      const auto kind = result != nullptr ? Difference::Kind::result : Difference::Kind::message;
      add(kind, i + 1, what_is(then), readable(then), readable(now.messages[i]));
    }
    visit_open_calls(recorded, now, calls_then, calls_now);
    if (is_ended_by_replay(now)) return;
    if (recorded.messages.size() != now.messages.size()) {
      // After another difference this is its consequence.
      if (found_.size() == before) add_turns(recorded, now, shared);
    } else {
      visit_end(recorded, now);
    }
  }

  static bool is_not_reached(const RecordedSession& now, const Message& message) {
    const ToolResult* result = result_in(message);
    return is_ended_by_replay(now) && result != nullptr && was_ended_by_replay(*result);
  }

  // Of a call in both of the sessions.
  void visit_specialist(const RecordedCall* then, const RecordedCall* came,
                        const RecordedSession& now) {
    if (then == nullptr || came == nullptr || then->specialist.empty()) return;
    const RecordedSession& specialist = then->specialist.front();
    if (came->specialist.empty()) {
      if (is_ended_by_replay(now)) return;
      add(Difference::Kind::specialist, {}, fmt::format("the specialist {}", specialist.agent),
          readable(specialist.messages.front()), "(not asked)");
      return;
    }
    way_.push_back(specialist.agent);
    visit(specialist, came->specialist.front());
    way_.pop_back();
  }

  // Calls of a last turn that never became messages.
  void visit_open_calls(const RecordedSession& recorded, const RecordedSession& now,
                        const CallsOf& calls_then, const CallsOf& calls_now) {
    if (recorded.messages.empty() || now.messages.size() < recorded.messages.size()) return;
    for (const ToolCall& call : recorded.messages.back().tool_calls()) {
      const RecordedCall* then = calls_then.find(call.id);
      const RecordedCall* came = calls_now.find(call.id);
      visit_specialist(then, came, now);
      if (then == nullptr || came == nullptr || !then->result || !came->result) continue;
      if (was_ended_by_replay(*came->result) || rules_.is_same(*then->result, *came->result)) {
        continue;
      }
      add(Difference::Kind::result, recorded.messages.size(),
          fmt::format("the result of {}", call.name), readable(Message::tool(*then->result)),
          readable(Message::tool(*came->result)));
    }
  }

  void add_turns(const RecordedSession& recorded, const RecordedSession& now, std::size_t shared) {
    const bool is_shorter = now.messages.size() < recorded.messages.size();
    const std::string then = is_shorter ? readable(recorded.messages[shared])
                                        : readable_end(recorded.status, recorded.error);
    const std::string came =
        is_shorter ? readable_end(now.status, now.error) : readable(now.messages[shared]);
    add(Difference::Kind::turns, shared + 1,
        is_shorter ? "the session ends before this message" : "the session goes on", then, came);
  }

  void visit_end(const RecordedSession& recorded, const RecordedSession& now) {
    if (recorded.status == SessionStatus::running || failed_after_answer(recorded)) return;
    const std::string then = rules_.redacted(readable_end(recorded.status, recorded.error));
    const std::string came = rules_.redacted(readable_end(now.status, now.error));
    if (then != came) add(Difference::Kind::end, {}, "how the session ended", then, came);
  }

  void add(Difference::Kind kind, std::optional<std::size_t> message, std::string what,
           const std::string& recorded, const std::string& now) {
    found_.push_back(
        {kind, way_, message, std::move(what), rules_.redacted(recorded), rules_.redacted(now)});
  }

  const ReplayComparison& rules_;
  std::vector<std::string> way_;
  std::vector<Difference> found_;
};

std::string ReplayComparison::redacted(const std::string& text) const {
  return redactor_.redacted(std::string_view(text));
}

std::vector<Difference> ReplayComparison::differences(const RecordedSession& recorded,
                                                      const RecordedSession& now) const {
  Walk walk(*this);
  walk.visit(recorded, now);
  return std::move(walk).take();
}

}  // namespace wright::runtime
