#include <gtest/gtest.h>

#include "wright/run.h"
#include "wright/testing.h"

namespace wright {
namespace {

Run waiting_run() {
  wright::Run run = start(Agent{.name = "keeper"}, "Go");
  EXPECT_TRUE(accept(
      run, ModelAnswered{testing::calls(
               {testing::call("a", "{\"x\":1}", "1"), testing::call("b", "{", "2")}, "Looking")}));
  EXPECT_TRUE(accept(run, ToolFinished{{"1", "a", "fine", false}}));
  EXPECT_TRUE(accept(run, ToolWaits{"2", Waiting{.shown = JsonObject{{"question", "Sure?"}},
                                                 .timeout = std::chrono::seconds(9),
                                                 .covers = {"a", "b"},
                                                 .state = JsonObject{{"half", 1}}}}));
  return run;
}

// The run's JSON with one value replaced.
Json with(std::string_view key, Json value) {
  Json json = to_json(waiting_run());
  json.as_object()[key] = std::move(value);
  return json;
}

std::string error_of_run(const Json& json) {
  const auto run = run_from_json(json);
  return run ? std::string() : run.error().message;
}

TEST(RunJson, round_trips_through_text) {
  const wright::Run run = waiting_run();
  const auto copy = run_from_json(*parse_json(to_text(to_json(run))));
  ASSERT_TRUE(copy) << copy.error().message;
  EXPECT_EQ(*copy, run);
}

TEST(RunJson, keeps_the_state_of_a_wait_with_its_answer) {
  wright::Run run = waiting_run();
  ASSERT_TRUE(accept(run, WaitAnswered{"2", {.answer = Json("yes")}}));
  ASSERT_EQ(run.open_calls[1].answers.state, (Json{{"half", 1}}));
  run.open_calls[1].answers.kept = JsonObject{{"job", 7}};
  const auto copy = run_from_json(*parse_json(to_text(to_json(run))));
  ASSERT_TRUE(copy) << copy.error().message;
  EXPECT_EQ(*copy, run);
}

TEST(RunJson, carries_a_format_version_and_refuses_newer_ones) {
  EXPECT_EQ(to_json(waiting_run()).at("format"), Json(4));
  const auto newer = run_from_json(with("format", 5));
  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error().code, ErrorCode::unsupported);
  EXPECT_NE(newer.error().message.find("newer Wright"), std::string::npos);
  EXPECT_NE(error_of_run(with("format", "1")), "");
  EXPECT_NE(error_of_run(with("format", 0)), "");
}

TEST(RunJson, reads_runs_of_the_first_format) {
  Json old = to_json(waiting_run());
  old.as_object()["format"] = 1;
  old.as_object().erase("limits");
  for (Json& open : old.as_object()["open_calls"].as_array()) open.as_object().erase("answers");
  const auto read = run_from_json(old);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, waiting_run());
}

TEST(RunJson, keeps_what_has_no_limit_and_reads_the_zeros_of_the_third_format) {
  wright::Run run = waiting_run();
  run.limits = {.max_tool_calls = 0, .max_repeats = {}};
  const auto copy = run_from_json(*parse_json(to_text(to_json(run))));
  ASSERT_TRUE(copy) << copy.error().message;
  EXPECT_EQ(copy->limits, run.limits);

  Json old = to_json(run);
  old.as_object()["format"] = 3;
  for (auto& [name, value] : old.at("limits").as_object()) {
    if (name != "max_depth") value = 0;
  }
  old.at("limits").as_object().erase("max_cuts");  // which runs of that format do not say
  const auto read = run_from_json(old);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->limits, (Limits{.max_repeats = {}}));
}

TEST(RunJson, keeps_limits_and_what_calls_have_been_answered) {
  wright::Run run = waiting_run();
  run.limits = {.max_iterations = 7,
                .max_tool_calls = 6,
                .max_tokens = 5000,
                .max_cost_usd = 0.25,
                .max_time = std::chrono::milliseconds(1500),
                .max_repeats = 3,
                .max_depth = 2,
                .max_cuts = 1};
  const std::string waiting = std::get<Wait>(next(Agent{}, run)).waits.at(0).call.id;
  ASSERT_TRUE(accept(run, WaitAnswered{waiting,
                                       {.approval = Approval{Decision::session, "fine"},
                                        .answer = Json("blue")}}));
  const auto copy = run_from_json(*parse_json(to_text(to_json(run))));
  ASSERT_TRUE(copy) << copy.error().message;
  EXPECT_EQ(*copy, run);
}

TEST(RunJson, refuses_every_missing_or_mistyped_field_by_name) {
  for (const std::string key : {"agent", "max_iterations", "phase", "iterations", "usage", "error",
                                "messages", "open_calls"}) {
    EXPECT_NE(error_of_run(with(key, true)), "") << key;
    Json missing = to_json(waiting_run());
    missing.as_object().erase(key);
    EXPECT_NE(error_of_run(missing).find("'" + key + "'"), std::string::npos)
        << error_of_run(missing);
  }
  EXPECT_NE(error_of_run(Json("text")), "");
  EXPECT_NE(error_of_run(with("phase", "sleeping")), "");
  EXPECT_NE(error_of_run(with("iterations", -1)), "");
  EXPECT_NE(error_of_run(with("usage", JsonObject{{"input_tokens", "many"}})), "");
  EXPECT_NE(
      error_of_run(with("error", JsonObject{{"code", "odd"}, {"message", ""}, {"detail", ""}})),
      "");
  EXPECT_NE(error_of_run(with("messages", JsonArray{1})), "");
  EXPECT_NE(error_of_run(with("open_calls", JsonArray{1})), "");
  EXPECT_NE(error_of_run(with("open_calls", JsonArray{JsonObject{}})), "");
}

TEST(RunJson, refuses_broken_open_calls) {
  const Json good = to_json(waiting_run());
  for (const std::string key : {"call", "state", "result"}) {
    Json bad = good;
    bad.at("open_calls").at(0).as_object()[key] = "odd";
    EXPECT_NE(error_of_run(bad), "") << key;
    bad.at("open_calls").at(0).as_object().erase(key);
    EXPECT_NE(error_of_run(bad), "") << key;
  }
  Json swapped = good;
  auto& first = swapped.at("open_calls").at(0).as_object();
  std::swap(first["call"], first["result"]);
  EXPECT_NE(error_of_run(swapped), "");
}

TEST(RunJson, refuses_a_run_that_breaks_the_invariants) {
  EXPECT_NE(error_of_run(with("open_calls", JsonArray{})).find("open calls"), std::string::npos);
  EXPECT_NE(error_of_run(with("phase", "model")), "");
  EXPECT_NE(error_of_run(with("phase", "tools")), "");
  EXPECT_NE(error_of_run(with("phase", "done")), "");
  EXPECT_NE(error_of_run(with("messages", JsonArray{})), "");

  const auto message = [](Role role, Part part) { return to_json(Message{role, {part}}); };
  const Part call = ToolCall{"1", "a", "{}"};
  const Part result = ToolResult{"1", "a", "ok", false};
  const Json user = to_json(Message::user("Go"));
  const auto history = [&](JsonArray messages) {
    Json json = to_json(start(Agent{.name = "keeper"}, "Go"));
    json.as_object()["messages"] = std::move(messages);
    return error_of_run(json);
  };
  EXPECT_EQ(history({user, message(Role::assistant, call), message(Role::tool, result)}), "");
  EXPECT_NE(history({user, message(Role::user, call)}), "");
  EXPECT_NE(history({user, message(Role::assistant, result)}), "");
  EXPECT_NE(history({user, message(Role::tool, result)}), "");
  EXPECT_NE(history({user, message(Role::assistant, call), user}), "");
  EXPECT_NE(history({user, message(Role::assistant, ToolCall{"", "a", "{}"})}), "");
  EXPECT_NE(history({user, message(Role::assistant, call), message(Role::tool, result),
                     message(Role::assistant, call), message(Role::tool, result)}),
            "");
  Json done = to_json(start(Agent{.name = "keeper"}, "Go"));
  done.as_object()["phase"] = "done";
  EXPECT_NE(error_of_run(done), "");
  Json over = to_json(start(Agent{.name = "keeper"}, "Go"));
  over.as_object()["iterations"] = 10;
  EXPECT_NE(error_of_run(over), "");
}

}  // namespace
}  // namespace wright
