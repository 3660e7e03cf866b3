// A report for people. Every text in it may come from a model: line breaks and control characters
// are removed.
#include <fmt/format.h>

#include <array>

#include "core/enum_names.h"
#include "wright/feedback.h"

namespace wright {
namespace {

std::string on_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool is_control = static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
    if (!is_control) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  while (line.ends_with(' ')) line.pop_back();
  return to_valid_utf8(std::move(line));
}

std::string used_line(const UsedTool& tool) {
  std::string line = fmt::format("{} {}: {}", tool.success ? "✅" : "❌",
                                 tool.success ? "Used" : "Failed", on_one_line(tool.name));
  if (!tool.purpose.empty()) line += fmt::format(" ({})", on_one_line(tool.purpose));
  if (tool.success && tool.result_quality) {
    line += fmt::format(", results {}", enum_name(*tool.result_quality));
  }
  return line + "\n";
}

std::string suggestion_lines(const Suggestion& suggestion) {
  std::string lines = "   - ";
  if (suggestion.tool_spec) lines += on_one_line(suggestion.tool_spec->name) + ": ";
  lines +=
      fmt::format("{} [{}]\n", on_one_line(suggestion.description), enum_name(suggestion.priority));
  if (suggestion.tool_spec && !suggestion.tool_spec->parameters.empty()) {
    std::string parameters;
    for (const std::string& each : suggestion.tool_spec->parameters) {
      parameters += (parameters.empty() ? "" : ", ") + on_one_line(each);
    }
    lines += fmt::format("     parameters: {}\n", parameters);
  }
  if (suggestion.config_change) {
    lines += fmt::format("     {}: {}\n", on_one_line(suggestion.config_change->entity),
                         on_one_line(suggestion.config_change->change));
  }
  return lines;
}

std::string alternative_lines(const Alternative& alternative) {
  std::string lines = fmt::format("   - {}\n", on_one_line(alternative.approach));
  for (const std::string& each : alternative.pros) {
    lines += fmt::format("     + {}\n", on_one_line(each));
  }
  for (const std::string& each : alternative.cons) {
    lines += fmt::format("     - {}\n", on_one_line(each));
  }
  if (!alternative.needs) return lines;
  for (const std::string& each : *alternative.needs) {
    lines += fmt::format("     needs {}\n", on_one_line(each));
  }
  return lines;
}

std::string usage_line(const ToolUsage& tool) {
  std::string line = fmt::format("   - {}: {} {}", on_one_line(tool.name), tool.calls,
                                 tool.calls == 1 ? "call" : "calls");
  if (tool.failed > 0) line += fmt::format(", {} failed", tool.failed);
  if (tool.total_ms && tool.slowest_ms) {
    line +=
        fmt::format(", {:.1f} ms in all, {:.1f} ms the slowest", *tool.total_ms, *tool.slowest_ms);
  }
  return line + "\n";
}

}  // namespace

std::string to_text(const FeedbackReport& report) {
  const ToolFeedback& feedback = report.tool_feedback;
  std::string text = "[DEBUG MODE ACTIVE]\nTool Feedback:\n";
  for (const UsedTool& tool : feedback.tools_used) text += used_line(tool);
  if (feedback.tools_used.empty()) text += "➖ Used: no tools\n";
  for (const ConsideredTool& tool : feedback.tools_considered) {
    text += fmt::format("➖ Not used: {}: {}\n", on_one_line(tool.name),
                        on_one_line(tool.reason_not_used));
  }
  for (const Limitation& each : feedback.limitations) {
    text += fmt::format("⚠️  Limitation: {} [{}]\n", on_one_line(each.description),
                        enum_name(each.impact));
  }
  if (!feedback.suggestions.empty()) text += "💡 What would improve this answer:\n";
  for (const Suggestion& each : feedback.suggestions) text += suggestion_lines(each);
  if (feedback.alternatives && !feedback.alternatives->empty()) {
    text += "\nOther ways to the answer:\n";
    for (const Alternative& each : *feedback.alternatives) text += alternative_lines(each);
  }
  if (feedback.construction && !feedback.construction->empty()) {
    text += "\nHow the answer was constructed:\n";
    for (const std::string& step : *feedback.construction) {
      text += fmt::format("   - {}\n", on_one_line(step));
    }
  }
  if (feedback.reasoning && !feedback.reasoning->empty()) {
    text += fmt::format("\nWhy this approach:\n   {}\n", on_one_line(*feedback.reasoning));
  }
  const AnswerQuality& quality = feedback.answer_quality;
  text += fmt::format("\nAnswer quality: completeness {:g} %, confidence {:g} %\n",
                      quality.completeness, quality.confidence);
  if (quality.notes) text += fmt::format("   {}\n", on_one_line(*quality.notes));
  if (!report.usage.empty()) text += "\nOn record:\n";
  for (const ToolUsage& tool : report.usage) text += usage_line(tool);
  if (!report.contradictions.empty()) text += "\n❗ The model's words and the record differ:\n";
  for (const Contradiction& each : report.contradictions) {
    text += fmt::format("   - {}: it said \"{}\", but {}\n", on_one_line(each.about),
                        on_one_line(each.said), on_one_line(each.recorded));
  }
  if (!report.notes.empty()) text += "\nDropped from the model's words:\n";
  for (const std::string& note : report.notes) {
    text += fmt::format("   - {}\n", on_one_line(note));
  }
  return text;
}

}  // namespace wright
