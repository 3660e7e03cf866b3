// The Markdown form of a transcript. Text of other people stands in fences that it cannot close.
#include <fmt/format.h>

#include <algorithm>

#include "app/terminal/figures.h"
#include "app/terminal/screen_text.h"
#include "app/terminal/transcript.h"
#include "core/cut_text.h"
#include "store/damage.h"

namespace wright::app {
namespace {

// A block whose fence is longer than every run of backticks inside.
std::string fenced(std::string_view text, std::string_view language) {
  std::size_t longest = 2;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  const std::string_view end_of_text = text.ends_with('\n') ? "" : "\n";
  return fmt::format("{}{}\n{}{}{}\n", fence, language, text, end_of_text, fence);
}

// Inline text of one line, with what Markdown would take for markup escaped.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : on_one_line(text)) {
    if (std::string_view("\\`*_[]<>#|").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string prettier(std::string_view json) {
  const auto parsed = parse_json(json);
  return parsed ? to_pretty_text(*parsed) : std::string(json);
}

std::string call_block(const Transcript& transcript, const ToolCall& call) {
  const std::string standing = standing_of(transcript, call);
  return fmt::format("**{}**{}\n\n{}\n", escaped(short_name(call.name)),
                     standing.empty() ? "" : fmt::format(" ({})", escaped(standing)),
                     fenced(prettier(call.arguments), "json"));
}

std::string result_block(const Transcript& transcript, const ToolResult& result, bool is_told) {
  std::string about = result.is_error ? "failed" : "completed";
  if (is_told) {
    about = kNotRunHere;
  } else if (const StoredCall* call = call_of(transcript, result)) {
    about = to_string(call->status);
    if (call->execution_time_ms) {
      about += ", " + show_whole_duration(*call->execution_time_ms);
    }
  }
  return fmt::format("**{}** ({})\n\n{}\n", escaped(short_name(result.name)), about,
                     fenced(result.content, ""));
}

std::string message_block(const Transcript& transcript, const Message& message, bool is_told) {
  std::string text;
  for (const Part& part : message.parts) {
    if (const auto* said = std::get_if<Text>(&part)) {
      // A model's answer is Markdown already; what a person typed is shown as typed.
      text += message.role == Role::assistant ? said->text + "\n\n" : fenced(said->text, "") + "\n";
    } else if (const auto* thought = std::get_if<Reasoning>(&part)) {
      if (!thought->text.empty()) text += "*Reasoning*\n\n" + fenced(thought->text, "") + "\n";
    } else if (const auto* call = std::get_if<ToolCall>(&part)) {
      text += call_block(transcript, *call);
    } else if (const auto* result = std::get_if<ToolResult>(&part)) {
      text += result_block(transcript, *result, is_told);
    } else if (const std::string* told = words_in(part)) {
      text += fenced(*told, "") + "\n";
    } else {
      text += "*(an image)*\n\n";
    }
  }
  if (const std::string sources = sources_text(message.parts); !sources.empty()) {
    text += fenced(sources, "") + "\n";
  }
  return text;
}

std::string heading_of(const Transcript& transcript, Role role) {
  switch (role) {
    case Role::user: return "User";
    case Role::assistant: return escaped(transcript.session.agent_name);
    case Role::system: return "System";
    case Role::tool: return "Tools";
  }
  return "User";
}

}  // namespace

std::string transcript_markdown(const Transcript& transcript) {
  const Session& session = transcript.session;
  std::string text = fmt::format("# Session {}: {}\n\n", session.id, escaped(session.agent_name));
  text += fmt::format("- status: {}\n",
                      store::is_damaged(session) ? "not known" : to_string(session.status));
  text += fmt::format("- model: {}\n", escaped(model_label(session.provider, session.model)));
  text += fmt::format("- started: {}\n", show_time(session.started_at));
  if (const std::string took = duration_of(session); !took.empty()) {
    text += fmt::format("- took: {}\n", took);
  }
  text += fmt::format("- turns: {}, tool calls: {}\n", session.iterations, transcript.calls.size());
  text += fmt::format("- tokens: {} in, {} out\n", session.usage.input_tokens,
                      session.usage.output_tokens);
  if (session.error && !store::is_damaged(session)) {
    text += fmt::format("- error: {}\n", escaped(*session.error));
  }
  for (const std::string& sentence : transcript.damaged) {
    text += fmt::format("- missing here: {}\n", escaped(sentence));
  }
  bool was_tool = false;
  std::size_t number = 0;
  for (const StoredMessage& stored : transcript.messages) {
    const bool is_tool = stored.message.role == Role::tool;
    const bool is_told = ++number <= transcript.told_messages;
    // The results of one turn stand under one heading.
    if (!is_tool || !was_tool) {
      text += fmt::format("\n## {}{}\n", heading_of(transcript, stored.message.role),
                          is_told ? " (told by the caller)" : "");
    }
    was_tool = is_tool;
    text += '\n' + message_block(transcript, stored.message, is_told);
    while (text.ends_with("\n\n")) text.pop_back();
  }
  for (const Message& unread : transcript.unread) {
    text += fmt::format("\n## {} (not read yet)\n\n{}", heading_of(transcript, Role::user),
                        fenced(display_text(unread), ""));
  }
  if (const std::string feedback = feedback_text(session); !feedback.empty()) {
    text += fmt::format("\n## Tool feedback\n\n{}", fenced(feedback, ""));
  }
  return text;
}

}  // namespace wright::app
