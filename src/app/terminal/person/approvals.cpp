#include "app/terminal/person/approvals.h"

#include <fmt/format.h>
#include <boost/json/object.hpp>

#include "app/terminal/person/approval_text.h"
#include "app/terminal/person/typed_text.h"
#include "app/terminal/screen_text.h"
#include "core/text.h"
#include "core/try.h"

namespace wright::app {
namespace {

constexpr std::string_view kExplanation = R"(
  y      yes, this once: exactly the call above
  s      yes, and in this session also later, without asking, to:
         {0}
  n      no; you may say why, which the agent is told
  never  no, and in this session also later, without asking, to:
         {0}
  all    show everything that was cut
  q      decide nothing, as Ctrl-C and Ctrl-D: the call waits on
)";

std::string question_of(const Json& shown) {
  const JsonObject* object = shown.if_object();
  const Json* question = object == nullptr ? nullptr : object->if_contains("question");
  if (question == nullptr || !question->is_string()) return "May it run?";
  return on_one_line(question->get_string());
}

// What an answer for the session is remembered for.
std::string remembered_of(const Json& shown) {
  const auto text_of = [&](std::string_view name) -> std::string {
    const JsonObject* object = shown.if_object();
    const Json* found = object == nullptr ? nullptr : object->if_contains(name);
    return found != nullptr && found->is_string() ? on_one_line(found->get_string()) : "";
  };
  if (std::string exactly = text_of("remembers"); !exactly.empty()) return exactly;
  const std::string tool = text_of("tool");
  return fmt::format("every call of {}, with any arguments", tool.empty() ? "this tool" : tool);
}

std::expected<Approval, GaveUp> refused(TerminalDialogue& dialogue) {
  LineEditor line;
  dialogue.print("  Why not? The agent reads it.\n");
  const auto why = TRY(ask_for_text(dialogue, {.below = "Enter: no reason"}, line));
  return Approval{Decision::refuse, to_valid_utf8(why)};
}

}  // namespace

std::expected<Approval, GaveUp> ask_approval(const Json& shown, const PersonTerminal& where) {
  TerminalDialogue dialogue(where);
  const ApprovalText fitting = approval_text(shown, Detail::fitting, dialogue.screen());
  dialogue.print(fitting.text);
  // What was typed before the question came is no answer to it; what comes after it is.
  dialogue.discard_typed();
  dialogue.print(fmt::format("\n{}\n", fitted_prose(question_of(shown), 0, dialogue.screen())));
  const TextPrompt prompt{.before = fmt::format("[y/s/n/never{}] > ", fitting.is_cut ? "/all" : ""),
                          .below = "y once, s for this session, n no, ? explains"};
  while (true) {
    LineEditor line;
    const auto typed = TRY(ask_for_text(dialogue, prompt, line));
    const std::string word = lower(on_one_line(typed));
    const auto decided = [&](Approval answer) {
      if (dialogue.reads_keys()) dialogue.print(fmt::format("→ {}\n", word));
      return answer;
    };
    if (word == "y" || word == "yes" || word == "once") return decided({Decision::once});
    if (word == "s" || word == "session") return decided({Decision::session});
    if (word == "never") return decided({Decision::never});
    if (word == "n" || word == "no") return refused(dialogue);
    if (word == "q") return std::unexpected(GaveUp::by_choice);
    if (word == "?") {
      dialogue.print(fmt::format(kExplanation, remembered_of(shown)));
    } else if (word == "all") {
      dialogue.print(approval_text(shown, Detail::all, dialogue.screen()).text);
    } else {
      dialogue.print(
          painted(fmt::format("  {} Answer y, s, n or never\n", mark("✗", dialogue.screen())),
                  Colour::red, dialogue.screen()));
    }
  }
}

}  // namespace wright::app
