// `wright tools` and `wright agents`.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "process.h"

namespace wright::cli {
namespace {

bool has_name(const Json& array, std::string_view name) {
  return std::ranges::any_of(array.as_array(),
                             [&](const Json& item) { return item.at("name").as_string() == name; });
}

TEST(AgentsCommand, lists_the_agents_with_their_tools) {
  Home home;
  const Finished list = home.wright({"agents"});
  EXPECT_EQ(list.exit_code, 0);
  EXPECT_TRUE(list.output.starts_with("codebase-analysis\n")) << list.output;
  EXPECT_NE(list.output.find("list_files"), std::string::npos) << list.output;
  const Json json = home.wright({"agents", "--json", "--max-iterations", "3"}).json();
  ASSERT_TRUE(has_name(json, "codebase-analysis"));
  EXPECT_EQ(json.at(0).at("model").as_string(), "offline");
  EXPECT_EQ(json.at(0).at("max_iterations").as_int64(), 3);
  EXPECT_EQ(json.at(0).at("tools").as_array().size(), 13U);
  home.environment["WRIGHT_ENTITY_INDEX"] = "false";
  const Finished off = home.wright({"agents", "--json"});
  EXPECT_EQ(off.json().at(0).at("tools").as_array().size(), 3U);
}

TEST(ToolsCommand, lists_and_shows_tools) {
  const Home home;
  const Finished list = home.wright({"tools"});
  EXPECT_EQ(list.exit_code, 0);
  EXPECT_NE(list.output.find("grep(pattern, "), std::string::npos) << list.output;
  const Json json = home.wright({"tools", "--json"}).json();
  for (const char* name : {"list_files", "read_file", "grep"}) EXPECT_TRUE(has_name(json, name));

  const Json shown = home.wright({"tools", "show", "grep"}).json();
  EXPECT_EQ(shown.at("effect").as_string(), "read");
  EXPECT_TRUE(shown.at("parameters").at("properties").as_object().contains("pattern"));
  EXPECT_GT(shown.at("timeout_ms").as_int64(), 0);

  const Finished unknown = home.wright({"tools", "show", "gerp"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_TRUE(unknown.error.starts_with("wright: unknown tool 'gerp'; did you mean 'grep'?\n"));
}

TEST(ToolsCommand, takes_any_name_of_a_tool) {
  Home home;
  EXPECT_EQ(home.wright({"tools", "show", "sqlite3_reader"}).json().at("name"),
            Json("sqlite_reader"));
  const Finished called = home.wright({"tools", "call", "sqlite3_reader", "{}"});
  EXPECT_EQ(called.error.find("unknown tool"), std::string::npos) << called.error;
  EXPECT_EQ(called.exit_code, 1) << "it was called, with arguments that do not fit";
  for (const char* name : {"fetch_url", "web_fetch", "fetch"}) {
    const Finished off = home.wright({"tools", "show", name});
    EXPECT_EQ(off.exit_code, 2);
    EXPECT_NE(off.error.find("web.fetch=true"), std::string::npos) << off.error;
  }
}

TEST(ToolsCommand, calls_a_tool) {
  const Home home;
  home.write_config("[tool_execution]\nenable_metadata = false\n");  // it differs from call to call
  const Finished called =
      home.wright({"tools", "call", "grep", R"({"pattern": "alpha_function"})"});
  EXPECT_EQ(called.exit_code, 0) << called.error;
  EXPECT_NE(called.output.find("alpha.cpp"), std::string::npos) << called.output;
  EXPECT_EQ(called.error, "");
  const Finished piped =
      home.wright({"tools", "call", "grep", "-"}, R"({"pattern": "alpha_function"})");
  EXPECT_EQ(piped.output, called.output);
  const Json json =
      home.wright({"tools", "call", "grep", R"({"pattern": "alpha_function"})", "--json"}).json();
  EXPECT_EQ(json.at("status").as_string(), "completed");
  EXPECT_FALSE(json.at("response").is_null());
}

TEST(ToolsCommand, tells_nothing_of_unreadable_files_from_the_index) {
  const Home home;
  home.write_config("[bash]\nunreadable = [\"**/alpha.cpp\"]\n");
  const Finished called =
      home.wright({"tools", "call", "query_entities", R"({"entity_type": "any"})"});
  EXPECT_EQ(called.exit_code, 0) << called.error;
  EXPECT_EQ(called.output.find("alpha.cpp"), std::string::npos) << called.output;
}

TEST(ToolsCommand, runs_commands_under_the_rules) {
  const Home home;
  const Json listed =
      home.wright({"tools", "call", "bash", R"({"command": "ls | sort | head -2"})", "--json"})
          .json();
  EXPECT_EQ(listed.at("status").as_string(), "completed") << listed;
  EXPECT_EQ(listed.at("response").at("exit_code").as_int64(), 0);
  EXPECT_FALSE(listed.at("response").at("stdout").as_string().empty());

  const Finished refused = home.wright({"tools", "call", "bash", R"({"command": "ls; touch x"})"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.error.find("\"touch *\" = \"allow\" below [bash.rules]"), std::string::npos)
      << refused.error;

  home.write_config("[bash]\npreset = \"workspace\"\n[bash.rules]\n\"ls *\" = \"deny\"\n");
  EXPECT_EQ(home.wright({"tools", "call", "bash", R"({"command": "ls"})"}).exit_code, 1);
  EXPECT_EQ(home.wright({"tools", "call", "bash", R"({"command": "echo x > made"})"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(home.project() / "made"));
  const Finished asks = home.wright({"tools", "call", "bash", R"({"command": "rm made"})"});
  EXPECT_EQ(asks.exit_code, 3) << asks.error;
  EXPECT_TRUE(std::filesystem::exists(home.project() / "made"));
}

TEST(ToolsCommand, asks_the_person_who_calls) {
  Home home;
  home.environment["TERM"] = "dumb";
  home.write_config("[bash]\npreset = \"workspace\"\n");
  home.write_file("made", "x");
  const Json waiting =
      home.wright({"tools", "call", "bash", R"({"command": "rm made"})", "--json"}).json();
  EXPECT_EQ(waiting.at("status"), Json("waiting"));
  EXPECT_EQ(waiting.at("waiting").at("question"), Json("May this command run?"));
  Process removal({"tools", "call", "bash", R"({"command": "rm made"})"}, home.environment,
                  home.project(), Streams::terminal);
  removal.await("[y/s/n");
  EXPECT_TRUE(std::filesystem::exists(home.project() / "made"));
  removal.write("y\n");
  EXPECT_EQ(removal.finish().exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(home.project() / "made"));

  Process question(
      {"tools", "call", "ask_user",
       R"({"questions": [{"id": "color", "question": "Which one?", "type": "text"}]})"},
      home.environment, home.project(), Streams::terminal);
  question.await("Which one?");
  question.write("blue\n");
  const Finished answered = question.finish();
  EXPECT_EQ(answered.exit_code, 0) << answered.output;
  EXPECT_NE(answered.output.find("\"answer\": \"blue\""), std::string::npos) << answered.output;
}

TEST(ToolsCommand, names_the_tools_that_are_off_and_how_to_turn_them_on) {
  const Home home;
  const std::string list = home.wright({"tools"}).output;
  EXPECT_NE(list.find("Off here: write_file, apply_patch, fetch_url, web_search."),
            std::string::npos)
      << list;
  const Finished off = home.wright({"tools", "show", "write_file"});
  EXPECT_EQ(off.exit_code, 2);
  EXPECT_NE(off.error.find("--set agent.writable=."), std::string::npos) << off.error;
  const Finished on = home.wright({"tools", "show", "write_file", "--set", "agent.writable=."});
  EXPECT_EQ(on.exit_code, 0) << on.error;
  EXPECT_EQ(on.json().at("effect").as_string(), "write");
  const std::string more = home.wright({"tools", "--set", "agent.writable=."}).output;
  EXPECT_NE(more.find("Off here: fetch_url, web_search."), std::string::npos) << more;
}

TEST(ToolsCommand, gives_commands_no_keys) {
  Home home;
  home.environment["OPENAI_API_KEY"] = "sk-0123456789abcdef0123";
  const Finished called = home.wright({"tools", "call", "bash", R"({"command": "env"})"});
  EXPECT_EQ(called.exit_code, 0) << called.error;
  EXPECT_EQ(called.output.find("OPENAI"), std::string::npos) << called.output;
}

TEST(ToolsCommand, writes_only_where_the_user_allows_it) {
  const Home home;
  const Arguments write{"tools", "call", "write_file",
                        R"({"path": "new.txt", "content": "hello"})"};
  EXPECT_EQ(home.wright(write).exit_code, 2) << "there is no such tool without a writable folder";
  home.write_config("[agent]\nwritable = [\".\"]\n");
  const Finished written = home.wright(write);
  EXPECT_EQ(written.exit_code, 0) << written.error;
  EXPECT_TRUE(std::filesystem::exists(home.project() / "new.txt"));
  EXPECT_EQ(home.wright({"tools", "call", "write_file",
                         R"({"path": "../outside.txt", "content": "hello"})"})
                .exit_code,
            1);
  EXPECT_FALSE(std::filesystem::exists(home.path() / "outside.txt"));
}

TEST(ToolsCommand, keeps_output_that_is_too_long_where_read_file_can_page_it) {
  const Home home;
  home.write_config("[bash.rules]\n\"seq *\" = \"allow\"\n");
  const Json called =
      home.wright({"tools", "call", "bash", R"({"command": "seq 1 100000"})", "--json"}).json();
  ASSERT_EQ(called.at("status"), "completed") << called;
  const std::string file(called.at("response").at("stdout_file").as_string());
  EXPECT_TRUE(file.starts_with((home.path() / ".local/state/wright/output").string())) << file;
  const Finished paged =
      home.wright({"tools", "call", "read_file",
                   to_text(Json{{"file_path", file}, {"offset", 50'000}, {"limit", 2}})});
  EXPECT_EQ(paged.exit_code, 0) << paged.error;
  EXPECT_NE(paged.output.find("50001"), std::string::npos) << paged.output;
}

TEST(ToolsCommand, keeps_no_key_in_a_file_of_output) {
  const std::string key = "vendor-abcdefghijklmnop-0123456789";
  Home home;
  home.environment["OPENAI_API_KEY"] = key;
  home.write_config("[bash.rules]\n\"seq *\" = \"allow\"\n\"printf *\" = \"allow\"\n");
  // The key comes in two pieces.
  const std::string command =
      "seq 1 20000; printf 'key=vendor-abcdefgh'; printf 'ijklmnop-0123456789\\n'; seq 1 20000";
  const Json called =
      home.wright({"tools", "call", "bash", to_text(Json{{"command", command}}), "--json"}).json();
  ASSERT_EQ(called.at("status"), "completed") << called;
  std::ifstream file(std::string(called.at("response").at("stdout_file").as_string()));
  const std::string kept{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(kept.find(key), std::string::npos);
  EXPECT_NE(kept.find("key=[REDACTED]\n"), std::string::npos);
}

TEST(ToolsCommand, exits_with_1_when_a_tool_fails) {
  const Home home;
  for (const char* arguments : {R"({"file_path": "missing.txt"})", R"({"file_path": "../x"})",
                                R"({"file_path": "/etc/passwd"})", "{broken", "[]", "{}"}) {
    const Finished failed = home.wright({"tools", "call", "read_file", arguments});
    EXPECT_EQ(failed.exit_code, 1) << arguments;
    EXPECT_EQ(failed.output, "") << arguments;
    EXPECT_TRUE(failed.error.starts_with("wright: ")) << failed.error;
  }
  const Json json =
      home.wright({"tools", "call", "read_file", R"({"file_path": "missing.txt"})", "--json"})
          .json();
  EXPECT_EQ(json.at("status").as_string(), "failed");
}

}  // namespace
}  // namespace wright::cli
