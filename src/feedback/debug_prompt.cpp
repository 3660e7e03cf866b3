#include "feedback/debug_prompt.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "wright/feedback.h"

namespace wright::feedback {
namespace {

// Without what only a validator needs: every request carries the schema, and the report is read
// leniently.
void compact(Json& schema) {
  if (JsonArray* list = schema.if_array()) {
    for (Json& each : *list) compact(each);
  }
  JsonObject* object = schema.if_object();
  if (object == nullptr) return;
  for (const char* keyword : {"minLength", "minimum", "maximum", "additionalProperties"}) {
    object->erase(keyword);
  }
  if (object->contains("enum")) object->erase("type");
  for (auto& [key, value] : *object) compact(value);
}

// Without the parts that nobody asked for. Only the rating is required, and more is allowed: the
// report is read leniently, and a vendor that enforces the schema would demand every part of it.
Json parameters(const ToolFeedbackOptions& options) {
  Json schema = tool_feedback_schema();
  JsonObject& properties = schema.at("properties").as_object();
  if (!options.include_reasoning) {
    properties.erase("tools_considered");
    properties.erase("reasoning");
    properties.erase("construction");
  }
  if (!options.include_limitations) properties.erase("limitations");
  if (!options.include_suggestions) properties.erase("suggestions");
  if (!options.include_alternatives) properties.erase("alternatives");
  compact(schema);
  schema.as_object()["required"] = JsonArray{"answer_quality"};
  return schema;
}

constexpr std::string_view kBeginning = "\n\n## DEBUG MODE ACTIVE\n\n";

}  // namespace

std::string_view without_debug_instructions(std::string_view instructions) {
  return instructions.substr(0, instructions.rfind(kBeginning));
}

std::string debug_instructions(const ToolFeedbackOptions& options) {
  std::string text = fmt::format(
      "{}The developers of your tools want to know how well the tools served you. Answer the user "
      "as well as the tools allow, try them before you ask back, and in the same turn as your "
      "final "
      "answer call {} once, after the text of the answer. Be brief: leave out what is empty. "
      "Report:\n",
      kBeginning, kReportToolFeedback);
  if (options.include_reasoning) {
    text +=
        "- tools_used: each tool that you called and what for; tools_considered: which ones you "
        "passed over, and why\n"
        "- construction: how the answer was put together, in a few short steps; reasoning: why in "
        "this way and not in another, in a sentence\n";
  }
  if (options.include_limitations) {
    text +=
        "- limitations: what you could not do, and whether a tool, a field, an operator or a "
        "relationship was missing\n";
  }
  if (options.include_suggestions) {
    text +=
        "- suggestions: the one tool, field or change that would have helped, with its "
        "parameters (\"a number_range_search with operator gt on line_count\", not \"better "
        "search\")\n";
  }
  if (options.include_alternatives) {
    text += "- alternatives: other ways to the answer, with their pros and cons\n";
  }
  text += "- answer_quality: how complete your answer is and how sure you are, in percent";
  return text;
}

Tool report_tool(const ToolFeedbackOptions& options) {
  ToolSpec spec{.name = std::string(kReportToolFeedback),
                .description =
                    "Reports how well the tools served you. Call it once, in the same turn as "
                    "your final answer: the text beside this call is the answer.",
                .parameters = parameters(options)};
  spec.options.effect = Effect::read;
  spec.options.provides = {.logging = false, .metadata = true};
  return Tool{
      .spec = std::move(spec),
      .function = [](const Json&, const Context&) -> Result<ToolReply> {
        return Output{.value =
                          "Noted, thank you. If you have not answered the user yet, do so now."};
      },
      // Whatever comes is read as far as it can be: a model is not asked twice for its opinion.
      .check = [](const Json&) -> Result<void> { return {}; }};
}

}  // namespace wright::feedback
