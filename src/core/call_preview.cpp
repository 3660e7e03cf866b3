#include "core/call_preview.h"

#include <fmt/format.h>

#include <boost/json/object.hpp>

#include <exception>
#include <functional>

#include "core/sha256.h"

namespace wright {
namespace {

JsonObject unknown_preview(std::string_view why) {
  return JsonObject{{"problem", to_valid_utf8(std::string(why))}};
}

struct HidingPreview {
  std::function<Json(const Json& arguments)> preview;
  Redactor redactor;

  Json operator()(const Json& arguments) const {
    Json seen = preview(arguments);
    JsonObject* object = seen.if_object();
    Json* diff = object == nullptr ? nullptr : object->if_contains("diff");
    if (diff == nullptr || !diff->is_string()) return seen;
    std::size_t hidden = 0;
    const std::string text = redactor.redacted(std::string_view(diff->get_string()), hidden);
    if (hidden == 0) return seen;
    // What is hidden counts all the same: another secret makes another diff.
    object->emplace("whole_diff", sha256_hex(diff->get_string()));
    (*object)["diff"] = text;
    return seen;
  }
};

}  // namespace

JsonObject preview_of(const Tool& tool, const Json& arguments) {
  if (!tool.preview) return {};
  Json seen;
  // A preview belongs to a tool, and tools may throw.
  try {
    seen = tool.preview(arguments);
  } catch (const std::exception& error) {
    return unknown_preview(fmt::format("What it would touch is not known: {}", error.what()));
  } catch (...) {
    return unknown_preview("What it would touch is not known");
  }
  JsonObject* object = seen.if_object();
  if (object == nullptr) return {};
  return shown_part(std::move(*object));
}

JsonObject shown_part(JsonObject preview) {
  const std::string text = to_text(preview);
  if (text.size() <= kMostPreviewBytes) return preview;
  JsonObject rest = unknown_preview("What it would touch is too much to be shown");
  rest["whole"] = sha256_hex(text);
  if (const Json* folder = preview.if_contains("folder")) rest["folder"] = *folder;
  return rest;
}

Tool with_hidden_secrets(Tool tool, const Redactor& redactor) {
  const bool is_done = !tool.preview || tool.preview.target<HidingPreview>() != nullptr;
  if (!is_done) tool.preview = HidingPreview{std::move(tool.preview), redactor};
  return tool;
}

std::string approval_kind(const Invocation& invocation) {
  const ToolSpec& spec = invocation.tool.spec;
  std::string kind = fmt::format("tool:{}", spec.name);
  if (!spec.definition.empty()) kind += " " + spec.definition;
  if (spec.options.approved_by_arguments) kind += " " + to_text(invocation.arguments);
  return kind;
}

JsonObject approval_question(const Invocation& invocation) {
  const std::string& name = invocation.call.name;
  JsonObject shown{{"question", fmt::format("May {} run with these arguments?", name)},
                   {"tool", name},
                   {"arguments", invocation.arguments}};
  const std::string& definition = invocation.tool.spec.definition;
  if (!definition.empty()) shown["definition"] = definition;
  if (invocation.tool.spec.options.approved_by_arguments) {
    shown["remembers"] = "exactly this call, with these arguments";
  }
  // A preview can add to what is asked, but not change it.
  JsonObject touched = preview_of(invocation.tool, invocation.arguments);
  for (auto& member : touched) shown.emplace(member.key(), std::move(member.value()));
  return shown;
}

}  // namespace wright
