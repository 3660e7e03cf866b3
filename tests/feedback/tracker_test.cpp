// The tracker against the store: whatever a run does, both say the same.
#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

#include "store/forwarding_store.h"
#include "usage_counts.h"
#include "wright/runtime.h"
#include "wright/testing.h"
#include "wright/wright.h"

namespace wright {
namespace {

using testing::ByTool;
using testing::call;
using testing::calls;
using testing::Counts;
using testing::says;
using testing::ScriptedModel;
using testing::stored;
using testing::tracked;

std::vector<Tool> tools_of_all_kinds(std::stop_source& stop) {
  return {tool("good", "Finds",
               [] {
                 return Json({{"found", {1, 2}}});
               }),
          tool("empty", "Finds nothing",
               [] {
                 return Json({{"found", JsonArray{}}});
               }),
          tool("fails", "Fails",
               []() -> Result<Json> { return fail(ErrorCode::unavailable, "no luck"); }),
          tool("throws", "Throws", []() -> Json { throw std::runtime_error("thrown"); }),
          tool("unwell", "Says no",
               [] {
                 return Json({{"success", false}});
               }),
          tool("long", "Long", [] { return std::string(200'000, 'x'); }),
          tool("waits", "Waits", [] { return Waiting{.shown = "Shall I?"}; }),
          tool("stops", "Stops the run", [&stop] { stop.request_stop(); })};
}

// Random turns of random calls, good and bad, until a random end.
std::vector<Result<Response>> random_script(std::mt19937& random) {
  const auto below = [&](unsigned n) { return std::uniform_int_distribution(0U, n - 1)(random); };
  const std::vector<std::string> names{"good",
                                       "good",
                                       "empty",
                                       "fails",
                                       "throws",
                                       "unwell",
                                       "long",
                                       "waits",
                                       "stops",
                                       "nobody",
                                       "report_tool_feedback"};
  const std::vector<std::string> arguments{"{}", "", "{broken", "[]", R"({"a":1})", "\"x\""};
  std::vector<Result<Response>> turns;
  const unsigned rounds = below(5);
  for (unsigned i = 0; i < rounds; ++i) {
    std::vector<ToolCall> made;
    for (unsigned n = below(4) + 1; n > 0; --n) {
      // What ends a run is rarer.
      std::string name = names[below(static_cast<unsigned>(names.size()))];
      if ((name == "waits" || name == "stops") && below(4) != 0) name = "good";
      const std::string id = below(3) == 0 ? "same" : "";
      made.push_back(call(name, arguments[below(static_cast<unsigned>(arguments.size()))], id));
    }
    turns.emplace_back(calls(std::move(made), below(2) == 0 ? "Thinking." : ""));
  }
  switch (below(4)) {
    case 0: turns.emplace_back(fail(ErrorCode::network, "no route")); break;
    case 1: turns.emplace_back(calls({call("report_tool_feedback", "{}")}, "Done.")); break;
    default: turns.emplace_back(says("Done."));
  }
  return turns;
}

TEST(Tracker, always_agrees_with_the_store) {
  const auto store = open_sqlite_store(":memory:");
  ASSERT_TRUE(store);
  int compared = 0;
  for (unsigned seed = 0; seed < 150; ++seed) {
    std::mt19937 random(seed);
    std::stop_source stop;
    Agent agent{.name = "random",
                .model = ScriptedModel(random_script(random)).model(),
                .tools = tools_of_all_kinds(stop),
                .limits = {.max_iterations = 4}};
    if (seed % 2 == 0) agent.interceptors = conveniences();
    std::optional<FeedbackReport> report;
    SessionId id = 0;
    (void)wright::run(**store, agent, "go",
                      {.observer =
                           [&](const Event& event) {
                             if (const auto* began = std::get_if<SessionStarted>(&event)) {
                               id = began->session_id;
                             } else if (const auto* given = std::get_if<FeedbackGiven>(&event)) {
                               report = given->report;
                             }
                           },
                       .stop = stop.get_token(),
                       .debug = true});
    ASSERT_TRUE(report) << "seed " << seed;
    EXPECT_EQ(tracked(*report), stored(**store, id)) << "seed " << seed;
    for (const UsedTool& tool : report->tool_feedback.tools_used) {
      const Counts counts = tracked(*report)[tool.name];
      EXPECT_EQ(tool.success, counts.failed < counts.calls) << "seed " << seed << tool.name;
      compared += counts.calls;
    }
  }
  EXPECT_GT(compared, 200) << "the scripts are too tame";
}

TEST(Tracker, has_a_record_of_a_run_that_was_resumed_elsewhere) {
  std::stop_source stop;
  const Agent agent{.name = "resumed",
                    .model = ScriptedModel({says("Done.")}).model(),
                    .tools = tools_of_all_kinds(stop)};
  wright::Run begun = start(agent, "How many are there?");
  ASSERT_TRUE(accept(begun, ModelAnswered{calls({call("good", "{}", "1"), call("nobody", "{}", "2"),
                                                 call("long", "{}", "3")})}));
  const auto open = std::get<CallTools>(next(agent, begun));
  for (const ToolCall& each : open.calls) {
    ASSERT_TRUE(accept(begun, ToolFinished{execute(agent.tools, {}, each, {}).result}));
  }
  auto resumed = run_from_json(to_json(begun));
  ASSERT_TRUE(resumed);
  const auto answer = drive(agent, *resumed, {.debug = true});
  ASSERT_TRUE(answer && answer->feedback);
  EXPECT_EQ(tracked(*answer->feedback),
            (ByTool{{"good", {1, 0}}, {"nobody", {1, 1}}, {"long", {1, 0}}}));
  const auto& limits = answer->feedback->tool_feedback.limitations;
  EXPECT_TRUE(std::ranges::any_of(limits, [](const Limitation& each) {
    return each.description == "The model called nobody, which does not exist";
  }));
  EXPECT_TRUE(std::ranges::any_of(limits, [](const Limitation& each) {
    return each.description == "long returned only a part of what there is";
  }));
}

TEST(Tracker, works_in_the_concurrent_driver_too) {
  const auto store = open_sqlite_store(":memory:");
  ASSERT_TRUE(store);
  const auto runtime = Runtime::open({.store = store->get()});
  ASSERT_TRUE(runtime) << runtime.error().message;
  std::stop_source stop;
  const auto agent = std::make_shared<const Agent>(
      Agent{.name = "parallel",
            .model = ScriptedModel({calls({call("good"), call("fails"), call("empty")}),
                                    calls({call("report_tool_feedback", "{}")}, "Done.")})
                         .model(),
            .tools = tools_of_all_kinds(stop)});
  const auto id = (*runtime)->start(agent, "go", {.debug = true});
  ASSERT_TRUE(id) << id.error().message;
  const auto answer = (*runtime)->wait(*id);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->text, "Done.");
  ASSERT_TRUE(answer->feedback);
  EXPECT_EQ(tracked(*answer->feedback), stored(**store, *id));
  const auto session = (*store)->get_session(*id);
  ASSERT_TRUE(session);
  EXPECT_EQ(to_text(session->feedback), to_text(to_json(*answer->feedback)));
}

// A store whose disk is full when the feedback comes.
class NoRoomForFeedback : public store::ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  std::vector<Result<BatchIds>> apply_all(std::span<const Batch> batches) override {
    for (const Batch& batch : batches) {
      for (const Write& write : batch.writes) {
        const auto* update = std::get_if<UpdateSession>(&write);
        if (update == nullptr || !update->feedback) continue;
        const Error full{ErrorCode::storage, "The disk is full"};
        return std::vector<Result<BatchIds>>(batches.size(), std::unexpected(full));
      }
    }
    return ForwardingStore::apply_all(batches);
  }
};

// The report and the end of the session are one batch: neither is there without the other.
TEST(Tracker, stores_its_report_with_the_end_of_the_session) {
  std::stop_source stop;
  const Agent agent{
      .name = "unlucky",
      .model = ScriptedModel({calls({call("good")}), says("Done."), says("Done.")}).model(),
      .tools = tools_of_all_kinds(stop)};
  const auto inner = open_memory_store();
  NoRoomForFeedback store(*inner);
  const auto refused = wright::run(store, agent, "go", {.debug = true});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "The disk is full");
  EXPECT_EQ(inner->get_session(1)->status, SessionStatus::running);
  EXPECT_TRUE(inner->get_session(1)->feedback.is_null());
  const auto answer = wright::resume(*inner, agent, 1, {.debug = true});
  ASSERT_TRUE(answer && answer->feedback);
  EXPECT_EQ(inner->get_session(1)->status, SessionStatus::completed);
  EXPECT_EQ(to_text(inner->get_session(1)->feedback), to_text(to_json(*answer->feedback)));
}

TEST(Tracker, looks_only_at_what_came_after_the_last_prompt) {
  std::stop_source stop;
  const Agent agent{.name = "twice",
                    .model = ScriptedModel({calls({call("fails")}), says("No."),
                                            calls({call("good")}), says("Yes.")})
                                 .model(),
                    .tools = tools_of_all_kinds(stop)};
  wright::Run run = start(agent, "First?");
  ASSERT_TRUE(drive(agent, run, {.debug = true}));
  ASSERT_TRUE(accept(run, UserSaid{Message::user("Second?")}));
  const auto answer = drive(agent, run, {.debug = true});
  ASSERT_TRUE(answer && answer->feedback);
  EXPECT_EQ(tracked(*answer->feedback), (ByTool{{"good", {1, 0}}}));
}

}  // namespace
}  // namespace wright
