// Replays of sessions with specialists and handoffs.
#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/replay_testing.h"

namespace wright {
namespace {

using testing::call;
using testing::calls;
using testing::says;
using testing::ScriptedModel;
using namespace replaying;

// An agent that asks two specialists in one turn; one of them looks out of the window.
struct Delegation {
  ScriptedModel north{{calls({call("look", "{}", "n1")}), says("north is sunny")}};
  ScriptedModel south{{says("south is wet"), says("south is dry")}};
  Stage stage;

  Delegation()
      : stage({calls({call("north", R"({"message":"go north"})", "c1"),
                      call("south", R"({"message":"go south"})", "c2"),
                      call("south", R"({"message":"go further south"})", "c3")}),
               says("Both are weather")}) {
    Agent specialist{.name = "north", .instructions = "North.", .model = north.model()};
    specialist.tools.push_back(look(stage.world));
    stage.agent.tools.push_back(delegate_to(specialist));
    stage.agent.tools.push_back(
        delegate_to(Agent{.name = "south", .instructions = "South.", .model = south.model()}));
  }
};

TEST(ReplayOfSpecialists, replays_the_specialists_too) {
  Delegation delegation;
  const RecordedSession recorded = delegation.stage.record();
  ASSERT_EQ(recorded.calls.size(), 3U);
  ASSERT_EQ(recorded.calls[0].specialist.size(), 1U);
  for (const ToolSource tools : {ToolSource::record, ToolSource::live}) {
    const ReplayReport report = replayed(delegation.stage.agent, recorded, {.tools = tools});
    EXPECT_EQ(shown(report), "");
    EXPECT_EQ(report.turns, 6);
    EXPECT_EQ(report.session.messages, recorded.messages);
    ASSERT_EQ(report.session.calls[2].specialist.size(), 1U);
    EXPECT_EQ(report.session.calls[2].specialist[0].messages,
              recorded.calls[2].specialist[0].messages);
  }
  EXPECT_EQ(shown(replayed(recorded_agent(recorded), recorded)), "");
}

TEST(ReplayOfSpecialists, knows_all_tools_that_a_specialist_ever_called) {
  const ScriptedModel model({calls({call("one", "{}", "s1")}), says("first"),
                             calls({call("two", "{}", "s2")}), says("second")});
  Agent specialist{.name = "twice", .instructions = "Twice.", .model = model.model()};
  specialist.tools = {tool("one", "One", [] { return 1; }), tool("two", "Two", [] { return 2; })};
  Stage stage({calls({call("twice", R"({"message":"a"})", "c1")}),
               calls({call("twice", R"({"message":"b"})", "c2")}), says("Done")},
              {delegate_to(specialist)});
  const RecordedSession recorded = stage.record();
  ASSERT_EQ(recorded.status, SessionStatus::completed) << recorded.error;
  EXPECT_EQ(shown(replayed(recorded_agent(recorded), recorded)), "");
}

TEST(ReplayOfSpecialists, waits_for_ever_where_a_record_does) {
  const Message asks{Role::assistant, {ToolCall{"c1", "helper", R"({"message":"m"})"}}};
  const RecordedSession recorded{
      .agent = "a",
      .status = SessionStatus::waiting,
      .messages = {Message::user("Hi"), asks},
      .calls = {{.id = "c1",
                 .status = CallStatus::waiting,
                 .waits = {{.kind = WaitKind::result, .shown = JsonObject{{"agent", "helper"}}}}}}};
  const Agent agent{.name = "a", .tools = {delegate_to(Agent{.name = "helper"})}};
  const ReplayReport report = replayed(agent, recorded);
  EXPECT_TRUE(report.differences.empty()) << shown(report);
}

TEST(ReplayOfSpecialists, shows_in_which_specialist_something_differs) {
  Delegation delegation;
  const RecordedSession recorded = delegation.stage.record();
  delegation.stage.world.answer = "snow";
  const ReplayReport report =
      replayed(delegation.stage.agent, recorded, {.tools = ToolSource::live});
  ASSERT_EQ(report.differences.size(), 1U) << shown(report);
  EXPECT_EQ(report.differences[0].specialists, std::vector<std::string>{"north"});
  EXPECT_EQ(report.differences[0].message, 3U);
  EXPECT_EQ(report.differences[0].now, "snow");
}

TEST(ReplayOfSpecialists, tells_a_specialist_that_is_not_asked_any_more) {
  Delegation delegation;
  const RecordedSession recorded = delegation.stage.record();
  std::erase_if(delegation.stage.agent.tools,
                [](const Tool& each) { return each.spec.name == "south"; });
  const ReplayReport report = replayed(delegation.stage.agent, recorded);
  ASSERT_EQ(report.differences.size(), 1U) << shown(report);
  EXPECT_EQ(report.differences[0].now.substr(0, 7), "failed:") << shown(report);
}

TEST(ReplayOfSpecialists, follows_a_conversation_that_is_handed_over) {
  const ScriptedModel second({calls({call("peek", "{}", "p1")}), says("Second here")});
  Agent other{.name = "second", .instructions = "Second.", .model = second.model()};
  other.tools = {tool("peek", "Peeks", [] { return "peeked"; })};
  Stage stage({calls({call("transfer_to_second", "{}", "c1")})}, {hand_off_to(other)});
  const RecordedSession recorded = stage.record();
  ASSERT_EQ(recorded.status, SessionStatus::completed) << recorded.error;
  for (const ToolSource tools : {ToolSource::record, ToolSource::live}) {
    const ReplayReport report = replayed(stage.agent, recorded, {.tools = tools});
    EXPECT_EQ(shown(report), "");
    EXPECT_EQ(report.session.messages, recorded.messages);
  }
}

}  // namespace
}  // namespace wright
