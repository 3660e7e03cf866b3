// The editor on a real (pseudo) terminal, the screen compared.
#include "app/terminal/chat_editor.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <array>
#include <csignal>

#include "app/settings/file_output.h"
#include "app/terminal/console.h"
#include "app/terminal/person/person_at_terminal_testing.h"

namespace wright::app {
namespace {

constexpr std::array<std::string_view, 4> kCommandWords{"/help", "/tools", "/usage", "/undo"};

// Reads lines until the input ends, and gives them back.
Json read_all(const PersonTerminal& where) {
  const std::vector<std::string> history{"first entry", "two\nlines"};
  ChatEditor editor(where, history, [](std::string_view typed) {
    std::vector<std::string> found;
    for (const std::string_view command : kCommandWords) {
      if (typed.starts_with('/') && command.starts_with(typed)) found.emplace_back(command);
    }
    return found;
  });
  JsonArray lines;
  while (true) {
    const auto line = editor.next_line("> ", {});
    if (!line && line.error() == NoLine::interrupted) {
      lines.push_back(nullptr);
      continue;
    }
    if (!line) return lines;
    editor.remember(*line);
    lines.push_back(Json(*line));
  }
}

Json lines(std::initializer_list<Json> list) {
  return JsonArray(list.begin(), list.end());
}

TEST(ChatEditor, edits_a_line_and_shows_it) {
  PersonAtTerminal person(read_all, TerminalKind::capable);
  person.await(">");
  person.type("hallo\x01\x1b[C\x1b[3~e\x05!\r");
  person.await("hello!");
  person.type("日本é\r");
  person.await("日本é");
  person.type("\x04");
  EXPECT_EQ(person.result(), lines({"hello!", "日本é"}));
  EXPECT_EQ(person.screen().text(), "> hello!\n> 日本é\n>\n");
  EXPECT_EQ(person.screen().not_understood(), std::vector<std::string>());
  EXPECT_TRUE(person.is_terminal_restored());
}

TEST(ChatEditor, remembers_what_was_typed_before) {
  PersonAtTerminal person(read_all, TerminalKind::capable);
  person.await(">");
  person.type("\x10\x10");
  person.await("first entry");
  person.type("!\r");
  person.await("entry!");
  person.type("\x10\r\x10\x10\r\x04");
  EXPECT_EQ(person.result(), lines({"first entry!", "first entry!", "two\nlines"}));
}

TEST(ChatEditor, goes_back_to_what_was_being_typed) {
  PersonAtTerminal person(read_all, TerminalKind::capable);
  person.await(">");
  person.type("half\x1b[A\x1b[B done\r\x04");
  EXPECT_EQ(person.result(), lines({"half done"}));
}

TEST(ChatEditor, searches_in_what_was_typed_before) {
  PersonAtTerminal person(read_all, TerminalKind::capable);
  person.await(">");
  person.type(
      "\x12"
      "fir");
  person.await("search fir: first entry");
  person.type("stx");
  person.await("not found firstx");
  person.type("\x7f\x05!\r");
  person.await("> first entry!");
  person.type("kept\x12two");
  person.await("search two: two");
  person.type("\x07 as it was\r");
  person.type("\x12i\x12\x12\r\x04");
  EXPECT_EQ(person.result(), lines({"first entry!", "kept as it was", "two\nlines"}));
}

TEST(ChatEditor, shows_a_line_that_is_longer_than_the_window) {
  PersonAtTerminal person(read_all, TerminalKind::capable, 20, 6);
  person.await(">");
  std::string text;
  for (int i = 0; i < 60; ++i) text += std::to_string(i) + " ";
  person.type(text);
  person.await("58 59");
  person.type("\x01<\x05>\r\x04");
  EXPECT_EQ(person.result(), lines({Json("<" + text + ">")}));
  EXPECT_EQ(person.screen().not_understood(), std::vector<std::string>());
}

TEST(ChatEditor, takes_a_pasted_block_for_one_message) {
  PersonAtTerminal person(read_all, TerminalKind::capable);
  person.await(">");
  person.type("see: \x1b[200~one\r\ntwo\rthree\x1b[31m\r\x1b[201~.\r\x04");
  EXPECT_EQ(person.result(), lines({"see: one\ntwo\nthree[31m."}));
  EXPECT_TRUE(person.screen().contains("> see: one\ntwo\nthree[31m.\n")) << person.screen().text();
}

TEST(ChatEditor, shows_a_note_for_a_large_block_and_gives_all_of_it) {
  PersonAtTerminal person(read_all, TerminalKind::capable);
  person.await(">");
  std::string block;
  for (int i = 0; i < 40; ++i) block += "line " + std::to_string(i) + "\n";
  person.type("a \x1b[200~" + block + "\x1b[201~ b\r");
  person.await("a [pasted 1: 40 lines] b");
  person.type("\x04");
  block.pop_back();
  EXPECT_EQ(person.result(), lines({Json("a " + block + " b")}));
}

TEST(ChatEditor, drops_the_line_at_control_c_and_goes_on) {
  PersonAtTerminal person(read_all, TerminalKind::capable);
  person.await(">");
  person.type("never mind\x03");
  person.type("next\r\x04");
  EXPECT_EQ(person.result(), lines({nullptr, "next"}));
  EXPECT_EQ(person.screen().text(), "> never mind\n> next\n>\n");
}

TEST(ChatEditor, completes_commands) {
  PersonAtTerminal person(read_all, TerminalKind::capable);
  person.await(">");
  person.type("/us\t\r\x04");
  EXPECT_EQ(person.result(), lines({"/usage "}));
}

TEST(ChatEditor, lists_the_commands_where_several_fit) {
  PersonAtTerminal person(read_all, TerminalKind::capable);
  person.await(">");
  person.type("/\t");
  person.await("  /help /tools /usage /undo");
  person.await("> /");
  person.type("us\t\r\x04");
  EXPECT_EQ(person.result(), lines({"/usage "}));
}

TEST(ChatEditor, moves_by_words_and_takes_no_key_for_text) {
  PersonAtTerminal person(read_all, TerminalKind::capable);
  person.await(">");
  // Ctrl-Left twice, Ctrl-Right once, End; then PageUp, PageDown, Insert, F1, F5, F12, Shift-F3,
  // Ctrl-Up, Ctrl-PageDown.
  person.type("one two three\x1b[1;5D\x1b[1;5D!\x1b[1;5C?\x1b[F.");
  person.type(
      "\x1b[5~\x1b[6~\x1b[2~\x1bOP\x1b[15~\x1b[24~\x1b[1;2R\x1b[1;5A\x1b[6;5~\x1b[[A\x1b[Z\r");
  person.await("three.");
  person.type("\x04");
  EXPECT_EQ(person.result(), lines({"one !two? three."}));
}

TEST(ChatEditor, keeps_what_was_typed_before_a_control_c_between_lines) {
  PersonAtTerminal person(
      [](const PersonTerminal& where) -> Json {
        ChatEditor editor(where, {}, {});
        const auto first = editor.next_line("> ", {});
        sigset_t interrupt;
        sigemptyset(&interrupt);
        sigaddset(&interrupt, SIGINT);
        pthread_sigmask(SIG_BLOCK, &interrupt, nullptr);
        write_all(where.output, "busy\n");
        int signal = 0;
        sigwait(&interrupt, &signal);
        const auto second = editor.next_line("> ", {});
        return lines({Json(*first), Json(*second), signal == SIGINT});
      },
      TerminalKind::capable);
  person.await(">");
  person.type("one\r");
  person.await("busy");
  person.type("two\x03");
  person.await("> two");
  person.type("!\r");
  EXPECT_EQ(person.result(), lines({"one", "two!", true}));
}

TEST(ChatEditor, survives_bytes_that_are_no_text) {
  PersonAtTerminal person(read_all, TerminalKind::capable);
  person.await(">");
  person.type(
      "a\xff\xfe"
      "b\xc3(\r");
  person.await("b");
  person.type("ok\r\x04");
  EXPECT_EQ(person.result(), lines({"a\uFFFD\uFFFDb\uFFFD(", "ok"}));
}

TEST(ChatEditor, keeps_what_is_typed_between_lines_for_the_next_one) {
  PersonAtTerminal person(
      [](const PersonTerminal& where) -> Json {
        ChatEditor editor(where, {}, {});
        const auto first = editor.next_line("> ", {});
        write_all(where.output, "busy\n");
        // The next prompt comes when the keys are there.
        pollfd typed{where.input, POLLIN, 0};
        poll(&typed, 1, -1);
        const auto second = editor.next_line("> ", {});
        const auto third = editor.next_line("> ", {});
        return lines({Json(*first), Json(*second), !third && third.error() == NoLine::ended});
      },
      TerminalKind::capable);
  person.await(">");
  person.type("one\r");
  person.await("busy");
  person.type("two\r\x04");
  EXPECT_EQ(person.result(), lines({"one", "two", true}));
  EXPECT_EQ(person.screen().text(), "> one\nbusy\n> two\n>\n");
  EXPECT_TRUE(person.is_terminal_restored());
}

TEST(ChatEditor, draws_the_line_anew_when_the_window_changes) {
  PersonAtTerminal person(read_all, TerminalKind::capable, 60, 16);
  person.await(">");
  person.type("a line of some length");
  person.await("length");
  person.resize(40, 16);
  person.type(", and more\r\x04");
  EXPECT_EQ(person.result(), lines({"a line of some length, and more"}));
}

TEST(ChatEditor, ends_and_restores_the_terminal_when_it_is_told_to) {
  PersonAtTerminal person(
      [](const PersonTerminal& where) -> Json {
        ChatEditor editor(where, {}, {});
        const auto line = editor.next_line("> ", {});
        return !line && line.error() == NoLine::stopped;
      },
      TerminalKind::capable);
  person.await(">");
  person.type("half");
  person.await("half");
  person.send(SIGTERM);
  // Obeyed when everything is restored.
  person.result();
  EXPECT_EQ(person.ended_by(), SIGTERM);
  EXPECT_TRUE(person.is_terminal_restored());
}

// What begins pasted is marked with p, what was not all on the screen with u.
Json read_origins(const PersonTerminal& where) {
  ChatEditor editor(where, {"!history"}, {});
  JsonArray lines;
  while (const auto line = editor.next_line("> ", {})) {
    lines.push_back(Json(std::string(editor.begins_pasted() ? "p" : "-") +
                         (editor.has_unseen() ? "u " : "- ") + line->substr(0, 4)));
  }
  return lines;
}

TEST(ChatEditor, knows_whether_a_line_begins_with_what_was_pasted) {
  const auto pasted = [](const std::string& text) { return "\x1b[200~" + text + "\x1b[201~"; };
  std::string block = "!one";
  for (int i = 0; i < 40; ++i) block += "\rx";
  PersonAtTerminal person(read_origins, TerminalKind::capable);
  person.await(">");
  person.type("!ls\r");
  person.type(pasted("!rm") + "\r");
  person.type(pasted(block) + "\r");
  person.type("!" + pasted("cat") + "\r");
  person.type("!" + pasted(block) + "\r");
  person.type("x" + pasted("!rm") + "\x01\x1b[3~\r");  // the typed character is erased again
  person.type(pasted("rm") + "\x01!\r");               // typed before it
  person.type(pasted("!rm") + "\x15!ls\r");            // erased, then typed
  person.type(pasted("!rm") + "\x15\x19\r");           // cut and put back
  person.type(pasted("!rm") + "\x10\x0e\r");           // through the history and back
  person.type(pasted("x") + "\x10\r\x04");
  EXPECT_EQ(person.result(), lines({"-- !ls", "p- !rm", "pu !one", "-- !cat", "-u !!on", "p- !rm",
                                    "-- !rm", "-- !ls", "p- !rm", "p- !rm", "-- !his"}));
}

// Every byte is compared: a screen reader says what comes.
TEST(ChatEditor, says_a_line_to_who_listens_and_moves_nothing) {
  PersonAtTerminal person(read_all, TerminalKind::plain);
  person.await(">");
  person.type("helo");
  person.await("helo");
  person.type("\x1b[D");
  person.await("at: o");
  person.type("l");
  person.await("> hello");
  person.type("\x05");
  person.type("!?\x7f\r");
  person.type("\x1b[A");  // the line before
  person.await("> hello!\n> hello!");
  person.type("\r");
  person.type("\x04");
  EXPECT_EQ(person.result(), lines({"hello!", "hello!"}));
  std::string output = person.output();
  for (const std::string_view mark : {kAskForPasteMarks, kNoMorePasteMarks}) {
    for (std::size_t at = output.find(mark); at != std::string::npos; at = output.find(mark)) {
      output.erase(at, mark.size());
    }
  }
  EXPECT_EQ(output.find('\x1b'), std::string::npos) << output;
  const std::string shown = person.screen().text();
  EXPECT_TRUE(shown.starts_with("> helo\nat: o\n> hello\n> hello!\n")) << shown;
  EXPECT_TRUE(shown.ends_with("> hello!\n>\n")) << shown;
}

}  // namespace
}  // namespace wright::app
