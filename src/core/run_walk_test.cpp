// Drives the run machine through thousands of legal outcomes at random, and offers it illegal ones
// in between. After every step its invariants hold and it survives a round trip through JSON.
#include <gtest/gtest.h>

#include <random>

#include "core/run_invariants.h"
#include "wright/run.h"
#include "wright/testing.h"

namespace wright {
namespace {

class Walk {
 public:
  explicit Walk(unsigned seed) : random_(seed) {
    agent_.name = "walker";
    agent_.limits.max_iterations = 1 + pick(6);
  }

  void go(int steps) {
    Run run = start(agent_, "begin");
    for (int i = 0; i < steps; ++i) {
      const Run before = run;
      Step step = next(agent_, run);
      check_step(run, step);
      Outcome outcome = pick(8) == 0 ? any_outcome() : fitting_outcome(step);
      const auto accepted = accept(run, std::move(outcome));
      if (!accepted) {
        ASSERT_EQ(run, before) << "a refused outcome changed the run";
      }
      ASSERT_TRUE(check_invariants(run)) << check_invariants(run).error().message;
      check_only_grows(before, run);
      if (pick(5) != 0) continue;
      auto copy = run_from_json(*parse_json(to_text(to_json(run))));
      ASSERT_TRUE(copy) << copy.error().message;
      ASSERT_EQ(*copy, run);
      run = std::move(*copy);
    }
  }

  int model_calls() const { return model_calls_; }
  int waits() const { return waits_; }
  int limits_reached() const { return limits_reached_; }

 private:
  int pick(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }

  void check_step(const Run& run, const Step& step) {
    if (const auto* call = std::get_if<CallModel>(&step)) {
      ++model_calls_;
      ASSERT_EQ(call->request.messages.data(), run.messages.data());
      ASSERT_TRUE(run.open_calls.empty()) << "an unanswered call precedes a model call";
    } else if (const auto* tools = std::get_if<CallTools>(&step)) {
      ASSERT_FALSE(tools->calls.empty());
    } else if (const auto* wait = std::get_if<Wait>(&step)) {
      ++waits_;
      ASSERT_FALSE(wait->waits.empty() && wait->specialists.empty());
    } else if (const auto* failed = std::get_if<Failed>(&step)) {
      ASSERT_FALSE(failed->error.message.empty());
      if (limit_of(failed->error) == Limit::iterations) ++limits_reached_;
    }
    if (run.phase == Phase::done || run.phase == Phase::failed || run.phase == Phase::cancelled) {
      // Every end is an end: asking again gives the same, and only a user can go on.
      Run same = run;
      ASSERT_FALSE(accept(same, ModelAnswered{testing::says("late")}));
      ASSERT_FALSE(accept(same, ToolFinished{{"1", "t", "late", false}}));
      ASSERT_FALSE(accept(same, Cancelled{"late"}));
      ASSERT_EQ(next(agent_, same).index(), step.index());
    }
  }

  void check_only_grows(const Run& before, const Run& after) {
    ASSERT_GE(after.messages.size(), before.messages.size());
    for (std::size_t i = 0; i < before.messages.size(); ++i) {
      ASSERT_EQ(after.messages[i], before.messages[i]) << "history was rewritten";
    }
  }

  Response random_response() {
    Response response;
    if (pick(2) == 0) response.content.emplace_back(Text{pick(4) == 0 ? "" : "some words"});
    if (pick(4) == 0) response.content.emplace_back(Reasoning{"hm", "{}"});
    for (int n = pick(5); n > 0; --n) {
      const char* ids[] = {"", "same", "other", "x"};
      const char* arguments[] = {"{}", "", "{broken", "[1]", "{\"a\":\"\xFF\"}"};
      response.content.emplace_back(ToolCall{ids[pick(4)], "tool", arguments[pick(4)]});
    }
    response.usage = {.input_tokens = pick(10), .output_tokens = pick(10)};
    return response;
  }

  Outcome fitting_outcome(const Step& step) {
    if (pick(25) == 0) return Cancelled{"stop"};
    if (std::holds_alternative<CallModel>(step)) {
      if (pick(12) == 0) return ModelFailed{{ErrorCode::timeout, "slow", {}}};
      return ModelAnswered{random_response()};
    }
    if (const auto* tools = std::get_if<CallTools>(&step)) {
      const ToolCall& call =
          tools->calls[static_cast<std::size_t>(pick(static_cast<int>(tools->calls.size())))];
      if (pick(5) == 0) return ToolWaits{call.id, Waiting{.shown = Json("?")}};
      if (pick(8) == 0) return ToolWaits{call.id, Delegate{"You"}};
      return ToolFinished{{call.id, call.name, "result", pick(3) == 0}};
    }
    if (const auto* wait = std::get_if<Wait>(&step)) {
      const ToolCall& call = wait->waits.empty() ? wait->specialists[0].call : wait->waits[0].call;
      return ToolFinished{{call.id, "tool", "answer", false}};
    }
    if (std::holds_alternative<Done>(step) && pick(3) == 0) return AnswerRefused{"again"};
    return UserSaid{Message::user("go on")};
  }

  Outcome any_outcome() {
    switch (pick(7)) {
      case 0: return UserSaid{Message::user("hello")};
      case 1: return ModelAnswered{random_response()};
      case 2: return ModelFailed{{ErrorCode::timeout, "slow", {}}};
      case 3: return ToolFinished{{"same", "tool", "result", false}};
      case 5: return AnswerRefused{"no"};
      case 4: return ToolWaits{"same", {}};
      default: return Cancelled{"stop"};
    }
  }

  std::mt19937 random_;
  Agent agent_;
  int model_calls_ = 0;
  int waits_ = 0;
  int limits_reached_ = 0;
};

TEST(RunWalk, keeps_its_invariants_through_thousands_of_outcomes) {
  int model_calls = 0;
  int waits = 0;
  int limits_reached = 0;
  for (unsigned seed = 0; seed < 100 && !HasFatalFailure(); ++seed) {
    Walk walk(seed);
    walk.go(60);
    model_calls += walk.model_calls();
    waits += walk.waits();
    limits_reached += walk.limits_reached();
  }
  // The walk went everywhere, so that its silence means something.
  EXPECT_GT(model_calls, 1000);
  EXPECT_GT(waits, 100);
  EXPECT_GT(limits_reached, 50);
}

}  // namespace
}  // namespace wright
