#include "tools/preview.h"

#include <fmt/format.h>

#include <exception>

#include "tools/line_diff.h"
#include "tools/output_budget.h"

namespace wright::tools {
namespace {

JsonObject problem(std::string_view what) {
  return JsonObject{{"problem", to_valid_utf8(std::string(what))}};
}

}  // namespace

JsonObject preview_of(const Tool& tool, const Json& arguments) {
  if (!tool.preview) return {};
  Json seen;
  // A preview belongs to a tool, and tools may throw.
  try {
    seen = tool.preview(arguments);
  } catch (const std::exception& error) {
    return problem(fmt::format("What it would touch is not known: {}", error.what()));
  } catch (...) {
    return problem("What it would touch is not known");
  }
  JsonObject* object = seen.if_object();
  if (object == nullptr) return {};
  if (to_text(*object).size() > kMostPreviewBytes) {
    return problem("What it would touch is too much to be shown");
  }
  return std::move(*object);
}

JsonObject approval_question(const ToolCall& call, const Context& context) {
  JsonObject shown{{"question", fmt::format("May {} run with these arguments?", call.name)},
                   {"tool", call.name},
                   {"arguments", context.arguments}};
  if (context.tool == nullptr) return shown;
  // A preview adds to what is asked, and cannot change it.
  JsonObject touched = preview_of(*context.tool, context.arguments);
  for (auto& member : touched) shown.emplace(member.key(), std::move(member.value()));
  return shown;
}

Json preview_of_change(const Result<std::string>& diff) {
  if (!diff) return preview_problem(diff.error());
  if (diff->empty()) return problem("It would change nothing");
  return JsonObject{{"diff", bounded_diff(*diff, kOutputBudget)}};
}

Json preview_problem(const Error& error) {
  return problem(fmt::format("It would fail: {}", error.message));
}

}  // namespace wright::tools
