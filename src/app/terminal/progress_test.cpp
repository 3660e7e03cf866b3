#include "app/terminal/progress.h"

#include <gtest/gtest.h>

namespace wright::app {
namespace {

const Terminal kPipe{};
const Terminal kDumbTerminal{.is_terminal = true, .columns = 50};

// What a run with these events looks like.
class Screen {
 public:
  explicit Screen(const Terminal& terminal)
      : progress_(terminal, [this](std::string_view text) { shown_ += text; }) {}

  void tool(const ToolCall& call, const ToolOutcome& outcome) {
    progress_.observe(ToolStarted{call});
    progress_.observe(ToolEnded{call, outcome});
  }
  Progress& progress() { return progress_; }
  const std::string& shown() const { return shown_; }

 private:
  std::string shown_;
  Progress progress_;
};

ToolOutcome worked(double duration_ms) {
  ToolOutcome outcome;
  outcome.duration_ms = duration_ms;
  return outcome;
}

ToolOutcome failed(std::string error) {
  ToolOutcome outcome;
  outcome.result.is_error = true;
  outcome.error = Error{ErrorCode::tool_failed, std::move(error)};
  return outcome;
}

TEST(Progress, shows_each_tool_with_its_arguments_and_duration) {
  Screen screen(kPipe);
  screen.progress().observe(SessionStarted{12});
  screen.progress().observe(ModelStarted{1});
  screen.tool({"1", "grep", R"({"pattern": "retry", "-i": true})"}, worked(12));
  EXPECT_EQ(screen.shown(),
            "  → grep  pattern=\"retry\" -i=true\n"
            "  ✓ grep  12 ms\n");
}

TEST(Progress, shows_why_a_tool_failed_and_that_one_waits) {
  Screen screen(kPipe);
  screen.tool({"1", "read_file", "{}"}, failed("no such file:\nx"));
  ToolOutcome waits;
  waits.waiting = Waiting{.shown = "?"};
  screen.tool({"2", "ask_user", "{}"}, waits);
  EXPECT_EQ(screen.shown(),
            "  → read_file  \n  ✗ read_file  0.0 ms  no such file: x\n"
            "  → ask_user  \n  … ask_user  waits for a person\n");
}

TEST(Progress, shows_the_beginning_of_a_name_that_is_too_long) {
  for (const Terminal& terminal : {kPipe, kDumbTerminal}) {
    Screen screen(terminal);
    screen.tool({"1", std::string(1 << 20, 'x'), "{}"}, failed("Unknown tool"));
    EXPECT_TRUE(screen.shown().contains(std::string(200, 'x') + "…"));
    EXPECT_LT(screen.shown().size(), 1000U);
  }
}

TEST(Progress, shows_a_refusal_to_its_end) {
  const std::string refusal =
      "Refused: `rm -rf build` matches no rule of this agent, and nobody is here to be asked; name "
      "the command in [permissions], or run it yourself.";
  Screen pipe(kPipe);
  pipe.tool({"1", "bash", "{}"}, failed(refusal));
  EXPECT_NE(pipe.shown().find("✗ bash  0.0 ms  " + refusal + "\n"), std::string::npos);
  const Terminal terminal{.is_terminal = true, .columns = 60};
  Screen narrow(terminal);
  narrow.tool({"1", "bash", "{}"}, failed(refusal));
  EXPECT_NE(narrow.shown().find("  ✗ bash  0.0 ms\n"
                                "    Refused: `rm -rf build` matches no rule of this agent,\n"
                                "    and nobody is here to be asked; name the command in\n"
                                "    [permissions], or run it yourself.\n"),
            std::string::npos)
      << narrow.shown();
}

TEST(Progress, shows_what_the_model_says_beside_its_calls_but_not_the_answer) {
  Screen screen(kPipe);
  Response with_calls;
  with_calls.content = {Text{"Let me\nlook."}, ToolCall{"1", "grep", "{}"}};
  screen.progress().observe(ModelEnded{with_calls, 1});
  screen.progress().observe(ModelEnded{with_calls, 1});  // nothing new
  Response answer;
  answer.content = {Text{"It is there."}};
  screen.progress().observe(ModelEnded{answer, 1});
  EXPECT_EQ(screen.shown(), "  · Let me look.\n");
}

TEST(Progress, shows_a_remark_that_stands_before_the_answer) {
  Screen screen(kPipe);
  Response answer;
  answer.content = {Text{"I look.", Text::Phase::commentary},
                    Text{"It is there.", Text::Phase::final_answer}};
  screen.progress().observe(ModelEnded{answer, 1});
  EXPECT_EQ(screen.shown(), "  · I look.\n");
}

TEST(Progress, tells_that_the_context_was_shortened_and_how) {
  Screen screen(kPipe);
  const Usage usage;
  screen.progress().observe(ContextShortened{4, 0, usage});
  screen.progress().observe(ContextShortened{4, 8, usage});
  screen.progress().observe(ContextShortened{12, 8, usage});
  EXPECT_EQ(screen.shown(),
            "  · context shortened: old results in part\n"
            "  · context shortened: 8 messages summarised\n"
            "  · context shortened: 8 messages summarised, old results in part\n");
}

TEST(Progress, never_lets_a_tool_or_model_drive_the_terminal) {
  Screen screen(kDumbTerminal);
  screen.tool({"1", "\x1b[2Jgrep", "{\"pattern\": \"\\u001b[31m\"}"}, failed("\x1b]0;x\x07"));
  screen.tool({"2", "grep", "broken \x1b[31m json"}, worked(1));
  EXPECT_EQ(screen.shown().find('\x1b'), std::string::npos) << screen.shown();
  EXPECT_EQ(screen.shown().find('\x07'), std::string::npos);
  EXPECT_NE(screen.shown().find("␛[31m"), std::string::npos) << screen.shown();
}

TEST(Progress, keeps_every_line_within_the_terminal) {
  Screen screen(kDumbTerminal);
  const std::string wide(400, 'x');
  screen.tool({"1", "grep", R"({"pattern": ")" + wide + R"(", "path": "漢字漢字漢字"})"},
              failed(wide));
  std::size_t width = 0;
  for (const char c : screen.shown()) {
    const bool is_first_byte = (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    width = c == '\n' ? 0 : width + (is_first_byte ? 1 : 0);
    EXPECT_LE(width, 50U);
  }
}

TEST(Progress, draws_a_moving_line_where_the_cursor_can_go_back_and_erases_it) {
  Screen screen(Terminal{.is_terminal = true, .has_cursor = true, .columns = 60});
  const ToolCall call{"1", "grep", R"({"pattern": "x"})"};
  screen.progress().observe(ToolStarted{call});
  screen.progress().observe(ToolEnded{call, worked(3)});
  screen.progress().stop();
  EXPECT_TRUE(screen.shown().starts_with("\r\x1b[K  ")) << screen.shown();
  EXPECT_TRUE(screen.shown().ends_with("\r\x1b[K  ✓ grep  pattern=\"x\"  3.0 ms\n"))
      << screen.shown();
}

TEST(Progress, shows_the_last_line_of_what_a_running_tool_says) {
  Screen screen(Terminal{.is_terminal = true, .has_cursor = true, .columns = 60});
  const ToolCall call{"1", "bash", R"({"command": "make"})"};
  screen.progress().observe(ToolStarted{call});
  screen.progress().observe(ToolProgress{call, "first\ncompiling \x1b[31mmain.cpp\r\n\n"});
  screen.progress().observe(ToolProgress{{"2", "bash", "{}"}, "of a call that is not shown\n"});
  screen.progress().stop();
  EXPECT_NE(screen.shown().find("command=\"make\"  compiling "), std::string::npos)
      << screen.shown();
  EXPECT_EQ(screen.shown().find("first"), std::string::npos);
  EXPECT_EQ(screen.shown().find("\x1b[31m"), std::string::npos);
  EXPECT_EQ(screen.shown().find("not shown"), std::string::npos);
}

TEST(Progress, says_nothing_after_it_was_stopped_but_what_it_is_told) {
  Screen screen(Terminal{.is_terminal = true, .has_cursor = true, .columns = 60});
  screen.progress().stop();
  screen.progress().observe(ModelStarted{1});
  screen.progress().say("bye");
  EXPECT_EQ(screen.shown(), "bye\n");
}

TEST(ArgumentSummary, shortens_long_values_and_shows_broken_json_as_it_is) {
  EXPECT_EQ(summary_of_arguments("{\"a\": \"" + std::string(100, 'x') + "\", \"b\": [1, 2]}", 200),
            "a=\"" + std::string(58, 'x') + "… b=[1,2]");
  EXPECT_EQ(summary_of_arguments("{\"a\": ", 200), "{\"a\":");
  EXPECT_EQ(summary_of_arguments("[1]", 200), "[1]");
  EXPECT_EQ(summary_of_arguments("{}", 200), "");
  EXPECT_EQ(
      summary_of_arguments(
          R"({"conditions":[{"field":"name","operator":"IN","value":["a","b"]}],"order_by":{"field":"x","direction":"ASC"}})",
          200),
      "conditions=(name IN a, b) order_by=(x ASC)");
  EXPECT_EQ(summary_of_arguments(R"({"pattern": "abc"})", 10), "pattern=\"…");
}

}  // namespace
}  // namespace wright::app
