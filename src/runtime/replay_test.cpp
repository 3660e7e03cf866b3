#include "wright/replay.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/replay_testing.h"
#include "wright/agent.h"
#include "wright/driver.h"
#include "wright/testing.h"

namespace wright {
namespace {

using testing::call;
using testing::calls;
using testing::says;
using testing::ScriptedModel;
using namespace replaying;

TEST(Replay, finds_no_difference_in_what_is_the_same_and_executes_nothing) {
  Stage stage(one_look());
  const RecordedSession recorded = stage.record();
  const ReplayReport report = replayed(stage.agent, recorded);
  EXPECT_EQ(shown(report), "");
  EXPECT_TRUE(report.is_complete);
  EXPECT_EQ(report.turns, 2);
  EXPECT_EQ(report.recorded_calls, 1);
  EXPECT_EQ(report.live_calls, 0);
  EXPECT_EQ(stage.world.calls, 1);  // while it was recorded
  EXPECT_EQ(report.session.messages, recorded.messages);
  EXPECT_EQ(report.session.status, SessionStatus::completed);
}

// A record may say of any tool that a specialist answered.
TEST(Replay, of_the_record_executes_no_tool_whatever_the_record_says) {
  Stage stage(one_look());
  RecordedSession recorded = stage.record();
  RecordedSession specialist = recorded;
  specialist.agent = "look";
  const auto add = [&](RecordedSession& to) {
    if (to.calls.empty()) to.calls.push_back({.id = "c1"});
    to.calls.front().specialist = {specialist};
  };
  add(recorded);
  for (const AfterDifference after : {AfterDifference::stop, AfterDifference::proceed}) {
    (void)replay(stage.agent, recorded, {.after_difference = after});
    recorded.calls.front().result.reset();
    (void)replay(stage.agent, recorded, {.after_difference = after});
  }
  EXPECT_EQ(stage.world.calls, 1) << "while it was recorded";
}

TEST(Replay, executes_live_tools_and_shows_the_first_result_that_differs) {
  Stage stage({calls({call("look", "{}", "c1")}), calls({call("look", "{}", "c2")}), says("Sun")});
  const RecordedSession recorded = stage.record();
  EXPECT_EQ(shown(replayed(stage.agent, recorded, {.tools = ToolSource::live})), "");
  EXPECT_EQ(stage.world.calls, 4);

  stage.world.answer = "it rains";
  const ReplayReport report = replayed(stage.agent, recorded, {.tools = ToolSource::live});
  ASSERT_EQ(report.differences.size(), 1U) << shown(report);
  const Difference& difference = report.differences.front();
  EXPECT_EQ(difference.kind, Difference::Kind::result);
  EXPECT_EQ(difference.message, 3U);
  EXPECT_EQ(difference.what, "the result of look");
  EXPECT_EQ(difference.recorded, "sunny");
  EXPECT_EQ(difference.now, "it rains");
  // Nothing is executed after that: the record's calls belong to another world.
  EXPECT_EQ(stage.world.calls, 5);

  const ReplayReport all =
      replayed(stage.agent, recorded,
               {.tools = ToolSource::live, .after_difference = AfterDifference::proceed});
  EXPECT_EQ(all.differences.size(), 2U) << shown(all);
  EXPECT_TRUE(all.is_complete);
}

TEST(Replay, ignores_durations_times_and_metadata_of_live_tools) {
  int n = 0;
  Stage stage({calls({call("timed", "{}", "c1")}), says("Done")},
              {tool("timed", "Takes its time", [&n]() -> Result<Json> {
                ++n;
                return Json{{"found", 7},
                            {"execution_time_secs", n},
                            {"_execution_metadata", {{"timestamp", n}}},
                            {"last_modified", n},
                            {"inner", {{"duration_ms", n}}}};
              })});
  stage.agent.interceptors = conveniences();
  const RecordedSession recorded = stage.record();
  EXPECT_EQ(shown(replayed(stage.agent, recorded, {.tools = ToolSource::live})), "");
  EXPECT_EQ(n, 2);
}

TEST(Replay, tells_changed_instructions_and_goes_on) {
  Stage stage(one_look());
  const RecordedSession recorded = stage.record();
  stage.agent.instructions = "Watch closely.";
  stage.world.answer = "fog";
  const ReplayReport report = replayed(stage.agent, recorded, {.tools = ToolSource::live});
  ASSERT_EQ(report.differences.size(), 2U) << shown(report);
  EXPECT_EQ(report.differences[0].kind, Difference::Kind::instructions);
  EXPECT_EQ(report.differences[0].recorded, "Watch.");
  EXPECT_EQ(report.differences[0].now, "Watch closely.");
  EXPECT_EQ(report.differences[1].kind, Difference::Kind::result);
}

// What debug mode adds is no part of what an agent is, and a report on tools changes nothing.
TEST(Replay, of_a_session_in_debug_mode_is_the_same_without_it) {
  Response last = says("Sun");
  last.content.push_back(call("report_tool_feedback", R"({"answer_quality":"complete"})", "c2"));
  Stage stage({calls({call("look", "{}", "c1")}), last});
  stage.agent.debug = DebugOptions{.enabled = true};
  const RecordedSession recorded = stage.record();
  ASSERT_NE(recorded.instructions, stage.agent.instructions);
  EXPECT_EQ(shown(replayed(stage.agent, recorded)), "");
  stage.agent.debug.reset();
  EXPECT_EQ(shown(replayed(stage.agent, recorded)), "");
  stage.agent.instructions = "Watch closely.";
  EXPECT_EQ(replayed(stage.agent, recorded).differences.size(), 1U);
}

TEST(Replay, tells_fewer_turns) {
  Stage stage({calls({call("look", "{}", "c1")}), calls({call("look", "{}", "c2")}), says("Sun")});
  const RecordedSession recorded = stage.record();
  stage.agent.limits.max_iterations = 2;
  const ReplayReport report = replayed(stage.agent, recorded);
  ASSERT_EQ(report.differences.size(), 1U) << shown(report);
  EXPECT_EQ(report.differences[0].kind, Difference::Kind::turns);
  EXPECT_EQ(report.differences[0].message, 6U);
  EXPECT_EQ(report.differences[0].recorded, "Sun");
  EXPECT_EQ(report.differences[0].now, "failed: Maximum iteration limit reached");
}

TEST(Replay, tells_that_the_model_is_asked_where_a_limit_had_ended_the_session) {
  Stage stage({calls({call("look", "{}", "c1")}), calls({call("look", "{}", "c2")})});
  stage.agent.limits.max_iterations = 2;
  const RecordedSession recorded = stage.record();
  ASSERT_EQ(recorded.status, SessionStatus::failed);
  EXPECT_EQ(shown(replayed(stage.agent, recorded)), "");
  stage.agent.limits.max_iterations = 3;
  const ReplayReport report = replayed(stage.agent, recorded);
  ASSERT_EQ(report.differences.size(), 1U) << shown(report);
  EXPECT_EQ(report.differences[0].what, "the session goes on");
  EXPECT_EQ(report.differences[0].recorded, "failed: Maximum iteration limit reached");
  EXPECT_FALSE(report.is_complete);
}

TEST(Replay, tells_a_tool_that_is_not_there_any_more) {
  Stage stage(one_look());
  const RecordedSession recorded = stage.record();
  stage.agent.tools.clear();
  const ReplayReport report = replayed(stage.agent, recorded);
  ASSERT_EQ(report.differences.size(), 1U) << shown(report);
  EXPECT_EQ(report.differences[0].recorded, "sunny");
  EXPECT_EQ(report.differences[0].now, "failed: Unknown tool: look. Available tools: none");
}

TEST(Replay, repeats_calls_that_could_never_run) {
  Stage stage({calls({call("nothing", "{}", "c1"), call("look", "{broken", "c2"),
                      call("look", "[1]", "c3")}),
               says("Sorry")});
  const RecordedSession recorded = stage.record();
  EXPECT_EQ(shown(replayed(stage.agent, recorded)), "");
  EXPECT_EQ(shown(replayed(stage.agent, recorded, {.tools = ToolSource::live})), "");
}

TEST(Replay, takes_long_results_from_the_record_as_they_were_cut) {
  Stage stage(
      {calls({call("long", "{}", "c1")}), says("Long")},
      {tool("long", "Says much", [] { return std::string(500, 'x'); }, {.output_limit = 100})});
  const RecordedSession recorded = stage.record();
  ASSERT_NE(recorded.calls.front().result->content.find("Output cut"), std::string::npos);
  EXPECT_EQ(shown(replayed(stage.agent, recorded)), "");
  EXPECT_EQ(shown(replayed(recorded_agent(recorded), recorded)), "");
}

TEST(Replay, repeats_what_a_run_adds_to_results_that_repeat) {
  std::vector<Result<Response>> turns;
  for (int i = 0; i < 5; ++i) turns.push_back(calls({call("look", "{}")}));
  turns.push_back(says("Still the same"));
  Stage stage(std::move(turns));
  const RecordedSession recorded = stage.record();
  ASSERT_TRUE(std::ranges::any_of(
      recorded.calls, [](const RecordedCall& each) { return !each.result->notices.empty(); }));
  EXPECT_EQ(shown(replayed(stage.agent, recorded)), "");
  EXPECT_EQ(shown(replayed(stage.agent, recorded, {.tools = ToolSource::live})), "");
}

TEST(Replay, repeats_answers_that_were_cut_or_filtered) {
  Response cut = says("Half an ans");
  cut.stop_reason = StopReason::max_tokens;
  Response nothing;
  nothing.stop_reason = StopReason::max_tokens;
  Stage cut_stage({cut, nothing, says("Whole")});
  const RecordedSession recorded = cut_stage.record();
  ASSERT_EQ(recorded.messages.size(), 5U);
  EXPECT_EQ(shown(replayed(cut_stage.agent, recorded)), "");

  Response filtered = says("I will n");
  filtered.stop_reason = StopReason::content_filter;
  Stage filtered_stage({filtered});
  const RecordedSession stopped = filtered_stage.record();
  ASSERT_EQ(stopped.status, SessionStatus::failed);
  const ReplayReport report = replayed(filtered_stage.agent, stopped);
  EXPECT_EQ(shown(report), "");
  EXPECT_EQ(report.session.status, SessionStatus::failed);
}

TEST(Replay, repeats_a_model_that_failed) {
  Stage stage({calls({call("look", "{}", "c1")}), fail(ErrorCode::network, "The line is dead")});
  const RecordedSession recorded = stage.record();
  const ReplayReport report = replayed(stage.agent, recorded);
  EXPECT_EQ(shown(report), "");
  EXPECT_TRUE(report.is_complete);
  EXPECT_EQ(report.session.error, "The line is dead");
}

TEST(Replay, goes_as_far_as_a_cancelled_session) {
  std::stop_source stop;
  Stage stage({calls({call("stop", "{}", "c1"), call("look", "{}", "c2")})},
              {tool("stop", "Stops the run", [&stop] { stop.request_stop(); },
                    {.concurrency = Concurrency::serial})});
  const RecordedSession recorded = stage.record({.stop = stop.get_token()});
  ASSERT_EQ(recorded.status, SessionStatus::cancelled);
  for (const ToolSource tools : {ToolSource::record, ToolSource::live}) {
    const ReplayReport report = replayed(stage.agent, recorded, {.tools = tools});
    EXPECT_EQ(shown(report),
              "note: The session was cancelled after message 4; the record ends there\n");
    EXPECT_FALSE(report.is_complete);
  }
  EXPECT_EQ(stage.world.calls, 0);  // it was never executed, and is not now
}

TEST(Replay, goes_as_far_as_a_session_that_was_interrupted) {
  Stage stage(one_look());
  RecordedSession recorded = stage.record();
  recorded.messages.resize(2);
  recorded.status = SessionStatus::running;
  recorded.calls.front() = {.id = "c1", .status = CallStatus::executing};
  for (const ToolSource tools : {ToolSource::record, ToolSource::live}) {
    EXPECT_EQ(shown(replayed(stage.agent, recorded, {.tools = tools})),
              "note: The session has not ended; the record goes as far as message 2\n");
  }
  EXPECT_EQ(stage.world.calls, 1);
}

TEST(Replay, takes_the_word_of_the_record_for_calls_of_unknown_outcome) {
  Stage stage(one_look());
  RecordedSession recorded = stage.record();
  recorded.calls.front().status = CallStatus::unknown;
  recorded.calls.front().result->is_error = true;
  recorded.calls.front().result->content = kOutcomeUnknown;
  recorded.messages[2] = Message::tool(*recorded.calls.front().result);
  const ReplayReport report = replayed(stage.agent, recorded, {.tools = ToolSource::live});
  EXPECT_EQ(shown(report),
            "note: One call was interrupted, and nobody knows what came of it; the record's word "
            "was taken\n");
  EXPECT_EQ(report.live_calls, 0);
}

Tool approved_tool(int& executed) {
  return tool("launch", "Launches", [&executed](const Context& context) -> Result<ToolReply> {
    if (auto instead = unless_approved(context, "launch", {{"tool", "launch"}}, {"launch"})) {
      return std::move(*instead);
    }
    ++executed;
    return Output{.value = "launched"};
  });
}

TEST(Replay, waits_where_the_session_waits) {
  int executed = 0;
  Stage stage({calls({call("launch", "{}", "c1"), call("look", "{}", "c2")})},
              {approved_tool(executed)});
  const RecordedSession recorded = stage.record();
  ASSERT_EQ(recorded.status, SessionStatus::waiting);
  ASSERT_EQ(recorded.calls[1].result->content, "sunny");
  for (const ToolSource tools : {ToolSource::record, ToolSource::live}) {
    const ReplayReport report = replayed(stage.agent, recorded, {.tools = tools});
    EXPECT_EQ(shown(report),
              "note: The session waits for a person; the record goes as far as that\n");
    EXPECT_EQ(report.session.status, SessionStatus::waiting);
  }
  stage.world.answer = "dark";
  const ReplayReport report = replayed(stage.agent, recorded, {.tools = ToolSource::live});
  ASSERT_EQ(report.differences.size(), 1U);
  EXPECT_EQ(report.differences[0].now, "dark");
  EXPECT_EQ(executed, 0);
}

TEST(Replay, gives_live_tools_the_answers_that_people_gave) {
  int executed = 0;
  Stage stage(
      {calls({call("launch", "{}", "c1")}), calls({call("launch", "{}", "c2")}), says("Gone")},
      {approved_tool(executed)});
  (void)stage.record();
  const auto waits = stage.store->get_waits({});
  ASSERT_TRUE(waits);
  ASSERT_EQ(waits->size(), 1U);
  ASSERT_TRUE(answer_wait(*stage.store, waits->front().id, JsonObject{{"decision", "session"}},
                          "somebody"));
  const auto answer = resume(*stage.store, stage.agent, 1);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(executed, 2);
  const RecordedSession recorded = stage.loaded(1);
  EXPECT_EQ(shown(replayed(stage.agent, recorded)), "");
  EXPECT_EQ(executed, 2);
  EXPECT_EQ(shown(replayed(stage.agent, recorded, {.tools = ToolSource::live})), "");
  EXPECT_EQ(executed, 4);
}

TEST(Replay, repeats_that_nobody_was_there_to_be_asked) {
  int executed = 0;
  Stage stage({calls({call("launch", "{}", "c1")}), says("Not today")}, {approved_tool(executed)});
  const RecordedSession recorded = stage.record({.people = People::nobody});
  ASSERT_EQ(recorded.status, SessionStatus::completed);
  for (const ToolSource tools : {ToolSource::record, ToolSource::live}) {
    EXPECT_EQ(shown(replayed(stage.agent, recorded, {.tools = tools})), "");
  }
  EXPECT_EQ(executed, 0);
}

TEST(Replay, tells_a_call_that_needs_a_person_now) {
  int executed = 0;
  Stage stage({calls({call("launch", "{}", "c1")}), says("Gone")},
              {tool("launch", "Launches", [] { return "launched"; })});
  const RecordedSession recorded = stage.record();
  stage.agent.tools = {approved_tool(executed)};
  const ReplayReport report = replayed(stage.agent, recorded, {.tools = ToolSource::live});
  ASSERT_EQ(report.differences.size(), 1U) << shown(report);
  EXPECT_EQ(report.differences[0].kind, Difference::Kind::turns);
  EXPECT_EQ(report.differences[0].recorded, "launched");
  EXPECT_EQ(report.differences[0].now, "waiting");
}

TEST(Replay, hears_everything_that_the_user_said) {
  Stage stage({fail(ErrorCode::network, "no line"), calls({call("look", "{}", "c1")}), says("Sun"),
               says("Yes")});
  (void)stage.record();
  for (const char* message : {"And now?", "Really?"}) {
    ASSERT_TRUE(send(*stage.store, stage.agent, 1, message));
  }
  const RecordedSession recorded = stage.loaded(1);
  ASSERT_EQ(recorded.messages.size(), 7U);
  const ReplayReport report = replayed(stage.agent, recorded);
  EXPECT_EQ(shown(report), "");
  EXPECT_EQ(report.session.messages, recorded.messages);
}

TEST(Replay, of_a_fork_ends_where_the_fork_ends) {
  Stage stage(one_look());
  (void)stage.record();
  const auto messages = stage.store->get_messages(1);
  ASSERT_TRUE(messages);
  const auto fork = stage.store->fork_session(1, messages->at(2).id);
  ASSERT_TRUE(fork) << fork.error().message;
  const ReplayReport report = replayed(stage.agent, stage.loaded(*fork));
  EXPECT_EQ(shown(report), "note: The session is a fork that ends with message 3\n");
}

TEST(Replay, of_an_agent_that_is_only_recorded_knows_no_limits) {
  std::vector<Result<Response>> turns;
  for (int i = 0; i < 30; ++i) turns.push_back(calls({call("look", "{}")}));
  Stage stage(std::move(turns));
  stage.agent.limits.max_iterations = 30;
  stage.agent.limits.max_repeats = 20;
  const RecordedSession recorded = stage.record();
  ASSERT_TRUE(recorded.error.starts_with("The model made the same call")) << recorded.error;
  EXPECT_EQ(shown(replayed(recorded_agent(recorded), recorded)), "");
  EXPECT_EQ(shown(replayed(stage.agent, recorded)), "");
}

TEST(Replay, is_stopped_from_outside) {
  Stage stage(one_look());
  const RecordedSession recorded = stage.record();
  std::stop_source stop;
  stop.request_stop();
  const auto report = replay(stage.agent, recorded, {.stop = stop.get_token()});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::cancelled);
}

TEST(Replay, takes_no_longer_for_a_message_when_many_came_before_it) {
  constexpr int kMessages = 5'000;  // what grows with their square takes many minutes
  RecordedSession recorded{.agent = "watcher", .instructions = "Watch."};
  for (int i = 0; i < kMessages; ++i) {
    const std::string id = std::to_string(i);
    recorded.messages.push_back(Message::user("And " + id + "?"));
    recorded.messages.push_back({Role::assistant, {ToolCall{id, "look", "{}"}}});
    const ToolResult result{.call_id = id, .name = "look", .content = "sunny"};
    recorded.messages.push_back(Message::tool(result));
    recorded.messages.push_back(Message::assistant("Sun"));
    recorded.calls.push_back({.id = id, .result = result});
  }
  const ReplayReport report = replayed(recorded_agent(recorded), recorded);
  EXPECT_EQ(shown(report), "");
  EXPECT_EQ(report.turns, 2 * kMessages);
  EXPECT_EQ(report.recorded_calls, kMessages);
}

TEST(Replay, refuses_records_that_no_run_can_have_made) {
  const Agent agent{.name = "any"};
  EXPECT_FALSE(replay(agent, RecordedSession{}));
  EXPECT_FALSE(replay(agent, {.agent = "a", .messages = {Message::assistant("Hello")}}));
  const Message orphan = Message::tool({.call_id = "c9", .name = "look"});
  EXPECT_FALSE(replay(agent, {.agent = "a", .messages = {Message::user("Hi"), orphan}}));
  const Message twice{Role::assistant, {ToolCall{"c", "a", "{}"}, ToolCall{"c", "a", "{}"}}};
  EXPECT_FALSE(replay(agent, {.agent = "a",
                              .messages = {Message::user("Hi"), twice},
                              .calls = {{.id = "c"}, {.id = "c"}}}));
}

TEST(Replay, gives_idempotent_tools_a_key_of_its_own) {
  std::vector<std::string> keys;
  Stage stage({calls({call("pay", "{}", "c1")}), says("Paid")},
              {tool("pay", "Pays", [&keys](const Context& context) {
                keys.emplace_back(context.idempotency_key);
              })});
  const RecordedSession recorded = stage.record();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(shown(replayed(stage.agent, recorded, {.tools = ToolSource::live})), "");
  }
  ASSERT_EQ(keys.size(), 3U);
  std::ranges::sort(keys);
  EXPECT_EQ(std::ranges::adjacent_find(keys), keys.end());
}

TEST(Replay, compares_redacted_records_with_what_is_redacted_now) {
  Stage stage(one_look());
  stage.world.answer = "the key is hunter2000";
  RecordedSession recorded = stage.record();
  const Redactor redactor({"hunter2000"});
  const auto redacted = cassette_from(cassette_text(recorded, redactor));
  ASSERT_TRUE(redacted) << redacted.error().message;
  EXPECT_EQ(redacted->calls.front().result->content, "the key is [REDACTED]");
  EXPECT_EQ(
      shown(replayed(stage.agent, *redacted, {.tools = ToolSource::live, .redactor = redactor})),
      "");
  stage.world.answer = "another is hunter2000";
  const ReplayReport report =
      replayed(stage.agent, *redacted, {.tools = ToolSource::live, .redactor = redactor});
  ASSERT_EQ(report.differences.size(), 1U);
  EXPECT_EQ(report.differences[0].now, "another is [REDACTED]");
}

TEST(Replay, updates_a_record_only_where_something_changed) {
  int n = 0;
  Stage stage({calls({call("timed", "{}", "c1"), call("look", "{}", "c2")}), says("Done")},
              {tool("timed", "Takes its time", [&n]() -> Result<Json> {
                return Json{{"a", 1}, {"duration_ms", ++n}};
              })});
  const RecordedSession recorded = stage.record();
  stage.world.answer = "hail";
  const ReplayOptions options{.tools = ToolSource::live,
                              .after_difference = AfterDifference::proceed};
  const ReplayReport report = replayed(stage.agent, recorded, options);
  ASSERT_TRUE(report.is_complete);
  const RecordedSession next = updated(recorded, report);
  EXPECT_EQ(next.messages[2], recorded.messages[2]);
  EXPECT_EQ(next.calls[1].result->content, "hail");
  EXPECT_EQ(shown(replayed(stage.agent, next, {.tools = ToolSource::live})), "");
}

}  // namespace
}  // namespace wright
