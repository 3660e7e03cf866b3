// `wright` alone, and what a person at a terminal sees of files that are taken back.
#include <gtest/gtest.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <map>
#include <memory>

#include "net/canned_server_testing.h"
#include "process.h"
#include "state.h"

namespace wright::cli {
namespace {

constexpr const char* kRename = "rename alpha_function to first_function";

TEST(Coding, begins_where_a_person_types_nothing_but_the_name) {
  const Home home;
  const Finished chat = home.wright_on_terminal({}, std::string("n\n") + kRename + "\n/quit\n");
  EXPECT_EQ(chat.exit_code, 0) << chat.output;
  EXPECT_NE(chat.output.find("coding"), std::string::npos) << chat.output;
  EXPECT_NE(chat.output.find("wright init"), std::string::npos) << "the planner says what it is";
  EXPECT_NE(content_of(home.project() / "alpha.cpp").find("first_function"), std::string::npos)
      << chat.output;
}

TEST(Coding, does_not_begin_for_a_script) {
  const Home home;
  const Finished none = home.wright({});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.error.find("Usage: wright"), std::string::npos) << none.error;
}

TEST(Coding, changes_nothing_in_a_home_folder) {
  const Home home;
  const Finished run = home.wright(
      {"run", "coding", kRename, "--base-path", home.path().string(), "--model", "offline"});
  EXPECT_NE(run.error.find("does not take a whole home folder for a project"), std::string::npos)
      << run.error;
  EXPECT_EQ(content_of(home.project() / "alpha.cpp").find("first_function"), std::string::npos);
}

TEST(Coding, takes_files_back_when_the_person_agrees_and_only_then) {
  const Home home;
  const std::string before = content_of(home.project() / "alpha.cpp");
  const Finished kept = home.wright_on_terminal({"chat", "coding", "--model", "offline"},
                                                std::string(kRename) + "\n/undo\n\n/quit\n");
  EXPECT_NE(kept.output.find("Nothing was taken back"), std::string::npos) << kept.output;
  EXPECT_NE(content_of(home.project() / "alpha.cpp"), before);
  const Finished undone = home.wright_on_terminal({"chat", "--continue"}, "/undo\ny\n/quit\n");
  EXPECT_NE(undone.output.find("restore"), std::string::npos) << undone.output;
  EXPECT_EQ(content_of(home.project() / "alpha.cpp"), before) << undone.output;
}

TEST(Coding, asks_before_words_alone_are_taken_back) {
  const Home home;
  const Finished chat = home.wright_on_terminal(
      {"chat", "coding", "--model", "offline"},
      std::string(kRename) + "\n!echo mine | tee alpha.cpp beta.cpp\n/undo\n\n/quit\n");
  EXPECT_TRUE(has(chat.output, "No file can be taken back")) << chat.output;
  EXPECT_TRUE(has(chat.output, "Nothing was taken back")) << chat.output;
  EXPECT_FALSE(has(chat.output, "Undone:")) << chat.output;
  EXPECT_EQ(content_of(home.project() / "alpha.cpp"), "mine\n");
}

TEST(Coding, notes_what_a_replay_changes_for_no_session) {
  const Home home;
  home.write_file("beta.cpp", "int second_thing() { return 2; }\n");
  const std::string before = content_of(home.project() / "beta.cpp");
  ASSERT_EQ(home.wright({"run", "coding", "-q", kRename, "--model", "offline"}).exit_code, 0);
  ASSERT_EQ(home.wright({"run", "coding", "-q", "Rename second_thing to other_thing", "--model",
                         "offline"})
                .exit_code,
            0);
  ASSERT_NE(content_of(home.project() / "beta.cpp"), before);
  const std::string first = home.wright({"sessions", "diff", "1"}).output;
  ASSERT_TRUE(has(first, "alpha.cpp") && !has(first, "beta.cpp")) << first;
  home.write_file("beta.cpp", before);
  const Finished replayed = home.wright({"replay", "2", "--live-tools"});
  EXPECT_EQ(replayed.exit_code, 0) << replayed.output << replayed.error;
  EXPECT_NE(content_of(home.project() / "beta.cpp"), before) << "its tools are live";
  EXPECT_EQ(home.wright({"sessions", "diff", "1"}).output, first);
  EXPECT_EQ(home.wright({"sessions", "undo", "1", "--yes"}).exit_code, 0);
  EXPECT_NE(content_of(home.project() / "beta.cpp"), before) << "session 1 never changed it";
}

TEST(Coding, cassettes_are_tests_like_those_of_other_agents) {
  const Home home;
  const std::string before = content_of(home.project() / "alpha.cpp");
  ASSERT_EQ(home.wright({"run", "coding", "-q", kRename, "--model", "offline"}).exit_code, 0);
  ASSERT_NE(content_of(home.project() / "alpha.cpp"), before);
  ASSERT_EQ(
      home.wright({"sessions", "export", "1", "--cassette", "-o", "../rename.json"}).exit_code, 0);
  const std::string cassette = content_of(home.project() / "../rename.json");
  EXPECT_TRUE(has(cassette, "\"may_write\": true")) << cassette;
  const Finished tested = home.wright({"test", "--update", "../rename.json"});
  EXPECT_EQ(tested.exit_code, 0) << tested.output << tested.error;
  EXPECT_TRUE(has(tested.output, "1 file: 1 ok")) << tested.output;

  // The file does not say what live tools may write, and what they did is not forgotten.
  ASSERT_EQ(home.wright({"sessions", "undo", "1", "--yes"}).exit_code, 0);
  ASSERT_EQ(content_of(home.project() / "alpha.cpp"), before);
  const Finished reads = home.wright({"test", "--live-tools", "--update", "../rename.json"});
  EXPECT_EQ(reads.exit_code, 1) << reads.output;
  EXPECT_TRUE(has(reads.output, "cannot be updated")) << reads.output;
  EXPECT_TRUE(has(reads.output, "--set agent.writable=.")) << reads.output;
  EXPECT_EQ(content_of(home.project() / "../rename.json"), cassette);
  EXPECT_EQ(content_of(home.project() / "alpha.cpp"), before);
  const Finished writes =
      home.wright({"test", "--live-tools", "--set", "agent.writable=.", "../rename.json"});
  EXPECT_EQ(writes.exit_code, 0) << writes.output << writes.error;
  EXPECT_NE(content_of(home.project() / "alpha.cpp"), before);
}

TEST(Coding, leaves_files_to_a_script_that_does_not_say_what_to_do_with_them) {
  const Home home;
  const Finished asked =
      home.wright({"chat", "coding", "--model", "offline"}, std::string(kRename) + "\n/undo\n");
  EXPECT_EQ(asked.exit_code, 2) << asked.error;
  EXPECT_NE(asked.error.find("/undo files"), std::string::npos) << asked.error;
  EXPECT_NE(content_of(home.project() / "alpha.cpp").find("first_function"), std::string::npos);
}

TEST(Coding, starts_the_programs_of_a_person_and_of_nobody_else) {
  const Home home;
  const Finished person = home.wright_on_terminal({}, "n\n!echo done > typed.txt\n/quit\n");
  EXPECT_EQ(content_of(home.project() / "typed.txt"), "done\n") << person.output;
  const Finished pipe = home.wright({"chat", "--model", "offline"}, "!echo done > piped.txt\n");
  EXPECT_FALSE(std::filesystem::exists(home.project() / "piped.txt")) << pipe.output;
}

TEST(Coding, settings_are_read_and_written) {
  const Home home;
  EXPECT_EQ(home.wright({"config", "set", "agent.max_tokens", "777"}).exit_code, 0);
  EXPECT_EQ(home.wright({"config", "set", "bash.preset", "workspace"}).exit_code, 0);
  EXPECT_EQ(home.wright({"config", "get", "agent.max_tokens"}).output, "777\n");
  EXPECT_EQ(content_of(home.config_file()),
            "[agent]\nmax_tokens = 777\n\n[bash]\npreset = \"workspace\"\n");
  EXPECT_EQ(home.wright({"config", "set", "agent.max_tokens", "many"}).exit_code, 2);
  EXPECT_EQ(home.wright({"config", "get", "agent.nothing"}).exit_code, 2);
  EXPECT_EQ(home.wright({"init", "--model", "offline"}).exit_code, 0);
  EXPECT_EQ(home.wright({"config", "get", "agent.model"}).output, "offline\n");
  EXPECT_EQ(home.wright({"init", "--model", "nobody:nothing"}).exit_code, 1);
}

TEST(Coding, what_was_pasted_begins_no_command) {
  const Home home;
  std::string block = "!touch pasted.txt";
  for (int i = 0; i < 40; ++i) block += "\r# a harmless line";
  const auto pasted = [](const std::string& text) { return "\x1b[200~" + text + "\x1b[201~"; };
  // The last line is the first message, from the history.
  const Finished ended = home.wright_on_terminal(
      {"chat", "--model", "offline"}, pasted(block) + "\n" + pasted("/export exported.md") + "\n!" +
                                          pasted(block) + "\n\x10\x10\x10\n/quit\n");
  EXPECT_TRUE(has(ended.output, "commands are typed")) << ended.output;
  EXPECT_TRUE(has(ended.output, "was not on the screen")) << ended.output;
  EXPECT_FALSE(std::filesystem::exists(home.project() / "pasted.txt")) << ended.output;
  EXPECT_FALSE(std::filesystem::exists(home.project() / "exported.md")) << ended.output;
}

TEST(Coding, settings_that_are_written_at_once_are_all_kept) {
  const Home home;
  std::vector<std::unique_ptr<Process>> writing;
  for (const auto& [key, value] : std::map<std::string, std::string>{{"agent.max_tokens", "777"},
                                                                     {"agent.max_iterations", "7"},
                                                                     {"agent.undo", "false"},
                                                                     {"bash.preset", "minimal"},
                                                                     {"bash.network", "off"},
                                                                     {"log.level", "off"}}) {
    writing.push_back(std::make_unique<Process>(Arguments{"config", "set", key, value},
                                                home.environment, home.project(), Streams::pipes));
  }
  for (const auto& each : writing) {
    each->close_input();
    const Finished ended = each->finish();
    EXPECT_EQ(ended.exit_code, 0) << ended.error;
  }
  const std::string text = content_of(home.config_file());
  for (const char* line : {"max_tokens = 777", "max_iterations = 7", "undo = false",
                           "preset = \"minimal\"", "network = \"off\"", "level = \"off\""}) {
    EXPECT_TRUE(has(text, line)) << text;
  }
}

TEST(Init, asks_for_a_key_and_keeps_it_when_it_works) {
  net::testing::CannedServer server([](net::testing::Connection& connection) {
    for (std::string request = connection.read_request(); !request.empty();
         request = connection.read_request()) {
      const bool is_known = has(request, "sk-ant-typed-0123456789");
      connection.answer(
          is_known ? 200 : 401,
          is_known
              ? R"({"id":"1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"ok"}],"stop_reason":"end_turn","usage":{"input_tokens":5,"output_tokens":2}})"
              : R"({"type":"error","error":{"type":"authentication_error","message":"no"}})",
          "Content-Type: application/json\r\n");
    }
  });
  Home home;
  home.environment["ANTHROPIC_BASE_URL"] = server.url("/v1");
  const auto init = [&](std::string_view key) {
    Process process({"init", "--model", "anthropic:claude-sonnet-4-5"}, home.environment,
                    home.project(), Streams::terminal);
    process.await("Key for");
    process.write(key);
    return process.finish();
  };
  EXPECT_EQ(init("sk-ant-wrong-0123456789\n").exit_code, 1);
  EXPECT_FALSE(std::filesystem::exists(home.config_file()));
  const Finished kept = init("sk-ant-typed-0123456789\n");
  EXPECT_EQ(kept.exit_code, 0) << kept.output;
  EXPECT_FALSE(has(kept.output, "sk-ant-typed")) << kept.output;
  EXPECT_TRUE(has(content_of(home.config_file()),
                  "[api_keys]\nanthropic_api_key = \"sk-ant-typed-0123456789\""));
  EXPECT_EQ(std::filesystem::status(home.config_file()).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

// An Ollama with one small model, which answers "ok".
void be_ollama(net::testing::Connection& connection) {
  for (std::string request = connection.read_request(); !request.empty();
       request = connection.read_request()) {
    connection.answer(
        200,
        request.starts_with("GET")
            ? R"({"models":[{"name":"tiny:1b","model":"tiny:1b"}]})"
            : R"({"model":"tiny:1b","message":{"role":"assistant","content":"ok"},"done":true,"done_reason":"stop","prompt_eval_count":1,"eval_count":1})",
        "Content-Type: application/json\r\n");
  }
}

TEST(Init, lists_what_is_here_first_and_the_best_model_of_every_vendor) {
  net::testing::CannedServer server(be_ollama);
  Home home;
  home.environment["OLLAMA_HOST"] = server.url("");
  home.environment["GEMINI_API_KEY"] = "g-0123456789";
  const std::string shown = home.wright_on_terminal({"init"}, "\n").output;
  const std::size_t local = shown.find("  ollama:tiny:1b");
  const std::size_t keyed = shown.find("gemini:");
  const std::size_t keyless = shown.find("anthropic:claude-");
  ASSERT_NE(local, std::string::npos) << shown;
  ASSERT_NE(keyless, std::string::npos) << shown;
  EXPECT_LT(local, keyed);
  EXPECT_LT(keyed, keyless);
  EXPECT_TRUE(has(shown.substr(keyless, shown.find('\n', keyless) - keyless),
                  "needs a key (ANTHROPIC_API_KEY)"))
      << shown;
  EXPECT_LT(keyless, shown.find("  offline"));
  EXPECT_FALSE(std::filesystem::exists(home.config_file())) << "nothing was chosen";
}

TEST(Init, is_offered_at_the_first_start_and_not_again) {
  net::testing::CannedServer server(be_ollama);
  Home home;
  home.environment["OLLAMA_HOST"] = server.url("");
  const Finished first = home.wright_on_terminal({}, "\nollama:tiny:1b\n/quit\n");
  EXPECT_EQ(first.exit_code, 0) << first.output;
  EXPECT_TRUE(has(first.output, "Choose a model now? [Y/n]")) << first.output;
  EXPECT_EQ(home.wright({"config", "get", "agent.model"}).output, "ollama:tiny:1b\n");
  EXPECT_TRUE(has(first.output, "ollama:tiny:1b · ~/project")) << "and is used at once";
  EXPECT_FALSE(has(home.wright_on_terminal({}, "/quit\n").output, "Choose a model now?"));
}

TEST(Init, is_not_forced_upon_anybody) {
  const Home home;
  const Finished refused = home.wright_on_terminal({}, "What is this?\nn\n/quit\n");
  EXPECT_EQ(refused.exit_code, 0) << refused.output;
  EXPECT_TRUE(has(refused.output, "y or n, please")) << refused.output;
  EXPECT_FALSE(std::filesystem::exists(home.config_file()));
  EXPECT_FALSE(has(home.wright_on_terminal({}, "/quit\n").output, "Choose a model now?"));
  const Home other;
  EXPECT_FALSE(
      has(other.wright_on_terminal({"chat", "--model", "offline"}, "/quit\n").output, "Choose"));
  EXPECT_FALSE(has(other.wright({"chat"}, "").error, "Choose")) << "nobody is there";
}

TEST(Init, finds_a_server_on_this_machine) {
  net::testing::CannedServer server(be_ollama);
  Home home;
  home.environment["OLLAMA_HOST"] = server.url("");
  const Finished ended = home.wright_on_terminal({"init"}, "ollama:tiny:1b\n");
  EXPECT_EQ(ended.exit_code, 0) << ended.output;
  EXPECT_TRUE(has(ended.output, "  ollama:tiny:1b")) << ended.output;
  EXPECT_EQ(home.wright({"config", "get", "agent.model"}).output, "ollama:tiny:1b\n");
}

// An editor that goes away while a server of tools has not answered yet.
TEST(Acp, ends_with_its_editor_whatever_it_waits_for) {
  const Home home;
  home.write_config(
      "[mcp.servers.mute]\ncommand = \"sleep\"\nargs = [\"3600\"]\nstartup_timeout = \"1h\"\n"
      "sandbox = \"off\"\n");
  const Json begin{{"jsonrpc", "2.0"},
                   {"id", 1},
                   {"method", "session/new"},
                   {"params", {{"cwd", home.project().string()}, {"mcpServers", JsonArray{}}}}};
  const Finished ended = home.wright({"acp", "--model", "offline"}, to_text(begin) + "\n");
  EXPECT_EQ(ended.exit_code, 0) << ended.error;
  EXPECT_TRUE(has(ended.error, "mute")) << ended.error;
}

}  // namespace
}  // namespace wright::cli
