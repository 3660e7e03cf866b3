#include "app/commands/chat_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <ranges>

#include "app/commands/chat_commands.h"
#include "app/commands/chat_mentions.h"
#include "app/commands/help.h"
#include "app/terminal/screen_text.h"
#include "app/wiring/file_history.h"
#include "app/wiring/project_files.h"
#include "app/wiring/stored_session.h"

namespace wright::app {
namespace {

std::string painted_diff(std::string_view diff, const Terminal& screen) {
  std::string text;
  for (const auto each : std::views::split(diff, '\n')) {
    const std::string line = sanitised(std::string_view(each));
    Colour colour = Colour::none;
    if (line.starts_with("+++") || line.starts_with("---")) {
      colour = Colour::bold;
    } else if (line.starts_with('+')) {
      colour = Colour::green;
    } else if (line.starts_with('-')) {
      colour = Colour::red;
    } else if (line.starts_with("@@")) {
      colour = Colour::cyan;
    }
    text += painted(line, colour, screen) + "\n";
  }
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

}  // namespace

ExitCode undo_files(const Conversation& conversation, Store& store, UndoChoice choice,
                    const ReadLine& ask, CommandContext context) {
  if (conversation.session_id() == 0 || choice == UndoChoice::words) return ExitCode::ok;
  FileHistory history(conversation.settings(), store);
  const auto part = history.of_last_turn(conversation.session_id());
  if (!part) return complain_about(part.error(), context.console);
  if (part->is_empty() && part->plan.gaps.empty()) return ExitCode::ok;
  context.console.note(sanitised(shown_plan(part->plan)));
  if (!part->plan.does_something()) {
    if (choice != UndoChoice::ask || !ask) return ExitCode::ok;
    const auto answer = ask("No file can be taken back. The words? y: yes, Enter: nothing  ");
    if (answer && (*answer == "y" || *answer == "w")) return ExitCode::ok;
    context.console.note("  Nothing was taken back.\n");
    return ExitCode::failed;
  }
  if (choice == UndoChoice::ask) {
    if (!ask) {
      context.console.complain("this turn changed files",
                               "/undo files takes them back as well, /undo words leaves them.");
      return ExitCode::usage;
    }
    const auto answer =
        ask("Take back the files as well? y: yes, w: only the words, Enter: nothing  ");
    if (!answer || (*answer != "y" && *answer != "w")) {
      context.console.note("  Nothing was taken back.\n");
      return ExitCode::failed;
    }
    if (*answer == "w") return ExitCode::ok;
  }
  if (const auto done = history.take_back(*part); !done) {
    return complain_about(done.error(), context.console);
  }
  return ExitCode::ok;
}

ExitCode show_changes(const Conversation& conversation, Store& store, CommandContext context) {
  FileHistory::Part part;
  if (conversation.session_id() != 0) {
    auto found = FileHistory(conversation.settings(), store).of_session(conversation.session_id());
    if (!found) return complain_about(found.error(), context.console);
    part = std::move(*found);
  }
  const std::string diff = tools::diff_of(part.plan);
  if (diff.empty() && part.plan.gaps.empty()) {
    context.console.note("  The session has changed no files, or has taken it all back.\n");
  } else if (!diff.empty()) {
    context.console.print(painted_diff(diff, context.console.output()));
  }
  for (const std::string& gap : part.plan.gaps) context.console.remark(sanitised(gap));
  return ExitCode::ok;
}

ExitCode show_chat_help(const Settings& settings, Console& console) {
  std::string text = chat_help();
  const auto found = commands_for(settings);
  std::vector<HelpRow> rows;
  for (const auto& command : found.commands) {
    const std::string hint = command.hint.empty() ? "" : " " + command.hint;
    rows.push_back(
        {"Your own", on_one_line("/" + command.name + hint), on_one_line(command.description)});
  }
  if (!rows.empty()) text += "\n" + help_table(rows);
  console.print_fitted(decorated_help(text, console.output()));
  for (const std::string& problem : found.problems) console.remark(problem);
  for (const std::string& unused : found.unused) console.remark(unused);
  return ExitCode::ok;
}

std::vector<std::string> completions_of(std::string_view typed, Conversation& conversation) {
  auto words = commands_beginning_with(typed);
  if (typed.starts_with('/')) {
    for (const auto& command : commands_for(conversation.settings()).commands) {
      std::string word = "/" + command.name;
      if (word.starts_with(typed)) words.push_back(std::move(word));
    }
  }
  std::ranges::move(conversation.servers().completions_of(typed), std::back_inserter(words));
  if (!words.empty()) return words;
  return mentions_beginning_with(typed, conversation.settings().base_path());
}

constexpr std::string_view kAboveAll = " Above all: ";

std::string review_prompt(std::string_view focus) {
  std::string prompt =
      "Review what has been changed in this folder and is not committed yet (git status, git diff; "
      "without git, what you changed in this session). Read the code around each change. Look for "
      "bugs, cases that are not handled, tests and documents that are missing, and breaks with the "
      "style of the files around it. Change nothing. Answer with findings, the worst first, each "
      "with path:line and what to do; say so plainly when there are none.";
  if (!focus.empty()) prompt += fmt::format("{}{}", kAboveAll, focus);
  return prompt;
}

std::string as_typed(std::string_view message) {
  const std::string review = review_prompt({});
  if (!message.starts_with(review)) return std::string(message);
  message.remove_prefix(review.size());
  if (message.empty()) return "/review";
  if (!message.starts_with(kAboveAll)) return review + std::string(message);
  return fmt::format("/review {}", message.substr(kAboveAll.size()));
}

}  // namespace wright::app
