// Approvals and answers, from the command line and from a terminal.
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <csignal>

#include "net/canned_server_testing.h"
#include "process.h"
#include "state.h"
#include "unix_socket.h"

namespace wright::cli {
namespace {

constexpr const char* kWaitingQuestion = "Where is alpha_function defined?";
constexpr const char* kAskAboutGrep = "[permissions]\ngrep = \"ask\"\n";

TEST(Approval, is_waited_for_given_and_the_run_goes_on) {
  const Home home;
  home.write_config(kAskAboutGrep);
  const Finished waiting = home.wright({"run", "codebase-analysis", kWaitingQuestion});
  EXPECT_EQ(waiting.exit_code, 3) << waiting.error;
  EXPECT_NE(waiting.error.find("wright answer 1 --approve"), std::string::npos) << waiting.error;
  EXPECT_NE(waiting.error.find("wright resume 1"), std::string::npos) << waiting.error;

  const Json waits = home.wright({"waits", "--json"}).json();
  ASSERT_FALSE(waits.as_array().empty());
  EXPECT_EQ(waits.at(0).at("kind"), Json("approval"));
  EXPECT_EQ(waits.at(0).at("shown").at("tool"), Json("grep"));
  EXPECT_EQ(waits.at(0).at("root_session_id"), Json(1));

  const Finished early = home.wright({"resume", "1"});
  EXPECT_EQ(early.exit_code, 3) << early.error;

  EXPECT_EQ(home.wright({"answer", "last", "--approve", "session"}).exit_code, 0);
  const Finished again = home.wright({"answer", "1", "--approve"});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_NE(again.error.find("waits for nobody any more"), std::string::npos) << again.error;
  EXPECT_NE(again.error.find("wright resume 1"), std::string::npos) << again.error;

  const Finished answered = home.wright({"resume", "1"});
  EXPECT_EQ(answered.exit_code, 0) << answered.error;
  EXPECT_NE(answered.output.find("alpha.cpp:2"), std::string::npos) << answered.output;
  const Finished over = home.wright({"resume", "1"});
  EXPECT_EQ(over.exit_code, 1);
  EXPECT_NE(over.error.find("nothing to resume"), std::string::npos) << over.error;
  EXPECT_EQ(home.wright({"resume", "1", "--json"}).json().at("session_id"), Json(1));
}

TEST(Waits, of_a_session_that_is_damaged_hide_no_others) {
  const Home home;
  home.write_config(kAskAboutGrep);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(home.wright({"run", "codebase-analysis", kWaitingQuestion}).exit_code, 3);
  }
  change(home.database(), "UPDATE agent_sessions SET config = '{broken' WHERE id = 1");
  const Finished waits = home.wright({"waits", "--json"});
  EXPECT_EQ(waits.exit_code, 0) << waits.error;
  ASSERT_EQ(waits.json().as_array().size(), 1U) << waits.output;
  EXPECT_EQ(waits.json().at(0).at("root_session_id"), Json(2));
  EXPECT_TRUE(has(waits.error, "The stored session 1 cannot be read")) << waits.error;
}

TEST(Approval, is_no_longer_asked_for_when_its_time_is_over) {
  const Home home;
  home.write_config(kAskAboutGrep);
  ASSERT_EQ(home.wright({"run", "codebase-analysis", kWaitingQuestion}).exit_code, 3);
  change(home.database(), "UPDATE agent_waits SET expires_at = 1");
  EXPECT_EQ(home.wright({"waits", "--json"}).json().at(0).at("status"), Json("expired"));
  const std::string shown = home.wright({"waits"}).output;
  EXPECT_TRUE(has(shown, "The time to answer is over. Go on with: wright resume 1")) << shown;
  EXPECT_FALSE(has(shown, "wright answer")) << shown;
  change(home.database(), "UPDATE agent_waits SET status = 'expired'");
  const Finished late = home.wright({"answer", "1", "--approve"});
  EXPECT_EQ(late.exit_code, 1);
  EXPECT_TRUE(has(late.error, "answered, or the time for it is over")) << late.error;
  EXPECT_EQ(home.wright({"resume", "--all"}).exit_code, 0);
  EXPECT_EQ(home.wright({"waits", "--json"}).output, "[]\n");
}

constexpr const char* kSpecialistBelowFirst =
    "INSERT INTO agent_sessions (agent_name, provider, model, user_prompt, started_at, status, "
    "parent_session_id) SELECT agent_name, provider, model, 'below', started_at, 'waiting', 1 "
    "FROM agent_sessions";

TEST(Cancelling, of_a_session_and_a_specialist_below_it_succeeds_for_both) {
  const Home home;
  home.write_config(kAskAboutGrep);
  ASSERT_EQ(home.wright({"run", "codebase-analysis", kWaitingQuestion}).exit_code, 3);
  change(home.database(), kSpecialistBelowFirst);
  const Finished both = home.wright({"sessions", "cancel", "1", "2", "--json"});
  EXPECT_EQ(both.exit_code, 0) << both.error;
  EXPECT_EQ(both.json(), *parse_json(R"([{"id": 1, "status": "cancelled"},
                                         {"id": 2, "status": "cancelled"}])"));
}

TEST(Cancelling, of_a_specialist_is_told_to_the_session_above_by_whoever_goes_on_with_it) {
  const Home home;
  home.write_config(kAskAboutGrep);
  ASSERT_EQ(home.wright({"run", "codebase-analysis", kWaitingQuestion}).exit_code, 3);
  change(home.database(), kSpecialistBelowFirst);
  const Finished below = home.wright({"sessions", "cancel", "2"});
  EXPECT_EQ(below.exit_code, 0) << below.error;
  EXPECT_TRUE(has(below.error, "ends when the session above goes on: wright resume 1"))
      << below.error;
  const Finished last = home.wright({"sessions", "cancel", "last"});
  EXPECT_TRUE(has(last.error, "Session 1 is cancelled")) << last.error;
}

TEST(Cancelling, takes_several_sessions_and_tells_what_became_of_each) {
  const Home home;
  home.write_config(kAskAboutGrep);
  ASSERT_EQ(home.wright({"run", "codebase-analysis", kWaitingQuestion}).exit_code, 3);
  ASSERT_EQ(home.wright({"run", "codebase-analysis", kWaitingQuestion}).exit_code, 3);
  const Finished unknown = home.wright({"sessions", "cancel", "1", "7"});
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_EQ(home.wright({"waits", "--json"}).json().as_array().size(), 2U) << "none is stopped";
  const Finished both = home.wright({"sessions", "cancel", "1", "last", "2", "--json"});
  EXPECT_EQ(both.exit_code, 0) << both.error;
  EXPECT_EQ(both.json(), *parse_json(R"([{"id": 1, "status": "cancelled"},
                                         {"id": 2, "status": "cancelled"}])"));
  const Finished again = home.wright({"sessions", "cancel", "2", "--json"});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_TRUE(again.json().at(0).as_object().contains("error")) << again.output;
}

TEST(Waits, are_listed_beside_one_that_cannot_be_read) {
  for (const char* damage : {"UPDATE agent_waits SET shown = '{' WHERE session_id = 1",
                             "UPDATE agent_tool_calls SET result = '{' WHERE session_id = 1 AND "
                             "status = 'waiting'"}) {
    const Home home;
    home.write_config(kAskAboutGrep);
    ASSERT_EQ(home.wright({"run", "codebase-analysis", kWaitingQuestion}).exit_code, 3);
    ASSERT_EQ(home.wright({"run", "codebase-analysis", kWaitingQuestion}).exit_code, 3);
    change(home.database(), damage);
    const Finished waits = home.wright({"waits"});
    EXPECT_EQ(waits.exit_code, 0) << waits.error;
    EXPECT_TRUE(has(waits.output, "session 2")) << waits.output;
    EXPECT_FALSE(has(waits.output, "session 1 ")) << waits.output;
    EXPECT_TRUE(has(waits.error, "cannot be read")) << waits.error;
    EXPECT_TRUE(has(waits.error, "`wright sessions rm 1`")) << waits.error;
    EXPECT_EQ(home.wright({"answer", "2", "--approve"}).exit_code, 0);
    EXPECT_EQ(home.wright({"sessions", "rm", "1", "--yes"}).exit_code, 0);
    EXPECT_EQ(home.wright({"waits"}).error, "  Nothing waits for a person.\n");
  }
}

TEST(Approval, is_refused_with_a_reason_that_the_model_reads) {
  const Home home;
  home.write_config(kAskAboutGrep);
  ASSERT_EQ(home.wright({"run", "codebase-analysis", kWaitingQuestion}).exit_code, 3);
  EXPECT_EQ(home.wright({"answer", "1", "--refuse", "Not today"}).exit_code, 0);
  home.wright({"resume", "1", "--no-input"});
  const std::string shown = home.wright({"sessions", "export", "1"}).output;
  EXPECT_NE(shown.find("Not today"), std::string::npos) << shown;
}

TEST(Answers, hold_no_keys_of_vendors) {
  Home home;
  home.environment["OPENAI_API_KEY"] = "correct-horse-battery";
  home.write_config(kAskAboutGrep);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(home.wright({"run", "codebase-analysis", kWaitingQuestion}).exit_code, 3);
  }
  EXPECT_EQ(home.wright({"answer", "1", "--refuse", "Is correct-horse-battery in it?"}).exit_code,
            0);
  const auto socket = home.path() / "s";
  Process server({"serve", "--listen", "unix:" + socket.string()}, home.environment, home.project(),
                 Streams::pipes);
  server.await("Listening on unix:");
  const std::string told =
      over_socket(socket, request_for("POST", "/api/v1/waits/2/answer",
                                      R"({"answer": {"decision": "refuse", "reason": )"
                                      R"("Is correct-horse-battery in it?"}})"));
  EXPECT_TRUE(has(told, "200 OK")) << told;
  server.send(SIGTERM);
  EXPECT_EQ(server.finish().exit_code, 0);
  home.environment.erase("OPENAI_API_KEY");  // an export hides what it knows
  for (const char* session : {"1", "2"}) {
    home.wright({"resume", session, "--no-input"});
    const std::string kept = home.wright({"sessions", "export", session}).output;
    EXPECT_TRUE(has(kept, "Is [REDACTED] in it?")) << kept;
    EXPECT_FALSE(has(content_of(home.database()), "correct-horse-battery"));
  }
}

TEST(Cancelling, keeps_no_keys_in_its_reason) {
  Home home;
  home.environment["OPENAI_API_KEY"] = "correct-horse-battery";
  home.write_config(kAskAboutGrep);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(home.wright({"run", "codebase-analysis", kWaitingQuestion}).exit_code, 3);
  }
  const std::string reason = "Because of correct-horse-battery";
  EXPECT_EQ(home.wright({"sessions", "cancel", "1", "--reason", reason}).exit_code, 0);
  const auto socket = home.path() / "s";
  Process server({"serve", "--listen", "unix:" + socket.string()}, home.environment, home.project(),
                 Streams::pipes);
  server.await("Listening on unix:");
  const std::string told = over_socket(
      socket, request_for("POST", "/api/v1/sessions/2/cancel", to_text(Json{{"reason", reason}})));
  EXPECT_TRUE(has(told, "202 Accepted")) << told;
  server.send(SIGTERM);
  EXPECT_EQ(server.finish().exit_code, 0);
  home.environment.erase("OPENAI_API_KEY");  // an export hides what it knows
  for (const char* session : {"1", "2"}) {
    const std::string kept = home.wright({"sessions", "show", session, "--json"}).output;
    EXPECT_TRUE(has(kept, "Because of [REDACTED]")) << kept;
  }
  EXPECT_FALSE(has(content_of(home.database()), "correct-horse-battery"));
}

TEST(Answers, that_do_not_fit_what_is_asked_say_what_would) {
  const Home home;
  home.write_config(kAskAboutGrep);
  ASSERT_EQ(home.wright({"run", "codebase-analysis", kWaitingQuestion}).exit_code, 3);
  const Finished junk = home.wright({"answer", "1", "--answer", "junk"});
  EXPECT_EQ(junk.exit_code, 2);
  EXPECT_TRUE(has(junk.error, "--answer must be JSON")) << junk.error;
  change(home.database(),
         R"(UPDATE agent_waits SET kind = 'question', shown = '{"questions": [{"id": "name",)"
         R"( "text": "Which?", "type": "text"}]}')");
  for (const Arguments& yes_or_no : {Arguments{"--approve"}, Arguments{"--refuse", "no"}}) {
    Arguments words{"answer", "1"};
    words.insert(words.end(), yes_or_no.begin(), yes_or_no.end());
    const Finished refused = home.wright(words);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_TRUE(has(refused.error, "asks a question, which " + yes_or_no[0] +
                                       " does not answer. Answer with: wright answer 1 --wait 1"))
        << refused.error;
  }
}

TEST(Approval, is_not_waited_for_when_nobody_is_there) {
  const Home home;
  home.write_config(kAskAboutGrep);
  const Finished run = home.wright({"run", "codebase-analysis", "--no-input", kWaitingQuestion});
  EXPECT_NE(run.exit_code, 3) << run.error;
  const std::string shown = home.wright({"sessions", "export", "1"}).output;
  EXPECT_NE(shown.find("nobody is there"), std::string::npos) << shown;
  EXPECT_EQ(home.wright({"waits", "--json"}).json(), Json(JsonArray{}));
}

TEST(Approval, is_waited_for_no_more_when_the_session_is_cancelled) {
  const Home home;
  home.write_config(kAskAboutGrep);
  ASSERT_EQ(home.wright({"run", "codebase-analysis", kWaitingQuestion}).exit_code, 3);
  const Finished cancelled = home.wright({"sessions", "cancel", "1", "--reason", "not now"});
  EXPECT_EQ(cancelled.exit_code, 0) << cancelled.error;
  EXPECT_NE(cancelled.error.find("Session 1 is cancelled"), std::string::npos) << cancelled.error;
  EXPECT_EQ(home.wright({"waits", "--json"}).json(), Json(JsonArray{}));
  const Json listed = home.wright({"sessions", "--json"}).json();
  ASSERT_FALSE(listed.as_array().empty());
  EXPECT_EQ(listed.at(0).at("status"), Json("cancelled"));
  EXPECT_NE(home.wright({"answer", "1", "--approve"}).exit_code, 0);
  const Finished again = home.wright({"sessions", "cancel", "1"});
  EXPECT_NE(again.exit_code, 0) << "it has ended";
}

TEST(Approval, is_asked_for_at_the_terminal) {
  Home home;
  home.environment["TERM"] = "dumb";
  home.write_config(kAskAboutGrep);
  Process process({"run", "codebase-analysis", kWaitingQuestion}, home.environment, home.project(),
                  Streams::terminal);
  process.await("[y/s/n");
  // For the session: several calls of the turn wait, and all of them are meant.
  process.write("s\n");
  const Finished run = process.finish();
  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_NE(run.output.find("alpha.cpp:2"), std::string::npos) << run.output;
}

// As if the process had ended before its last answer.
void interrupt_last_session(const Home& home) {
  change(home.database(),
         "DELETE FROM agent_messages WHERE id = (SELECT max(id) FROM agent_messages);"
         "UPDATE agent_sessions SET status = 'running', result = NULL, ended_at = NULL");
}

// Nobody approves what they have not seen.
TEST(Answering, approves_what_is_named_where_several_things_wait) {
  net::testing::CannedServer model([](net::testing::Connection& connection) {
    while (!connection.read_request().empty()) {
      const auto call = [](const char* id, const char* pattern) {
        return Json{
            {"id", id},
            {"type", "function"},
            {"function", {{"name", "grep"}, {"arguments", to_text(Json{{"pattern", pattern}})}}}};
      };
      const Json message{{"role", "assistant"},
                         {"content", nullptr},
                         {"tool_calls", {call("a", "alpha"), call("b", "beta")}}};
      const Json body{
          {"choices", JsonArray{JsonObject{
                          {"index", 0}, {"message", message}, {"finish_reason", "tool_calls"}}}}};
      connection.answer(200, to_text(body), "Content-Type: application/json\r\n");
    }
  });
  const Home home;
  home.write_config(std::string(kAskAboutGrep) +
                    "[agent]\nmodel = \"local:any\"\n[vendors.local]\nneeds_key = false\n"
                    "protocol = \"openai-chat\"\nbase_url = \"" +
                    model.url("/v1") + "\"\n");
  ASSERT_EQ(home.wright({"run", "codebase-analysis", "Find both"}).exit_code, 3);
  const Json waits = home.wright({"waits", "--json"}).json();
  ASSERT_EQ(waits.as_array().size(), 2U);
  const Finished both = home.wright({"answer", "1", "--approve"});
  EXPECT_NE(both.exit_code, 0);
  EXPECT_TRUE(has(both.error, "2 things wait")) << both.error;
  EXPECT_EQ(home.wright({"waits", "--json"}).json(), waits);
  const std::string one = to_text(waits.at(1).at("wait_id"));
  EXPECT_TRUE(has(home.wright({"waits"}).output, "wright answer 1 --approve --wait " + one));
  EXPECT_EQ(home.wright({"answer", "1", "--approve", "--wait", one}).exit_code, 0);
  const Json left = home.wright({"waits", "--json"}).json();
  ASSERT_EQ(left.as_array().size(), 1U);
  EXPECT_EQ(left.at(0).at("wait_id"), waits.at(0).at("wait_id"));
}

TEST(Answering, a_server_that_is_not_there_is_no_missing_session) {
  const Home home;
  const Finished ended =
      home.wright({"answer", "1", "--approve", "--server", "http://127.0.0.1:1"});
  EXPECT_NE(ended.exit_code, 0);
  EXPECT_FALSE(has(ended.error, "there is no session")) << ended.error;
  EXPECT_TRUE(has(ended.error, "127.0.0.1")) << ended.error;
}

}  // namespace
}  // namespace wright::cli
