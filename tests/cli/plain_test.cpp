// A terminal that is read aloud (terminal.plain), and how a person learns that they are waited for.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "process.h"
#include "state.h"

namespace wright::cli {
namespace {

constexpr const char* kPlainQuestion = "Where is alpha_function defined?";

// Escape sequences but for the marks around what is pasted, carriage returns that end no line.
std::string movements_in(std::string text) {
  std::string found;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = std::string_view(text).substr(i);
    if (rest.starts_with("\x1b[?2004h") || rest.starts_with("\x1b[?2004l")) {
      i += 7;
    } else if (text[i] == '\x1b') {
      found += "ESC" + std::string(rest.substr(1, 6)) + " ";
    } else if (text[i] == '\r' && !rest.starts_with("\r\n") && !rest.starts_with("\r\r\n")) {
      found += "CR ";
    }
  }
  return found;
}

TEST(PlainTerminal, moves_no_cursor_and_has_words_in_place_of_marks) {
  Home home;
  home.write_config("[agent]\nmodel = \"offline\"\n\n[terminal]\nplain = true\n");
  Process chat({"chat"}, home.environment, home.project(), Streams::terminal);
  chat.await("> ");
  chat.write(std::string(kPlainQuestion) + "\r");
  chat.await("tool call");
  chat.write("\x10");  // the line before
  chat.await(std::string("> ") + kPlainQuestion);
  chat.write("\x15/usaeg\x1b[D\x1b[D\x7f");
  chat.await("/useg");
  chat.write(
      "\x05\x7f\x7f"
      "age\r");
  chat.await("session 1");
  chat.write("\x04");
  const Finished ended = chat.finish();
  EXPECT_EQ(ended.exit_code, 0) << ended.output;
  EXPECT_EQ(movements_in(ended.output), "") << ended.output;
  EXPECT_TRUE(has(ended.output, "Calling: grep")) << ended.output;
  EXPECT_TRUE(has(ended.output, "Done: grep")) << ended.output;
  for (const char* mark : {"✓", "→", "▸", "⠋"}) EXPECT_FALSE(has(ended.output, mark)) << mark;
}

TEST(PlainTerminal, is_asked_for_by_a_variable_or_by_being_dumb) {
  for (const auto& [name, value] : Variables{{"WRIGHT_PLAIN", "true"}, {"TERM", "dumb"}}) {
    Home home;
    home.environment[name] = value;
    const Finished run = home.wright_on_terminal({"run", "codebase-analysis", kPlainQuestion});
    EXPECT_EQ(movements_in(run.output), "") << run.output;
    EXPECT_TRUE(has(run.output, "Done: grep")) << run.output;
    EXPECT_FALSE(has(run.output, "✓")) << run.output;
  }
}

TEST(PlainTerminal, asks_for_approval_in_lines) {
  Home home;
  home.environment["WRIGHT_PLAIN"] = "true";
  home.write_config("[permissions]\ngrep = \"ask\"\n");
  Process run({"run", "codebase-analysis", kPlainQuestion}, home.environment, home.project(),
              Streams::terminal);
  run.await("[y/s/n");
  run.write("s\n");
  const Finished ended = run.finish();
  EXPECT_EQ(ended.exit_code, 0) << ended.output;
  EXPECT_EQ(movements_in(ended.output), "") << ended.output;
}

class Notified : public testing::Test {
 protected:
  // A run that waits once, at a terminal.
  Finished waiting_run(const std::string& terminal) {
    home_.write_config("[permissions]\ngrep = \"ask\"\n\n[terminal]\n" + terminal);
    Process run({"run", "codebase-analysis", kPlainQuestion}, home_.environment, home_.project(),
                Streams::terminal);
    run.await("[y/s/n");
    run.write("s\n");
    return run.finish();
  }
  Home home_;
};

TEST_F(Notified, at_every_wait_by_the_bell_the_desktop_or_not_at_all) {
  EXPECT_TRUE(has(waiting_run("").output, "\a"));
  EXPECT_TRUE(has(waiting_run("notify = \"osc9\"\n").output, "\x1b]9;Wright waits for you: grep"));
  home_.environment["TMUX"] = "/tmp/tmux";
  EXPECT_TRUE(has(waiting_run("notify = \"osc9\"\n").output, "\x1bPtmux;\x1b\x1b]9;Wright waits"));
  const std::string silent = waiting_run("notify = \"off\"\n").output;
  EXPECT_FALSE(has(silent, "\a")) << silent;
}

TEST_F(Notified, by_a_command_of_their_own) {
  const auto told = home_.path() / "told";
  ASSERT_EQ(::mkfifo(told.c_str(), 0600), 0);
  const int pipe = ::open(told.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(pipe, 0);
  home_.environment["TOLD"] = told.string();
  const Finished run = waiting_run(
      "notify = \"printf %s \\\"$WRIGHT_NOTICE\\\" >> \\\"$TOLD\\\"\"\nnotify_after = \"1h\"\n");
  // The command is not waited for.
  pollfd readable{.fd = pipe, .events = POLLIN};
  EXPECT_EQ(::poll(&readable, 1, 60'000), 1);
  std::string words(1000, '\0');
  words.resize(static_cast<std::size_t>(std::max<ssize_t>(0, ::read(pipe, words.data(), 1000))));
  ::close(pipe);
  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_TRUE(has(words, "Wright waits for you: grep")) << words;
  EXPECT_FALSE(has(run.output, "\a"));
}

TEST_F(Notified, when_a_long_turn_ends) {
  home_.write_config("[terminal]\nnotify_after = \"1ms\"\n");
  const Arguments run{"run", "codebase-analysis", kPlainQuestion};
  EXPECT_TRUE(has(home_.wright_on_terminal(run).output, "\a"));
  home_.write_config("[terminal]\nnotify_after = \"1h\"\n");
  EXPECT_FALSE(has(home_.wright_on_terminal(run).output, "\a"));
  home_.write_config("[agent]\nmodel = \"offline\"\n\n[terminal]\nnotify_after = \"1ms\"\n");
  EXPECT_TRUE(has(home_.wright_on_terminal({"chat"}, "hello\n/quit\n").output, "\a"));
}

}  // namespace
}  // namespace wright::cli
