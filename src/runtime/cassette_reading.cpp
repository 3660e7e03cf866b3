// Reads cassettes. Nothing is guessed: what is not as it should be is an error with its place.
#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>

#include "core/older_forms.h"
#include "core/try.h"
#include "runtime/cassette_format.h"
#include "wright/replay.h"

namespace wright {
namespace {

std::unexpected<Error> bad(std::string_view place, std::string_view what) {
  return fail(ErrorCode::invalid_json, fmt::format("{}: {}", place, what));
}

// One object of the file. The first thing that is wrong with it is kept; all that is read after
// that is empty.
class Fields {
 public:
  Fields(const Json& json, std::string place, std::initializer_list<std::string_view> known)
      : object_(json.if_object()), place_(std::move(place)) {
    if (object_ == nullptr) {
      complain("it must be an object");
      return;
    }
    for (const auto& [key, value] : *object_) {
      if (std::ranges::find(known, std::string_view(key)) == known.end()) {
        complain(fmt::format("unknown key '{}'", std::string_view(key)));
      }
    }
  }

  const std::optional<Error>& problem() const { return problem_; }
  std::string at(std::string_view key) const { return fmt::format("{}.{}", place_, key); }

  const Json* find(std::string_view key) const {
    return object_ != nullptr ? object_->if_contains(key) : nullptr;
  }
  std::string text(std::string_view key) {
    const Json* value = find(key);
    if (value != nullptr && value->is_string()) return std::string(value->get_string());
    complain(fmt::format("'{}' must be a text", key));
    return {};
  }
  // A text, or a list of its lines. Absent is empty.
  std::string lines(std::string_view key) {
    const Json* value = find(key);
    if (value == nullptr || value->is_string()) return value == nullptr ? "" : text(key);
    const JsonArray* array = value->if_array();
    const auto is_text = [](const Json& line) { return line.is_string(); };
    if (array == nullptr || !std::ranges::all_of(*array, is_text)) {
      complain(fmt::format("'{}' must be a text or a list of lines", key));
      return {};
    }
    std::string joined;
    for (const Json& line : *array) {
      if (&line != &array->front()) joined += '\n';
      joined += std::string_view(line.get_string());
    }
    return joined;
  }
  const JsonArray& list(std::string_view key) {
    static const JsonArray kNone;
    const Json* value = find(key);
    if (value == nullptr) return kNone;
    if (const JsonArray* array = value->if_array()) return *array;
    complain(fmt::format("'{}' must be a list", key));
    return kNone;
  }
  template <class Value>
  Value value(Result<Value> read) {
    if (read) return std::move(*read);
    complain(read.error().message);
    return {};
  }
  void complain(std::string_view what) {
    if (!problem_) problem_ = bad(place_, what).error();
  }

 private:
  const JsonObject* object_;
  std::string place_;
  std::optional<Error> problem_;
};

Result<std::vector<Image>> images_from(Fields& fields) {
  std::vector<Image> images;
  std::size_t n = 0;
  for (const Json& json : fields.list("images")) {
    Fields image(json, fmt::format("{}[{}]", fields.at("images"), n++),
                 {"type", "media_type", "base64"});
    images.push_back({image.text("media_type"), image.text("base64")});
    if (image.problem()) return std::unexpected(*image.problem());
  }
  return images;
}

Result<Notice> notice_from(const Json& json, const std::string& place) {
  Fields fields(json, place, {"type", "kind", "text"});
  const std::string kind = fields.text("kind");
  Notice told{.text = fields.text("text")};
  bool is_known = false;
  for (const auto each :
       {Notice::Kind::answer_cut, Notice::Kind::same_result, Notice::Kind::summarise,
        Notice::Kind::answer_refused, Notice::Kind::turn_paused, Notice::Kind::folder_notes,
        Notice::Kind::secrets_hidden}) {
    if (to_string(each) != kind) continue;
    told.kind = each;
    is_known = true;
  }
  if (!is_known) fields.complain(fmt::format("unknown kind '{}'", kind));
  if (fields.problem()) return std::unexpected(*fields.problem());
  return told;
}

Result<ToolResult> result_from(const Json& json, const std::string& place) {
  Fields fields(json, place,
                {"type", "call_id", "name", "is_error", "content", "json", "images", "notices",
                 "fingerprint", "origin"});
  ToolResult result{.call_id = fields.text("call_id"), .name = fields.text("name")};
  if (const Json* is_error = fields.find("is_error")) {
    if (!is_error->is_bool()) fields.complain("'is_error' must be true or false");
    result.is_error = is_error->is_bool() && is_error->get_bool();
  }
  if (const Json* inner = fields.find("json")) {
    result.content = to_text(*inner);
  } else if (fields.find("content") == nullptr) {
    fields.complain("'content' is missing");
  } else {
    result.content = fields.lines("content");
  }
  result.images = TRY(images_from(fields));
  std::size_t n = 0;
  for (const Json& each : fields.list("notices")) {
    auto told = TRY(notice_from(each, fmt::format("{}[{}]", fields.at("notices"), n++)));
    result.notices.push_back(std::move(told));
  }
  if (const Json* fingerprint = fields.find("fingerprint")) {
    boost::system::error_code problem;
    result.fingerprint =
        fingerprint->is_number() ? fingerprint->to_number<std::uint64_t>(problem) : 0;
    if (problem || result.fingerprint == 0) fields.complain("'fingerprint' must be a number");
  }
  result.origin = fields.find("origin") != nullptr
                      ? fields.value(origin_from(fields.text("origin")))
                      : older::origin_in(result);
  if (fields.problem()) return std::unexpected(*fields.problem());
  return result;
}

Result<Part> call_part_from(const Json& json, const std::string& place) {
  Fields fields(json, place, {"type", "id", "name", "arguments"});
  ToolCall call{fields.text("id"), fields.text("name"), {}};
  const Json* arguments = fields.find("arguments");
  if (arguments == nullptr) {
    fields.complain("'arguments' is missing");
  } else {
    call.arguments = arguments->is_object() ? to_text(*arguments) : fields.text("arguments");
  }
  if (fields.problem()) return std::unexpected(*fields.problem());
  return call;
}

Result<Part> text_from(const Json& json, const std::string& place) {
  Fields fields(json, place, {"type", "text", "phase", "citations"});
  Text said{.text = fields.lines("text")};
  const bool is_cited = json.as_object().contains("citations");
  for (std::size_t n = 0; is_cited && n < fields.list("citations").size(); ++n) {
    Fields cited(fields.list("citations")[n], fmt::format("{}[{}]", fields.at("citations"), n),
                 {"url", "title", "quote"});
    said.citations.push_back({cited.text("url"), cited.text("title"), cited.text("quote")});
    if (cited.problem()) return std::unexpected(*cited.problem());
  }
  if (json.as_object().contains("phase")) {
    const std::string name = fields.text("phase");
    const auto phase = phase_named(name);
    if (!phase) fields.complain(fmt::format("unknown phase '{}'", name));
    said.phase = phase.value_or(Text::Phase::unmarked);
  }
  if (fields.problem()) return std::unexpected(*fields.problem());
  return said;
}

Result<Part> part_from(const Json& json, const std::string& place) {
  const JsonObject* object = json.if_object();
  const Json* type = object != nullptr ? object->if_contains("type") : nullptr;
  if (type == nullptr || !type->is_string()) return bad(place, "a part needs a 'type'");
  const std::string_view name = type->get_string();
  if (name == "tool_call") return call_part_from(json, place);
  if (name == "tool_result") {
    auto result = TRY(result_from(json, place));
    return result;
  }
  if (name == "notice") {
    auto told = TRY(notice_from(json, place));
    return told;
  }
  if (name == "text") return text_from(json, place);
  if (name == "reasoning") {
    Fields fields(json, place, {"type", "text"});
    std::string text = fields.lines("text");
    if (fields.problem()) return std::unexpected(*fields.problem());
    return Reasoning{std::move(text), {}};
  }
  if (name != "image") return bad(place, fmt::format("unknown type '{}'", name));
  Fields fields(json, place, {"type", "media_type", "base64"});
  Image image{fields.text("media_type"), fields.text("base64")};
  if (fields.problem()) return std::unexpected(*fields.problem());
  return image;
}

Result<Message> message_from(const Json& json, const std::string& place) {
  Fields fields(json, place, {"role", "parts"});
  Message message{fields.value(role_from(fields.text("role"))), {}};
  std::size_t n = 0;
  for (const Json& each : fields.list("parts")) {
    auto part = TRY(part_from(each, fmt::format("{}[{}]", fields.at("parts"), n++)));
    message.parts.push_back(std::move(part));
  }
  if (fields.problem()) return std::unexpected(*fields.problem());
  return older::with_notices(std::move(message));
}

Result<RecordedWait> wait_from(const Json& json, const std::string& place) {
  Fields fields(json, place, {"kind", "shown", "covers", "answer"});
  RecordedWait wait{.kind = fields.value(wait_kind_from(fields.text("kind")))};
  if (const Json* shown = fields.find("shown")) wait.shown = *shown;
  if (fields.find("covers") == nullptr) {
    wait.covers = older::waiting(wait.kind, wait.shown).covers;
  }
  for (const Json& each : fields.list("covers")) {
    if (!each.is_string()) {
      fields.complain("'covers' must be a list of texts");
      break;
    }
    wait.covers.emplace_back(each.get_string());
  }
  if (const Json* answer = fields.find("answer")) wait.answer = *answer;
  if (fields.problem()) return std::unexpected(*fields.problem());
  return wait;
}

Result<RecordedSession> session_from(const Json& json, const std::string& place);

Result<void> fill_in(std::vector<RecordedCall>& calls, const Json& json, const std::string& place) {
  Fields fields(json, place, {"id", "status", "result", "waits", "specialist"});
  const std::string id = fields.text("id");
  if (fields.problem()) return std::unexpected(*fields.problem());
  const auto call = std::ranges::find(calls, id, &RecordedCall::id);
  if (call == calls.end()) return bad(place, fmt::format("no message has the call '{}'", id));
  if (fields.find("status") != nullptr) {
    call->status = fields.value(call_status_from(fields.text("status")));
  }
  if (const Json* told = fields.find("result")) {
    call->result = TRY(result_from(*told, fields.at("result")));
  }
  std::size_t n = 0;
  for (const Json& each : fields.list("waits")) {
    auto wait = TRY(wait_from(each, fmt::format("{}[{}]", fields.at("waits"), n++)));
    call->waits.push_back(std::move(wait));
  }
  if (const Json* below = fields.find("specialist")) {
    auto specialist = TRY(session_from(*below, fields.at("specialist")));
    call->specialist.push_back(std::move(specialist));
  }
  if (fields.problem()) return std::unexpected(*fields.problem());
  return {};
}

// As far as the messages tell.
std::vector<RecordedCall> calls_in(const std::vector<Message>& messages) {
  std::vector<RecordedCall> calls;
  for (const Message& message : messages) {
    for (const Part& part : message.parts) {
      if (const auto* call = std::get_if<ToolCall>(&part)) {
        calls.push_back({.id = call->id, .status = CallStatus::pending});
      } else if (const auto* result = std::get_if<ToolResult>(&part)) {
        const auto told = std::ranges::find(calls, result->call_id, &RecordedCall::id);
        if (told == calls.end()) continue;
        told->result = *result;
        told->status = result->is_error ? CallStatus::failed : CallStatus::completed;
      }
    }
  }
  return calls;
}

Result<RecordedSession> session_from(const Json& json, const std::string& place) {
  Fields fields(json, place,
                {"agent", "provider", "model", "instructions", "settings", "status", "error",
                 "limit", "messages", "calls"});
  RecordedSession recorded{
      .agent = fields.text("agent"),
      .provider = fields.text("provider"),
      .model = fields.text("model"),
      .instructions = fields.lines("instructions"),
      .status = fields.value(session_status_from(fields.text("status"))),
      .error = fields.lines("error"),
  };
  if (const Json* settings = fields.find("settings")) {
    recorded.config = *settings;
    const bool is_known = settings->is_object() || settings->is_null();
    if (!is_known) fields.complain("'settings' must be an object");
  }
  if (fields.find("limit") != nullptr) {
    recorded.limit = fields.value(limit_from(fields.text("limit")));
  } else {
    recorded.limit = older::limit_in(recorded.error);
  }
  std::size_t n = 0;
  for (const Json& each : fields.list("messages")) {
    auto message = TRY(message_from(each, fmt::format("{}[{}]", fields.at("messages"), n++)));
    recorded.messages.push_back(std::move(message));
  }
  recorded.calls = calls_in(recorded.messages);
  n = 0;
  for (const Json& each : fields.list("calls")) {
    const std::string at = fmt::format("{}[{}]", fields.at("calls"), n++);
    TRY(fill_in(recorded.calls, each, at));
  }
  if (fields.problem()) return std::unexpected(*fields.problem());
  return recorded;
}

}  // namespace

Result<RecordedSession> cassette_from(std::string_view text) {
  const auto json = parse_json(text);
  if (!json) {
    return fail(ErrorCode::invalid_json, "It is no JSON: " + json.error().message);
  }
  const JsonObject* object = json->if_object();
  const Json* format = object != nullptr ? object->if_contains("format") : nullptr;
  if (format == nullptr || *format != Json(runtime::kCassetteFormat)) {
    return fail(
        ErrorCode::invalid_json,
        fmt::format("It is no cassette: the key 'format' is not \"{}\"", runtime::kCassetteFormat));
  }
  const Json* version = object->if_contains("version");
  if (version == nullptr || !version->is_int64() || version->get_int64() < 1) {
    return fail(ErrorCode::invalid_json, "The key 'version' must be a number from 1 on");
  }
  if (version->get_int64() > kCassetteVersion) {
    return fail(
        ErrorCode::unsupported,
        fmt::format("It was written by a newer Wright (version {}; this one reads up to {})",
                    version->get_int64(), kCassetteVersion));
  }
  Fields fields(*json, "cassette", {"format", "version", "session"});
  if (fields.problem()) return std::unexpected(*fields.problem());
  const Json* session = fields.find("session");
  if (session == nullptr) return fail(ErrorCode::invalid_json, "The key 'session' is missing");
  auto recorded = TRY(session_from(*session, "session"));
  TRY(check(recorded));
  return recorded;
}

}  // namespace wright
