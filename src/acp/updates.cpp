#include "acp/updates.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>

#include "core/enum_names.h"
#include "core/percent.h"
#include "core/text.h"
#include "core/try.h"
#include "core/user_message.h"
#include "tools/edit/patch_format.h"

namespace wright::acp {
namespace {

constexpr std::size_t kMostShown = std::size_t{64} * 1024;  // bytes of a result

struct KindRow {
  std::string_view tool;
  std::string_view kind;
};
constexpr std::array kKinds{
    KindRow{"read_file", "read"},
    KindRow{"list_files", "read"},
    KindRow{"skill", "read"},
    KindRow{"grep", "search"},
    KindRow{"query_entities", "search"},
    KindRow{"number_range_search", "search"},
    KindRow{"datetime_range_search", "search"},
    KindRow{"text_pattern_search", "search"},
    KindRow{"enum_filter_search", "search"},
    KindRow{"aggregate_entities", "search"},
    KindRow{"get_schema", "search"},
    KindRow{"describe_entity", "search"},
    KindRow{"explore_relationships", "search"},
    KindRow{"semantic_search", "search"},
    KindRow{"write_file", "edit"},
    KindRow{"apply_patch", "edit"},
    KindRow{"bash", "execute"},
    KindRow{"fetch_url", "fetch"},
    KindRow{"web_search", "fetch"},
    KindRow{"update_plan", "think"},
    KindRow{"codebase-analysis", "think"},
};

std::string_view kind_of(std::string_view tool) {
  const auto found = std::ranges::find(kKinds, tool, &KindRow::tool);
  return found == kKinds.end() ? "other" : found->kind;
}

JsonObject text_block(std::string_view text) {
  return {{"type", "text"}, {"text", to_valid_utf8(std::string(text))}};
}

JsonObject chunk(std::string_view kind, std::string_view text) {
  return {{"sessionUpdate", kind}, {"content", text_block(text)}};
}

JsonObject shown_text(std::string_view text) {
  const std::string_view part = utf8_prefix(text, kMostShown);
  std::string shown(part);
  if (part.size() < text.size()) shown += fmt::format("\n… ({} bytes in all)", text.size());
  return {{"type", "content"}, {"content", text_block(shown)}};
}

Json arguments_of(const ToolCall& call) {
  auto json = parse_json(call.arguments);
  return json ? std::move(*json) : Json(JsonObject{});
}

std::string text_at(const Json& json, std::string_view key) {
  const JsonObject* object = json.if_object();
  const Json* value = object != nullptr ? object->if_contains(key) : nullptr;
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

std::string title_of(const ToolCall& call) {
  constexpr std::size_t kLongest = 200;
  const Json arguments = arguments_of(call);
  std::string what;
  if (call.name == "bash") {
    what = text_at(arguments, "command");
  } else if (const auto paths = paths_of(call); !paths.empty()) {
    what = fmt::format("{} {}", call.name, fmt::join(paths, ", "));
  } else {
    what = fmt::format("{} {}", call.name, call.arguments);
  }
  // Runs of blanks as one: what follows them must not be out of sight.
  std::string line;
  for (const char c : what) {
    const bool is_blank_here = c == ' ' || (c >= '\t' && c <= '\r');
    if (!is_blank_here) line += c;
    if (is_blank_here && !line.ends_with(' ')) line += ' ';
  }
  const std::string_view part = utf8_prefix(line, kLongest);
  std::string title(part);
  if (part.size() < line.size()) title += fmt::format(" … ({} bytes in all)", what.size());
  return to_valid_utf8(std::move(title));
}

// In a fence that nothing in it can close.
std::string fenced(std::string_view language, std::string_view text) {
  std::string fence = "```";
  while (text.find(fence) != std::string_view::npos) fence += '`';
  return fmt::format("{}{}\n{}\n{}\n", fence, language, text, fence);
}

// The call as it would run: hooks may have changed what the model asked for.
ToolCall as_it_would_run(const PersonWait& wait) {
  ToolCall call = wait.call;
  const JsonObject* shown = wait.shown.if_object();
  const Json* arguments = shown != nullptr ? shown->if_contains("arguments") : nullptr;
  if (arguments != nullptr && arguments->is_object()) call.arguments = to_text(*arguments);
  return call;
}

// Every command that a person is asked about, whole.
std::string commands_shown(const PersonWait& wait, const ToolCall& call) {
  const JsonObject* shown = wait.shown.if_object();
  const Json* commands = shown != nullptr ? shown->if_contains("commands") : nullptr;
  std::string text;
  if (call.name == "bash") text += fenced("sh", text_at(arguments_of(call), "command"));
  if (commands == nullptr || !commands->is_array()) return text;
  for (const Json& each : commands->get_array()) {
    if (text_at(each, "permission") == "allow") continue;
    text += fenced("sh", text_at(each, "command"));
    if (const std::string why = text_at(each, "reason"); !why.empty()) text += why + "\n";
  }
  return text;
}

std::string absolute(std::string_view path, std::string_view base) {
  return path.starts_with('/') ? std::string(path) : fmt::format("{}/{}", base, path);
}

JsonArray locations_of(const ToolCall& call, std::string_view base) {
  JsonArray locations;
  const Json arguments = arguments_of(call);
  const JsonObject* object = arguments.if_object();
  const Json* offset = object != nullptr ? object->if_contains("offset") : nullptr;
  for (const std::string& path : paths_of(call)) {
    JsonObject location{{"path", to_valid_utf8(absolute(path, base))}};
    if (call.name == "read_file" && offset != nullptr && offset->is_int64() &&
        offset->get_int64() >= 0) {
      location["line"] = offset->get_int64();
    }
    locations.push_back(std::move(location));
  }
  return locations;
}

JsonObject update_of(const ToolCall& call, std::string_view status) {
  return {{"sessionUpdate", "tool_call_update"}, {"toolCallId", call.id}, {"status", status}};
}

// A JSON schema of the answer to one question, as forms take it.
JsonObject field_of(const Question& question) {
  JsonObject field{{"title", question.question}};
  if (question.description) field["description"] = *question.description;
  JsonArray options;
  for (const std::string& option : question.options.value_or(std::vector<std::string>())) {
    options.emplace_back(option);
  }
  switch (question.type) {
    case QuestionType::number: field["type"] = "number"; break;
    case QuestionType::boolean: field["type"] = "boolean"; break;
    case QuestionType::multiselect:
      field["type"] = "array";
      field["items"] = JsonObject{{"type", "string"}, {"enum", std::move(options)}};
      break;
    case QuestionType::select:
      field["type"] = "string";
      field["enum"] = std::move(options);
      break;
    default: field["type"] = "string"; break;
  }
  if (question.default_answer) field["default"] = *question.default_answer;
  return field;
}

}  // namespace

JsonObject message_chunk(std::string_view text) {
  return chunk("agent_message_chunk", text);
}
JsonObject thought_chunk(std::string_view text) {
  return chunk("agent_thought_chunk", text);
}
JsonObject words_chunk(TextPiece piece) {
  const bool is_remark = piece.phase == Text::Phase::commentary;
  return is_remark ? thought_chunk(piece.text) : message_chunk(piece.text);
}
JsonObject user_chunk(std::string_view text) {
  return chunk("user_message_chunk", text);
}
JsonObject user_chunk(const Image& image) {
  const bool is_image = image.media_type.starts_with("image/");
  const bool is_audio = image.media_type.starts_with("audio/");
  if (!is_image && !is_audio) {
    return chunk("user_message_chunk", fmt::format("[{}]", image.media_type));
  }
  return {{"sessionUpdate", "user_message_chunk"},
          {"content", JsonObject{{"type", is_image ? "image" : "audio"},
                                 {"mimeType", image.media_type},
                                 {"data", image.base64}}}};
}

JsonObject plan_update(const std::vector<tools::PlanStep>& plan) {
  JsonArray entries;
  for (const tools::PlanStep& step : plan) {
    entries.push_back(JsonObject{{"content", step.step},
                                 {"priority", enum_name(step.priority)},
                                 {"status", enum_name(step.status)}});
  }
  return {{"sessionUpdate", "plan"}, {"entries", std::move(entries)}};
}

std::vector<std::string> paths_of(const ToolCall& call) {
  if (call.name == "apply_patch") return written_paths(call);
  std::string path = text_at(arguments_of(call), "path");
  if (path.empty()) path = text_at(arguments_of(call), "file_path");
  return path.empty() ? std::vector<std::string>() : std::vector<std::string>{path};
}

std::vector<std::string> written_paths(const ToolCall& call) {
  if (call.name == "write_file") {
    ToolCall reading = call;
    reading.name = "read_file";
    return paths_of(reading);
  }
  std::vector<std::string> paths;
  if (call.name != "apply_patch") return paths;
  std::string patch = text_at(arguments_of(call), "patch");
  if (patch.empty()) patch = text_at(arguments_of(call), "input");
  const auto files = tools::parse_patch(patch);
  if (!files) return paths;
  for (const tools::FilePatch& file : *files) {
    for (const std::string& path : {file.path, file.new_path}) {
      if (!path.empty() && std::ranges::find(paths, path) == paths.end()) paths.push_back(path);
    }
  }
  return paths;
}

JsonObject call_begun(const ToolCall& call, std::string_view base) {
  return {{"sessionUpdate", "tool_call"},  {"toolCallId", call.id},
          {"title", title_of(call)},       {"kind", kind_of(call.name)},
          {"status", "in_progress"},       {"locations", locations_of(call, base)},
          {"rawInput", arguments_of(call)}};
}

JsonObject call_goes_on(const ToolCall& call) {
  return update_of(call, "in_progress");
}

JsonObject call_says(const ToolCall& call, std::string_view text) {
  JsonObject update = update_of(call, "in_progress");
  update["content"] = JsonArray{shown_text(text)};
  return update;
}

JsonObject call_waits(const ToolCall& call) {
  return update_of(call, "pending");
}

JsonObject call_in_terminal(std::string_view call_id, std::string_view terminal_id) {
  JsonObject terminal{{"type", "terminal"}, {"terminalId", terminal_id}};
  return {{"sessionUpdate", "tool_call_update"},
          {"toolCallId", call_id},
          {"status", "in_progress"},
          {"content", JsonArray{std::move(terminal)}}};
}

JsonObject call_ended(const ToolCall& call, const ToolResult& result,
                      const std::vector<ChangedText>& changes) {
  JsonObject update = update_of(call, result.is_error ? "failed" : "completed");
  JsonArray content;
  for (const ChangedText& change : changes) {
    if (change.before == change.after) continue;
    content.push_back(
        JsonObject{{"type", "diff"},
                   {"path", to_valid_utf8(change.path)},
                   {"oldText", change.before ? Json(to_valid_utf8(*change.before)) : Json(nullptr)},
                   {"newText", to_valid_utf8(change.after.value_or(""))}});
  }
  if (content.empty()) content.push_back(shown_text(result.content));
  update["content"] = std::move(content);
  auto raw = parse_json(utf8_prefix(result.content, kMostShown));
  update["rawOutput"] = raw && raw->is_object()
                            ? std::move(*raw)
                            : Json(JsonObject{{"text", utf8_prefix(result.content, kMostShown)}});
  return update;
}

JsonObject call_changed(const ToolCall& call, std::string_view base) {
  JsonObject update = update_of(call, "in_progress");
  update["title"] = title_of(call);
  update["locations"] = locations_of(call, base);
  update["rawInput"] = arguments_of(call);
  return update;
}

JsonObject permission_request(const PersonWait& wait, std::string_view base) {
  const ToolCall asked = as_it_would_run(wait);
  JsonObject call{{"toolCallId", asked.id},
                  {"title", title_of(asked)},
                  {"kind", kind_of(asked.name)},
                  {"status", "pending"},
                  {"locations", locations_of(asked, base)},
                  {"rawInput", arguments_of(asked)}};
  std::string shown;
  for (const char* key : {"question", "reason", "problem"}) {
    if (const std::string words = text_at(wait.shown, key); !words.empty()) shown += words + "\n";
  }
  shown += commands_shown(wait, asked);
  if (const std::string diff = text_at(wait.shown, "diff"); !diff.empty()) {
    shown += "\n" + fenced("diff", diff);
  }
  if (!shown.empty()) call["content"] = JsonArray{shown_text(shown)};
  const auto option = [](std::string_view id, std::string_view name, std::string_view kind) {
    return JsonObject{{"optionId", id}, {"name", name}, {"kind", kind}};
  };
  return {{"toolCall", std::move(call)},
          {"options", JsonArray{option("once", "Allow once", "allow_once"),
                                option("session", "Allow for this session", "allow_always"),
                                option("refuse", "Refuse", "reject_once"),
                                option("never", "Refuse for this session", "reject_always")}}};
}

std::optional<Approval> chosen_approval(const JsonObject& answer) {
  const Json* outcome = answer.if_contains("outcome");
  if (outcome == nullptr || text_at(*outcome, "outcome") != "selected") return std::nullopt;
  const auto decision = decision_from(text_at(*outcome, "optionId"));
  // What nobody offered is no permission.
  return Approval{decision ? *decision : Decision::refuse, ""};
}

std::optional<JsonObject> question_form(const AskUserRequest& request) {
  JsonObject properties;
  JsonArray required;
  std::string message = request.prompt.value_or("");
  for (const Question& question : request.questions) {
    if (question.type == QuestionType::password) return std::nullopt;
    properties[question.id] = field_of(question);
    if (!question.is_optional && !question.default_answer) required.emplace_back(question.id);
    if (message.empty()) message = question.question;
  }
  return JsonObject{{"mode", "form"},
                    {"message", message},
                    {"requestedSchema", JsonObject{{"type", "object"},
                                                   {"properties", std::move(properties)},
                                                   {"required", std::move(required)}}}};
}

std::string shown_uri(std::string_view uri) {
  constexpr std::string_view kFile = "file://";
  if (!uri.starts_with(kFile)) return std::string(uri);
  return percent_decoded(uri.substr(kFile.size()));
}

Result<Prompt> prompt_of(const JsonArray& blocks) {
  Prompt prompt;
  std::string& text = prompt.text;
  const auto add = [&](const std::string& more) {
    if (!text.empty() && !text.ends_with('\n')) text += "\n";
    text += more;
  };
  for (const Json& block : blocks) {
    const std::string type = text_at(block, "type");
    if (type == "text") {
      text += text_at(block, "text");
    } else if (type == "resource_link") {
      text += fmt::format(" @{} ", shown_uri(text_at(block, "uri")));
    } else if (type == "resource") {
      const Json* resource = block.get_object().if_contains("resource");
      const std::string uri = resource != nullptr ? text_at(*resource, "uri") : "";
      if (resource != nullptr && !text_at(*resource, "blob").empty()) {
        prompt.images.push_back({text_at(*resource, "mimeType"), text_at(*resource, "blob")});
        text += fmt::format(" {} ", shown_uri(uri));
        continue;
      }
      const std::string content = resource != nullptr ? text_at(*resource, "text") : "";
      add(fmt::format("\n{}:\n{}", shown_uri(uri), fenced("", content)));
    } else if (type == "image" || type == "audio") {
      prompt.images.push_back({text_at(block, "mimeType"), text_at(block, "data")});
    } else {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("prompt: a block of type '{}' is not taken here", type));
    }
  }
  if (is_blank(text) && prompt.images.empty()) {
    return fail(ErrorCode::invalid_argument, "prompt: it says nothing");
  }
  text = to_valid_utf8(std::string(trimmed(text)));
  auto checked = checked_user_message(user_message(text, prompt.images));
  if (!checked) return fail(ErrorCode::invalid_argument, "prompt: " + checked.error().message);
  return prompt;
}

}  // namespace wright::acp
