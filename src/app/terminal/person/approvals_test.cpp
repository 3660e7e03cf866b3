// Approvals on a real pseudo-terminal, with the screen compared.
#include "app/terminal/person/approvals.h"

#include <gtest/gtest.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <array>

#include "app/terminal/person/approval_text.h"
#include "app/terminal/person/person_answers.h"
#include "app/terminal/person/person_at_terminal_testing.h"

namespace wright::app {
namespace {

Json as_json(const std::expected<Approval, GaveUp>& answer) {
  if (!answer) return Json{{"gave_up", static_cast<int>(answer.error())}};
  return Json{{"decision", to_string(answer->decision)}, {"reason", answer->reason}};
}

PersonAtTerminal::Program asks_approval(Json shown) {
  return [shown](const PersonTerminal& where) { return as_json(ask_approval(shown, where)); };
}

Json shell_line() {
  return Json{
      {"kind", "approval"},
      {"question", "May this command run?"},
      {"tool", "bash"},
      {"arguments", {{"command", "make test && rm -rf build"}}},
      {"reason", "rm -rf build: a rule asks_approval"},
      {"commands",
       JsonArray{Json{{"command", "make test"}, {"permission", "allow"}, {"reason", nullptr}},
                 Json{{"command", "rm -rf build"},
                      {"permission", "ask"},
                      {"reason", "the rule 'rm *' says ask"}}}}};
}

TEST(Approvals, show_the_tool_the_arguments_and_each_command) {
  PersonAtTerminal person(asks_approval(shell_line()), TerminalKind::capable, 70, 24);
  person.await("? explains");
  EXPECT_EQ(person.screen().text(), R"(
bash waits for your approval
  rm -rf build: a rule asks_approval

With these arguments
  command  make test && rm -rf build

It would run 2 commands
  allow  make test
  ask    rm -rf build
         the rule 'rm *' says ask

May this command run?
[y/s/n/never] >
y once, s for this session, n no, ? explains
)");
  person.type("y\r");
  EXPECT_EQ(*person.result(), (Json{{"decision", "once"}, {"reason", ""}}));
  EXPECT_TRUE(person.is_terminal_restored());
}

TEST(Approvals, show_a_command_that_is_the_whole_line_once) {
  const Json shown{{"kind", "approval"},
                   {"question", "May this command run?"},
                   {"tool", "bash"},
                   {"arguments", {{"command", "git push"}}},
                   {"reason", "the rule says ask"},
                   {"commands", JsonArray{Json{{"command", "git push"},
                                               {"permission", "ask"},
                                               {"reason", "the rule says ask"}}}}};
  PersonAtTerminal person(asks_approval(shown), TerminalKind::capable, 70, 24);
  person.await("? explains");
  EXPECT_EQ(person.screen().text(), R"(
bash waits for your approval
  the rule says ask

With these arguments
  command  git push

May this command run?
[y/s/n/never] >
y once, s for this session, n no, ? explains
)");
  person.type("n\r");
  person.await("Enter: no reason");
  person.type("\r");
  EXPECT_EQ(*person.result(), (Json{{"decision", "refuse"}, {"reason", ""}}));
}

TEST(Approvals, are_given_for_once_or_for_the_session_or_never) {
  struct Case {
    const char* typed;
    const char* decision;
    const char* reason;
  };
  for (const TerminalKind kind : {TerminalKind::capable, TerminalKind::dumb}) {
    for (const Case& each :
         {Case{"yes\r", "once", ""}, Case{"S\r", "session", ""}, Case{"never\r", "never", ""}}) {
      PersonAtTerminal person(asks_approval(shell_line()), kind, 70, 24);
      person.await("? explains");
      person.type(each.typed);
      EXPECT_EQ(*person.result(), (Json{{"decision", each.decision}, {"reason", each.reason}}));
    }
  }
}

TEST(Approvals, ask_why_not) {
  PersonAtTerminal person(asks_approval(shell_line()), TerminalKind::capable, 70, 24);
  person.await("? explains");
  person.type("n\r");
  person.await("Enter: no reason");
  person.type("build/ is shared\r");
  EXPECT_EQ(*person.result(), (Json{{"decision", "refuse"}, {"reason", "build/ is shared"}}));
}

TEST(Approvals, are_not_given_by_accident) {
  PersonAtTerminal person(asks_approval(shell_line()), TerminalKind::capable, 70, 30);
  person.await("? explains");
  person.type("\r");
  person.await("Answer y, s, n or never");
  person.type("yy\r");
  person.type("?\r");
  person.await("the call waits on");
  person.type("\x03");
  EXPECT_EQ(*person.result(), (Json{{"gave_up", static_cast<int>(GaveUp::by_choice)}}));
}

TEST(Approvals, say_what_is_remembered) {
  Json line = shell_line();
  line.as_object()["remembers"] = "exactly this command, in this folder";
  for (const auto& [shown, words] :
       {std::pair{line, "exactly this command, in this folder"},
        std::pair{shell_line(), "every call of bash, with any arguments"}}) {
    PersonAtTerminal person(asks_approval(shown), TerminalKind::capable, 70, 40);
    person.await("? explains");
    person.type("?\r");
    person.await("the call waits on");
    EXPECT_NE(person.screen().text().find(words), std::string::npos) << person.screen().text();
    person.type("\x03");
    (void)person.result();
  }
}

TEST(Approvals, take_nothing_that_was_typed_before_the_question) {
  const auto program = [](const PersonTerminal& where) {
    // The keys are typed when the pseudo-terminal is there and the question is not.
    write(where.output, "ready\n", 6);
    std::array<char, 1> go{};
    TerminalMode mode(where.input);
    mode.read_keys();
    while (read(where.input, go.data(), 1) == 1 && go[0] != '.') {
    }
    return as_json(ask_approval(shell_line(), where));
  };
  PersonAtTerminal person(program, TerminalKind::capable, 70, 24);
  person.await("ready");
  person.type(".y\r");
  person.await("? explains");
  person.type("n\r");
  person.await("no reason");
  person.type("\r");
  EXPECT_EQ(*person.result(), (Json{{"decision", "refuse"}, {"reason", ""}}));
}

TEST(Approvals, leave_out_no_command_that_is_asked_about) {
  JsonArray commands;
  for (int i = 0; i < 90; ++i) {
    commands.push_back({{"command", "true " + std::to_string(i)}, {"permission", "allow"}});
  }
  commands.push_back(
      {{"command", "rm -rf important"}, {"permission", "ask"}, {"reason", "It removes"}});
  const Json shown{{"tool", "bash"}, {"arguments", {{"command", "…"}}}, {"commands", commands}};
  PersonAtTerminal person(asks_approval(shown), TerminalKind::capable, 70, 24);
  person.await("[y/s/n/never/all] >");
  EXPECT_TRUE(person.screen().contains("rm -rf important")) << person.screen().text();
  EXPECT_TRUE(person.screen().contains("… 50 more, allowed by the rules"));
  person.type("\x03");
  (void)person.result();
}

// A list of waits has no key to show more.
TEST(Approvals, in_words_say_how_to_see_what_is_cut) {
  const auto words = [](std::string command) {
    const Json shown{{"tool", "bash"}, {"arguments", {{"command", std::move(command)}}}};
    return wait_in_words(WaitKind::approval, shown, Terminal{});
  };
  EXPECT_NE(words(std::string(3'000, 'x')).find("`wright waits --json`"), std::string::npos);
  std::string lines;
  for (int i = 0; i < 20; ++i) lines += "true\n";
  EXPECT_NE(words(lines).find("`wright waits --json`"), std::string::npos) << words(lines);
  EXPECT_EQ(words("true").find("wright waits"), std::string::npos) << "it is all there";
}

TEST(Approvals, show_a_diff_in_colour_and_all_of_it_when_asked) {
  std::string diff = "--- a/x\n+++ b/x\n@@ -1 +1,200 @@\n-old\n";
  for (int i = 1; i <= 200; ++i) diff += "+line " + std::to_string(i) + "\n";
  const Json shown{{"kind", "approval"},
                   {"question", "May apply_patch run with these arguments?"},
                   {"tool", "apply_patch"},
                   {"arguments", {{"patch", "*** Begin Patch\n*** End Patch"}}},
                   {"diff", diff}};
  PersonAtTerminal person(asks_approval(shown), TerminalKind::coloured, 70, 24);
  person.await("[y/s/n/never/all] >");
  EXPECT_NE(person.output().find("\x1b[31m-old\x1b[0m"), std::string::npos);
  EXPECT_NE(person.output().find("\x1b[32m+line 1\x1b[0m"), std::string::npos);
  EXPECT_TRUE(person.screen().contains("… 84 more lines"));
  EXPECT_FALSE(person.screen().contains("+line 200"));
  person.type("all\r");
  person.await("+line 200");
  person.type("s\r");
  EXPECT_EQ(*person.result(), (Json{{"decision", "session"}, {"reason", ""}}));
}

TEST(Approvals, show_hostile_calls_harmlessly) {
  const std::string evil = "\x1b[2J\x1b]0;t\x07\xE2\x80\xAE";
  const Json shown{{"kind", "approval"},
                   {"question", evil},
                   {"tool", evil},
                   {"reason", evil},
                   {"arguments", {{evil, evil + "\n" + evil}}},
                   {"commands", JsonArray{Json{{"command", evil}, {"permission", evil}}, Json(7)}},
                   {"diff", "+" + evil},
                   {"problem", evil}};
  for (const Json& each : {shown, Json(evil), Json(nullptr), Json(JsonArray{evil}),
                           Json{{"arguments", evil}, {"commands", 3}, {"diff", 4}}}) {
    const std::string text = approval_text(each, Detail::all, {.is_terminal = true}).text;
    EXPECT_FALSE(text.empty());
    for (const char* bytes : {"\x1b", "\x07", "\xE2\x80\xAE"}) {
      EXPECT_EQ(text.find(bytes), std::string::npos) << text;
    }
  }
}

}  // namespace
}  // namespace wright::app
