// `wright chat`: from a pipe as a script would, and at a terminal as a person would.
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <csignal>
#include <fstream>
#include <sstream>

#include "app/terminal/person/screen_testing.h"
#include "process.h"
#include "silent_server.h"

namespace wright::cli {
namespace {

constexpr const char* kQuestion = "Where is alpha_function defined?";

Json session(const Home& home, const std::string& id) {
  return home.wright({"sessions", "show", id, "--json"}).json();
}

std::size_t user_messages(const Json& transcript) {
  std::size_t count = 0;
  for (const Json& message : transcript.at("messages").as_array()) {
    if (message.at("role").as_string() == "user") ++count;
  }
  return count;
}

// What a person sees of all that was written.
std::string screen_of(const Finished& chat) {
  app::Screen screen(100, 40);
  screen.write(chat.output);
  return screen.text();
}

TEST(Chat, takes_each_line_of_a_pipe_for_a_message_of_one_session) {
  const Home home;
  const Finished chat =
      home.wright({"chat"}, std::string(kQuestion) + "\n\nWhat is in README.md?\n");
  EXPECT_EQ(chat.exit_code, 0) << chat.error;
  EXPECT_NE(chat.output.find("alpha.cpp:2"), std::string::npos) << chat.output;
  EXPECT_EQ(chat.output.find('\x1b'), std::string::npos) << chat.output;
  EXPECT_EQ(chat.output.find("> "), std::string::npos) << chat.output;
  EXPECT_NE(chat.error.find("wright chat --session 1"), std::string::npos) << chat.error;
  const Json transcript = session(home, "last");
  EXPECT_EQ(transcript.at("session").at("id").as_int64(), 1);
  EXPECT_EQ(transcript.at("session").at("status").as_string(), "completed");
  EXPECT_EQ(user_messages(transcript), 2U);
}

TEST(Chat, says_nothing_but_answers_when_it_is_quiet) {
  const Home home;
  const Finished chat = home.wright({"chat", "-q"}, "hello\n");
  EXPECT_EQ(chat.exit_code, 0);
  EXPECT_EQ(chat.error, "");
  EXPECT_FALSE(chat.output.empty());
}

TEST(Chat, with_nothing_to_say_makes_no_session) {
  const Home home;
  EXPECT_EQ(home.wright({"chat"}, "\n  \n").exit_code, 0);
  EXPECT_EQ(home.wright({"sessions", "--json"}).json(), Json(JsonArray()));
}

TEST(Chat, goes_on_with_the_last_session_or_a_named_one) {
  const Home home;
  ASSERT_EQ(home.wright({"chat"}, "hello\n").exit_code, 0);
  ASSERT_EQ(home.wright({"chat"}, "hello again\n").exit_code, 0);
  EXPECT_EQ(home.wright({"chat", "--continue"}, "third\n").exit_code, 0);
  EXPECT_EQ(user_messages(session(home, "2")), 2U);
  EXPECT_EQ(home.wright({"chat", "--session", "1"}, "fourth\n").exit_code, 0);
  EXPECT_EQ(user_messages(session(home, "1")), 2U);
  EXPECT_EQ(home.wright({"chat"}, "/continue 2\nfifth\n").exit_code, 0);
  EXPECT_EQ(user_messages(session(home, "2")), 3U);
}

TEST(Chat, explains_what_it_cannot_go_on_with) {
  const Home home;
  EXPECT_EQ(home.wright({"chat", "--continue"}).exit_code, 1);
  EXPECT_FALSE(std::filesystem::exists(home.database()));
  EXPECT_EQ(home.wright({"chat", "--session", "7"}).exit_code, 1);
  EXPECT_EQ(home.wright({"chat", "--continue", "--session", "7"}).exit_code, 2);
  EXPECT_EQ(home.wright({"chat", "--session", "x"}).exit_code, 1);  // there is no database yet
  EXPECT_EQ(home.wright({"chat", "nobody"}).exit_code, 2);
  ASSERT_EQ(home.wright({"chat"}, "hello\n").exit_code, 0);
  EXPECT_EQ(home.wright({"chat", "--session", "x"}).exit_code, 2);
  EXPECT_EQ(home.wright({"chat", "--session", "99999999999999999999"}).exit_code, 2);
}

TEST(Chat, undoes_the_last_message_in_a_copy) {
  const Home home;
  const Finished chat =
      home.wright({"chat"}, "hello\n" + std::string(kQuestion) + "\n/undo\nbye\n");
  EXPECT_EQ(chat.exit_code, 0) << chat.error;
  EXPECT_EQ(user_messages(session(home, "1")), 2U);
  const Json copy = session(home, "2");
  ASSERT_EQ(user_messages(copy), 2U);
  EXPECT_EQ(to_text(copy).find("alpha_function"), std::string::npos);
  EXPECT_NE(to_text(copy).find("bye"), std::string::npos);
}

TEST(Chat, undoes_the_first_message_by_beginning_anew) {
  const Home home;
  const Finished chat = home.wright({"chat"}, "hello\n/undo\nbye\n");
  EXPECT_EQ(chat.exit_code, 0) << chat.error;
  EXPECT_EQ(user_messages(session(home, "1")), 1U);
  EXPECT_EQ(user_messages(session(home, "2")), 1U);
  EXPECT_EQ(home.wright({"chat"}, "/undo\n").exit_code, 1);
}

TEST(Chat, forks_and_exports) {
  const Home home;
  const Finished chat =
      home.wright({"chat"}, "hello\n/fork\nmore\n/export out/session.json\n/export\n/usage\n");
  EXPECT_EQ(chat.exit_code, 0) << chat.error;
  EXPECT_EQ(user_messages(session(home, "1")), 1U);
  EXPECT_EQ(user_messages(session(home, "2")), 2U);
  std::stringstream exported;
  exported << std::ifstream(home.project() / "out/session.json").rdbuf();
  const auto json = parse_json(exported.str());
  ASSERT_TRUE(json) << exported.str();
  EXPECT_EQ(json->at("session").at("id").as_int64(), 2);
  EXPECT_NE(chat.output.find("session 2 · "), std::string::npos) << chat.output;
  // Never over a file that is there.
  const Finished again = home.wright({"chat", "--continue"}, "/export README.md\n");
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_NE(again.error.find("README.md"), std::string::npos) << again.error;
}

TEST(Chat, obeys_commands_and_explains_unknown_ones) {
  const Home home;
  const Finished chat =
      home.wright({"chat"}, "/help\n/tools\n/model\n/model offline\n/usage\n/quit\nno\n");
  EXPECT_EQ(chat.exit_code, 0) << chat.error;
  for (const char* words : {"/undo", "grep", "offline", "Nothing has been used yet"}) {
    EXPECT_NE(chat.output.find(words), std::string::npos) << words << "\n" << chat.output;
  }
  EXPECT_EQ(home.wright({"sessions", "--json"}).json(), Json(JsonArray())) << "/quit ends it";
  const Finished wrong = home.wright({"chat"}, "/udno\nhello\n");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.error.find("/undo"), std::string::npos) << wrong.error;
  EXPECT_EQ(wrong.output, "");
  EXPECT_EQ(home.wright({"chat"}, "/model nobody:nothing\n").exit_code, 2);
}

TEST(Chat, from_a_pipe_waits_where_a_person_is_needed_and_resumes_later) {
  const Home home;
  home.write_config("[permissions]\ngrep = \"ask\"\n");
  const Finished waiting = home.wright({"chat"}, std::string(kQuestion) + "\nnever read\n");
  EXPECT_EQ(waiting.exit_code, 3) << waiting.error;
  EXPECT_NE(waiting.error.find("wright answer 1 --approve"), std::string::npos) << waiting.error;
  EXPECT_EQ(home.wright({"chat", "--continue"}, "hello\n").exit_code, 3) << "it still waits";
  EXPECT_EQ(home.wright({"answer", "1", "--approve", "session"}).exit_code, 0);
  const Finished answered = home.wright({"chat", "--continue"}, "hello\n");
  EXPECT_EQ(answered.exit_code, 0) << answered.error;
  EXPECT_NE(answered.output.find("alpha.cpp:2"), std::string::npos) << answered.output;
  EXPECT_EQ(user_messages(session(home, "1")), 2U);
}

TEST(Chat, survives_any_bytes_from_a_pipe) {
  const Home home;
  const std::string bytes = std::string("\xff\xfe\x00zero\x1b[2J", 11) + "\n/\n//help\n";
  EXPECT_EQ(home.wright({"chat"}, bytes).exit_code, 0);
  EXPECT_EQ(user_messages(session(home, "1")), 3U);
}

TEST(Chat, talks_with_the_primary_agent_when_nobody_is_named) {
  const Home home;
  home.write_file("../.config/wright/agents/helper.toml",
                  "instructions = 'Help.'\ntools = ['grep']\nprimary = true\n");
  const Finished chat = home.wright({"chat"}, "/tools\nhello\n");
  EXPECT_EQ(chat.exit_code, 0) << chat.error;
  EXPECT_NE(chat.output.find("grep"), std::string::npos) << chat.output;
  EXPECT_EQ(chat.output.find("list_files"), std::string::npos) << chat.output;
  EXPECT_EQ(session(home, "1").at("session").at("agent_name").as_string(), "helper");
  EXPECT_EQ(home.wright({"chat", "codebase-analysis"}, "hello\n").exit_code, 0);
  EXPECT_EQ(session(home, "2").at("session").at("agent_name").as_string(), "codebase-analysis");
}

TEST(Chat, shortens_what_it_sends_and_keeps_the_session_whole) {
  const Home home;
  home.write_config("[agent]\ncontext_tokens = 4000\nmax_tokens = 1000\n");
  std::string text;
  for (int line = 0; line < 50; ++line) text += "a line of some length, to be read\n";
  std::string questions;
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
    home.write_file(std::string(name) + ".txt", text);
    questions += "show " + std::string(name) + ".txt\n";
  }
  const Finished chat = home.wright({"chat"}, questions);
  EXPECT_EQ(chat.exit_code, 0) << chat.error;
  EXPECT_NE(chat.error.find("context shortened"), std::string::npos) << chat.error;
  const Json transcript = session(home, "1");
  EXPECT_EQ(user_messages(transcript), 8U);
  EXPECT_EQ(to_text(transcript).find("left out"), std::string::npos);
  const Finished later = home.wright({"chat", "--continue"}, "show a.txt\n");
  EXPECT_EQ(later.exit_code, 0) << later.error;
  EXPECT_NE(later.output.find("to be read"), std::string::npos) << later.output;
}

TEST(Chat, says_how_full_the_window_is_and_sums_up_when_asked) {
  const Home home;
  home.write_config("[agent]\ncontext_tokens = 50000\n");
  home.write_file("a.txt", "one line\n");
  const Finished chat = home.wright(
      {"chat"},
      "show a.txt\nshow a.txt again\nshow a.txt once more\n/context\n/compact the first "
      "line\n/context\nshow a.txt\n");
  EXPECT_EQ(chat.exit_code, 0) << chat.error;
  const std::size_t before = chat.output.find(" of 50.0k (");
  ASSERT_NE(before, std::string::npos) << chat.output;
  const std::size_t after = chat.output.find("summarised", before);
  ASSERT_NE(after, std::string::npos) << chat.output;
  EXPECT_NE(chat.output.find("show a.txt again", after), std::string::npos)
      << "what requests leave out is shown: " << chat.output;
  EXPECT_EQ(user_messages(session(home, "1")), 4U) << "the session stays whole";
  EXPECT_NE(home.wright({"chat"}, "/compact\n").exit_code, 0) << "there is nothing to sum up";
  EXPECT_NE(home.wright({"chat"}, "/context\n").exit_code, 0);
}

// --- at a terminal -------------------------------------------------------------------------------

class ChatAtTerminal : public testing::Test {
 protected:
  ChatAtTerminal() {
    home_.environment["NO_COLOR"] = "1";
    home_.environment["WRIGHT_MODEL"] = "offline";  // who has chosen is not asked
  }
  Home home_;
};

TEST_F(ChatAtTerminal, greets_answers_and_says_how_to_go_on) {
  Process chat({"chat"}, home_.environment, home_.project(), Streams::terminal);
  chat.await("> ");
  chat.write("hello\r");
  chat.await("tool call");
  chat.write("\x04");
  const Finished ended = chat.finish();
  EXPECT_EQ(ended.exit_code, 0);
  const std::string screen = screen_of(ended);
  EXPECT_TRUE(
      screen.starts_with("codebase-analysis  offline · ~/project · new session\n"
                         "  /help lists the commands, Ctrl-D ends the chat\n"
                         "> hello\n"))
      << screen;
  EXPECT_TRUE(screen.ends_with(">\n  Go on with:  wright chat --session 1\n")) << screen;
}

TEST_F(ChatAtTerminal, shows_tool_calls_as_they_happen) {
  Process chat({"chat"}, home_.environment, home_.project(), Streams::terminal);
  chat.await("> ");
  chat.write(std::string(kQuestion) + "\r");
  chat.await("tool call");
  chat.write("/quit\r");
  const Finished ended = chat.finish();
  const std::string screen = screen_of(ended);
  EXPECT_NE(screen.find(R"(  ✓ grep  pattern="\balpha_function\b")"), std::string::npos) << screen;
  EXPECT_NE(screen.find("alpha.cpp:2"), std::string::npos) << screen;
}

TEST_F(ChatAtTerminal, remembers_lines_over_chats) {
  {
    Process chat({"chat"}, home_.environment, home_.project(), Streams::terminal);
    chat.await("> ");
    chat.write("/usage\r");
    chat.await("Nothing has been used yet");
    chat.write("\x04");
    EXPECT_EQ(chat.finish().exit_code, 0);
  }
  Process chat({"chat"}, home_.environment, home_.project(), Streams::terminal);
  chat.await("> ");
  chat.write("\x10\r");
  chat.await("Nothing has been used yet");
  chat.write("\x04");
  EXPECT_EQ(chat.finish().exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(home_.path() / ".local/state/wright/chat_history"));
}

TEST_F(ChatAtTerminal, asks_for_approval_in_place) {
  home_.write_config("[permissions]\ngrep = \"ask\"\n");
  Process chat({"chat"}, home_.environment, home_.project(), Streams::terminal);
  chat.await("> ");
  chat.write(std::string(kQuestion) + "\r");
  chat.await("[y/s/n");
  chat.write("s\n");
  chat.await("alpha.cpp:2");
  chat.await("tool call");
  chat.write("\x04");
  EXPECT_EQ(chat.finish().exit_code, 0);
}

TEST_F(ChatAtTerminal, takes_never_for_the_whole_session) {
  home_.write_config("[permissions]\ngrep = \"ask\"\n");
  Process chat({"chat"}, home_.environment, home_.project(), Streams::terminal);
  chat.await("> ");
  chat.write(std::string(kQuestion) + "\r");
  chat.await("[y/s/n");
  chat.write("never\r");
  chat.await("tool calls");
  chat.write("Where is beta_function defined?\r");
  chat.await("I could not look for `beta_function`");
  chat.await("tool calls");
  chat.write("\x04");
  const Finished ended = chat.finish();
  EXPECT_EQ(ended.exit_code, 0);
  const std::string screen = screen_of(ended);
  const std::size_t asked = screen.find("waits for your approval");
  EXPECT_NE(asked, std::string::npos) << screen;
  EXPECT_EQ(screen.find("waits for your approval", asked + 1), std::string::npos) << screen;
}

TEST_F(ChatAtTerminal, reads_what_was_typed_ahead) {
  Process chat({"chat"}, home_.environment, home_.project(), Streams::terminal);
  chat.await("> ");
  chat.write("hello\r/usage\r\x04");
  const Finished ended = chat.finish();
  EXPECT_EQ(ended.exit_code, 0);
  const std::string screen = screen_of(ended);
  EXPECT_NE(screen.find("> /usage\n  session 1 · "), std::string::npos) << screen;
  EXPECT_TRUE(screen.ends_with(">\n  Go on with:  wright chat --session 1\n")) << screen;
}

TEST_F(ChatAtTerminal, goes_on_after_a_question_that_was_not_answered) {
  home_.write_config("[permissions]\ngrep = \"ask\"\n");
  Process chat({"chat"}, home_.environment, home_.project(), Streams::terminal);
  chat.await("> ");
  chat.write(std::string(kQuestion) + "\r");
  chat.await("[y/s/n");
  chat.write("\x03");
  chat.await("Not answered");
  EXPECT_EQ(session(home_, "1").at("session").at("status").as_string(), "cancelled");
  chat.write("hello\r");
  chat.await("0 tool calls");
  chat.write("\x04");
  EXPECT_EQ(chat.finish().exit_code, 0);
  EXPECT_EQ(session(home_, "1").at("session").at("status").as_string(), "completed");
}

TEST_F(ChatAtTerminal, stops_the_answer_and_not_the_chat_at_control_c) {
  const SilentServer server;
  home_.write_config(
      "[vendors.silent]\nneeds_key = false\nprotocol = \"openai-chat\"\nbase_url = "
      "\"http://127.0.0.1:" +
      std::to_string(server.port()) + "/v1\"\n");
  Process chat({"chat", "--model", "silent:model"}, home_.environment, home_.project(),
               Streams::terminal);
  chat.await("> ");
  chat.write(std::string(kQuestion) + "\r");
  chat.await("thinking");
  chat.write("\x03");
  chat.await("Stopped; the session goes on");
  EXPECT_EQ(session(home_, "1").at("session").at("status").as_string(), "cancelled");
  chat.write("/usage\r");
  chat.await("session 1 · ");
  chat.write("\x04");
  EXPECT_EQ(chat.finish().exit_code, 0);
}

TEST_F(ChatAtTerminal, asks_hooks_about_what_is_typed_while_an_answer_comes) {
  const SilentServer server;
  home_.write_config(
      "[vendors.silent]\nneeds_key = false\nprotocol = \"openai-chat\"\nbase_url = "
      "\"http://127.0.0.1:" +
      std::to_string(server.port()) + "/v1\"\n");
  std::ofstream(home_.config_file().parent_path() / "hooks.json")
      << R"({"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "sandbox": false,)"
         R"( "command": "! grep -q hunter2 || { echo no secrets >&2; exit 2; }"}]}]}})";
  Process chat({"chat", "--model", "silent:model"}, home_.environment, home_.project(),
               Streams::terminal);
  chat.await("> ");
  chat.write("hello\r");
  chat.await("thinking");
  chat.write("it is hunter2\r");
  chat.await("no secrets");
  chat.write("go on\r");
  chat.await("queued: go on");
  chat.write("\x03");
  chat.await("Stopped; the session goes on");
  chat.await("> go on");  // at the prompt again
  chat.write("\x15\x04");
  const Finished ended = chat.finish();
  EXPECT_TRUE(has(ended.output, "not sent")) << ended.output;
  EXPECT_FALSE(has(ended.output, "queued: it is")) << ended.output;
}

TEST_F(ChatAtTerminal, through_a_server_takes_what_is_typed_while_an_answer_comes) {
  const SilentServer model;
  home_.write_config(
      "[vendors.silent]\nneeds_key = false\nprotocol = \"openai-chat\"\nbase_url = "
      "\"http://127.0.0.1:" +
      std::to_string(model.port()) + "/v1\"\n");
  const std::string port = std::to_string(SilentServer().port());  // is free again
  Process server({"serve", "--listen", "127.0.0.1:" + port, "--model", "silent:model"},
                 home_.environment, home_.project(), Streams::pipes);
  server.await("Ctrl-C ends it");
  Process chat({"chat", "codebase-analysis", "--server", "http://127.0.0.1:" + port},
               home_.environment, home_.project(), Streams::terminal);
  chat.await("> ");
  chat.write("hello\r");
  chat.await("thinking");
  chat.write("go on\r");
  chat.await("queued: go on");
  chat.write("\x03");
  chat.await("the session is stored as cancelled");
  chat.write("/usage\r");
  chat.await("session 1 · 0 tool calls");
  chat.write("/diff\r");
  chat.await("not through a server");
  chat.write("\x1b[A\x1b[A\r");  // from the history
  chat.await("session 1 · 0 tool calls");
  chat.write("\x04");
  EXPECT_EQ(chat.finish().exit_code, 0);
  server.send(SIGTERM);
  EXPECT_EQ(server.finish().exit_code, 0);
  EXPECT_EQ(session(home_, "1").at("session").at("status").as_string(), "cancelled");
}

TEST_F(ChatAtTerminal, ends_when_it_is_told_to_and_keeps_the_session) {
  Process chat({"chat"}, home_.environment, home_.project(), Streams::terminal);
  chat.await("> ");
  chat.send(SIGTERM);
  EXPECT_EQ(chat.finish().exit_code, 130);
}

TEST_F(ChatAtTerminal, shows_hostile_text_harmlessly) {
  home_.write_file("evil.md", "alpha \x1b]0;owned\x07 \x1b[2J \xff\n");
  Process chat({"chat"}, home_.environment, home_.project(), Streams::terminal);
  chat.await("> ");
  chat.write("Show me evil.md\r");
  chat.await("tool call");
  chat.write("\x04");
  const Finished ended = chat.finish();
  EXPECT_EQ(ended.output.find("\x1b]0;"), std::string::npos) << ended.output;
  EXPECT_EQ(ended.output.find("\x1b[2J"), std::string::npos);
}

TEST_F(ChatAtTerminal, works_on_a_dumb_one) {
  home_.environment["TERM"] = "dumb";
  Process chat({"chat"}, home_.environment, home_.project(), Streams::terminal);
  chat.await("> ");
  chat.write("/usage\r");
  chat.await("Nothing has been used yet");
  chat.write("hello\r");
  chat.await("tool call");
  chat.write("\x04");
  const Finished ended = chat.finish();
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.output.find('\x1b'), std::string::npos) << ended.output;
}

}  // namespace
}  // namespace wright::cli
