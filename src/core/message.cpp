#include "wright/message.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include "core/enum_names.h"
#include "core/older_forms.h"
#include "core/saturating.h"
#include "core/try.h"

namespace wright {

WRIGHT_ENUM(Role, user, assistant, system, tool)
WRIGHT_ENUM(StopReason, end_turn, tool_use, max_tokens, stop_sequence, content_filter, paused,
            other)
WRIGHT_ENUM(Text::Phase, unmarked, commentary, final_answer)
WRIGHT_ENUM(ToolResult::Origin, tool, not_run, refused)
WRIGHT_ENUM(Notice::Kind, answer_cut, same_result, summarise, answer_refused, turn_paused,
            folder_notes, secrets_hidden)

namespace {

bool is_commentary(const Text& text) {
  return text.phase == Text::Phase::commentary;
}

// Joins the texts for which `is_wanted` holds. A text with a phase is a paragraph of its own.
template <class IsWanted>
std::string joined_text(const std::vector<Part>& parts, IsWanted&& is_wanted) {
  std::string joined;
  auto last = Text::Phase::unmarked;
  for (const Part& part : parts) {
    const auto* text = std::get_if<Text>(&part);
    if (text == nullptr || text->text.empty() || !is_wanted(*text)) continue;
    const bool is_apart = last != Text::Phase::unmarked || text->phase != Text::Phase::unmarked;
    if (is_apart && !joined.empty()) joined += "\n\n";
    joined += text->text;
    last = text->phase;
  }
  return joined;
}

std::string joined_text(const std::vector<Part>& parts) {
  return joined_text(parts, [](const Text&) { return true; });
}

std::string answer_text(const std::vector<Part>& parts) {
  std::string answer = joined_text(parts, [](const Text& text) { return !is_commentary(text); });
  return answer.empty() ? joined_text(parts) : answer;
}

std::vector<ToolCall> calls_in(const std::vector<Part>& parts) {
  std::vector<ToolCall> calls;
  for (const Part& part : parts) {
    if (const auto* call = std::get_if<ToolCall>(&part)) calls.push_back(*call);
  }
  return calls;
}

// --- JSON form ------------------------------------------------------------------------------

Json part_json(const Citation& part) {
  JsonObject json{{"url", part.url}, {"title", part.title}, {"quote", part.quote}};
  if (!part.opaque.empty()) json["opaque"] = part.opaque;
  return json;
}
Json part_json(const Text& part) {
  JsonObject json{{"type", "text"}, {"text", part.text}};
  if (part.phase != Text::Phase::unmarked) json["phase"] = to_string(part.phase);
  if (!part.citations.empty()) {
    JsonArray& citations = (json["citations"] = JsonArray()).get_array();
    for (const Citation& each : part.citations) citations.push_back(part_json(each));
  }
  return json;
}
Json part_json(const Reasoning& part) {
  return {{"type", "reasoning"}, {"text", part.text}, {"opaque", part.opaque}};
}
Json part_json(const Image& part) {
  return {{"type", "image"}, {"media_type", part.media_type}, {"base64", part.base64}};
}
Json part_json(const ToolCall& part) {
  return {
      {"type", "tool_call"}, {"id", part.id}, {"name", part.name}, {"arguments", part.arguments}};
}
Json part_json(const Notice& part) {
  return {{"type", "notice"}, {"kind", to_string(part.kind)}, {"text", part.text}};
}
Json part_json(const ToolResult& part) {
  JsonObject json{{"type", "tool_result"},
                  {"call_id", part.call_id},
                  {"name", part.name},
                  {"content", part.content},
                  {"is_error", part.is_error}};
  if (!part.images.empty()) {
    JsonArray& images = (json["images"] = JsonArray()).get_array();
    for (const Image& image : part.images) images.push_back(part_json(image));
  }
  if (!part.notices.empty()) {
    JsonArray& notices = (json["notices"] = JsonArray()).get_array();
    for (const Notice& each : part.notices) notices.push_back(part_json(each));
  }
  if (part.fingerprint != 0) json["fingerprint"] = part.fingerprint;
  if (part.origin != older::origin_in(part)) json["origin"] = to_string(part.origin);
  return json;
}

// Reads the fields of one part; remembers that a field was missing or of the wrong type.
class PartReader {
 public:
  explicit PartReader(const JsonObject& object) : object_(object) {}

  std::string text(std::string_view key) {
    const Json* value = object_.if_contains(key);
    if (value != nullptr && value->is_string()) return std::string(value->get_string());
    bad_key_ = key;
    return {};
  }
  // Absent means that there is none.
  std::string optional_text(std::string_view key) {
    return object_.contains(key) ? text(key) : std::string();
  }
  bool flag(std::string_view key) {
    const Json* value = object_.if_contains(key);
    if (value != nullptr && value->is_bool()) return value->get_bool();
    bad_key_ = key;
    return false;
  }
  Notice::Kind notice_kind(std::string_view key) {
    if (const auto kind = enum_named<Notice::Kind>(text(key))) return *kind;
    bad_key_ = key;
    return {};
  }
  // Absent means that there is none.
  Text::Phase phase(std::string_view key) {
    if (!object_.contains(key)) return {};
    if (const auto phase = enum_named<Text::Phase>(text(key))) return *phase;
    bad_key_ = key;
    return {};
  }
  // Absent means what the words of the result say.
  ToolResult::Origin origin(std::string_view key, const ToolResult& result) {
    if (!object_.contains(key)) return older::origin_in(result);
    if (const auto origin = enum_named<ToolResult::Origin>(text(key))) return *origin;
    bad_key_ = key;
    return {};
  }
  // Absent means 0.
  std::uint64_t number(std::string_view key) {
    const Json* value = object_.if_contains(key);
    if (value == nullptr) return 0;
    if (value->is_uint64()) return value->get_uint64();
    if (value->is_int64() && value->get_int64() >= 0) {
      return static_cast<std::uint64_t>(value->get_int64());
    }
    bad_key_ = key;
    return 0;
  }
  // Absent means none.
  template <class T>
  std::vector<T> list(std::string_view key, T (*read_one)(PartReader&)) {
    std::vector<T> items;
    const Json* value = object_.if_contains(key);
    if (value == nullptr) return items;
    const JsonArray* array = value->if_array();
    if (array == nullptr) bad_key_ = key;
    for (std::size_t i = 0; array != nullptr && i < array->size(); ++i) {
      const JsonObject* object = (*array)[i].if_object();
      if (object == nullptr) {
        bad_key_ = key;
        return {};
      }
      PartReader read(*object);
      items.push_back(read_one(read));
      if (!read.bad_key().empty()) bad_key_ = key;
    }
    return items;
  }
  std::string_view bad_key() const { return bad_key_; }

 private:
  const JsonObject& object_;
  std::string_view bad_key_;
};

Image read_image(PartReader& read) {
  return {read.text("media_type"), read.text("base64")};
}
Notice read_notice(PartReader& read) {
  return {read.notice_kind("kind"), read.text("text")};
}

Citation read_citation(PartReader& read) {
  return {read.optional_text("url"), read.optional_text("title"), read.optional_text("quote"),
          read.optional_text("opaque")};
}

Result<Part> part_from_json(const Json& json) {
  const JsonObject* object = json.if_object();
  if (object == nullptr) return fail(ErrorCode::invalid_json, "A message part is not an object");
  PartReader read(*object);
  const std::string type = read.text("type");
  Part part;
  if (type == "text") {
    part = Text{read.text("text"), read.phase("phase"), read.list("citations", read_citation)};
  } else if (type == "reasoning") {
    part = Reasoning{read.text("text"), read.text("opaque")};
  } else if (type == "image") {
    part = read_image(read);
  } else if (type == "notice") {
    part = read_notice(read);
  } else if (type == "tool_call") {
    part = ToolCall{read.text("id"), read.text("name"), read.text("arguments")};
  } else if (type == "tool_result") {
    ToolResult result{.call_id = read.text("call_id"),
                      .name = read.text("name"),
                      .content = read.text("content"),
                      .is_error = read.flag("is_error"),
                      .images = read.list("images", read_image),
                      .notices = read.list("notices", read_notice),
                      .fingerprint = read.number("fingerprint")};
    result.origin = read.origin("origin", result);
    part = std::move(result);
  } else {
    return fail(ErrorCode::invalid_json, fmt::format("Unknown message part type '{}'", type));
  }
  if (!read.bad_key().empty()) {
    return fail(ErrorCode::invalid_json,
                fmt::format("Message part '{}' lacks a valid '{}'", type, read.bad_key()));
  }
  return part;
}

}  // namespace

std::string_view to_string(Role role) {
  return enum_name(role);
}

Result<Role> role_from(std::string_view name) {
  if (const auto role = enum_named<Role>(name)) return *role;
  return fail(ErrorCode::invalid_argument, fmt::format("Unknown role '{}'", name));
}

std::string_view to_string(StopReason reason) {
  return enum_name(reason);
}

std::string_view to_string(Text::Phase phase) {
  return enum_name(phase);
}

std::optional<Text::Phase> phase_named(std::string_view name) {
  return enum_named<Text::Phase>(name);
}

std::string_view to_string(Notice::Kind kind) {
  return enum_name(kind);
}

std::string_view to_string(ToolResult::Origin origin) {
  return enum_name(origin);
}

Result<ToolResult::Origin> origin_from(std::string_view name) {
  if (const auto origin = enum_named<ToolResult::Origin>(name)) return *origin;
  return fail(ErrorCode::invalid_argument, fmt::format("Unknown origin '{}'", name));
}

Notice notice(Notice::Kind kind) {
  switch (kind) {
    case Notice::Kind::answer_cut:
      return {kind,
              "[Your last answer was cut at the limit of tokens before it was complete, and none "
              "of it was used. Answer again, more briefly or in smaller steps.]"};
    case Notice::Kind::same_result:
      return {kind,
              "[This same call has had this same result several times now. Repeating it will not "
              "change it. Do something else, or answer with what you know.]"};
    case Notice::Kind::answer_refused:
      return {kind, "[Your last answer is not what was asked for. Answer again.]"};
    case Notice::Kind::turn_paused: return {kind, "[Your turn was paused. Go on.]"};
    case Notice::Kind::folder_notes: return {kind, {}};  // they are those of a file
    case Notice::Kind::secrets_hidden:
      return {kind,
              "[What looks like a secret is hidden above as [REDACTED]. It is still there where you "
              "read it: change what is around it, and do not write the mark in its place.]"};
    case Notice::Kind::summarise: break;
  }
  return {kind,
          "The conversation has become too long to be kept whole. Write down what whoever goes on "
          "with it must know, under these headings, without those that have nothing under them. "
          "Task: what the user wants, in their own words. Decisions: what was decided, approved or "
          "refused, and what holds from now on. Found: names, places, numbers. Files: which were "
          "read, changed or made, and how. Open: what failed, and what is unclear. Plan: what is "
          "to be done next. Be brief and exact. Write nothing but that."};
}

std::string text_of(const ToolResult& result) {
  std::string text = result.content;
  for (const Notice& each : result.notices) text += '\n' + each.text;
  return text;
}

const std::string* words_in(const Part& part) {
  if (const auto* text = std::get_if<Text>(&part)) return &text->text;
  const auto* told = std::get_if<Notice>(&part);
  return told != nullptr ? &told->text : nullptr;
}

Message Message::user(std::string text) {
  return {Role::user, {Text{std::move(text)}}};
}
Message Message::assistant(std::string text) {
  return {Role::assistant, {Text{std::move(text)}}};
}
Message Message::system(std::string text) {
  return {Role::system, {Text{std::move(text)}}};
}
Message Message::tool(ToolResult result) {
  // Not by a list in braces, which would copy it.
  Message message{Role::tool, {}};
  message.parts.emplace_back(std::move(result));
  return message;
}
Message Message::notice(Notice::Kind kind) {
  return {Role::user, {wright::notice(kind)}};
}

std::string Message::text() const {
  return joined_text(parts);
}
std::string Message::answer() const {
  return answer_text(parts);
}
std::vector<ToolCall> Message::tool_calls() const {
  return calls_in(parts);
}
bool Message::is_from_user() const {
  return role == Role::user &&
         (parts.size() != 1 || !std::holds_alternative<Notice>(parts.front()));
}
ToolChoice Request::tool_choice() const {
  if (sampling == nullptr) return {};
  const ToolChoice& choice = sampling->tool_choice;
  const bool forces =
      choice.kind == ToolChoice::Kind::required || choice.kind == ToolChoice::Kind::one;
  return forces && has_called ? ToolChoice::automatic() : choice;
}

std::string Response::text() const {
  return joined_text(content);
}
std::string Response::answer() const {
  return answer_text(content);
}
std::string Response::commentary() const {
  const bool is_all =
      joined_text(content, [](const Text& text) { return !is_commentary(text); }).empty();
  return is_all ? std::string() : joined_text(content, is_commentary);
}
std::vector<ToolCall> Response::tool_calls() const {
  return calls_in(content);
}

std::string sources_text(std::span<const Part> parts) {
  std::vector<std::string> lines;
  for (const Part& part : parts) {
    const auto* text = std::get_if<Text>(&part);
    if (text == nullptr) continue;
    for (const Citation& each : text->citations) {
      const bool has_both = !each.title.empty() && !each.url.empty();
      std::string line = has_both ? fmt::format("{} <{}>", each.title, each.url)
                                  : (each.title.empty() ? each.url : each.title);
      if (line.empty()) line = each.quote;
      if (line.empty() || std::ranges::find(lines, line) != lines.end()) continue;
      lines.push_back(std::move(line));
    }
  }
  std::string shown;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    shown += fmt::format("{}[{}] {}", i == 0 ? "Sources:\n" : "\n", i + 1, lines[i]);
  }
  return shown;
}

std::string display_text(const Message& message) {
  std::string shown;
  bool has_calls = false;
  auto last = Text::Phase::unmarked;
  for (const Part& part : message.parts) {
    if (const std::string* words = words_in(part)) {
      const auto* text = std::get_if<Text>(&part);
      const auto phase = text != nullptr ? text->phase : Text::Phase::unmarked;
      const bool is_apart = last != Text::Phase::unmarked || phase != Text::Phase::unmarked;
      if (is_apart && !shown.empty() && !words->empty()) shown += "\n\n";
      shown += *words;
      if (!words->empty()) last = phase;
    } else if (const auto* result = std::get_if<ToolResult>(&part)) {
      if (!shown.empty()) shown += '\n';
      shown +=
          fmt::format(fmt::runtime(result->is_error ? "Tool {} failed: {}" : "Tool {} result:\n{}"),
                      result->name, text_of(*result));
    } else if (std::holds_alternative<ToolCall>(part)) {
      has_calls = true;
    } else if (std::holds_alternative<Image>(part)) {
      shown += "[image]";
    }
  }
  if (shown.empty() && has_calls) return std::string(kUsingTools);
  if (const std::string sources = sources_text(message.parts); !sources.empty()) {
    shown += (shown.empty() ? "" : "\n\n") + sources;
  }
  return shown;
}

Usage& Usage::operator+=(const Usage& other) {
  const auto add = [](std::int64_t& sum, std::int64_t more) { sum = saturating_sum(sum, more); };
  add(input_tokens, other.input_tokens);
  add(output_tokens, other.output_tokens);
  add(cached_tokens, other.cached_tokens);
  add(reasoning_tokens, other.reasoning_tokens);
  add(cache_write_tokens, other.cache_write_tokens);
  cost_usd += other.cost_usd;
  return *this;
}

Usage Usage::operator-(const Usage& before) const {
  return {.input_tokens = input_tokens - before.input_tokens,
          .output_tokens = output_tokens - before.output_tokens,
          .cached_tokens = cached_tokens - before.cached_tokens,
          .reasoning_tokens = reasoning_tokens - before.reasoning_tokens,
          .cache_write_tokens = cache_write_tokens - before.cache_write_tokens,
          .cost_usd = cost_usd - before.cost_usd};
}

Json to_json(const Message& message) {
  JsonArray parts;
  parts.reserve(message.parts.size());
  for (const Part& part : message.parts) {
    parts.push_back(std::visit([](const auto& p) { return part_json(p); }, part));
  }
  return {{"role", to_string(message.role)}, {"parts", std::move(parts)}};
}

Result<Message> message_from_json(const Json& json) {
  const JsonObject* object = json.if_object();
  const Json* role = object != nullptr ? object->if_contains("role") : nullptr;
  const Json* parts = object != nullptr ? object->if_contains("parts") : nullptr;
  if (role == nullptr || !role->is_string() || parts == nullptr || !parts->is_array()) {
    return fail(ErrorCode::invalid_json, "A message needs a 'role' and an array of 'parts'");
  }
  const auto known_role = TRY(role_from(role->get_string()));
  Message message{known_role, {}};
  message.parts.reserve(parts->get_array().size());
  for (const Json& item : parts->get_array()) {
    auto part = TRY(part_from_json(item));
    message.parts.push_back(std::move(part));
  }
  return message;
}

Json to_json(const Usage& usage) {
  return {{"input_tokens", usage.input_tokens},
          {"output_tokens", usage.output_tokens},
          {"cached_tokens", usage.cached_tokens},
          {"reasoning_tokens", usage.reasoning_tokens},
          {"cache_write_tokens", usage.cache_write_tokens},
          {"cost_usd", usage.cost_usd}};
}

Result<Usage> usage_from_json(const Json& json) {
  const JsonObject* object = json.if_object();
  if (object == nullptr) return fail(ErrorCode::invalid_json, "Usage is not an object");
  Usage usage;
  const auto read = [&](std::string_view key, std::int64_t& value) {
    const Json* found = object->if_contains(key);
    if (found == nullptr) return true;
    if (!found->is_int64()) return false;
    value = found->get_int64();
    return true;
  };
  if (!read("input_tokens", usage.input_tokens) || !read("output_tokens", usage.output_tokens) ||
      !read("cached_tokens", usage.cached_tokens) ||
      !read("reasoning_tokens", usage.reasoning_tokens) ||
      !read("cache_write_tokens", usage.cache_write_tokens)) {
    return fail(ErrorCode::invalid_json, "Usage counts must be integers");
  }
  if (const Json* cost = object->if_contains("cost_usd")) {
    if (!cost->is_number()) return fail(ErrorCode::invalid_json, "A cost must be a number");
    usage.cost_usd = cost->to_number<double>();
  }
  return usage;
}

}  // namespace wright
