#include "wright/driver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <latch>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "core/unknown_outcome.h"
#include "store/forwarding_store.h"
#include "wright/interceptors.h"
#include "wright/models.h"
#include "wright/store.h"
#include "wright/testing.h"

namespace wright {
namespace {

using testing::call;
using testing::calls;
using testing::says;
using testing::ScriptedModel;

Agent agent_of(const ScriptedModel& script) {
  return Agent{.name = "driven",
               .instructions = "Go.",
               .model = script.model(),
               .tools = {tool("echo", "Echoes", [] { return "echoed"; })}};
}

// What a process says of itself, not of its sessions.
bool is_of_runner(const Batch& batch) {
  return !batch.create && std::ranges::all_of(batch.writes, [](const Write& write) {
    return std::holds_alternative<RegisterRunner>(write) ||
           std::holds_alternative<RenewRunner>(write) || std::holds_alternative<EndRunner>(write);
  });
}

// A store that fails from the n-th batch on, or with that one alone, as a full disk does.
class FailingStore : public store::ForwardingStore {
 public:
  enum class Failing : std::uint8_t { for_ever, once };
  FailingStore(Store& inner, int batches_left, Failing failing = Failing::for_ever)
      : ForwardingStore(inner), batches_left_(batches_left), failing_(failing) {}

  std::vector<Result<BatchIds>> apply_all(std::span<const Batch> batches) override {
    std::vector<Result<BatchIds>> results;
    for (const Batch& batch : batches) {
      const int left = is_of_runner(batch) ? 1 : batches_left_--;
      const bool fails = failing_ == Failing::once ? left == 0 : left <= 0;
      results.push_back(fails ? fail(ErrorCode::storage, "The disk is full")
                              : std::move(ForwardingStore::apply_all({&batch, 1}).front()));
    }
    return results;
  }

 private:
  int batches_left_;
  const Failing failing_;
};

TEST(Driver, answers_without_a_store) {
  const ScriptedModel script({says("Hello")});
  const auto answer = run(agent_of(script), "Hi");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->text, "Hello");
  EXPECT_EQ(answer->session_id, 0);
  EXPECT_EQ(answer->iterations, 1);
}

TEST(Driver, refuses_an_agent_that_cannot_run) {
  EXPECT_FALSE(run(Agent{}, "Hi"));
  wright::Run begun = start(Agent{}, "Hi");
  EXPECT_FALSE(drive(Agent{}, begun));
}

TEST(Driver, goes_on_with_a_run_that_was_kept_elsewhere) {
  const ScriptedModel script({says("Bye")});
  const Agent agent = agent_of(script);
  wright::Run kept = start(agent, "Hi");
  ASSERT_TRUE(accept(kept, ModelAnswered{calls({call("echo", "", "1")})}));
  const auto answer = drive(agent, kept);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->text, "Bye");
  EXPECT_EQ(std::get<ToolResult>(script.requests()[0][2].parts[0]).content, "echoed");
}

TEST(Driver, ends_a_run_whose_model_throws) {
  for (const bool is_exception : {true, false}) {
    Agent agent = agent_of(ScriptedModel({}));
    agent.model =
        model_from("mine", "m", [=](const Request&, const ModelCall&) -> Result<Response> {
          if (is_exception) throw std::runtime_error("broken pipe");
          throw 7;
        });
    const auto store = open_memory_store();
    const auto answer = run(*store, agent, "Hi");
    ASSERT_FALSE(answer);
    EXPECT_NE(answer.error().message.find(is_exception ? "broken pipe" : "threw"),
              std::string::npos);
    EXPECT_EQ(store->get_session(1)->status, SessionStatus::failed);
  }
}

TEST(Driver, repairs_a_prompt_that_is_not_utf8) {
  const ScriptedModel script({says("ok")});
  ASSERT_TRUE(run(agent_of(script), "a\xFF"));
  EXPECT_EQ(script.requests()[0][0].text(), "a\xEF\xBF\xBD");
}

TEST(Driver, tells_everything_as_it_happens) {
  const ScriptedModel script({calls({call("echo", "{}", "1")}, "Hm"), says("Done")});
  const auto store = open_memory_store();
  std::string trace;
  const Observer observer = [&](const Event& event) {
    if (const auto* e = std::get_if<SessionStarted>(&event)) {
      trace += "session " + std::to_string(e->session_id) + "\n";
    } else if (const auto* e = std::get_if<ModelStarted>(&event)) {
      trace += "model " + std::to_string(e->iteration) + "\n";
    } else if (const auto* e = std::get_if<TextDelta>(&event)) {
      trace += "text " + std::string(e->text) + "\n";
    } else if (const auto* e = std::get_if<ModelEnded>(&event)) {
      trace += "answered " + e->response.text() + "\n";
    } else if (const auto* e = std::get_if<ToolStarted>(&event)) {
      // What is told has been written down before.
      EXPECT_EQ(store->get_tool_calls(1)->at(0).status, CallStatus::executing);
      trace += "tool " + e->call.name + "\n";
    } else if (const auto* e = std::get_if<ToolEnded>(&event)) {
      trace += "result " + e->outcome.result.content + "\n";
    }
  };
  ASSERT_TRUE(run(*store, agent_of(script), "Hi", {.observer = observer}));
  EXPECT_EQ(trace,
            "session 1\nmodel 1\ntext Hm\nanswered Hm\ntool echo\nresult echoed\n"
            "model 2\ntext Done\nanswered Done\n");
}

TEST(Driver, hands_tools_their_context) {
  const ScriptedModel script({calls({call("look", "{}", "1")}), says("ok")});
  Agent agent = agent_of(script);
  std::string seen;
  agent.tools = {tool("look", "", [&](const Context& context) {
    seen = std::string(context.agent_name) + " " + std::to_string(context.session_id) + " " +
           std::string(context.call_id) + " " + std::string(context.idempotency_key);
  })};
  const auto store = open_memory_store();
  ASSERT_TRUE(run(*store, agent, "Hi"));
  EXPECT_EQ(seen, "driven 1 1 1:1");
}

TEST(Driver, lets_calls_that_reach_no_tool_pass_the_interceptors_and_count) {
  const ScriptedModel script({calls({call("sing", "{}", "1"), call("echo", "{broken", "2")}),
                              calls({call("sing", "{}", "3")}), calls({call("sing", "{}", "4")}),
                              says("I cannot sing.")});
  std::vector<std::string> seen;
  Agent agent = agent_of(script);
  std::mutex mutex;
  agent.interceptors = {intercept::before([&](const Invocation& each, const Context&) {
    ASSERT_NE(each.unusable, nullptr);
    const std::lock_guard lock(mutex);
    seen.push_back(each.call.id);
  })};
  const auto answer = run(agent, "Sing.");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->text, "I cannot sing.");
  std::ranges::sort(seen);  // the calls of a turn run side by side
  EXPECT_EQ(seen, (std::vector<std::string>{"1", "2", "3", "4"}));
  std::vector<std::string> told;
  const auto requests = script.requests();
  for (const Message& message : requests.back()) {
    for (const Part& part : message.parts) {
      if (const auto* result = std::get_if<ToolResult>(&part)) told.push_back(result->content);
    }
  }
  ASSERT_EQ(told.size(), 4U);
  EXPECT_EQ(told[0], "Unknown tool: sing. Available tools: echo");
  EXPECT_EQ(told[1].find("The arguments are not valid JSON"), 0U) << told[1];
  EXPECT_EQ(told[2], told[0]);
  EXPECT_NE(told[3].find("Do not call sing again"), std::string::npos) << told[3];
}

TEST(Driver, asks_a_tool_to_stop_whose_time_is_up_and_takes_what_it_says_then) {
  const ScriptedModel script({calls({call("slow", "{}", "1")}), says("Done.")});
  Agent agent = agent_of(script);
  agent.tools = {tool("slow", "",
                      [](const Context& context) {
                        std::mutex mutex;
                        std::condition_variable_any stopped;
                        std::unique_lock lock(mutex);
                        stopped.wait(lock, context.stop, [] { return false; });
                        return "half of it";
                      },
                      {.timeout = std::chrono::milliseconds(1)})};
  ASSERT_TRUE(run(agent, "Go"));
  EXPECT_EQ(std::get<ToolResult>(script.requests()[1].back().parts[0]).content, "half of it");
}

TEST(Driver, gives_a_tool_up_that_never_returns_and_goes_on) {
  const auto let_go = std::make_shared<std::latch>(1);
  const auto has_ended = std::make_shared<std::latch>(1);
  const ScriptedModel script({calls({call("stuck", "{}", "1")}), says("Without it.")});
  {
    Agent agent = agent_of(script);
    agent.tools = {tool("stuck", "",
                        [let_go, has_ended](const Context& context) {
                          let_go->wait();
                          if (context.progress) context.progress("late");
                          has_ended->count_down();
                          return "too late";
                        },
                        {.timeout = std::chrono::milliseconds(1)})};
    const auto store = open_memory_store();
    const auto answer = run(*store, agent, "Go", {.observer = [](const Event&) {}});
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->text, "Without it.");
    const auto rows = store->get_tool_calls(answer->session_id);
    ASSERT_TRUE(rows);
    EXPECT_EQ(rows->at(0).status, CallStatus::failed);
  }
  const auto result = std::get<ToolResult>(script.requests()[1].back().parts[0]);
  EXPECT_TRUE(result.is_error);
  EXPECT_EQ(result.content,
            "stuck did not answer within 1 ms. It may still take effect: look before you call it "
            "again");
  // The driver, its agent and its store are gone by now.
  let_go->count_down();
  has_ended->wait();
}

// It is no failure, which would say that nothing happened.
TEST(Driver, keeps_an_outcome_that_the_tool_does_not_know_as_unknown) {
  const ScriptedModel script({calls({call("pays", "{}", "1")}), says("I shall look.")});
  Agent agent = agent_of(script);
  agent.tools = {tool("pays", "", []() -> Result<int> {
    return std::unexpected(unknown_outcome(ErrorCode::unavailable, "Nobody knows"));
  })};
  const auto store = open_memory_store();
  const auto answer = run(*store, agent, "Go");
  ASSERT_TRUE(answer) << answer.error().message;
  const auto row = store->get_tool_calls(answer->session_id).value().at(0);
  EXPECT_EQ(row.status, CallStatus::unknown);
  EXPECT_EQ(row.error_details, "Nobody knows");
  EXPECT_EQ(std::get<ToolResult>(script.requests()[1].back().parts[0]).content, "Nobody knows");
}

TEST(Driver, tells_the_model_what_the_tool_said_of_an_unknown_outcome_also_after_a_crash) {
  const auto store = open_memory_store();
  const ScriptedModel script({says("I shall look.")});
  Agent agent = agent_of(script);
  agent.tools = {tool("pays", "", [] { return 1; })};
  const auto created = store->create_session_with(
      {.agent_name = agent.name, .user_prompt = "Go"},
      std::vector<Write>{
          AppendMessage{.message = Message::user("Go")},
          AppendMessage{
              .message = {Role::assistant, {call("pays", "{}", "1"), call("pays", "{}", "2")}},
              .started_calls = 2}});
  ASSERT_TRUE(created);
  ASSERT_TRUE(
      store->apply_one(UpdateCall{.call_id = created->second.calls.at(0),
                                  .status = CallStatus::unknown,
                                  .error_details = "Nobody knows",
                                  .result = ToolResult{"1", "pays", "Nobody knows", true}}));
  ASSERT_TRUE(resume(*store, agent, created->first));
  std::vector<std::string> told;
  const auto requests = script.requests();
  for (const Message& message : requests.at(0)) {
    for (const Part& part : message.parts) {
      if (const auto* result = std::get_if<ToolResult>(&part)) told.push_back(result->content);
    }
  }
  EXPECT_EQ(told, (std::vector<std::string>{"Nobody knows", std::string(kOutcomeUnknown)}));
}

TEST(Driver, stores_what_a_call_keeps_with_that_call) {
  const ScriptedModel script({calls({call("job", "{}", "1")}), says("Done.")});
  const auto store = open_memory_store();
  std::vector<Json> stored;
  Agent agent = agent_of(script);
  agent.tools = {tool("job", "", [&](const Context& context) {
    EXPECT_TRUE(context.answers.kept.is_null());
    for (const char* name : {"first", "second"}) {
      EXPECT_TRUE(context.keep(JsonObject{{"job", name}}));
      const auto records = store->get_records({.kind = "call_note"});
      for (const Record& each : records.value()) {
        EXPECT_EQ(each.session_id, context.session_id);
        EXPECT_EQ(each.key, std::to_string(store->get_tool_calls(1).value().at(0).id));
        stored.push_back(each.value);
      }
    }
  })};
  ASSERT_TRUE(run(*store, agent, "Go"));
  EXPECT_EQ(stored, (std::vector<Json>{{{"job", "first"}}, {{"job", "second"}}}));
}

// A writing tool that has kept something goes on with it; one that has not is not run again.
TEST(Driver, goes_on_after_a_crash_with_what_a_call_has_kept) {
  const auto store = open_memory_store();
  const ScriptedModel script({says("Done.")});
  std::vector<Json> kept;
  Agent agent = agent_of(script);
  agent.tools = {tool("job", "", [&](const Context& context) {
    kept.push_back(context.answers.kept);
    return "the job has ended";
  })};
  const auto created = store->create_session_with(
      {.agent_name = agent.name, .user_prompt = "Go"},
      std::vector<Write>{
          AppendMessage{.message = Message::user("Go")},
          AppendMessage{
              .message = {Role::assistant, {call("job", "{}", "1"), call("job", "{}", "2")}},
              .started_calls = 2}});
  ASSERT_TRUE(created);
  ASSERT_TRUE(store->apply_one(PutRecord{.kind = "call_note",
                                         .key = std::to_string(created->second.calls.at(0)),
                                         .value = JsonObject{{"job", 7}},
                                         .session_id = created->first}));
  ASSERT_TRUE(resume(*store, agent, created->first));
  EXPECT_EQ(kept, (std::vector<Json>{{{"job", 7}}}));
  const auto rows = store->get_tool_calls(created->first).value();
  EXPECT_EQ(rows.at(0).status, CallStatus::completed);
  EXPECT_EQ(rows.at(1).status, CallStatus::unknown);
}

TEST(Driver, keeps_what_came_of_a_call_that_cancels_the_run_in_its_last_turn) {
  const ScriptedModel script({calls({call("stops", "{}", "1")})});
  std::stop_source stop;
  Agent agent = agent_of(script);
  agent.tools = {tool("stops", "", [&] { stop.request_stop(); })};
  agent.limits.max_iterations = 1;
  const auto store = open_memory_store();
  ASSERT_FALSE(run(*store, agent, "Go", {.stop = stop.get_token()}));
  const auto calls = store->get_tool_calls(1);
  ASSERT_TRUE(calls);
  EXPECT_EQ(calls->at(0).status, CallStatus::completed);
  const auto session = store->get_session(1);
  ASSERT_TRUE(session);
  EXPECT_TRUE(session->error_code == ErrorCode::limit_reached ||
              session->error_code == ErrorCode::cancelled)
      << session->error.value_or("");
}

TEST(Driver, runs_the_calls_of_a_turn_side_by_side) {
  std::latch both(2);
  const ScriptedModel script(
      {calls({call("meet", "{}", "1"), call("meet", "{}", "2")}), says("They met.")});
  Agent agent = agent_of(script);
  agent.tools = {tool("meet", "", [&] { both.arrive_and_wait(); })};
  const auto answer = run(agent, "Go");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->text, "They met.");
}

TEST(Driver, stops_a_model_that_repeats_one_call_also_with_metadata_on) {
  std::vector<Result<Response>> turns;
  for (int i = 0; i < 20; ++i) turns.emplace_back(calls({call("same", "{}")}));
  Agent agent = agent_of(ScriptedModel(std::move(turns)));
  agent.tools = {tool("same", "", [] { return Json{{"a", 1}}; })};
  agent.limits.max_iterations = 15;
  add_conveniences(agent);
  const auto answer = run(agent, "Go");
  ASSERT_FALSE(answer);
  EXPECT_EQ(limit_of(answer.error()), Limit::repeats);
}

TEST(Driver, shows_the_model_the_images_of_a_tool_and_keeps_them_in_every_store) {
  const std::vector<Image> images{{"image/png", "AAAA"}};
  for (const bool is_file : {false, true}) {
    const ScriptedModel script({calls({call("see", "{}", "1")}), says("A dot.")});
    Agent agent = agent_of(script);
    agent.tools = {tool("see", "", [&] { return Output{.value = "There", .images = images}; })};
    add_conveniences(agent);
    auto store = is_file ? open_sqlite_store(":memory:")
                         : Result<std::unique_ptr<Store>>(open_memory_store());
    ASSERT_TRUE(store);
    const auto answer = run(**store, agent, "Look");
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(std::get<ToolResult>(script.requests()[1].back().parts[0]).images, images);
    const auto messages = (*store)->get_messages(answer->session_id);
    ASSERT_TRUE(messages);
    EXPECT_EQ(std::get<ToolResult>(messages->at(2).message.parts[0]).images, images);
  }
}

TEST(Driver, tells_which_limit_ended_a_session_in_every_store) {
  for (const bool is_file : {false, true}) {
    const ScriptedModel script({calls({call("echo", "", "1")}), calls({call("echo", "", "2")})});
    Agent agent = agent_of(script);
    agent.limits.max_iterations = 1;
    auto store = is_file ? open_sqlite_store(":memory:")
                         : Result<std::unique_ptr<Store>>(open_memory_store());
    ASSERT_TRUE(store);
    ASSERT_FALSE(run(**store, agent, "Go"));
    const auto session = (*store)->get_session(1);
    ASSERT_TRUE(session);
    EXPECT_EQ(session->error_code, ErrorCode::limit_reached);
    EXPECT_EQ(session->limit, Limit::iterations);
  }
}

TEST(Driver, asks_a_function_that_speaks_though_nobody_listens) {
  const Agent agent{
      .model = model_from("mine", "m", [](const Request&, const ModelCall& call) {
        call.on_text({"Hello"});
        return Result<Response>(says("Hello"));
      })};
  const auto answer = run(agent, "Hi");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->text, "Hello");
}

TEST(Driver, is_cancelled_before_it_begins_and_while_the_model_speaks) {
  const auto store = open_memory_store();
  std::stop_source before;
  before.request_stop();
  const ScriptedModel script({says("never")});
  const auto early = run(*store, agent_of(script), "Hi", {.stop = before.get_token()});
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().code, ErrorCode::cancelled);
  EXPECT_EQ(script.turns_left(), 1U);
  EXPECT_EQ(store->get_session(1)->status, SessionStatus::cancelled);

  std::stop_source during;
  Agent agent = agent_of(script);
  agent.model =
      model_from("mine", "m", [&](const Request&, const ModelCall& call) -> Result<Response> {
        during.request_stop();
        while (!call.stop.stop_requested()) std::this_thread::yield();
        return fail(ErrorCode::cancelled, "stopped");
      });
  const auto late = run(*store, agent, "Hi", {.stop = during.get_token()});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::cancelled);
  EXPECT_EQ(store->get_session(2)->status, SessionStatus::cancelled);
}

TEST(Driver, does_nothing_when_the_session_cannot_be_created) {
  const auto memory = open_memory_store();
  FailingStore store(*memory, 0);
  const ScriptedModel script({says("never")});
  const auto answer = run(store, agent_of(script), "Hi");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message, "The disk is full");
  EXPECT_EQ(script.turns_left(), 1U);
}

TEST(Driver, stops_at_the_first_failed_write_and_runs_no_tool_unrecorded) {
  // Writes of this run: the session, the model's turn, the tool's result, the last turn.
  for (int writes = 1; writes < 4; ++writes) {
    const auto memory = open_memory_store();
    FailingStore store(*memory, writes);
    const ScriptedModel script({calls({call("count", "{}", "1")}), says("Done")});
    Agent agent = agent_of(script);
    int executed = 0;
    agent.tools = {tool("count", "", [&] { ++executed; })};
    const auto answer = run(store, agent, "Hi");
    ASSERT_FALSE(answer) << writes;
    EXPECT_EQ(answer.error().code, ErrorCode::storage);
    EXPECT_EQ(executed, writes >= 2 ? 1 : 0) << writes;
  }
}

TEST(Driver, leaves_a_session_whose_store_failed_to_be_resumed) {
  for (int failing = 1; failing < 4; ++failing) {
    const auto memory = open_memory_store();
    FailingStore store(*memory, failing, FailingStore::Failing::once);
    const ScriptedModel script({calls({call("echo", "{}", "1")}), says("Done"),
                                calls({call("echo", "{}", "2")}), says("Done")});
    const auto answer = run(store, agent_of(script), "Hi");
    ASSERT_FALSE(answer) << failing;
    EXPECT_TRUE(answer.error().message.starts_with("The disk is full")) << answer.error().message;
    // Nobody knows what was stored but the store.
    EXPECT_EQ(memory->get_session(1)->status, SessionStatus::running) << failing;
    ASSERT_EQ(memory->list_sessions({.needs_driver = true})->size(), 1U) << failing;
    const auto resumed = resume(*memory, agent_of(script), 1);
    EXPECT_EQ(memory->get_session(1)->status, SessionStatus::completed)
        << failing << ": " << (resumed ? "" : resumed.error().message);
  }
}

TEST(ModelById, says_what_is_missing) {
  const auto planner = model("offline").complete(Request{});
  ASSERT_FALSE(planner);
  EXPECT_NE(planner.error().message.find("link wright::offline"), std::string::npos);
  const auto missing = model("nobody:gpt-5-mini").complete(Request{});
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("no vendor 'nobody'"), std::string::npos);
  for (const std::string id : {"", ":", "gpt", "openai:", ":x"}) {
    const auto broken = model(id).complete(Request{});
    ASSERT_FALSE(broken) << id;
    EXPECT_NE(broken.error().message.find("wright models"), std::string::npos) << id;
  }
}

TEST(ModelById, is_looked_for_among_the_models_of_the_program_first) {
  const ScriptedModel script({says("Mine")});
  const Models models(
      {.find_model = [&](std::string_view id) { return id == "mine" ? script.model() : Model(); }});
  const auto answer = models.get("mine").complete(Request{});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_FALSE(models.get("yours").complete(Request{}));
  EXPECT_FALSE(models.get("offline").complete(Request{}));
}

}  // namespace
}  // namespace wright
