// Interrupted sessions, from the command line: what is kept of them, and how they go on.
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <future>
#include <string>
#include <vector>

#include "process.h"
#include "state.h"

namespace wright::cli {
namespace {

constexpr const char* kLeftQuestion = "Where is alpha_function defined?";

std::string status_of(const Home& home, const std::string& id) {
  const Json shown = home.wright({"sessions", "show", id, "--json"}).json();
  return shown.at("session").at("status").as_string().c_str();
}

std::string status_of_first(const Home& home) {
  return status_of(home, "1");
}

TEST(Resume, follows_the_next_run_by_itself) {
  const Home home;
  ASSERT_EQ(home.wright({"run", "codebase-analysis", kLeftQuestion}).exit_code, 0);
  interrupt_last_session(home);
  const Finished left = home.wright(
      {"run", "codebase-analysis", "--set", "sessions.resume=false", "Where is nothing defined?"});
  EXPECT_EQ(left.error.find("goes on now"), std::string::npos) << left.error;
  EXPECT_EQ(status_of_first(home), "running");
  const Finished next = home.wright({"run", "codebase-analysis", "Where is nothing defined?"});
  EXPECT_NE(next.error.find("Session 1 was interrupted, and goes on now"), std::string::npos)
      << next.error;
  EXPECT_EQ(next.output.find("alpha.cpp:2"), std::string::npos) << "an answer nobody asked for";
  EXPECT_EQ(status_of_first(home), "completed");
}

TEST(Resume, of_a_session_whose_run_has_told_its_failure_is_left_to_the_person) {
  const Home home;
  ASSERT_EQ(home.wright({"run", "codebase-analysis", kLeftQuestion}).exit_code, 0);
  interrupt_last_session(home);
  // The store fails for a moment: the next process cannot store what its calls came to, and
  // whatever registers after it can.
  change(home.database(),
         "CREATE TRIGGER fails BEFORE INSERT ON agent_messages WHEN NEW.role = 'tool' AND "
         "(SELECT max(id) FROM agent_runners) = 2 BEGIN SELECT abs(-9223372036854775807 - 1); END");
  const Finished failed =
      home.wright({"run", "codebase-analysis", "Where is nothing defined?", "--json"});
  EXPECT_EQ(failed.exit_code, 1);
  const Json told = failed.json();
  EXPECT_EQ(told.at("status").as_string(), "failed");
  EXPECT_NE(failed.error.find("`wright resume 2` goes on with it"), std::string::npos)
      << failed.error;
  EXPECT_EQ(failed.error.find("goes on now"), std::string::npos) << failed.error;
  EXPECT_EQ(status_of(home, "2"), "running");
  EXPECT_EQ(status_of(home, "1"), "running") << "the store had just failed";
  const Finished resumed = home.wright({"resume", "2"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.error;
  EXPECT_EQ(status_of(home, "2"), "completed");
}

// As if a request to /v1 had begun it, and its process had ended before a call of a tool that the
// caller executes.
void interrupt_before_call_of_caller(const Home& home) {
  change(home.database(),
         "DELETE FROM agent_messages WHERE session_id = 1 AND id > (SELECT min(id) FROM "
         "agent_messages WHERE session_id = 1 AND role = 'assistant');"
         "UPDATE agent_messages SET parts = replace(parts, 'grep', 'mytool');"
         "DELETE FROM agent_tool_calls WHERE message_id IS NULL OR message_id <> (SELECT max(id) "
         "FROM agent_messages WHERE session_id = 1);"
         "UPDATE agent_tool_calls SET tool_name = 'mytool', status = 'pending', response = NULL, "
         "result = NULL, completed_at = NULL WHERE tool_name = 'grep';"
         "UPDATE agent_sessions SET status = 'running', result = NULL, ended_at = NULL, config = "
         "json_set(config, '$.caller_tools', json('[{\"name\": \"mytool\", \"description\": "
         "\"d\", \"parameters\": {\"type\": \"object\"}}]')) WHERE id = 1");
}

TEST(Resume, keeps_the_tools_that_the_caller_of_a_session_executes) {
  for (const Arguments& how :
       {Arguments{"resume", "1"}, Arguments{"resume", "1", "--no-input"},
        Arguments{"worker", "--until-idle"}, Arguments{"chat", "--session", "1"},
        Arguments{"run", "codebase-analysis", "Where is nothing defined?"},
        Arguments{"run", "codebase-analysis", "Where is nothing defined?", "--no-input"}}) {
    const Home home;
    ASSERT_EQ(home.wright({"run", "codebase-analysis", kLeftQuestion}).exit_code, 0);
    interrupt_before_call_of_caller(home);
    const bool is_chat = how.front() == "chat";
    const Finished resumed = home.wright(how, is_chat ? "hello\n" : "");
    EXPECT_EQ(status_of_first(home), "waiting") << how.front() << resumed.error;
    const Finished waits = home.wright({"waits"});
    EXPECT_NE(waits.output.find("mytool"), std::string::npos) << waits.output << resumed.error;
  }
}

TEST(Resume, is_left_to_the_person_when_a_session_was_taken_up_too_often) {
  const Home home;
  ASSERT_EQ(home.wright({"run", "codebase-analysis", kLeftQuestion}).exit_code, 0);
  interrupt_last_session(home);
  change(home.database(), "UPDATE agent_sessions SET lease_epoch = 5");
  const Finished next = home.wright({"run", "codebase-analysis", "Where is nothing defined?"});
  EXPECT_NE(next.error.find("`wright resume 1` tries once more"), std::string::npos) << next.error;
  EXPECT_EQ(status_of_first(home), "running");
}

TEST(Durability, is_one_of_two) {
  const Home home;
  EXPECT_EQ(
      home.wright({"run", "codebase-analysis", "--set", "sessions.durability=full", kLeftQuestion})
          .exit_code,
      0);
  EXPECT_EQ(
      home.wright({"run", "codebase-analysis", "--set", "sessions.durability=some", kLeftQuestion})
          .exit_code,
      2);
}

TEST(Resume, goes_on_where_a_process_was_killed) {
  const Home home;
  ASSERT_EQ(home.wright({"run", "codebase-analysis", kLeftQuestion}).exit_code, 0);
  interrupt_last_session(home);
  const Finished resumed = home.wright({"resume", "--all"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.error;
  EXPECT_NE(resumed.output.find("alpha.cpp:2"), std::string::npos) << resumed.output;
  const Finished nothing = home.wright({"resume", "--all"});
  EXPECT_EQ(nothing.exit_code, 0);
  EXPECT_NE(nothing.error.find("Nothing to resume"), std::string::npos);
}

TEST(Resume, of_all_at_once_leaves_to_others_what_they_took_first) {
  const Home home;
  constexpr std::size_t kSessions = 6;
  for (std::size_t i = 0; i < kSessions; ++i) {
    ASSERT_EQ(home.wright({"run", "codebase-analysis", kLeftQuestion}).exit_code, 0);
  }
  change(home.database(),
         "DELETE FROM agent_messages WHERE id IN (SELECT max(id) FROM agent_messages GROUP BY "
         "session_id);"
         "UPDATE agent_sessions SET status = 'running', result = NULL, ended_at = NULL");
  {
    std::vector<std::future<Finished>> all;
    for (int i = 0; i < 3; ++i) {
      all.push_back(std::async(std::launch::async, [&] {
        return home.wright({"resume", "--all"});
      }));
    }
    for (auto& each : all) {
      const Finished finished = each.get();
      EXPECT_EQ(finished.exit_code, 0) << finished.error;
    }
  }
  const Json sessions = home.wright({"sessions", "--json"}).json();
  ASSERT_EQ(sessions.as_array().size(), kSessions);
  for (const Json& session : sessions.as_array()) {
    EXPECT_EQ(session.at("status"), Json("completed"));
    EXPECT_EQ(session.at("iterations"), sessions.at(0).at("iterations")) << "none was driven twice";
  }
}

TEST(Resume, of_all_goes_on_after_one_that_somebody_wanted_cancelled) {
  const Home home;
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(home.wright({"run", "codebase-analysis", kLeftQuestion}).exit_code, 0);
  }
  change(home.database(),
         "DELETE FROM agent_messages WHERE id IN (SELECT max(id) FROM agent_messages GROUP BY "
         "session_id);"
         "UPDATE agent_sessions SET status = 'running', result = NULL, ended_at = NULL;"
         "UPDATE agent_sessions SET cancel_reason = 'enough' WHERE id = 1");
  const Finished all = home.wright({"resume", "--all"});
  EXPECT_EQ(all.exit_code, 0) << all.error;
  EXPECT_FALSE(has(all.error, "interrupted;")) << all.error;  // nobody pressed a key
  EXPECT_EQ(home.wright({"sessions", "--json", "--status", "cancelled"}).json().as_array().size(),
            1U);
  EXPECT_EQ(home.wright({"sessions", "--json", "--status", "completed"}).json().as_array().size(),
            1U);
}

TEST(Resume, goes_on_once_with_what_was_answered) {
  const Home home;
  home.write_config("[permissions]\ngrep = \"ask\"\n");
  for (const char* id : {"1", "2"}) {
    ASSERT_EQ(home.wright({"run", "codebase-analysis", kLeftQuestion}).exit_code, 3);
    ASSERT_EQ(home.wright({"answer", id, "--approve", "session"}).exit_code, 0);
  }
  ASSERT_EQ(home.wright({"run", "codebase-analysis", kLeftQuestion}).exit_code, 3);
  const Finished resumed = home.wright({"resume", "--all"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.error;
  EXPECT_FALSE(has(resumed.error, "nothing to resume")) << resumed.error;
  const Json listed = home.wright({"sessions", "--json", "--status", "completed"}).json();
  EXPECT_EQ(listed.as_array().size(), 2U) << to_text(listed);
}

TEST(Resume, explains_what_it_cannot_do) {
  const Home home;
  EXPECT_EQ(home.wright({"resume"}).exit_code, 2);
  EXPECT_EQ(home.wright({"resume", "7"}).exit_code, 1);
  EXPECT_EQ(home.wright({"resume", "x"}).exit_code, 2);
  EXPECT_EQ(home.wright({"answer", "7"}).exit_code, 1);
  EXPECT_EQ(home.wright({"resume", "7", "--settle", "nonsense"}).exit_code, 2);
  ASSERT_EQ(home.wright({"run", "codebase-analysis", kLeftQuestion}).exit_code, 0);
  const Finished unknown = home.wright({"resume", "1", "--settle", "nobody=done"});
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_NE(unknown.error.find("no call 'nobody'"), std::string::npos) << unknown.error;
  // A session of a newer version is left alone.
  change(home.database(), "UPDATE agent_sessions SET status = 'running', format_version = 99");
  const Finished newer = home.wright({"resume", "1"});
  EXPECT_EQ(newer.exit_code, 1);
  EXPECT_NE(newer.error.find("newer Wright"), std::string::npos) << newer.error;
}

TEST(Resume, takes_up_the_others_beside_a_session_that_cannot_be_read) {
  const Home home;
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(home.wright({"run", "codebase-analysis", kLeftQuestion}).exit_code, 0);
  }
  change(home.database(), "UPDATE agent_sessions SET status = 'running', ended_at = NULL");
  change(home.database(), "UPDATE agent_sessions SET config = '{broken' WHERE id = 1");
  const Finished all = home.wright({"resume", "--all"});
  EXPECT_EQ(all.exit_code, 1);
  EXPECT_TRUE(has(all.error, "The stored session 1 cannot be read")) << all.error;
  const Json listed = home.wright({"sessions", "--json"}).json();
  const Json& second = listed.is_array() ? listed.at(0) : listed.at("sessions").at(0);
  EXPECT_EQ(second.at("status"), Json("completed")) << to_text(listed);
}

}  // namespace
}  // namespace wright::cli
