// Commands of a chat that a person types at a terminal, each with the real program.
#include <gtest/gtest.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <fstream>
#include <sstream>

#include "process.h"
#include "state.h"

namespace wright::cli {
namespace {

constexpr const char* kCommandQuestion = "Where is alpha_function defined?";

class ChatCommandsAtTerminal : public testing::Test {
 protected:
  ChatCommandsAtTerminal() {
    home_.environment["NO_COLOR"] = "1";
    home_.environment["WRIGHT_MODEL"] = "offline";
  }
  // A script on the PATH of the program.
  void install(const std::string& name, std::string_view script) {
    const auto folder = home_.path() / "bin";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / name) << script;
    std::filesystem::permissions(folder / name, std::filesystem::perms::owner_all);
    home_.environment["PATH"] = folder.string() + ":/usr/bin:/bin";
  }
  Process chat(const Arguments& arguments = {"chat"}) const {
    return Process(arguments, home_.environment, home_.project(), Streams::terminal);
  }
  Json transcript(const std::string& id) const {
    return home_.wright({"sessions", "show", id, "--json"}).json();
  }
  Home home_;
};

TEST_F(ChatCommandsAtTerminal, review_asks_the_agent_for_findings) {
  Process process = chat();
  process.await("> ");
  process.write("/review the tests\r");
  process.await("turn");
  process.await("> ");
  process.write("/undo words\r");
  process.await("Undone: /review the tests");
  process.write("\x04");
  EXPECT_EQ(process.finish().exit_code, 0);
  const std::string said(transcript("1").at("messages").at(0).at("content").as_string());
  EXPECT_TRUE(said.starts_with("Review what has been changed")) << said;
  EXPECT_TRUE(said.ends_with("Above all: the tests")) << said;
}

TEST_F(ChatCommandsAtTerminal, sessions_are_found_by_a_part_of_what_was_said) {
  ASSERT_EQ(home_.wright({"run", "codebase-analysis", kCommandQuestion}).exit_code, 0);
  ASSERT_EQ(home_.wright({"run", "codebase-analysis", "What is in README.md?"}).exit_code, 0);
  Process process = chat();
  process.await("> ");
  process.write("/sessions\r");
  process.await("Which session?");
  process.write("alphf");
  process.await("▸     1");
  process.write("\r");
  process.await("session 1");
  process.write("hello\r");
  process.await("✓ session 1 · ");
  process.write("\x04");
  const Finished ended = process.finish();
  EXPECT_TRUE(has(ended.output, "wright chat --session 1")) << ended.output;
}

TEST_F(ChatCommandsAtTerminal, what_a_program_printed_is_told_without_keys) {
  home_.write_config(
      "[vendors.gateway]\nbase_url = 'http://127.0.0.1:9/v1'\nkey_variables = ['GATEWAY_KEY']\n");
  home_.environment["GATEWAY_KEY"] = "correct-horse-battery";
  Process process = chat();
  process.await("> ");
  process.write("!echo key=$GATEWAY_KEY and ghp_0123456789012345678901\r");
  process.await("key=correct-horse-battery and");
  process.write("why not correct-horse-battery?\r");
  process.await("session 1 · ");
  process.write("\x04");
  EXPECT_EQ(process.finish().exit_code, 0);
  const std::string kept = to_text(transcript("1"));
  EXPECT_TRUE(has(kept, "key=[REDACTED] and [REDACTED]")) << kept;
  EXPECT_TRUE(has(kept, "why not [REDACTED]?")) << kept;
  EXPECT_FALSE(has(kept, "correct-horse")) << kept;
}

TEST_F(ChatCommandsAtTerminal, clear_begins_anew_on_an_empty_screen) {
  Process process = chat();
  process.await("> ");
  process.write("hello\r");
  process.await("session 1 · ");
  process.write("/clear\r");
  process.await("\x1b[H\x1b[2J");
  process.write("hello\r");
  process.await("session 2 · ");
  process.write("\x04");
  const Finished ended = process.finish();
  EXPECT_TRUE(has(ended.output, "wright chat --session 2")) << ended.output;
}

TEST_F(ChatCommandsAtTerminal, cost_tells_what_was_used) {
  Process process = chat();
  process.await("> ");
  process.write("/cost\r");
  process.await("Nothing has been used yet");
  process.write(std::string(kCommandQuestion) + "\r");
  process.await("session 1 · ");
  process.write("/cost\r");
  process.await("  session 1 · 3 tool calls · 2");
  process.write("\x04");
  EXPECT_EQ(process.finish().exit_code, 0);
}

TEST_F(ChatCommandsAtTerminal, editor_writes_a_message) {
  install("my-editor", "#!/bin/sh\nprintf '%s and then hello' \"$(cat \"$1\")\" > \"$1\"\n");
  home_.environment["EDITOR"] = "my-editor";
  Process process = chat();
  process.await("> ");
  process.write("/editor begun\r");
  process.await("session 1 · ");
  process.write("\x04");
  EXPECT_EQ(process.finish().exit_code, 0);
  EXPECT_EQ(transcript("1").at("messages").at(0).at("content").as_string(), "begun and then hello");
}

TEST_F(ChatCommandsAtTerminal, control_v_takes_an_image_from_the_clipboard) {
  install(
      "xclip",
      "#!/bin/sh\nprintf 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGA"
      "WjR9awAAAABJRU5ErkJggg==' | base64 -d\n");
  home_.environment["TMPDIR"] = home_.path().string();
  Process process = chat();
  process.await("> ");
  process.write("look at \x16");
  process.await("wright-clipboard-");
  process.write("\r");
  process.await("looks at no images");
  process.write("\x04");
  const Finished ended = process.finish();
  EXPECT_TRUE(has(ended.output, "with " + home_.path().string())) << ended.output;
}

TEST_F(ChatCommandsAtTerminal, control_v_says_what_is_missing) {
  std::filesystem::create_directories(home_.path() / "empty");
  home_.environment["PATH"] = (home_.path() / "empty").string();
  Process process = chat();
  process.await("> ");
  process.write("\x16");
  process.await("wl-paste (Wayland) or xclip (X11)");
  process.write("\x04");
  EXPECT_EQ(process.finish().exit_code, 0);
  install("xclip", "#!/bin/sh\necho no image >&2; exit 1\n");
  Process other = chat();
  other.await("> ");
  other.write("\x16");
  other.await("There is no image in the clipboard");
  other.write("\x04");
  EXPECT_EQ(other.finish().exit_code, 0);
}

// A program that reads the events learns how it ended from the last line and the exit code.
TEST(JsonEvents, end_with_the_failure_of_a_model) {
  const Home home;
  home.write_config(
      "[vendors.gone]\nneeds_key = false\nprotocol = \"openai-chat\"\n"
      "base_url = \"http://127.0.0.1:1/v1\"\n");
  const Finished run = home.wright({"run", "codebase-analysis", kCommandQuestion, "--json-events",
                                    "--model", "gone:model", "--set", "http.retries=0"});
  EXPECT_EQ(run.exit_code, 1) << run.error;
  ASSERT_TRUE(run.output.ends_with("\n"));
  std::vector<Json> events;
  std::istringstream lines(run.output);
  for (std::string line; std::getline(lines, line);) events.push_back(parse_json(line).value());
  ASSERT_GE(events.size(), 2U) << run.output;
  EXPECT_EQ(events.front().at("type"), Json("session_started"));
  EXPECT_EQ(events[events.size() - 2].at("type"), Json("run_ended"));
  EXPECT_EQ(events.back().at("type"), Json("result"));
  EXPECT_EQ(events.back().at("data").at("status"), Json("failed"));
  EXPECT_FALSE(events.back().at("data").at("error").is_null()) << run.output;
}

}  // namespace
}  // namespace wright::cli
