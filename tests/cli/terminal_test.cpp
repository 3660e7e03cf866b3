// The program on a real (pseudo) terminal: colour, its absence, and hostile text.
#include <gtest/gtest.h>

#include <algorithm>

#include "process.h"
#include "wright/json.h"

namespace wright::cli {
namespace {

constexpr const char* kTerminalQuestion = "Where is alpha_function defined?";

TEST(Terminal, gets_colour_and_a_moving_line) {
  const Home home;
  const Finished run = home.wright_on_terminal({"run", "codebase-analysis", kTerminalQuestion});
  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_NE(run.output.find("\x1b[1mcodebase-analysis\x1b[0m"), std::string::npos) << run.output;
  EXPECT_NE(run.output.find("\r\x1b[K"), std::string::npos) << run.output;
  EXPECT_NE(run.output.find("alpha.cpp:2"), std::string::npos) << run.output;
  EXPECT_NE(home.wright_on_terminal({"sessions"}).output.find("\x1b[32mcompleted"),
            std::string::npos);
}

// Columns of the widest row, where every character is one wide.
std::size_t widest_row(const std::string& shown) {
  std::size_t widest = 0;
  std::size_t columns = 0;
  for (const char c : shown) {
    const bool is_first_byte = (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    columns = c == '\n' || c == '\r' ? 0 : columns + (is_first_byte ? 1 : 0);
    widest = std::max(widest, columns);
  }
  return widest;
}

TEST(Terminal, is_never_wider_than_it_is) {
  Home home;
  home.environment["NO_COLOR"] = "1";
  home.environment["COLUMNS"] = "80";
  home.wright({"run", "codebase-analysis", kTerminalQuestion});
  for (const Arguments& arguments :
       {Arguments{"--help"}, Arguments{"help", "run"}, Arguments{"stats"}, Arguments{"agents"},
        Arguments{"tools"}, Arguments{"models", "openai"}}) {
    const std::string shown = home.wright_on_terminal(arguments).output;
    EXPECT_LE(widest_row(shown), 80U) << shown;
  }
  const std::string chat = home.wright_on_terminal({"chat"}, "/help\n/tools\n/quit\n").output;
  EXPECT_NE(chat.find("/export [FILE]"), std::string::npos) << chat;
  EXPECT_NE(chat.find("list_files"), std::string::npos) << chat;
}

TEST(Terminal, shows_the_markdown_of_an_answer) {
  const Home home;
  for (const Arguments& how : {Arguments{}, Arguments{"--no-stream"}}) {
    Arguments arguments{"run", "codebase-analysis", kTerminalQuestion};
    arguments.insert(arguments.end(), how.begin(), how.end());
    const std::string shown = home.wright_on_terminal(arguments).output;
    EXPECT_NE(shown.find("\x1b[1malpha.cpp:2\x1b[0m"), std::string::npos) << shown;
    EXPECT_EQ(shown.find("**alpha.cpp:2**"), std::string::npos) << shown;
    EXPECT_EQ(shown.find("```"), std::string::npos) << shown;
  }
  EXPECT_NE(
      home.wright({"run", "codebase-analysis", kTerminalQuestion}).output.find("**alpha.cpp:2**"),
      std::string::npos)
      << "a pipe gets what the model wrote";
}

TEST(Terminal, gets_no_colour_under_no_color) {
  Home home;
  home.environment["NO_COLOR"] = "1";
  for (const Arguments& arguments :
       {Arguments{"run", "codebase-analysis", kTerminalQuestion}, Arguments{"sessions"},
        Arguments{"sessions", "show", "1"}, Arguments{"config"}, Arguments{"doctor"},
        Arguments{"agents"}, Arguments{"tools"}, Arguments{"--help"}, Arguments{"rnu"}}) {
    const std::string shown = home.wright_on_terminal(arguments).output;
    // Every colour is ended by a reset.
    EXPECT_EQ(shown.find("\x1b[0m"), std::string::npos) << shown;
    EXPECT_NE(shown, "");
  }
}

TEST(Terminal, gets_no_escape_codes_at_all_when_it_is_dumb) {
  Home home;
  home.environment["TERM"] = "dumb";
  const Finished run = home.wright_on_terminal({"run", "codebase-analysis", kTerminalQuestion});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.output.find('\x1b'), std::string::npos) << run.output;
}

TEST(Terminal, is_never_driven_by_what_a_tool_or_a_prompt_says) {
  Home home;
  home.environment["TERM"] = "dumb";
  home.write_file("evil.txt", "one\x1b]0;owned\x07 two\x1b[2J\n");
  const std::string evil = "\x1b[31mevil \xE2\x80\xAEprompt";
  home.wright({"run", "codebase-analysis", evil});
  for (const Arguments& arguments :
       {Arguments{"run", "codebase-analysis", "What does evil.txt do? \x1b[2J"},
        Arguments{"tools", "call", "read_file", R"({"file_path": "evil.txt"})"},
        Arguments{"sessions"}, Arguments{"sessions", "show", "1"},
        Arguments{"sessions", "export", "1", "--format", "markdown"},
        Arguments{"run", "\x1b[31m", "x"}, Arguments{"\x1b[31m"},
        Arguments{"sessions", "-c", "\x1b[31m.toml"}}) {
    const std::string shown = home.wright_on_terminal(arguments).output;
    EXPECT_EQ(shown.find('\x1b'), std::string::npos) << shown;
    EXPECT_EQ(shown.find('\x07'), std::string::npos) << shown;
    EXPECT_EQ(shown.find("\xE2\x80\xAE"), std::string::npos) << shown;
  }
}

// ESC, C1, a direction override, a tag character and one of no width.
constexpr std::string_view kEvil = "\x1b[31m\xC2\x9B\xE2\x80\xAE\xF3\xA0\x81\x81\xE2\x80\x8B";

void expect_harmless(const std::string& shown) {
  for (const std::string_view part :
       {"\x1b", "\xC2\x9B", "\xE2\x80\xAE", "\xF3\xA0\x81\x81", "\xE2\x80\x8B"}) {
    EXPECT_EQ(shown.find(part), std::string::npos) << shown;
  }
}

TEST(Terminal, is_never_driven_by_the_name_of_a_file) {
  Home home;
  home.environment["TERM"] = "dumb";
  const std::string evil(kEvil);
  home.write_file(".wright/agents/" + evil + ".toml", "instructions = \"x\"\n");
  home.write_file(evil + ".cpp", "int evil_function() { return 1; }\n");
  for (const Arguments& arguments :
       {Arguments{"agents"}, Arguments{"agents", "--json"}, Arguments{"doctor"},
        Arguments{"tools", "call", "list_files", R"({"pattern": "*"})"},
        Arguments{"tools", "call", "list_files", R"({"pattern": "*"})", "--json"},
        Arguments{"run", "codebase-analysis", "Where is evil_function defined?"},
        Arguments{"sessions", "show", "1"}}) {
    const Finished finished = home.wright_on_terminal(arguments);
    EXPECT_NE(finished.output, "");
    expect_harmless(finished.output);
  }
}

TEST(Terminal, gets_json_and_logs_with_escapes_that_say_the_same) {
  Home home;
  home.environment["TERM"] = "dumb";
  const std::string prompt = "Where is alpha_function defined? " + std::string(kEvil);
  const Finished run = home.wright_on_terminal(
      {"run", "codebase-analysis", prompt, "--json", "--log-level", "debug"});
  expect_harmless(run.output);
  const std::string listed = home.wright_on_terminal({"sessions", "--json"}).output;
  expect_harmless(listed);
  EXPECT_NE(listed.find(R"(\u001b[31m\u009b\u202e\udb40\udc41\u200b)"), std::string::npos)
      << listed;
  const auto parsed = parse_json(listed);
  ASSERT_TRUE(parsed) << listed;
  EXPECT_EQ(parsed->at(0).at("user_prompt").as_string(), prompt);
  // A program gets the characters themselves.
  EXPECT_NE(home.wright({"sessions", "--json"}).output.find("\xE2\x80\xAE"), std::string::npos);
  expect_harmless(home.wright_on_terminal({"tools", "call", "grep",
                                           "{\"pattern\": \"" + prompt.substr(0, 33) +
                                               std::string(kEvil.substr(5)) + "\"}",
                                           "--log-level", "debug"})
                      .output);
}

TEST(Terminal, is_asked_for_the_prompt_when_there_is_none) {
  const Home home;
  const Finished run = home.wright_on_terminal({"run", "codebase-analysis"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.output.find("the prompt is missing"), std::string::npos) << run.output;
}

TEST(Terminal, is_not_overrun_by_a_long_prompt_in_the_list) {
  const Home home;
  home.wright({"run", "codebase-analysis", std::string(500, 'x')});
  const std::string shown = home.wright_on_terminal({"sessions"}).output;
  EXPECT_EQ(shown.find(std::string(100, 'x')), std::string::npos) << shown;
  EXPECT_NE(shown.find("x…"), std::string::npos) << shown;
}

}  // namespace
}  // namespace wright::cli
