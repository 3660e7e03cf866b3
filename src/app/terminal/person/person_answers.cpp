#include "app/terminal/person/person_answers.h"

#include <fmt/format.h>
#include <unistd.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <map>

#include "app/terminal/person/approval_text.h"
#include "app/terminal/person/approvals.h"
#include "app/terminal/person/questions.h"
#include "app/terminal/screen_text.h"
#include "app/terminal/standard_input.h"
#include "core/json_members.h"
#include "core/try.h"
#include "runtime/person_answer.h"
#include "session/waits.h"

namespace wright::app {
namespace {

Result<AskUserRequest> questions_in(Json shown) {
  if (JsonObject* object = shown.if_object()) object->erase("kind");  // of earlier versions
  return decode<AskUserRequest>(shown);
}

Json answer_json(const Approval& answer) {
  return {{"decision", to_string(answer.decision)}, {"reason", answer.reason}};
}

// A wait that is neither: its question, and one line for an answer.
AskUserRequest one_question(const PersonWait& wait) {
  std::string question = text_in(wait.shown, "question");
  if (question.empty())
    question = fmt::format("{} waits for an answer", shown_name(wait.call.name));
  return {.questions = {{.id = "answer", .question = std::move(question)}}};
}

std::expected<Json, GaveUp> ask(const PersonWait& wait, const PersonTerminal& where) {
  if (wait.kind == WaitKind::approval) {
    auto approval = TRY(ask_approval(wait.shown, where));
    return answer_json(approval);
  }
  const auto request = questions_in(wait.shown);
  auto answers = TRY(ask_person(request ? *request : one_question(wait), where));
  if (!request) return answers.empty() ? Json() : answers.front().answer;
  JsonObject json;
  for (QuestionAnswer& answer : answers) json[answer.question_id] = std::move(answer.answer);
  return json;
}

PersonTerminal this_terminal(CommandContext context, std::stop_token stop) {
  return {.input = STDIN_FILENO,
          .output = STDERR_FILENO,
          .screen = context.console.error(),
          .stop = std::move(stop)};
}

bool holds_for_session(const Json& answer) {
  const std::string decision = text_in(answer, "decision");
  return decision == to_string(Decision::session) || decision == to_string(Decision::never);
}

}  // namespace

std::string person_name(const Environment& environment) {
  return environment.find_non_empty("USER").value_or("terminal");
}

bool has_person_at_terminal(const Console& console) {
  return standard_input_is_terminal() && console.error().is_terminal;
}

Result<std::optional<WaitAnswers>> ask_at_terminal(const ToolCall& call, const Waiting& waiting,
                                                   CommandContext context, std::stop_token stop) {
  const auto answer = ask({.call = call, .kind = waiting.kind, .shown = waiting.shown},
                          this_terminal(context, std::move(stop)));
  if (!answer) return std::nullopt;
  auto checked = TRY(runtime::checked_answer(waiting.kind, waiting.shown, *answer));
  return session::answers_of(waiting.kind, checked);
}

Result<PersonAnswered> answer_at_terminal(std::span<const PersonWait> waits, Store& store,
                                          CommandContext context, std::stop_token stop) {
  const PersonTerminal where = this_terminal(context, std::move(stop));
  std::map<std::vector<std::string>, Json> decided;  // for the whole session, by what it covers
  for (const PersonWait& wait : waits) {
    const auto known = decided.find(wait.covers);
    std::expected<Json, GaveUp> answer = known != decided.end() ? known->second : ask(wait, where);
    if (!answer) return PersonAnswered::no;
    if (!wait.covers.empty() && holds_for_session(*answer)) {
      decided.emplace(wait.covers, *answer);
    }
    auto stored = answer_wait(store, wait.wait_id, *answer, person_name(context.environment));
    // Somebody else may have been quicker: their answer counts.
    if (!stored && stored.error().code == ErrorCode::already_exists) {
      context.console.note("  " + stored.error().message + "\n");
    } else if (!stored) {
      return std::unexpected(std::move(stored).error());
    }
  }
  return PersonAnswered::yes;
}

namespace {

// What stands before the questions: who asks, and what for.
std::string prompt_in_words(std::string_view prompt) {
  constexpr std::size_t kMost = 2'000;
  std::string words;
  while (!prompt.empty()) {
    const std::size_t end = std::min(prompt.find('\n'), prompt.size());
    if (const std::string line = on_one_line(prompt.substr(0, end)); !line.empty()) {
      words += line + "\n";
    }
    prompt.remove_prefix(std::min(prompt.size(), end + 1));
  }
  if (words.size() <= kMost) return words;
  const std::string kept(utf8_prefix(words, kMost));
  return fmt::format("{}… ({} more bytes are not shown; `wright answer` at a terminal shows all)\n",
                     kept, words.size() - kept.size());
}

}  // namespace

std::string wait_in_words(WaitKind kind, const Json& shown, const Terminal& screen) {
  if (kind == WaitKind::approval) {
    const ApprovalText words = approval_text(shown, Detail::fitting, screen);
    if (!words.is_cut) return words.text;
    return fmt::format("{}  {}\n", words.text,
                       painted("Not all of it is shown: `wright waits --json` does, and "
                               "`wright answer` at a terminal",
                               Colour::dim, screen));
  }
  const auto request = questions_in(shown);
  if (!request) return to_pretty_text(shown);
  std::string words = prompt_in_words(request->prompt.value_or(""));
  for (const Question& question : request->questions) {
    words += fmt::format("{}: {}", on_one_line(question.id), on_one_line(question.question));
    if (question.options && !question.options->empty()) {
      words +=
          fmt::format(" ({})", on_one_line(fmt::format("{}", fmt::join(*question.options, ", "))));
    }
    words += "\n";
  }
  if (!words.empty()) words.pop_back();
  return words;
}

std::string how_to_answer(SessionId root, std::span<const PersonWait> waits) {
  std::string command = fmt::format("wright answer {}", root);
  const auto is_approval = [](const PersonWait& wait) { return wait.kind == WaitKind::approval; };
  if (!waits.empty() && std::ranges::all_of(waits, is_approval)) {
    command += " --approve";
    // So that it approves what is shown here, whatever else may wait by then.
    for (const PersonWait& wait : waits) {
      if (wait.wait_id != 0) command += fmt::format(" --wait {}", wait.wait_id);
    }
    return command;
  }
  if (waits.size() != 1) return command;
  // As above: another question may have the same fields.
  if (waits[0].wait_id != 0) command += fmt::format(" --wait {}", waits[0].wait_id);
  const auto request = questions_in(waits[0].shown);
  if (!request) return command + " --answer '\"…\"'";
  for (const Question& question : request->questions) {
    command += fmt::format(" --set {}=…", on_one_line(question.id));
  }
  return command;
}

std::string words_about_waits(std::span<const PersonWait> waits) {
  std::vector<std::string> tools;
  for (const PersonWait& wait : waits) tools.push_back(shown_name(wait.call.name));
  return fmt::format("Wright waits for you: {}", fmt::join(tools, ", "));
}

void tell_waits(SessionId root, std::span<const PersonWait> waits, Console& console) {
  for (const PersonWait& wait : waits) {
    console.complain(fmt::format("{} waits for a person", shown_name(wait.call.name)),
                     wait_in_words(wait.kind, wait.shown, console.error()));
  }
  console.note(fmt::format("  Answer with:  {}\n", how_to_answer(root, waits)));
  console.note(fmt::format("  then go on:   wright resume {}\n", root));
}

}  // namespace wright::app
