// `wright sessions`: list, show, export, delete.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "process.h"
#include "state.h"
#include "wright/message.h"

namespace wright::cli {
namespace {

// Two sessions: 1 completed, 2 failed.
class SessionsCommand : public testing::Test {
 protected:
  SessionsCommand() {
    home_.wright({"run", "codebase-analysis", "Where is alpha_function defined?"});
    home_.wright({"run", "codebase-analysis", "something else", "--model", "openai:x"});
  }

  std::vector<std::int64_t> listed(Arguments arguments) const {
    arguments.insert(arguments.begin(), "sessions");
    arguments.push_back("--json");
    const Json sessions = home_.wright(arguments).json();
    std::vector<std::int64_t> ids;
    for (const Json& session : sessions.as_array()) {
      ids.push_back(session.at("id").as_int64());
    }
    return ids;
  }

  Home home_;
};
using Ids = std::vector<std::int64_t>;

TEST_F(SessionsCommand, lists_the_newest_first) {
  const Finished list = home_.wright({"sessions"});
  EXPECT_EQ(list.exit_code, 0);
  EXPECT_EQ(list.error, "");
  std::istringstream lines(list.output);
  std::string header, second, first;
  std::getline(lines, header);
  std::getline(lines, second);
  std::getline(lines, first);
  EXPECT_EQ(header.find("ID"), 0U);
  EXPECT_NE(second.find(" 2  failed "), std::string::npos) << list.output;
  EXPECT_TRUE(second.ends_with("something else")) << list.output;
  EXPECT_NE(first.find(" 1  completed "), std::string::npos) << list.output;
  EXPECT_EQ(listed({}), (Ids{2, 1}));
}

TEST_F(SessionsCommand, keep_to_one_line_each_where_nobody_looks) {
  home_.wright({"run", "codebase-analysis", "long " + std::string(6000, 'x') + "\nand more"});
  const std::string list = home_.wright({"sessions"}).output;
  EXPECT_EQ(std::ranges::count(list, '\n'), 4) << list;
  std::istringstream lines(list);
  for (std::string line; std::getline(lines, line);) EXPECT_LT(line.size(), 200U) << line;
  EXPECT_NE(list.find("xxx…\n"), std::string::npos) << list;
}

TEST_F(SessionsCommand, filters) {
  EXPECT_EQ(listed({"--status", "failed"}), Ids{2});
  EXPECT_EQ(listed({"--search", "ALPHA_function"}), Ids{1});
  EXPECT_EQ(listed({"--agent", "codebase_analysis"}), (Ids{2, 1}));
  EXPECT_EQ(listed({"--agent", "nobody"}), Ids{});
  EXPECT_EQ(listed({"--limit", "1"}), Ids{2});
  EXPECT_EQ(listed({"--since", "1h"}), (Ids{2, 1}));
  EXPECT_EQ(listed({"--since", "2999-01-01"}), Ids{});
}

TEST_F(SessionsCommand, prunes_those_that_ended_long_ago) {
  const Finished young = home_.wright({"sessions", "prune", "--older-than", "1h"});
  EXPECT_EQ(young.exit_code, 0);
  EXPECT_TRUE(young.error.starts_with("Deleted 0 sessions that ended before 20")) << young.error;
  EXPECT_EQ(young.output, "");
  EXPECT_EQ(listed({}), (Ids{2, 1}));

  const Finished rehearsed =
      home_.wright({"sessions", "prune", "--older-than", "2999-01-01", "--dry-run"});
  EXPECT_TRUE(rehearsed.error.starts_with("Would delete 2 sessions that ended before 2999-01-01"))
      << rehearsed.error;
  EXPECT_EQ(listed({}), (Ids{2, 1}));

  const Json done =
      home_.wright({"sessions", "prune", "--older-than", "2999-01-01", "--json"}).json();
  EXPECT_EQ(done.at("dry_run"), Json(false));
  EXPECT_EQ(to_text(done.at("sessions")), "[1,2]");
  EXPECT_GT(done.at("ended_before").as_int64(), 32'000'000'000'000);
  EXPECT_EQ(listed({}), Ids{});
}

TEST_F(SessionsCommand, prunes_nothing_without_a_time) {
  const Finished missing = home_.wright({"sessions", "prune"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_NE(missing.error.find("--older-than"), std::string::npos) << missing.error;
  EXPECT_EQ(home_.wright({"sessions", "prune", "--older-than", "soon"}).exit_code, 2);
  EXPECT_EQ(listed({}), (Ids{2, 1}));
}

TEST_F(SessionsCommand, refuses_filters_that_mean_nothing) {
  const Finished status = home_.wright({"sessions", "--status", "complete"});
  EXPECT_EQ(status.exit_code, 2);
  EXPECT_TRUE(
      status.error.starts_with("wright: unknown status 'complete'; did you mean 'completed'?\n"))
      << status.error;
  EXPECT_EQ(home_.wright({"sessions", "--since", "soon"}).exit_code, 2);
}

TEST_F(SessionsCommand, exports_a_cassette_in_its_own_format_only) {
  for (const char* format : {"markdown", "json"}) {
    const Finished both =
        home_.wright({"sessions", "export", "1", "--format", format, "--cassette"});
    EXPECT_EQ(both.exit_code, 2) << both.output;
    EXPECT_EQ(both.output, "");
    EXPECT_TRUE(has(both.error, "--format")) << both.error;
  }
}

TEST_F(SessionsCommand, shows_a_session) {
  const Finished shown = home_.wright({"sessions", "show", "1"});
  EXPECT_EQ(shown.exit_code, 0);
  EXPECT_TRUE(shown.output.starts_with("Session 1  completed\n")) << shown.output;
  EXPECT_NE(shown.output.find("\nYou  [1]\n  Where is alpha_function defined?\n"),
            std::string::npos);
  EXPECT_NE(shown.output.find("  → grep  pattern="), std::string::npos) << shown.output;
  EXPECT_NE(shown.output.find("  ✓ grep  completed, "), std::string::npos) << shown.output;
  const Finished failed = home_.wright({"sessions", "show", "last"});
  EXPECT_TRUE(failed.output.starts_with("Session 2  failed\n"));
  EXPECT_NE(failed.output.find("\nfailed "), std::string::npos) << failed.output;
}

TEST_F(SessionsCommand, exports_json_that_is_read_back_whole) {
  const Json json = home_.wright({"sessions", "export", "1"}).json();
  EXPECT_EQ(json, home_.wright({"sessions", "show", "1", "--json"}).json());
  EXPECT_EQ(json.at("format").as_string(), "wright-session");
  std::vector<Message> messages;
  for (const Json& message : json.at("messages").as_array()) {
    const auto read = message_from_json(message);
    ASSERT_TRUE(read) << read.error().message;
    messages.push_back(*read);
  }
  ASSERT_GE(messages.size(), 4U);
  EXPECT_EQ(messages.front(), Message::user("Where is alpha_function defined?"));
  EXPECT_EQ(messages.back().text(), json.at("session").at("result").as_string());
  EXPECT_EQ(messages[1].tool_calls().front().id,
            json.at("tool_calls").at(0).at("tool_call_id").as_string());
}

TEST_F(SessionsCommand, exports_to_a_file_whole_or_not_at_all) {
  const std::string expected =
      home_.wright({"sessions", "export", "1", "--format", "markdown"}).output;
  EXPECT_TRUE(expected.starts_with("# Session 1: codebase-analysis\n")) << expected;
  home_.write_file("out.md", "old");
  const Finished written =
      home_.wright({"sessions", "export", "1", "--format", "markdown", "-o", "out.md"});
  EXPECT_EQ(written.exit_code, 0) << written.error;
  EXPECT_EQ(written.output, "");
  EXPECT_EQ(content_of(home_.project() / "out.md"), expected);

  EXPECT_EQ(home_.wright({"sessions", "export", "1", "-o", "nowhere/out.json"}).exit_code, 1);
  EXPECT_EQ(home_.wright({"sessions", "export", "1", "-o", "/dev/full"}).exit_code, 1);
}

TEST_F(SessionsCommand, refuses_sessions_that_are_not_there) {
  for (const char* command : {"show", "export"}) {
    const Finished missing = home_.wright({"sessions", command, "99"});
    EXPECT_EQ(missing.exit_code, 1);
    EXPECT_TRUE(missing.error.starts_with("wright: there is no session 99\n")) << missing.error;
    EXPECT_EQ(home_.wright({"sessions", command, "x1"}).exit_code, 2);
  }
}

TEST_F(SessionsCommand, deletes_only_with_consent) {
  const Finished unasked = home_.wright({"sessions", "rm", "1"});
  EXPECT_EQ(unasked.exit_code, 2);
  EXPECT_NE(unasked.error.find("--yes"), std::string::npos);
  EXPECT_EQ(listed({}), (Ids{2, 1}));

  EXPECT_EQ(home_.wright_on_terminal({"sessions", "rm", "1"}, "n\n").exit_code, 1);
  EXPECT_EQ(listed({}), (Ids{2, 1}));
  const Finished confirmed = home_.wright_on_terminal({"sessions", "rm", "1"}, "y\n");
  EXPECT_EQ(confirmed.exit_code, 0);
  EXPECT_NE(confirmed.output.find("Delete 1 session? [y/N]"), std::string::npos);
  EXPECT_EQ(listed({}), Ids{2});

  const Finished unasked_for = home_.wright({"sessions", "rm", "2", "2", "--yes", "--json"});
  EXPECT_EQ(unasked_for.exit_code, 0);
  EXPECT_EQ(unasked_for.output, "{\"deleted\":[2]}\n");
  EXPECT_EQ(listed({}), Ids{});
}

// Its calls would go on, and nobody could tell any more what they did.
TEST_F(SessionsCommand, does_not_delete_a_session_that_runs_nor_takes_its_changes_back) {
  change(home_.database(),
         "INSERT INTO agent_runners (id, name, expires_at) VALUES (77, 'elsewhere', 9000000000000);"
         "UPDATE agent_sessions SET status = 'running', ended_at = NULL, runner_id = 77 "
         "WHERE id = 1;");
  for (const char* command : {"rm", "undo"}) {
    const Finished refused = home_.wright({"sessions", command, "1", "--yes"});
    EXPECT_EQ(refused.exit_code, 1) << command;
    EXPECT_NE(refused.error.find("is running: cancel it first"), std::string::npos)
        << refused.error;
  }
  EXPECT_EQ(listed({}), (Ids{2, 1}));
  // Nobody drives it any more.
  change(home_.database(), "DELETE FROM agent_runners WHERE id = 77;");
  EXPECT_EQ(home_.wright({"sessions", "undo", "1", "--yes"}).exit_code, 0);
}

TEST_F(SessionsCommand, say_that_no_agent_drives_the_calls_of_clients) {
  change(home_.database(),
         "UPDATE agent_sessions SET agent_name = 'wright mcp serve', config = NULL WHERE id = 1;");
  const Finished resumed = home_.wright({"resume", "1"});
  EXPECT_NE(resumed.exit_code, 0);
  EXPECT_NE(resumed.error.find("no agent drives it"), std::string::npos) << resumed.error;
}

TEST_F(SessionsCommand, list_the_others_when_one_is_damaged_and_name_it) {
  change(home_.database(), "UPDATE agent_sessions SET config = '{broken' WHERE id = 1;");
  const Finished list = home_.wright({"sessions"});
  EXPECT_EQ(list.exit_code, 0) << list.error;
  EXPECT_NE(list.output.find("something else"), std::string::npos) << list.output;
  EXPECT_NE(list.output.find("Where is alpha_function"), std::string::npos) << list.output;
  EXPECT_NE(list.error.find("The stored session 1 cannot be read"), std::string::npos)
      << list.error;
  EXPECT_NE(list.error.find("wright sessions rm 1"), std::string::npos) << list.error;
  EXPECT_EQ(listed({}), (Ids{2, 1}));
  EXPECT_EQ(home_.wright({"sessions", "show", "1"}).exit_code, 1);
  EXPECT_EQ(home_.wright({"sessions", "rm", "1", "--yes"}).exit_code, 0);
  EXPECT_EQ(listed({}), (Ids{2}));
}

TEST_F(SessionsCommand, show_what_can_be_read_of_a_damaged_one_and_name_the_rest) {
  for (const char* column : {"config", "feedback"}) {
    change(home_.database(), "UPDATE agent_sessions SET config = NULL, feedback = NULL;");
    change(home_.database(),
           (std::string("UPDATE agent_sessions SET ") + column + " = '{broken' WHERE id = 1;")
               .c_str());
    const Finished shown = home_.wright({"sessions", "show", "1"});
    EXPECT_EQ(shown.exit_code, 1);
    EXPECT_TRUE(has(shown.output, "alpha.cpp:2")) << shown.output;
    EXPECT_TRUE(has(shown.error, "The stored session 1 cannot be read")) << shown.error;
    const Finished json = home_.wright({"sessions", "show", "1", "--json"});
    EXPECT_FALSE(json.json().at("messages").as_array().empty()) << json.output;
    EXPECT_EQ(json.json().at("session").at("is_damaged"), Json(true));
  }
}

TEST_F(SessionsCommand, export_what_can_be_read_of_a_damaged_one_and_say_what_is_missing) {
  const Json whole = home_.wright({"sessions", "export", "1"}).json();
  EXPECT_FALSE(whole.as_object().contains("damaged"));
  const auto messages = whole.at("messages").as_array().size();
  const auto calls = whole.at("tool_calls").as_array().size();
  const std::string second = to_text(whole.at("messages").at(1).at("id"));
  change(home_.database(), ("UPDATE agent_messages SET parts = '{' WHERE id = " + second).c_str());
  change(home_.database(), "UPDATE agent_tool_calls SET response = '{broken' WHERE session_id = 1");
  const Finished exported = home_.wright({"sessions", "export", "1"});
  EXPECT_EQ(exported.exit_code, 1);
  const Json left = exported.json();
  EXPECT_EQ(left.at("messages").as_array().size(), messages - 1);
  EXPECT_TRUE(left.at("tool_calls").as_array().empty());
  EXPECT_EQ(left.at("damaged").as_array().size(), 1 + calls);
  EXPECT_TRUE(has(left.at("damaged").at(0).as_string(), "The stored message " + second)) << second;
  EXPECT_TRUE(has(exported.error, "The stored message " + second)) << exported.error;
  const Finished markdown = home_.wright({"sessions", "export", "1", "--format", "markdown"});
  EXPECT_EQ(markdown.exit_code, 1);
  EXPECT_TRUE(has(markdown.output, "- missing here: The stored message " + second))
      << markdown.output;
  const Finished shown = home_.wright({"sessions", "show", "1"});
  EXPECT_EQ(shown.exit_code, 1);
  EXPECT_TRUE(has(shown.output, "Where is alpha_function")) << shown.output;
  // What replays it needs all of it.
  for (const Arguments& refused :
       {Arguments{"replay", "1"}, Arguments{"sessions", "export", "1", "--cassette"}}) {
    const Finished told = home_.wright(refused);
    EXPECT_EQ(told.exit_code, 1);
    EXPECT_EQ(told.output, "");
    EXPECT_TRUE(has(told.error, "The stored message " + second + " cannot be read")) << told.error;
  }
}

TEST_F(SessionsCommand, export_the_words_of_one_whose_row_is_damaged) {
  change(home_.database(), "UPDATE agent_sessions SET config = '{broken' WHERE id = 1;");
  const Finished exported = home_.wright({"sessions", "export", "1", "-o", "../half.json"});
  EXPECT_EQ(exported.exit_code, 1);
  EXPECT_TRUE(has(exported.error, "The stored session 1 cannot be read")) << exported.error;
  const Json half = parse_json(content_of(home_.path() / "half.json")).value();
  EXPECT_EQ(half.at("session").at("is_damaged"), Json(true));
  EXPECT_FALSE(half.at("messages").as_array().empty());
  EXPECT_TRUE(has(half.at("damaged").at(0).as_string(), "The stored session 1 cannot be read"));
  const Finished markdown = home_.wright({"sessions", "export", "1", "--format", "markdown"});
  EXPECT_TRUE(has(markdown.output, "- status: not known")) << markdown.output;
}

TEST_F(SessionsCommand, with_a_damaged_call_take_no_feedback_from_the_others) {
  change(home_.database(),
         "UPDATE agent_tool_calls SET response = '{broken' WHERE session_id = 1;");
  const Finished feedback = home_.wright({"feedback"});
  EXPECT_EQ(feedback.exit_code, 0) << feedback.error;
  EXPECT_TRUE(has(feedback.output, "1 session,")) << feedback.output;
  EXPECT_TRUE(has(feedback.error, "Session 1 is left out")) << feedback.error;
  EXPECT_TRUE(has(feedback.error, "wright sessions rm 1")) << feedback.error;
}

TEST_F(SessionsCommand, are_not_taken_for_missing_when_they_cannot_be_read) {
  change(home_.database(), "UPDATE agent_sessions SET config = '{broken' WHERE id = 1;");
  for (const Arguments& arguments :
       {Arguments{"resume", "1"}, Arguments{"chat", "--session", "1"}, Arguments{"answer", "1"}}) {
    const Finished refused = home_.wright(arguments);
    EXPECT_EQ(refused.exit_code, 1) << arguments.front();
    EXPECT_TRUE(has(refused.error, "The stored session 1 cannot be read")) << refused.error;
    EXPECT_FALSE(has(refused.error, "there is no session")) << refused.error;
  }
  const Finished missing = home_.wright({"resume", "99"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_TRUE(has(missing.error, "there is no session 99")) << missing.error;
}

TEST_F(SessionsCommand, are_named_when_they_should_go_on_and_cannot_be_read) {
  change(home_.database(),
         "UPDATE agent_sessions SET config = '{broken', status = 'running' WHERE id = 1;");
  const Finished resumed = home_.wright({"resume", "--all"});
  EXPECT_EQ(resumed.exit_code, 1);
  EXPECT_TRUE(has(resumed.error, "The stored session 1 cannot be read")) << resumed.error;
  EXPECT_TRUE(has(resumed.error, "`wright sessions rm 1` removes it.")) << resumed.error;
  EXPECT_FALSE(has(resumed.error, "Nothing to resume")) << resumed.error;
  change(home_.database(),
         "INSERT INTO agent_runners (id, name, expires_at) VALUES (77, 'elsewhere', 9000000000000);"
         "UPDATE agent_sessions SET runner_id = 77 WHERE id = 1;");
  EXPECT_EQ(home_.wright({"sessions", "rm", "1", "--yes"}).exit_code, 1) << "somebody drives it";
  change(home_.database(), "DELETE FROM agent_runners WHERE id = 77;");
  EXPECT_EQ(home_.wright({"sessions", "rm", "1", "--yes"}).exit_code, 0);
  const Finished none = home_.wright({"resume", "--all"});
  EXPECT_EQ(none.exit_code, 0) << none.error;
  EXPECT_TRUE(has(none.error, "Nothing to resume")) << none.error;
}

TEST_F(SessionsCommand, are_removed_when_their_status_is_no_known_one) {
  change(home_.database(),
         "PRAGMA ignore_check_constraints = ON;"
         "UPDATE agent_sessions SET status = 'weird' WHERE id = 1;");
  EXPECT_TRUE(has(home_.wright({"sessions"}).error, "`wright sessions rm 1` removes it."));
  EXPECT_EQ(home_.wright({"sessions", "rm", "1", "--yes"}).exit_code, 0);
  EXPECT_EQ(listed({}), (Ids{2}));
}

TEST_F(SessionsCommand, are_named_once_by_a_worker_that_cannot_read_them) {
  change(home_.database(),
         "UPDATE agent_sessions SET config = '{broken', status = 'running' WHERE id = 1;"
         "UPDATE agent_sessions SET config = '{broken', status = 'queued', ready_at = 0,"
         " ended_at = NULL WHERE id = 2;");
  const Finished worked = home_.wright({"worker", "--until-idle"});
  EXPECT_EQ(worked.exit_code, 0) << worked.error;
  for (const char* words : {"The stored session 1 cannot be read", "`wright sessions rm 1`",
                            "The stored session 2 cannot be read", "`wright sessions rm 2`"}) {
    const std::size_t first = worked.error.find(words);
    EXPECT_NE(first, std::string::npos) << worked.error;
    EXPECT_EQ(worked.error.find(words, first + 1), std::string::npos) << worked.error;
  }
}

TEST_F(SessionsCommand, are_left_out_of_feedback_when_they_cannot_be_read) {
  change(home_.database(), "UPDATE agent_sessions SET config = '{broken' WHERE id = 1;");
  const Finished feedback = home_.wright({"feedback"});
  EXPECT_EQ(feedback.exit_code, 0) << feedback.error;
  EXPECT_TRUE(has(feedback.output, "1 session,")) << feedback.output;
  EXPECT_TRUE(has(feedback.error, "The stored session 1 cannot be read")) << feedback.error;
  EXPECT_TRUE(has(feedback.error, "wright sessions rm 1")) << feedback.error;
}

TEST_F(SessionsCommand, deletes_nothing_when_one_of_several_is_missing) {
  const Finished partly = home_.wright({"sessions", "rm", "1", "99", "--yes"});
  EXPECT_EQ(partly.exit_code, 1);
  EXPECT_EQ(listed({}), (Ids{2, 1}));
}

TEST(SessionsWithoutDatabase, are_none_and_no_database_is_made) {
  const Home home;
  const Finished list = home.wright({"sessions"});
  EXPECT_EQ(list.exit_code, 0);
  EXPECT_EQ(list.output, "");
  EXPECT_TRUE(list.error.starts_with("No sessions.")) << list.error;
  EXPECT_EQ(home.wright({"sessions", "--json"}).output, "[]\n");
  EXPECT_EQ(home.wright({"sessions", "show", "last"}).exit_code, 1);
  EXPECT_FALSE(std::filesystem::exists(home.database()));
}

}  // namespace
}  // namespace wright::cli
