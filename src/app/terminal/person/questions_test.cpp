// Questions on a real pseudo-terminal, with the screen compared.
#include "app/terminal/person/questions.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <csignal>

#include "app/settings/file_output.h"
#include "app/terminal/console.h"
#include "app/terminal/interruption.h"
#include "app/terminal/person/person_answers.h"
#include "app/terminal/person/person_at_terminal_testing.h"

namespace wright::app {
namespace {

Question question(std::string id, std::string text, QuestionType type = QuestionType::text) {
  Question made;
  made.id = std::move(id);
  made.question = std::move(text);
  made.type = type;
  return made;
}

Question database() {
  Question made = question("db", "Which database do you use?", QuestionType::select);
  made.options = {"PostgreSQL", "SQLite", "Other"};
  made.default_answer = "SQLite";
  return made;
}

Json as_json(const std::expected<std::vector<QuestionAnswer>, GaveUp>& answers) {
  if (!answers) return Json(static_cast<int>(answers.error()));
  JsonObject made;
  for (const QuestionAnswer& answer : *answers) made[answer.question_id] = answer.answer;
  return made;
}

PersonAtTerminal::Program asks(AskUserRequest request) {
  return [request](const PersonTerminal& where) { return as_json(ask_person(request, where)); };
}

Json gave_up(GaveUp why) {
  return Json(static_cast<int>(why));
}

// Also where there is no terminal to ask at, it is said who asks, and what for.
TEST(Questions, are_told_in_words_with_what_stands_before_them) {
  const auto words = [](std::string prompt) {
    AskUserRequest request{.questions = {question("allow", "May it?")}};
    request.prompt = std::move(prompt);
    return wait_in_words(WaitKind::question, encode(request), Terminal{});
  };
  EXPECT_EQ(words("The server asks:\n\nuser:   " + std::string(8'000, ' ') + "HIDDEN\x1b[2J\n"),
            "The server asks:\nuser: HIDDEN␛[2J\nallow: May it?");
  const std::string much = words(std::string(5'000, 'x'));
  EXPECT_NE(much.find("3001 more bytes are not shown"), std::string::npos) << much;
  EXPECT_TRUE(much.ends_with("allow: May it?"));
}

TEST(Questions, are_asked_one_at_a_time_and_answered_with_keys) {
  Question name = question("name", "What is the project's name?");
  name.description = "As people say it.";
  Question days = question("days", "How many days?", QuestionType::number);
  days.default_answer = 7;
  AskUserRequest request{.questions = {name, database(), days}};
  request.prompt = "Before I begin:";
  PersonAtTerminal person(asks(request), TerminalKind::capable);
  person.await("? explains");
  EXPECT_EQ(person.screen().text(), R"(
  Before I begin:

Question 1 of 3
  What is the project's name?
  As people say it.
>
  ? explains, q gives up
)");
  person.type("Wirght\x1b[D\x1b[D\x1b[D\x7f\x7frig\x1b[3~\r");
  person.await("Question 2 of 3");
  person.await("q gives up");
  EXPECT_EQ(person.screen().text(), R"(
  Before I begin:

Question 1 of 3
  What is the project's name?
  As people say it.
→ Wright

Question 2 of 3
  Which database do you use?
  1) PostgreSQL
❯ 2) SQLite
  3) Other
  Arrows, Enter chooses, ? explains, q gives up
)");
  person.type("\x1b[B\r");
  person.await("[7] >");
  person.type("\r");
  const auto result = person.result();
  EXPECT_EQ(*result, (Json{{"name", "Wright"}, {"db", "Other"}, {"days", 7}}));
  EXPECT_TRUE(person.screen().contains("→ Other"));
  EXPECT_TRUE(person.screen().contains("→ 7"));
  EXPECT_TRUE(person.is_terminal_restored());
  EXPECT_TRUE(person.screen().not_understood().empty());
}

TEST(Questions, are_asked_again_with_the_reason_and_what_was_typed) {
  Question port = question("port", "Which port?", QuestionType::number);
  port.validation = AnswerRules{.min_value = 1, .max_value = 65535};
  PersonAtTerminal person(asks({.questions = {port}}), TerminalKind::capable);
  person.await("q gives up");
  person.type("99999\r");
  person.await("It must be at most 65535");
  person.await("> 99999");
  person.type("\x7f\x7f\r");
  EXPECT_EQ(*person.result(), (Json{{"port", 999}}));
  EXPECT_EQ(person.screen().text(), R"(
Question 1 of 1
  Which port?
  ✗ It must be at most 65535
→ 999
)");
}

TEST(Questions, explain_themselves) {
  Question code = question("code", "Which code?");
  code.description = "It stands on the letter.";
  code.validation = AnswerRules{.min_length = 3, .pattern = "^[A-Z]+$"};
  Question toppings = question("toppings", "Which toppings?", QuestionType::multiselect);
  toppings.options = {"olives", "onions"};
  PersonAtTerminal person(asks({.questions = {code, toppings}}), TerminalKind::capable, 76, 40);
  person.await("q gives up");
  person.type("?\r");
  person.await("stand for the texts");
  for (const char* words : {"Answer with a text.", "At least 3 characters.",
                            "It must match ^[A-Z]+$", "It has to be answered."}) {
    EXPECT_TRUE(person.screen().contains(words)) << words << person.screen().text();
  }
  person.type("ABC\r");
  person.await("when done");
  person.type("?");
  person.await("separated by commas");
  person.type("\x1b[B \r");
  EXPECT_EQ(*person.result(), (Json{{"code", "ABC"}, {"toppings", {"onions"}}}));
}

TEST(Questions, never_show_a_password) {
  Question secret = question("secret", "Your password?", QuestionType::password);
  secret.validation = AnswerRules{.min_length = 8};
  for (const TerminalKind kind : {TerminalKind::capable, TerminalKind::dumb}) {
    PersonAtTerminal person(asks({.questions = {secret, question("name", "Name?")}}), kind);
    person.await("q gives up");
    person.type("hunter\r");
    const std::string prompt = kind == TerminalKind::dumb ? "(? explains" : ">";
    person.await("at least 8 characters\n" + prompt);
    person.type("hunter2-geheim\r");
    person.await("Name?\n" + prompt);
    person.type("Ada\r");
    const auto result = person.result();
    ASSERT_TRUE(result);
    EXPECT_EQ(*result, (Json{{"secret", "hunter2-geheim"}, {"name", "Ada"}}));
    for (const char* piece : {"hunter", "geheim", "hunte", "er2"}) {
      EXPECT_EQ(person.output().find(piece), std::string::npos) << person.output();
    }
    EXPECT_NE(person.output().find("Ada"), std::string::npos);
    EXPECT_TRUE(person.is_terminal_restored());
  }
}

TEST(Questions, take_a_pasted_text_as_one_answer) {
  PersonAtTerminal person(asks({.questions = {question("a", "Which lines?")}}),
                          TerminalKind::capable);
  person.await("q gives up");
  person.type("\x1b[200~one\rtwo\r\x1b[201~");
  person.await("one↵two↵");
  person.type("\r");
  EXPECT_EQ(*person.result(), (Json{{"a", "one\ntwo"}}));
}

TEST(Questions, may_be_left_unanswered_when_they_are_optional) {
  Question nick = question("nick", "A nickname?");
  nick.is_optional = true;
  Question colour = question("colour", "A colour?", QuestionType::select);
  colour.options = {"red", "blue"};
  colour.is_optional = true;
  Question name = question("name", "A name?");
  PersonAtTerminal person(asks({.questions = {nick, colour, name}}), TerminalKind::capable);
  person.await("Enter skips");
  person.type("\r");
  person.await("- skips");
  person.type("-");
  person.await("Question 3");
  person.type("\r");
  person.await("An answer is required");
  person.type("Ada\r");
  EXPECT_EQ(*person.result(), (Json{{"name", "Ada"}}));
}

TEST(Questions, are_given_up_and_the_terminal_is_restored) {
  struct Case {
    const char* typed;
    GaveUp why;
  };
  for (const TerminalKind kind : {TerminalKind::capable, TerminalKind::dumb}) {
    for (const Case& each : {Case{"\x03", GaveUp::by_choice}, Case{"\x04", GaveUp::by_choice},
                             Case{"q\r", GaveUp::by_choice}}) {
      PersonAtTerminal person(asks({.questions = {question("a", "A?")}}), kind);
      person.await("q gives up");
      person.type(each.typed);
      EXPECT_EQ(*person.result(), gave_up(each.why));
      EXPECT_TRUE(person.is_terminal_restored());
    }
  }
}

TEST(Questions, leave_the_terminal_as_it_was_when_a_signal_ends_the_program) {
  Question secret = question("secret", "Your password?", QuestionType::password);
  for (const TerminalKind kind : {TerminalKind::capable, TerminalKind::dumb}) {
    for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT}) {
      PersonAtTerminal person(asks({.questions = {secret}}), kind);
      person.await("q gives up");
      person.type("half");
      person.send(signal);
      EXPECT_FALSE(person.result());
      EXPECT_EQ(person.ended_by(), signal);
      EXPECT_TRUE(person.is_terminal_restored());
      EXPECT_EQ(person.output().find("half"), std::string::npos);
    }
  }
}

TEST(Questions, end_when_the_program_is_told_to_stop) {
  const auto program = [](const PersonTerminal& where) {
    std::stop_source source;
    PersonTerminal stoppable = where;
    stoppable.stop = source.get_token();
    source.request_stop();
    return as_json(ask_person({.questions = {question("a", "A?")}}, stoppable));
  };
  PersonAtTerminal person(program, TerminalKind::capable);
  EXPECT_EQ(*person.result(), gave_up(GaveUp::stopped));
  EXPECT_TRUE(person.is_terminal_restored());
}

TEST(Questions, end_with_the_interruption_that_owns_the_signals) {
  const auto program = [](const PersonTerminal& where) {
    Interruption interruption;
    interruption.watch({});
    PersonTerminal stoppable = where;
    stoppable.stop = interruption.token();
    return as_json(ask_person({.questions = {question("a", "A?")}}, stoppable));
  };
  PersonAtTerminal person(program, TerminalKind::capable);
  person.await("q gives up");
  person.send(SIGTERM);
  EXPECT_EQ(*person.result(), gave_up(GaveUp::stopped));
  EXPECT_TRUE(person.is_terminal_restored());
}

TEST(Questions, go_on_after_the_program_was_stopped_for_a_while) {
  for (const TerminalKind kind : {TerminalKind::capable, TerminalKind::dumb}) {
    PersonAtTerminal person(asks({.questions = {question("a", "A?")}}), kind);
    person.await("q gives up");
    // Nobody is there to continue a session's first process, so the system does not stop it.
    person.type("\x1a");
    person.send(SIGCONT);
    person.type("Ada\r");
    EXPECT_EQ(*person.result(), (Json{{"a", "Ada"}}));
    EXPECT_TRUE(person.is_terminal_restored());
  }
}

TEST(Questions, use_no_escape_codes_on_a_dumb_terminal) {
  Question toppings = question("toppings", "Which toppings?", QuestionType::multiselect);
  toppings.options = {"olives", "onions", "sweet corn"};
  PersonAtTerminal person(asks({.questions = {database(), toppings}}), TerminalKind::dumb);
  person.await("q gives up) [SQLite] >");
  EXPECT_EQ(person.screen().text(), R"(
Question 1 of 2
  Which database do you use?
  1) PostgreSQL
  2) SQLite
  3) Other
(Enter takes the default, ? explains, q gives up) [SQLite] >
)");
  person.type("7\r");
  person.await("Choose one of");
  person.type("1\r");
  person.await("Which toppings?");
  person.type("1, sweet corn\r");
  EXPECT_EQ(*person.result(), (Json{{"db", "PostgreSQL"}, {"toppings", {"olives", "sweet corn"}}}));
  EXPECT_EQ(person.output().find('\x1b'), std::string::npos);
}

TEST(Questions, stay_in_place_when_the_window_changes) {
  PersonAtTerminal person(asks({.questions = {database(), question("a", "Why?")}}),
                          TerminalKind::capable, 60, 20);
  person.await("q gives up");
  const std::string before = person.screen().text();
  person.resize(24, 20);
  person.await("❯ 2) SQLite\n  3) Other\n  Arrows, Enter choose…");
  person.resize(60, 20);
  person.await("gives up");
  EXPECT_EQ(person.screen().text(), before);
  person.type("\r");
  person.await("Question 2");
  person.type("because it is long enough to be broken");
  person.await("broken");
  person.resize(20, 20);
  person.await("> ugh to be broken");
  person.resize(60, 20);
  person.await("> because it is long enough to be broken");
  person.type("\r");
  EXPECT_EQ(*person.result(),
            (Json{{"db", "SQLite"}, {"a", "because it is long enough to be broken"}}));
}

TEST(Questions, fit_into_a_window_that_has_changed_before_they_are_asked) {
  PersonAtTerminal person(
      [](const PersonTerminal& where) {
        const winsize narrow{.ws_row = 20, .ws_col = 24, .ws_xpixel = 0, .ws_ypixel = 0};
        ioctl(where.output, TIOCSWINSZ, &narrow);
        return asks({.questions = {database()}})(where);
      },
      TerminalKind::capable, 60, 20);
  person.await("❯ 2) SQLite\n  3) Other\n  Arrows, Enter choose…");
  person.type("\r");
  EXPECT_EQ(*person.result(), (Json{{"db", "SQLite"}}));
}

TEST(Questions, with_wide_characters_keep_the_cursor_where_it_belongs) {
  Question city = question("city", "都市はどこですか。");
  city.default_answer = "東京";
  PersonAtTerminal person(asks({.questions = {city}}), TerminalKind::capable, 24, 10);
  person.await("[東京] >");
  person.type("大阪市\x1b[D\x7f京");
  person.await("[東京] > 大京市");
  person.type("\r");
  EXPECT_EQ(*person.result(), (Json{{"city", "大京市"}}));
  EXPECT_TRUE(person.screen().contains("→ 大京市"));
}

TEST(Questions, from_a_hostile_model_cannot_drive_the_terminal) {
  Question evil = question("e",
                           "\x1b]0;owned\x07\x1b[2Jname?\r\n\xE2\x80\xAE"
                           "evil \xFF");
  evil.description = "\x1b[31mred";
  Question list = question("l", "Which?", QuestionType::select);
  list.options = {"one\x1b[2J\nline", "\ttwo\r"};
  list.default_answer = "\ttwo\r";
  AskUserRequest request{.questions = {evil, list}};
  request.prompt = "\x1b[5mblink";
  PersonAtTerminal person(asks(request), TerminalKind::capable);
  person.await("q gives up");
  person.type("?\r");
  person.await("stand for the texts");
  person.type("\x1b[200~\x1b[2Jx\x1b[201~\r");
  person.await("Enter chooses");
  person.type("\r");
  EXPECT_EQ(*person.result(), (Json{{"e", "\x1b[2Jx"}, {"l", "\ttwo\r"}}));
  EXPECT_TRUE(person.screen().not_understood().empty()) << person.screen().not_understood().front();
  EXPECT_TRUE(person.screen().contains("␛[2Jname?"));
  for (const char* evil_bytes :
       {"\x1b]", "\x1b[2J", "\x1b[31m", "\x1b[5m", "\x07", "\xE2\x80\xAE"}) {
    EXPECT_EQ(person.output().find(evil_bytes), std::string::npos);
  }
}

TEST(Questions, may_be_very_long) {
  std::string endless;
  for (int i = 0; i < 3000; ++i) endless += "word ";
  Question longest = question("a", endless);
  Question many = question("b", "Which of many?", QuestionType::select);
  many.options.emplace();
  for (int i = 1; i <= 500; ++i) many.options->push_back(std::to_string(i * 7) + " pieces");
  PersonAtTerminal person(asks({.questions = {longest, many}}), TerminalKind::capable, 40, 10);
  person.await("bytes; ? shows all");
  person.await("q gives up");
  person.type("x\r");
  person.await("below");
  person.type("321\r");
  EXPECT_EQ(*person.result(), (Json{{"a", "x"}, {"b", "2247 pieces"}}));
  EXPECT_TRUE(person.screen().contains("→ 2247 pieces"));
}

TEST(Questions, can_be_answered_with_the_words_that_mean_something_else) {
  PersonAtTerminal person(asks({.questions = {question("a", "A?"), question("b", "B?")}}),
                          TerminalKind::capable);
  person.await("q gives up");
  person.type("\\q\r");
  person.await("Question 2");
  person.type("\\?\r");
  EXPECT_EQ(*person.result(), (Json{{"a", "q"}, {"b", "?"}}));
}

// Input from a pipe and output into another.
struct Piped {
  Json result;
  std::string output;
  std::string rest;  // of the input
};

Piped piped(const AskUserRequest& request, std::string_view input) {
  std::array<int, 2> in{};
  std::array<int, 2> out{};
  EXPECT_EQ(pipe2(in.data(), O_CLOEXEC), 0);
  EXPECT_EQ(pipe2(out.data(), O_CLOEXEC), 0);
  write_all(in[1], input);
  close(in[1]);
  Piped piped;
  piped.result = as_json(ask_person(request, {.input = in[0], .output = out[1]}));
  close(out[1]);
  const auto drain = [](int descriptor) {
    std::string text;
    std::array<char, 4096> bytes{};
    ssize_t count = 0;
    while ((count = read(descriptor, bytes.data(), bytes.size())) > 0) {
      text.append(bytes.data(), static_cast<std::size_t>(count));
    }
    close(descriptor);
    return text;
  };
  piped.output = drain(out[0]);
  piped.rest = drain(in[0]);
  return piped;
}

TEST(Questions, are_answered_line_by_line_from_a_pipe) {
  Question sure = question("sure", "Sure?", QuestionType::boolean);
  Question secret = question("secret", "Password?", QuestionType::password);
  const Piped run = piped({.questions = {database(), sure, secret, question("last", "Last?")}},
                          "9\n3\nmaybe\nyes\ns3cr3t\nwithout a line feed");
  EXPECT_EQ(
      run.result,
      (Json{
          {"db", "Other"}, {"sure", true}, {"secret", "s3cr3t"}, {"last", "without a line feed"}}));
  EXPECT_NE(run.output.find("It must be yes or no"), std::string::npos);
  EXPECT_EQ(run.output.find('\x1b'), std::string::npos);
  EXPECT_EQ(run.output.find("s3cr3t"), std::string::npos);
}

TEST(Questions, leave_in_a_pipe_what_is_not_theirs) {
  EXPECT_EQ(piped({.questions = {question("a", "A?")}}, "one\ntwo\nthree\n").rest, "two\nthree\n");
}

TEST(Questions, end_with_their_input) {
  EXPECT_EQ(piped({.questions = {question("a", "A?"), question("b", "B?")}}, "one\n").result,
            gave_up(GaveUp::input_ended));
  EXPECT_EQ(piped({.questions = {question("a", "A?")}}, "").result, gave_up(GaveUp::input_ended));
}

TEST(Questions, refuse_endless_and_broken_lines) {
  const std::string input = std::string(30'000, 'x') + "\n\xFF\xFE\nfine\n";
  Question brief = question("a", "A?");
  brief.validation = AnswerRules{.max_length = 100};
  const Piped run = piped({.questions = {brief}}, input);
  EXPECT_EQ(run.result, (Json{{"a", "fine"}}));
  EXPECT_NE(run.output.find("at most 100"), std::string::npos);
  EXPECT_NE(run.output.find("UTF-8"), std::string::npos);
}

TEST(Questions, give_answers_that_are_accepted) {
  AskUserRequest request{.questions = {database(), question("s", "S?", QuestionType::password)}};
  const Piped run = piped(request, "\nsecret\n");
  std::vector<QuestionAnswer> answers;
  for (const auto& member : run.result.as_object()) {
    answers.push_back({member.key(), member.value()});
  }
  const auto accepted = accept_answers(request, answers);
  ASSERT_TRUE(accepted) << accepted.error().message;
  EXPECT_EQ(accepted->secrets.at("s"), "secret");
  EXPECT_EQ(accepted->response.responses.at(0).answer, Json("SQLite"));
}

}  // namespace
}  // namespace wright::app
