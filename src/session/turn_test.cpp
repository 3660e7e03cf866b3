#include "session/turn.h"

#include <gtest/gtest.h>

#include <map>

#include "wright/testing.h"

namespace wright::session {
namespace {

class Turns : public ::testing::Test {
 protected:
  Turns() {
    Tool shell = tool("shell", "", [] { return 1; }, {.concurrency = Concurrency::serial});
    shell.only_reads = [](const Json& arguments) { return arguments == Json{{"line", "ls"}}; };
    agent_.tools = {std::move(shell), tool("read", "", [] { return 1; }),
                    tool("write", "", [] { return 1; }, {.concurrency = Concurrency::serial})};
  }

  void turn(std::vector<ToolCall> calls) {
    for (ToolCall& call : calls) run_.open_calls.push_back({.call = std::move(call)});
  }

  std::string started(const std::string& running = "") const {
    const CallsUnderWay under_way{
        [&](const std::string& id) { return running.find(id) != std::string::npos; },
        running.size()};
    std::string ids;
    for (const OpenCall* open : startable(agent_, run_, under_way, 8)) ids += open->call.id;
    return ids;
  }

  void answer(const std::string& id) {
    for (OpenCall& open : run_.open_calls) {
      if (open.call.id == id) open.state = OpenCall::State::answered;
    }
  }

  Agent agent_;
  wright::Run run_;
};

TEST_F(Turns, what_writes_runs_in_the_order_of_the_calls) {
  turn({{"a", "read", "{}"}, {"b", "write", "{}"}, {"c", "shell", R"({"line":"sh x"})"}});
  EXPECT_EQ(started(), "a");
  EXPECT_EQ(started("a"), "");
  answer("a");
  EXPECT_EQ(started(), "b");
  EXPECT_EQ(started("b"), "");
  answer("b");
  EXPECT_EQ(started(), "c");
}

TEST_F(Turns, a_call_that_only_reads_runs_beside_others) {
  turn({{"a", "shell", R"({"line":"ls"})"},
        {"b", "read", "{}"},
        {"c", "shell", R"({"line":"ls"})"},
        {"d", "shell", R"({"line":"rm x"})"},
        {"e", "shell", R"({"line":"ls"})"}});
  EXPECT_EQ(started(), "abc");
}

TEST_F(Turns, arguments_that_are_no_json_do_not_pass_for_reading) {
  turn({{"a", "read", "{}"}, {"b", "shell", R"({"line":)"}, {"c", "shell", ""}});
  EXPECT_EQ(started(), "a");
}

}  // namespace
}  // namespace wright::session
