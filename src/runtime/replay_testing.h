// What tests of replays share: a session to record, and what its replay found.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "wright/agent.h"
#include "wright/driver.h"
#include "wright/replay.h"
#include "wright/testing.h"

namespace wright::replaying {

// A tool whose answers a test changes between the record and the replay.
struct World {
  std::string answer = "sunny";
  int calls = 0;
};

inline Tool look(World& world) {
  return tool("look", "Looks out of the window",
              [&world] {
                ++world.calls;
                return world.answer;
              },
              {.effect = Effect::read});
}

struct Stage {
  World world = {};
  std::unique_ptr<Store> store = open_memory_store();
  Agent agent = {};

  explicit Stage(std::vector<Result<Response>> turns, std::vector<Tool> tools = {}) {
    agent = {.name = "watcher",
             .instructions = "Watch.",
             .model = wright::testing::ScriptedModel(std::move(turns)).model(),
             .tools = std::move(tools)};
    agent.tools.push_back(look(world));
  }

  RecordedSession record(const RunOptions& options = {}) {
    (void)wright::run(*store, agent, "What is it like?", options);
    return loaded(1);
  }

  RecordedSession loaded(SessionId id) {
    auto recorded = load_recording(*store, id);
    EXPECT_TRUE(recorded) << recorded.error().message;
    return recorded.value_or(RecordedSession{});
  }
};

inline std::vector<Result<Response>> one_look() {
  return {wright::testing::calls({wright::testing::call("look", "{}", "c1")}),
          wright::testing::says("It is sunny")};
}

inline ReplayReport replayed(const Agent& agent, const RecordedSession& recorded,
                             const ReplayOptions& options = {}) {
  auto report = replay(agent, recorded, options);
  EXPECT_TRUE(report) << report.error().message;
  return report.value_or(ReplayReport{});
}

inline std::string shown(const ReplayReport& report) {
  std::string text;
  for (const Difference& each : report.differences) {
    text += std::string(to_string(each.kind)) + ": " + each.what + " | " + each.recorded + " | " +
            each.now + "\n";
  }
  for (const std::string& note : report.notes) text += "note: " + note + "\n";
  return text;
}

}  // namespace wright::replaying
