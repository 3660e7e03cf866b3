// One struct of options, and every driver does as it says.
#include "runtime/run_options.h"

#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/event_json.h"
#include "runtime/event_writer.h"
#include "runtime/runtime_testing.h"
#include "wright/runtime.h"
#include "wright/testing.h"

namespace wright {
namespace {

using testing::call;
using testing::calls;
using testing::says;
using testing::ScriptedModel;
using testing::value_of;

using RunWay = std::function<Result<RunResult>(const Agent&, std::string_view, const RunOptions&)>;

Result<RunResult> run_in(const std::unique_ptr<Runtime>& runtime, const Agent& agent,
                         std::string_view prompt, const RunOptions& options) {
  const auto id = runtime->start(std::make_shared<const Agent>(agent), prompt, options);
  if (!id) return std::unexpected(id.error());
  return runtime->wait(*id);
}

struct Way {
  std::string_view name;
  RunWay run;
};

class EveryDriver : public ::testing::Test {
 protected:
  const std::unique_ptr<Store> store_ = open_memory_store();
  const std::unique_ptr<Runtime> storing_ = testing::open_runtime(*store_);
  const std::unique_ptr<Runtime> plain_ = value_of(Runtime::open());

  const std::vector<Way> ways_{
      {"blocking", [](const Agent& agent, std::string_view prompt,
                      const RunOptions& options) { return run(agent, prompt, options); }},
      {"blocking, stored",
       [this](const Agent& agent, std::string_view prompt, const RunOptions& options) {
         return run(*store_, agent, prompt, options);
       }},
      {"runtime",
       [this](const Agent& agent, std::string_view prompt, const RunOptions& options) {
         return run_in(plain_, agent, prompt, options);
       }},
      {"runtime, stored",
       [this](const Agent& agent, std::string_view prompt, const RunOptions& options) {
         return run_in(storing_, agent, prompt, options);
       }}};

  static Agent looker(const ScriptedModel& script) {
    return {.name = "looker",
            .model = script.model(),
            .tools = {tool("look", "Looks", [] { return "green"; })}};
  }
};

TEST_F(EveryDriver, tells_observers_and_those_who_want_the_text_alone) {
  for (const Way& way : ways_) {
    for (const Delivery delivery : {Delivery::streamed, Delivery::whole}) {
      const ScriptedModel script({calls({call("look")}, "I look. "), says("It is green.")});
      std::string text;
      int deltas = 0;
      int ends = 0;
      const RunOptions options{.observer =
                                   [&](const Event& event) {
                                     if (std::holds_alternative<TextDelta>(event)) ++deltas;
                                     if (std::holds_alternative<RunEnded>(event)) ++ends;
                                   },
                               .on_text = [&](std::string_view piece) { text += piece; },
                               .delivery = delivery};
      const auto answer = way.run(looker(script), "Which colour?", options);
      ASSERT_TRUE(answer) << way.name;
      EXPECT_EQ(text, "I look. It is green.") << way.name;
      EXPECT_EQ(ends, 1) << way.name;
      EXPECT_EQ(deltas > 0, delivery == Delivery::streamed) << way.name;
    }
  }
}

TEST_F(EveryDriver, tells_remarks_from_the_answer) {
  Response turn = says("It is green.");
  turn.content = {Text{"I look.", Text::Phase::commentary},
                  Text{"It is green.", Text::Phase::final_answer}};
  for (const Way& way : ways_) {
    for (const Delivery delivery : {Delivery::streamed, Delivery::whole}) {
      const ScriptedModel script({turn});
      std::string remarks;
      std::string answer;
      std::string told;
      const RunOptions options{
          .observer =
              [&](const Event& event) {
                const auto* delta = std::get_if<TextDelta>(&event);
                if (delta != nullptr && delta->phase == Text::Phase::commentary) {
                  told += runtime::data_of(event).at("phase").as_string();
                }
              },
          .on_text =
              [&](TextPiece piece) {
                (piece.phase == Text::Phase::commentary ? remarks : answer) += piece.text;
              },
          .delivery = delivery};
      ASSERT_TRUE(way.run(looker(script), "Which colour?", options)) << way.name;
      EXPECT_EQ(remarks, "I look.\n\n") << way.name;
      EXPECT_EQ(answer, "It is green.") << way.name;
      EXPECT_EQ(!told.empty(), delivery == Delivery::streamed) << way.name;
    }
  }
}

TEST(StoredEvents, join_words_of_one_kind_only) {
  const auto store = open_memory_store();
  const SessionId id = value_of(store->create_session({.agent_name = "tester"}));
  {
    runtime::EventWriter writer(*store, {});
    const Observer tell = writer.observer();
    for (int i = 0; i < 300; ++i) {
      tell(TextDelta{"a", Text::Phase::commentary}, {.session_id = id});
      tell(TextDelta{"b", Text::Phase::final_answer}, {.session_id = id});
      tell(TextDelta{"c"}, {.session_id = id});
    }
    writer.flush();
  }
  std::map<std::string, std::string> said;
  for (const StoredEvent& event : value_of(store->get_events({}))) {
    const JsonObject& data = event.data.as_object();
    const Json* phase = data.if_contains("phase");
    said[phase == nullptr ? "" : std::string(phase->as_string())] +=
        std::string(data.at("text").as_string());
  }
  EXPECT_EQ(said, (std::map<std::string, std::string>{{"", std::string(300, 'c')},
                                                      {"commentary", std::string(300, 'a')},
                                                      {"final_answer", std::string(300, 'b')}}));
}

TEST_F(EveryDriver, streams_unless_told_otherwise) {
  for (const Way& way : ways_) {
    const ScriptedModel script({says("Hello")});
    int deltas = 0;
    ASSERT_TRUE(way.run(looker(script), "Hi", {.observer = [&](const Event& event) {
                          if (std::holds_alternative<TextDelta>(event)) ++deltas;
                        }}));
    EXPECT_GT(deltas, 0) << way.name;
  }
}

TEST_F(EveryDriver, puts_other_interceptors_around_the_calls_of_one_run) {
  for (const Way& way : ways_) {
    int agents_own = 0;
    int of_this_run = 0;
    const auto counting = [](int& count) {
      return [&count](const Invocation& invocation, const Context& context, const Next& next) {
        ++count;
        return next(invocation, context);
      };
    };
    const ScriptedModel script({calls({call("look")}), says("Green")});
    Agent agent = looker(script);
    agent.interceptors = {counting(agents_own)};
    ASSERT_TRUE(
        way.run(agent, "Look", {.interceptors = std::vector<Interceptor>{counting(of_this_run)}}));
    EXPECT_EQ(agents_own, 0) << way.name;
    EXPECT_EQ(of_this_run, 1) << way.name;
  }
}

TEST_F(EveryDriver, ends_a_run_that_is_asked_to_stop) {
  for (const Way& way : ways_) {
    std::stop_source stop;
    Agent agent{.name = "slow",
                .model = testing::calling({call("forever")}),
                .tools = {testing::lasting([&] { stop.request_stop(); })}};
    const auto answer = way.run(agent, "Go", {.stop = stop.get_token()});
    ASSERT_FALSE(answer) << way.name;
    EXPECT_EQ(answer.error().code, ErrorCode::cancelled) << way.name;
    // One that was stopped before it began.
    const ScriptedModel script({says("Never heard")});
    const auto late = way.run(looker(script), "Go", {.stop = stop.get_token()});
    ASSERT_FALSE(late) << way.name;
    EXPECT_EQ(late.error().code, ErrorCode::cancelled) << way.name;
  }
}

TEST_F(EveryDriver, has_nobody_to_wait_for_where_nothing_is_stored) {
  for (const Way& way : ways_) {
    const ScriptedModel script({calls({call("ask")}), says("Nobody is there.")});
    Agent agent{.name = "asker", .model = script.model(), .tools = {testing::asking()}};
    const auto answer = way.run(agent, "Ask", {});
    ASSERT_TRUE(answer) << way.name;
    const bool is_stored = answer->session_id != 0 && !answer->waits.empty();
    EXPECT_EQ(answer->status == RunResult::Status::waiting, is_stored) << way.name;
    EXPECT_EQ(is_stored, way.name.ends_with("stored")) << way.name;
  }
}

TEST_F(EveryDriver, keeps_the_config_with_the_session) {
  for (const Way& way : ways_) {
    if (!way.name.ends_with("stored")) continue;
    const ScriptedModel script({says("Yes")});
    const auto answer = way.run(looker(script), "Hi", {.config = {{"tenant", "blue"}}});
    ASSERT_TRUE(answer);
    EXPECT_EQ(store_->get_session(answer->session_id)->config, Json({{"tenant", "blue"}}));
  }
}

TEST_F(EveryDriver, goes_on_with_the_options_it_was_started_with_or_given_since) {
  const ScriptedModel script({calls({call("ask")}), says("Thanks"), says("More")});
  const auto agent = std::make_shared<const Agent>(
      Agent{.name = "asker", .model = script.model(), .tools = {testing::asking()}});
  std::string first;
  std::string second;
  const SessionId id = value_of(
      storing_->start(agent, "Ask", {.on_text = [&](std::string_view text) { first += text; }}));
  const RunResult waiting = value_of(storing_->wait(id));
  ASSERT_EQ(waiting.status, RunResult::Status::waiting);
  ASSERT_TRUE(storing_->answer(waiting.waits.at(0).wait_id, Json("blue"), "Ada"));
  EXPECT_EQ(value_of(storing_->wait(id)).text, "Thanks");
  EXPECT_EQ(first, "Thanks");
  ASSERT_TRUE(storing_->send(agent, id, "And?",
                             {.on_text = [&](std::string_view text) { second += text; }}));
  EXPECT_EQ(value_of(storing_->wait(id)).text, "More");
  EXPECT_EQ(first, "Thanks");
  EXPECT_EQ(second, "More");
}

TEST(RunOptionsOfTwoPhases, count_for_the_model) {
  const ScriptedModel script({says("Hello"), says("Hello")});
  for (const Delivery delivery : {Delivery::streamed, Delivery::whole}) {
    std::string text;
    std::vector<std::string> events;
    TwoPhaseAgent agent({.name = "two", .model = script.model()},
                        {.observer =
                             [&](const Event& event) {
                               if (std::holds_alternative<ModelStarted>(event)) {
                                 events.emplace_back("started");
                               } else if (std::holds_alternative<ModelEnded>(event)) {
                                 events.emplace_back("ended");
                               }
                             },
                         .on_text = [&](std::string_view piece) { text += piece; },
                         .delivery = delivery});
    auto response = agent.process("Hi").get();
    ASSERT_NE(text_of(response), nullptr);
    EXPECT_EQ(text_of(response)->all(), "Hello");
    EXPECT_EQ(text, "Hello");
    EXPECT_EQ(events, (std::vector<std::string>{"started", "ended"}));
  }
}

TEST(RunOptionsOfTwoPhases, stop_the_model) {
  std::stop_source stop;
  const Model patient =
      model_from("test", "patient", [&](const Request&, const ModelCall& how) -> Result<Response> {
        stop.request_stop();
        if (how.stop.stop_requested()) return fail(ErrorCode::cancelled, "Stopped");
        return says("Not stopped");
      });
  TwoPhaseAgent agent({.name = "two", .model = patient}, {.stop = stop.get_token()});
  const auto response = agent.process("Hi").get();
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::cancelled);
}

}  // namespace
}  // namespace wright
