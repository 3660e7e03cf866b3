// Debug mode of sessions with specialists: each session of a tree has feedback of its own, and in
// each, tracker and store say the same.
#include <gtest/gtest.h>

#include <random>

#include "usage_counts.h"
#include "wright/agent.h"
#include "wright/driver.h"
#include "wright/runtime.h"
#include "wright/testing.h"
#include "wright/wright.h"

namespace wright {
namespace {

using testing::ByTool;
using testing::call;
using testing::calls;
using testing::says;
using testing::ScriptedModel;
using testing::stored;
using testing::tracked;

Tool good_tool() {
  return tool("good", "Finds", [](const Json&) { return Json({{"found", {1, 2}}}); });
}
Tool failing_tool() {
  return tool("fails", "Fails",
              []() -> Result<Json> { return fail(ErrorCode::unavailable, "no luck"); });
}

Agent agent_with(std::string name, std::vector<Result<Response>> turns, std::vector<Tool> below) {
  Agent agent{.name = std::move(name),
              .instructions = "Find out.",
              .model = ScriptedModel(std::move(turns)).model(),
              .tools = {good_tool(), failing_tool()}};
  for (Tool& each : below) agent.tools.push_back(std::move(each));
  return agent;
}

constexpr const char* kMessage = R"({"message":"Look for it"})";

// The session's own feedback, or nothing.
std::optional<FeedbackReport> feedback_of(Store& store, SessionId id) {
  const auto session = store.get_session(id);
  EXPECT_TRUE(session);
  if (!session || session->feedback.is_null()) return std::nullopt;
  const auto report = feedback_report_from_json(session->feedback);
  EXPECT_TRUE(report) << report.error().message;
  return report ? std::optional(*report) : std::nullopt;
}

std::vector<SessionId> children_of(Store& store, SessionId id) {
  const auto sessions = store.list_sessions({.parent_session_id = id});
  EXPECT_TRUE(sessions);
  std::vector<SessionId> ids;
  for (const Session& each : *sessions) ids.push_back(each.id);
  return ids;
}

// Compares the session and all below it; says how many there were.
int compare_tree(Store& store, SessionId id, std::string_view where) {
  const auto report = feedback_of(store, id);
  EXPECT_TRUE(report) << where << ": session " << id << " has no feedback";
  if (report) {
    EXPECT_EQ(tracked(*report), stored(store, id)) << where << ": session " << id;
  }
  int count = 1;
  for (const SessionId child : children_of(store, id)) count += compare_tree(store, child, where);
  return count;
}

TEST(DebugModeOfTrees, tells_in_each_session_what_was_used_there) {
  const auto store = open_sqlite_store(":memory:");
  ASSERT_TRUE(store);
  const Agent helper = agent_with(
      "helper", {calls({call("good"), call("fails"), call("good", R"({"a":1})")}), says("Here.")},
      {});
  const Agent chief =
      agent_with("chief", {calls({call("helper", kMessage), call("good")}), says("Done.")},
                 {delegate_to(helper)});
  const auto answer = wright::run(**store, chief, "go", {.debug = true});
  ASSERT_TRUE(answer && answer->feedback);
  EXPECT_EQ(tracked(*answer->feedback), (ByTool{{"helper", {1, 0}}, {"good", {1, 0}}}));
  const auto children = children_of(**store, answer->session_id);
  ASSERT_EQ(children.size(), 1U);
  const auto below = feedback_of(**store, children[0]);
  ASSERT_TRUE(below);
  EXPECT_EQ(tracked(*below), (ByTool{{"good", {2, 0}}, {"fails", {1, 1}}}));
  EXPECT_EQ(compare_tree(**store, answer->session_id, "two levels"), 2);
}

TEST(DebugModeOfTrees, stores_the_instructions_that_a_specialist_was_given) {
  const auto store = open_sqlite_store(":memory:");
  ASSERT_TRUE(store);
  const Agent helper = agent_with("helper", {says("Here.")}, {});
  const Agent chief = agent_with("chief", {calls({call("helper", kMessage)}), says("Done.")},
                                 {delegate_to(helper)});
  const auto answer = wright::run(**store, chief, "go", {.debug = true});
  ASSERT_TRUE(answer);
  const auto child = (*store)->get_session(children_of(**store, answer->session_id).at(0));
  ASSERT_TRUE(child && child->system_prompt);
  EXPECT_TRUE(child->system_prompt->starts_with("Find out."));
  EXPECT_NE(child->system_prompt->find(kReportToolFeedback), std::string::npos);
}

TEST(DebugModeOfTrees, observes_nobody_when_it_is_off) {
  const auto store = open_sqlite_store(":memory:");
  ASSERT_TRUE(store);
  const Agent helper = agent_with("helper", {calls({call("good")}), says("Here.")}, {});
  const Agent chief = agent_with("chief", {calls({call("helper", kMessage)}), says("Done.")},
                                 {delegate_to(helper)});
  const auto answer = wright::run(**store, chief, "go");
  ASSERT_TRUE(answer);
  EXPECT_FALSE(answer->feedback);
  const auto child = children_of(**store, answer->session_id).at(0);
  EXPECT_FALSE(feedback_of(**store, child));
  EXPECT_EQ((*store)->get_session(child)->system_prompt, "Find out.");
}

TEST(DebugModeOfTrees, heeds_what_a_specialist_says_for_itself_and_the_query_above_all) {
  struct Case {
    std::optional<bool> query;
    std::optional<bool> chief;
    std::optional<bool> helper;
    bool chief_tells;
    bool helper_tells;
  };
  const auto options = [](std::optional<bool> enabled) -> std::optional<DebugOptions> {
    if (!enabled) return std::nullopt;
    return DebugOptions{.enabled = *enabled};
  };
  for (const Case& each :
       {Case{{}, true, {}, true, true}, Case{{}, true, false, true, false},
        Case{{}, {}, true, false, true}, Case{{}, false, {}, false, false},
        Case{true, {}, false, true, true}, Case{false, true, true, false, false}}) {
    const auto store = open_sqlite_store(":memory:");
    ASSERT_TRUE(store);
    Agent helper = agent_with("helper", {calls({call("good")}), says("Here.")}, {});
    helper.debug = options(each.helper);
    Agent chief = agent_with("chief", {calls({call("helper", kMessage)}), says("Done.")},
                             {delegate_to(helper)});
    chief.debug = options(each.chief);
    const auto answer = wright::run(**store, chief, "go", {.debug = each.query});
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->feedback.has_value(), each.chief_tells);
    const auto children = children_of(**store, answer->session_id);
    ASSERT_EQ(children.size(), 1U);
    EXPECT_EQ(feedback_of(**store, children[0]).has_value(), each.helper_tells);
  }
}

// Some turns of calls to the tools and to the agent below, then an answer or a failure.
std::vector<Result<Response>> random_turns(std::mt19937& random, const std::string& below) {
  const auto one_of = [&](unsigned n) { return std::uniform_int_distribution(0U, n - 1)(random); };
  std::vector<Result<Response>> turns;
  for (unsigned round = one_of(3); round > 0; --round) {
    std::vector<ToolCall> made;
    for (unsigned n = one_of(3) + 1; n > 0; --n) {
      const std::vector<ToolCall> choices{call("good"),
                                          call("fails"),
                                          call("nobody"),
                                          call("good", "{broken"),
                                          call(below.empty() ? "good" : below, kMessage),
                                          call(below.empty() ? "fails" : below, "{}")};
      made.push_back(choices[one_of(static_cast<unsigned>(choices.size()))]);
    }
    turns.emplace_back(calls(std::move(made)));
  }
  if (one_of(5) == 0) {
    turns.emplace_back(fail(ErrorCode::network, "no route"));
  } else {
    turns.emplace_back(one_of(2) == 0 ? says("Done.")
                                      : calls({call("report_tool_feedback", "{}")}, "Done."));
  }
  return turns;
}

Specialist random_specialist(std::mt19937& random, const std::string& name,
                             std::optional<Specialist> below) {
  return {.name = name, .make = [&random, name, below]() -> Result<std::shared_ptr<const Agent>> {
            std::vector<Tool> tools;
            if (below) tools.push_back(delegate_to(*below, "Knows more").value());
            return std::make_shared<const Agent>(
                agent_with(name, random_turns(random, below ? below->name : ""), std::move(tools)));
          }};
}

TEST(DebugModeOfTrees, tracker_and_store_always_agree) {
  int sessions = 0;
  for (unsigned seed = 0; seed < 120; ++seed) {
    const auto store = open_sqlite_store(":memory:");
    ASSERT_TRUE(store);
    std::mt19937 random(seed);
    const Specialist deep = random_specialist(random, "deep", std::nullopt);
    const Specialist helper = random_specialist(random, "helper", deep);
    const auto chief = random_specialist(random, "chief", helper).make();
    ASSERT_TRUE(chief);
    SessionId id = 0;
    (void)wright::run(**store, **chief, "go",
                      {.observer =
                           [&](const Event& event) {
                             if (const auto* began = std::get_if<SessionStarted>(&event)) {
                               id = began->session_id;
                             }
                           },
                       .debug = true});
    ASSERT_NE(id, 0);
    sessions += compare_tree(**store, id, "seed " + std::to_string(seed));
  }
  EXPECT_GT(sessions, 150) << "the trees are too small";
}

TEST(DebugModeOfTrees, agrees_in_the_concurrent_driver_too) {
  const auto store = open_sqlite_store(":memory:");
  ASSERT_TRUE(store);
  const auto runtime = Runtime::open({.store = store->get()});
  ASSERT_TRUE(runtime) << runtime.error().message;
  const Agent helper =
      agent_with("helper", {calls({call("good"), call("fails")}), says("Here.")}, {});
  const auto chief = std::make_shared<const Agent>(
      agent_with("chief", {calls({call("helper", kMessage), call("fails")}), says("Done.")},
                 {delegate_to(helper)}));
  const auto id = (*runtime)->start(chief, "go", {.debug = true});
  ASSERT_TRUE(id) << id.error().message;
  ASSERT_TRUE((*runtime)->wait(*id));
  EXPECT_EQ(compare_tree(**store, *id, "concurrent"), 2);
}

TEST(DebugModeOfTrees, goes_on_after_a_person_answered_below) {
  const auto store = open_sqlite_store(":memory:");
  ASSERT_TRUE(store);
  const auto make_chief = [](bool is_resumed) {
    std::vector<Result<Response>> of_helper{calls({call("good"), call("asks")}), says("Here.")};
    std::vector<Result<Response>> of_chief{calls({call("helper", kMessage)}), says("Done.")};
    if (is_resumed) {
      of_helper.erase(of_helper.begin());
      of_chief.erase(of_chief.begin());
    }
    Agent helper = agent_with("helper", std::move(of_helper), {});
    helper.tools.push_back(tool("asks", "Asks", [](const Context& context) -> ToolReply {
      if (context.answers.answer) return Output{.value = {{"said", *context.answers.answer}}};
      return Waiting{.shown = "Shall I?"};
    }));
    return agent_with("chief", std::move(of_chief), {delegate_to(helper)});
  };
  const auto waiting = wright::run(**store, make_chief(false), "go", {.debug = true});
  ASSERT_TRUE(waiting) << waiting.error().message;
  ASSERT_EQ(waiting->status, RunResult::Status::waiting);
  ASSERT_EQ(waiting->waits.size(), 1U);
  ASSERT_TRUE(answer_wait(**store, waiting->waits[0].wait_id, Json("yes"), "test"));
  const auto answer =
      wright::resume(**store, make_chief(true), waiting->session_id, {.debug = true});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->text, "Done.");
  EXPECT_EQ(compare_tree(**store, waiting->session_id, "resumed"), 2);
}

}  // namespace
}  // namespace wright
