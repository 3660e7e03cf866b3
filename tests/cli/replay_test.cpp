// `wright sessions fork`, `wright replay`, cassettes and `wright test`.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <fstream>
#include <sstream>

#include "process.h"
#include "state.h"

namespace wright::cli {
namespace {

constexpr const char* kRecordedQuestion = "Where is alpha_function defined?";

// Session 1 has asked where a function is, and was answered.
class ReplayCommand : public testing::Test {
 protected:
  ReplayCommand() { home_.wright({"run", "codebase-analysis", kRecordedQuestion}); }

  void export_cassette(const std::string& name) const {
    const Finished written = home_.wright({"sessions", "export", "1", "--cassette", "-o", name});
    ASSERT_EQ(written.exit_code, 0) << written.error;
  }
  // The function moves down by a line.
  void move_function() const {
    home_.write_file("alpha.cpp",
                     "// The first file.\n// It grew.\nint alpha_function() {\n  return 1;\n}\n");
  }

  Home home_;
};

using ForkCommand = ReplayCommand;

TEST_F(ForkCommand, copies_a_session_up_to_a_message_and_leaves_the_original) {
  const std::string before = home_.wright({"sessions", "export", "1"}).output;
  const Finished fork = home_.wright({"sessions", "fork", "1", "--at", "1"});
  EXPECT_EQ(fork.exit_code, 0) << fork.error;
  EXPECT_EQ(fork.output, "2\n");
  EXPECT_EQ(home_.wright({"sessions", "export", "1"}).output, before);
  const Json forked = home_.wright({"sessions", "export", "2"}).json();
  ASSERT_EQ(forked.at("messages").as_array().size(), 1U);
  EXPECT_EQ(forked.at("messages").at(0).at("number"), Json(1));

  const auto count = parse_json(before)->at("messages").as_array().size();
  const Json whole = home_.wright({"sessions", "fork", "1", "--json"}).json();
  EXPECT_EQ(whole, (Json{{"id", 3}, {"forked_from", 1}, {"messages", count}}));
}

TEST_F(ForkCommand, names_the_nearest_places_where_a_call_is_open) {
  // Message 2 calls tools, whose results follow.
  const Finished open = home_.wright({"sessions", "fork", "1", "--at", "2"});
  EXPECT_EQ(open.exit_code, 2);
  EXPECT_EQ(open.output, "");
  EXPECT_TRUE(has(open.error, "cannot be forked at message 2")) << open.error;
  EXPECT_TRUE(has(open.error, "--at 1 and --at ")) << open.error;
}

TEST_F(ForkCommand, refuses_what_is_not_there) {
  for (const char* at : {"0", "-3", "99"}) {
    const Finished outside = home_.wright({"sessions", "fork", "1", "--at", at});
    EXPECT_EQ(outside.exit_code, 2) << at;
    EXPECT_TRUE(has(outside.error, "has the messages 1 to ")) << outside.error;
  }
  EXPECT_EQ(home_.wright({"sessions", "fork", "1", "--at", "x"}).exit_code, 2);
  EXPECT_EQ(home_.wright({"sessions", "fork", "99"}).exit_code, 1);
  EXPECT_EQ(home_.wright({"sessions", "fork"}).exit_code, 2);
}

TEST_F(ReplayCommand, finds_the_same_from_the_record_and_with_live_tools) {
  const Finished recorded = home_.wright({"replay", "last"});
  EXPECT_EQ(recorded.exit_code, 0) << recorded.output << recorded.error;
  EXPECT_TRUE(recorded.output.starts_with("Session 1 is the same  ")) << recorded.output;
  const Json live = home_.wright({"replay", "1", "--live-tools", "--json"}).json();
  EXPECT_EQ(live.at("status"), Json("same")) << to_text(live);
  EXPECT_EQ(live.at("tools"), Json("live"));
  EXPECT_GE(live.at("live_calls").as_int64(), 1);
  EXPECT_EQ(live.at("recorded_calls"), Json(0));
}

TEST_F(ReplayCommand, shows_what_live_tools_find_otherwise) {
  move_function();
  EXPECT_EQ(home_.wright({"replay", "1"}).exit_code, 0);
  const Finished live = home_.wright({"replay", "1", "--live-tools"});
  EXPECT_EQ(live.exit_code, 1) << live.error;
  EXPECT_TRUE(live.output.starts_with("Session 1 differs  ")) << live.output;
  EXPECT_TRUE(has(live.output, "message 3, the result of query_entities\n")) << live.output;
  EXPECT_TRUE(has(live.output, "  --- recorded\n  +++ now\n")) << live.output;
  EXPECT_TRUE(has(live.output, "\"start_line\": 3")) << live.output;
  const Json json = home_.wright({"replay", "1", "--live-tools", "--json"}).json();
  EXPECT_EQ(json.at("status"), Json("different"));
  EXPECT_EQ(json.at("differences").at(0).at("kind"), Json("result"));
}

TEST_F(ReplayCommand, replays_the_folder_of_the_session_from_anywhere) {
  const Finished elsewhere =
      home_.wright({"replay", "1", "--live-tools", "--base-path", home_.path().string(), "--json"});
  EXPECT_EQ(elsewhere.exit_code, 1) << elsewhere.output;
  std::filesystem::create_directory(home_.path() / "empty");
  Process process({"replay", "1", "--live-tools"}, home_.environment, home_.path() / "empty",
                  Streams::pipes);
  process.close_input();
  EXPECT_EQ(process.finish().exit_code, 0);
}

TEST_F(ReplayCommand, replays_sessions_that_failed_or_were_interrupted) {
  home_.wright({"run", "codebase-analysis", kRecordedQuestion, "--model", "openai:x"});
  const Finished failed = home_.wright({"replay", "2"});
  EXPECT_EQ(failed.exit_code, 0) << failed.output << failed.error;

  change(home_.database(),
         "UPDATE agent_sessions SET status = 'running' WHERE id = 1;"
         "DELETE FROM agent_messages WHERE session_id = 1 AND id = "
         "(SELECT max(id) FROM agent_messages WHERE session_id = 1)");
  const Finished interrupted = home_.wright({"replay", "1"});
  EXPECT_EQ(interrupted.exit_code, 0) << interrupted.output << interrupted.error;
  EXPECT_TRUE(has(interrupted.error, "The session has not ended; the record goes as far as"))
      << interrupted.error;
}

TEST_F(ReplayCommand, replays_a_session_of_an_agent_that_is_not_known) {
  change(home_.database(),
         "UPDATE agent_sessions SET agent_name = 'stranger', config = NULL WHERE id = 1");
  const Finished recorded = home_.wright({"replay", "1"});
  EXPECT_EQ(recorded.exit_code, 0) << recorded.output << recorded.error;
  EXPECT_TRUE(has(recorded.error, "'stranger' is not known here")) << recorded.error;
  EXPECT_EQ(home_.wright({"replay", "1", "--live-tools"}).exit_code, 1);
}

TEST_F(ReplayCommand, replays_a_session_whose_settings_are_damaged) {
  change(home_.database(), "UPDATE agent_sessions SET config = '[1]';");
  const Finished replayed = home_.wright({"replay", "1"});
  EXPECT_EQ(replayed.exit_code, 0) << replayed.output << replayed.error;
}

TEST_F(ReplayCommand, refuses_what_is_not_there) {
  EXPECT_EQ(home_.wright({"replay"}).exit_code, 2);
  EXPECT_EQ(home_.wright({"replay", "x"}).exit_code, 2);
  EXPECT_EQ(home_.wright({"replay", "99"}).exit_code, 1);
  EXPECT_EQ(home_.wright({"replay", "1", "--fast"}).exit_code, 2);
}

TEST_F(ReplayCommand, gives_live_tools_the_approvals_of_then) {
  home_.write_config("[permissions]\ngrep = \"ask\"\n");
  ASSERT_EQ(home_.wright({"run", "codebase-analysis", kRecordedQuestion}).exit_code, 3);
  const Finished waiting = home_.wright({"replay", "last", "--live-tools"});
  EXPECT_EQ(waiting.exit_code, 0) << waiting.output << waiting.error;
  EXPECT_TRUE(has(waiting.error, "waits for a person")) << waiting.error;
  ASSERT_EQ(home_.wright({"answer", "last", "--approve", "session"}).exit_code, 0);
  ASSERT_EQ(home_.wright({"resume", "last"}).exit_code, 0);
  const Finished answered = home_.wright({"replay", "last", "--live-tools"});
  EXPECT_EQ(answered.exit_code, 0) << answered.output << answered.error;
}

using TestCommand = ReplayCommand;

TEST_F(TestCommand, runs_cassettes_and_finds_what_differs) {
  export_cassette("../question.json");
  const Finished ok = home_.wright({"test", "../question.json"});
  EXPECT_EQ(ok.exit_code, 0) << ok.output << ok.error;
  EXPECT_TRUE(ok.output.starts_with("ok       ../question.json  ")) << ok.output;
  EXPECT_TRUE(ok.output.ends_with("1 file: 1 ok\n")) << ok.output;
  EXPECT_EQ(home_.wright({"test", "--live-tools", "../question.json"}).exit_code, 0);

  move_function();
  EXPECT_EQ(home_.wright({"test", "../question.json"}).exit_code, 0);
  const Finished differs = home_.wright({"test", "--live-tools", "../question.json"});
  EXPECT_EQ(differs.exit_code, 1);
  EXPECT_TRUE(differs.output.starts_with(
      "differs  ../question.json  message 3, the result of query_entities\n"))
      << differs.output;
  EXPECT_TRUE(has(differs.output, "  --- recorded\n  +++ now\n")) << differs.output;
}

TEST_F(TestCommand, updates_a_cassette_whose_difference_is_wanted) {
  export_cassette("../question.json");
  const std::string before = content_of(home_.project() / "../question.json");
  EXPECT_EQ(home_.wright({"test", "--update", "../question.json"}).exit_code, 0);
  EXPECT_EQ(content_of(home_.project() / "../question.json"), before);

  move_function();
  const Finished updated = home_.wright({"test", "--live-tools", "--update", "../question.json"});
  EXPECT_EQ(updated.exit_code, 0) << updated.output;
  EXPECT_TRUE(updated.output.starts_with("updated  ../question.json  ")) << updated.output;
  EXPECT_NE(content_of(home_.project() / "../question.json"), before);
  const Finished again = home_.wright({"test", "--live-tools", "../question.json"});
  EXPECT_EQ(again.exit_code, 0) << again.output;
}

TEST_F(TestCommand, hides_the_cassette_itself_from_live_tools) {
  export_cassette("question.json");
  const std::string before = content_of(home_.project() / "question.json");
  const Finished tested = home_.wright({"test", "--live-tools", "question.json"});
  EXPECT_EQ(tested.exit_code, 0) << tested.output;
  home_.write_file("copy.json", before);
  const Finished found = home_.wright({"test", "--live-tools", "question.json"});
  EXPECT_EQ(found.exit_code, 1) << "another file is found: " << found.output;
  EXPECT_TRUE(has(found.output, "lies in the folder that its tools read")) << found.output;
}

TEST_F(TestCommand, tells_a_changed_conversation) {
  export_cassette("../question.json");
  std::string text = content_of(home_.project() / "../question.json");
  const std::size_t at = text.find("You are a code analyst.");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 7, "You were");
  home_.write_file("../question.json", text);
  const Finished differs = home_.wright({"test", "../question.json"});
  EXPECT_EQ(differs.exit_code, 1);
  EXPECT_TRUE(differs.output.starts_with(
      "differs  ../question.json  the instructions of codebase-analysis\n"))
      << differs.output;
  EXPECT_EQ(home_.wright({"test", "--update", "../question.json"}).exit_code, 0);
  EXPECT_EQ(home_.wright({"test", "../question.json"}).exit_code, 0);
}

TEST_F(TestCommand, says_what_is_wrong_with_broken_files_and_goes_on) {
  export_cassette("../question.json");
  const std::string text = content_of(home_.project() / "../question.json");
  home_.write_file("cut.json", text.substr(0, text.size() / 2));
  home_.write_file("empty.json", "");
  home_.write_file("binary.json", std::string_view("\xff\x00\xfe{", 4));
  home_.write_file("deep.json", std::string(100'000, '['));
  std::string newer = text;
  newer.replace(newer.find("\"version\": 2"), 12, "\"version\": 7");
  home_.write_file("newer.json", newer);
  std::filesystem::create_directory(home_.project() / "folder");
  const Finished tested =
      home_.wright({"test", "cut.json", "empty.json", "binary.json", "deep.json", "newer.json",
                    "folder", "missing.json", "/dev/zero", "../question.json"});
  EXPECT_EQ(tested.exit_code, 1);
  EXPECT_TRUE(has(tested.output, "broken   cut.json  It is no JSON: ")) << tested.output;
  EXPECT_TRUE(has(tested.output,
                  "broken   newer.json  It was written by a newer Wright "
                  "(version 7; this one reads up to 2)\n"))
      << tested.output;
  EXPECT_TRUE(has(tested.output, "broken   folder  It is not a file\n")) << tested.output;
  EXPECT_TRUE(has(tested.output, "broken   missing.json  There is no such file\n"));
  EXPECT_TRUE(has(tested.output, "broken   /dev/zero  It is not a file\n")) << tested.output;
  EXPECT_TRUE(has(tested.output, "\nok       ../question.json  ")) << tested.output;
  EXPECT_TRUE(tested.output.ends_with("9 files: 1 ok, 8 broken\n")) << tested.output;
  // What is broken is never rewritten.
  EXPECT_EQ(home_.wright({"test", "--update", "empty.json"}).exit_code, 1);
  EXPECT_EQ(content_of(home_.project() / "empty.json"), "");
}

TEST_F(TestCommand, tells_everything_as_json) {
  export_cassette("../question.json");
  move_function();
  const Finished tested =
      home_.wright({"test", "--json", "--live-tools", "../question.json", "missing.json"});
  EXPECT_EQ(tested.exit_code, 1);
  const Json json = tested.json();
  EXPECT_EQ(json.at("differs"), Json(1));
  EXPECT_EQ(json.at("broken"), Json(1));
  EXPECT_EQ(json.at("ok"), Json(0));
  EXPECT_EQ(json.at("files").at(0).at("status"), Json("differs"));
  EXPECT_EQ(json.at("files").at(0).at("differences").at(0).at("message"), Json(3));
  EXPECT_EQ(json.at("files").at(1).at("message"), Json("There is no such file"));
}

TEST_F(TestCommand, never_lets_a_file_choose_the_folder_of_live_tools) {
  export_cassette("../question.json");
  std::string text = content_of(home_.project() / "../question.json");
  EXPECT_FALSE(has(text, home_.path().string())) << "a path of this machine is in the cassette";
  const std::size_t at = text.find("\"max_iterations\"");
  ASSERT_NE(at, std::string::npos);
  text.insert(at, "\"base_path\": \"/\", ");
  home_.write_file("../question.json", text);
  const Finished tested = home_.wright({"test", "--live-tools", "../question.json"});
  EXPECT_EQ(tested.exit_code, 0) << tested.output;
}

TEST_F(TestCommand, hides_secrets_in_cassettes) {
  const std::string key = "sk-abcdefghijklmnopqrstuvwxyz";
  home_.environment["MISTRAL_API_KEY"] = "plainhunter2000secret";
  home_.wright(
      {"run", "codebase-analysis", "Where is plainhunter2000secret used? My key is " + key});
  const Finished cassette = home_.wright({"sessions", "export", "last", "--cassette"});
  EXPECT_EQ(cassette.exit_code, 0) << cassette.error;
  EXPECT_FALSE(has(cassette.output, key)) << cassette.output;
  EXPECT_FALSE(has(cassette.output, "plainhunter2000secret")) << cassette.output;
  home_.write_file("secret.json", cassette.output);
  const Finished tested = home_.wright({"test", "secret.json"});
  EXPECT_EQ(tested.exit_code, 0) << tested.output;
}

TEST_F(TestCommand, wants_a_file) {
  EXPECT_EQ(home_.wright({"test"}).exit_code, 2);
  EXPECT_EQ(home_.wright({"test", "--json"}).exit_code, 2);
}

}  // namespace
}  // namespace wright::cli
