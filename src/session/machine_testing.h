// Sessions of one agent whose tools are only names, up to the moment that a test is about.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "session/tree_testing.h"
#include "wright/agent.h"
#include "wright/testing.h"

namespace wright::session::testing {

inline Agent with_tools(std::vector<std::string> names, Limits limits = {}) {
  Agent agent{.name = "worker", .limits = limits};
  for (const std::string& name : names) agent.tools.push_back(tool(name, "", [] { return "ok"; }));
  return agent;
}

inline ToolCall call(std::string id, std::string name) {
  return {.id = std::move(id), .name = std::move(name), .arguments = "{}"};
}

// Up to the moment in which the first call is about to run.
inline RunCall begin_call(TreeByHand& hand) {
  hand.begin();
  hand.write_all();
  EXPECT_TRUE(hand.take<AskModel>());
  hand.answer_model(kRoot, wright::testing::calls({call("a", "act")}));
  hand.write_all();
  auto run = hand.take<RunCall>();
  EXPECT_TRUE(run);
  return run ? run->second : RunCall{};
}

inline Waiting approval() {
  return {.kind = WaitKind::approval, .shown = {{"tool", "act"}}};
}

template <class Kind>
const Kind* find_write(const Batch& batch) {
  for (const Write& write : batch.writes) {
    if (const auto* found = std::get_if<Kind>(&write)) return found;
  }
  return nullptr;
}

}  // namespace wright::session::testing
