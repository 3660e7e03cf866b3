#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <latch>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/failed_usage.h"
#include "runtime/runtime_testing.h"
#include "store/forwarding_store.h"
#include "wright/agent.h"

namespace wright {
namespace {

using testing::call;
using testing::calling;
using testing::calls;
using testing::lasting;
using testing::open_runtime;
using testing::says;
using testing::value_of;

TEST(Limits, stops_before_a_call_that_could_pass_the_budget_of_the_tree) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  std::atomic<int> asked = 0;
  const Agent below{.name = "below",
                    .model = model_from("test", "m", [&](const Request&, const ModelCall&) {
                      ++asked;
                      Response response = says("ok");
                      response.usage = {.input_tokens = 100, .output_tokens = 100};
                      return Result<Response>(std::move(response));
                    })};
  Agent top{.name = "top",
            .model = calling({call("below", R"({"message":"x"})", "1")}),
            .tools = {delegate_to(below)}};
  top.limits.max_tokens = 4150;  // room for one answer of 4,000 at a time, and for one specialist
  const SessionId id = value_of(runtime->start(std::make_shared<const Agent>(top), "Go"));
  const auto answer = runtime->wait(id);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::limit_reached);
  EXPECT_NE(answer.error().message.find("4150 tokens"), std::string::npos)
      << answer.error().message;
  EXPECT_EQ(asked, 1);
}

// Answers everything with one call and tells a fixed price.
class PricedBackend final : public ModelBackend {
 public:
  explicit PricedBackend(std::atomic<int>& asked) : asked_(asked) {}

  Result<Response> complete(const Request&, const ModelCall&) override {
    const int number = ++asked_;
    Response response = calls({call("look", "{}", std::to_string(number))});
    response.usage = {.input_tokens = 10, .output_tokens = 10, .cost_usd = 0.02};
    return response;
  }
  std::optional<double> cost_usd(std::int64_t, std::int64_t) const override { return 0.03; }

 private:
  std::atomic<int>& asked_;
};

TEST(Limits, stops_before_a_call_that_could_cost_too_much) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  std::atomic<int> asked = 0;
  int looked = 0;
  Agent agent{.name = "spender",
              .model = Model("test", "priced", std::make_shared<PricedBackend>(asked)),
              .tools = {tool("look", "", [&] { return ++looked; })}};
  agent.limits.max_cost_usd = 0.08;  // three calls cost 0.06; the fourth could reach 0.09
  const SessionId id = value_of(runtime->start(std::make_shared<const Agent>(agent), "Go"));
  const auto answer = runtime->wait(id);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::limit_reached);
  EXPECT_NE(answer.error().message.find("0.08"), std::string::npos) << answer.error().message;
  EXPECT_EQ(asked, 3);
  EXPECT_NEAR(store->get_session(id)->usage.cost_usd, 0.06, 1e-9);
}

// Bills for what fails, or has a price that nobody knows.
class CostlyBackend final : public ModelBackend {
 public:
  explicit CostlyBackend(std::optional<double> price) : price_(price) {}

  Result<Response> complete(const Request&, const ModelCall&) override {
    ++asked;
    return std::unexpected(with_usage({ErrorCode::answer_cut, "It was cut"},
                                      {.input_tokens = 10, .output_tokens = 5, .cost_usd = 0.02}));
  }
  std::optional<double> cost_usd(std::int64_t, std::int64_t) const override { return price_; }

  std::atomic<int> asked = 0;

 private:
  std::optional<double> price_;
};

TEST(Limits, count_what_a_vendor_bills_for_nothing) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  const auto backend = std::make_shared<CostlyBackend>(0.03);
  const Agent agent{.name = "unlucky", .model = Model("test", "cut", backend)};
  const SessionId id = value_of(runtime->start(std::make_shared<const Agent>(agent), "Go"));
  ASSERT_FALSE(runtime->wait(id));
  const Usage usage = store->get_session(id)->usage;
  EXPECT_EQ(usage.input_tokens, 10);
  EXPECT_NEAR(usage.cost_usd, 0.02, 1e-9);
}

TEST(Limits, of_cost_refuse_a_model_whose_price_nobody_knows) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  const auto backend = std::make_shared<CostlyBackend>(std::nullopt);
  Agent agent{.name = "blind", .model = Model("test", "unpriced", backend)};
  agent.limits.max_cost_usd = 1;
  const SessionId id = value_of(runtime->start(std::make_shared<const Agent>(agent), "Go"));
  const auto answer = runtime->wait(id);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::limit_reached);
  EXPECT_NE(answer.error().message.find("test:unpriced"), std::string::npos)
      << answer.error().message;
  EXPECT_EQ(backend->asked, 0);
}

// Whom it calls, and so on, down to the bottom.
Agent chain_of(const std::vector<std::string>& names, std::size_t i) {
  if (i + 1 == names.size()) {
    return {.name = names[i], .model = calling({}), .tools = {tool("idle", "", [] {})}};
  }
  return {.name = names[i],
          .model = calling({call(names[i + 1], R"({"message":"Go on"})", "1")}),
          .tools = {delegate_to(chain_of(names, i + 1))}};
}

TEST(Limits, hold_for_all_the_specialists_below) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  Agent top = chain_of({"top", "first", "second", "third"}, 0);
  top.limits.max_depth = 2;  // what those below allow themselves does not count
  const SessionId id = value_of(runtime->start(std::make_shared<const Agent>(top), "Go"));
  const RunResult answer = value_of(runtime->wait(id));
  EXPECT_NE(answer.text.find("Specialists may call specialists 2 deep"), std::string::npos)
      << answer.text;
  std::vector<std::string> at_work;
  for (const Session& session : value_of(store->list_sessions({}))) {
    at_work.push_back(session.agent_name);
  }
  std::ranges::sort(at_work);
  EXPECT_EQ(at_work, (std::vector<std::string>{"first", "second", "top"}));
}

TEST(Limits, ends_a_run_that_takes_too_long) {
  const auto store = open_memory_store();
  const auto runtime = open_runtime(*store);
  Agent agent{.name = "slow", .model = calling({call("forever", "{}", "1")}), .tools = {lasting()}};
  agent.limits.max_time = std::chrono::milliseconds(20);
  const auto answer =
      runtime->wait(value_of(runtime->start(std::make_shared<const Agent>(agent), "Go")));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::limit_reached);
  EXPECT_EQ(limit_of(answer.error()), Limit::time);
}

// Takes nothing from `leave()` on until something that was to be written has been refused.
class AwayForOneBatch final : public store::ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;

  std::vector<Result<BatchIds>> apply_all(std::span<const Batch> batches) override {
    if (!is_away_.exchange(false)) return ForwardingStore::apply_all(batches);
    is_back_.count_down();
    return std::vector<Result<BatchIds>>(batches.size(), fail(ErrorCode::storage, "It is away"));
  }

  // Returns when it is there again.
  void leave() {
    is_away_ = true;
    is_back_.wait();
  }

 private:
  std::atomic<bool> is_away_ = false;
  std::latch is_back_{1};
};

TEST(Limits, of_time_do_not_end_a_run_whose_store_is_away_while_a_model_thinks) {
  const auto memory = open_memory_store();
  AwayForOneBatch store(*memory);
  const auto runtime = open_runtime(store);
  int looked = 0;
  Agent agent{
      .name = "patient",
      .model = model_from("test", "m",
                          [&](const Request& request, const ModelCall&) -> Result<Response> {
                            if (request.messages.size() > 1) return says("Seen");
                            store.leave();
                            return calls({call("look", "{}", "1")});
                          }),
      .tools = {tool("look", "", [&] { return ++looked; })}};
  agent.limits.max_time = std::chrono::seconds(12);
  const SessionId id = value_of(runtime->start(std::make_shared<const Agent>(agent), "Go"));
  EXPECT_EQ(value_of(runtime->wait(id)).text, "Seen");
  EXPECT_EQ(looked, 1);
}

// A tree three deep whose lowest agent spends; the one in the middle needs a person each time, so
// that the session waits and is loaded again.
struct Spender {
  std::atomic<int> asked = 0;  // the lowest

  Agent agent() {
    const Agent lowest{.name = "lowest",
                       .model = model_from("test", "m", [this](const Request&, const ModelCall&) {
                         ++asked;
                         Response response = says("spent");
                         response.usage = {.input_tokens = 500, .output_tokens = 500};
                         return Result<Response>(std::move(response));
                       })};
    Agent middle{.name = "middle",
                 .model = model_from("test", "m",
                                     [](const Request& request, const ModelCall&) {
                                       const auto size = request.messages.size();
                                       if (size > 2) return Result<Response>(says("enough"));
                                       return Result<Response>(
                                           calls({call("lowest", R"({"message":"x"})", "1")}));
                                     }),
                 .tools = {delegate_to(lowest)}};
    middle.sampling.max_tokens = 100;
    Agent top{.name = "top",
              .model = model_from("test", "m",
                                  [](const Request& request, const ModelCall&) {
                                    const auto n = std::to_string(request.messages.size());
                                    return Result<Response>(
                                        calls({call("middle", R"({"message":"x"})", "m" + n),
                                               call("ask", "{}", "a" + n)}));
                                  }),
              .tools = {delegate_to(middle), testing::asking()}};
    top.sampling.max_tokens = 100;
    top.limits.max_iterations = 50;
    return top;
  }
};

// Answers what is waited for until the session ends, each time in a process of its own.
Result<RunResult> resumed_until_it_ends(const Agent& agent, Store& store) {
  Result<RunResult> answer = run(store, agent, "Go");
  for (int i = 0; answer && answer->status == RunResult::Status::waiting && i < 12; ++i) {
    EXPECT_TRUE(answer_wait(store, answer->waits.front().wait_id, Json("go on"), "Ada"));
    answer = resume(store, agent, answer->session_id);
  }
  return answer;
}

TEST(Limits, count_the_tokens_of_specialists_of_specialists_after_every_restart) {
  const auto store = open_memory_store();
  Spender spender;
  Agent agent = spender.agent();
  agent.limits.max_tokens = 9'000;
  agent.limits.max_repeats.reset();
  // The one at the top spends nothing: it goes on when those below may not.
  EXPECT_TRUE(resumed_until_it_ends(agent, *store));
  EXPECT_LE(spender.asked, 9);
  EXPECT_GE(spender.asked, 3);
}

TEST(Limits, count_the_tool_calls_of_specialists_after_every_restart) {
  const auto store = open_memory_store();
  Spender spender;
  Agent agent = spender.agent();
  agent.limits.max_tool_calls = 10;  // three a round: middle, its own call, and ask
  const auto answer = resumed_until_it_ends(agent, *store);
  ASSERT_FALSE(answer);
  EXPECT_EQ(limit_of(answer.error()), Limit::tool_calls) << answer.error().message;
  EXPECT_LE(spender.asked, 4);
}

TEST(Limits, give_a_restarted_run_only_the_time_that_is_left) {
  const auto store = open_memory_store();
  Agent agent{.name = "slow",
              .model = model_from("test", "m",
                                  [](const Request&, const ModelCall& call) -> Result<Response> {
                                    std::mutex mutex;
                                    std::condition_variable_any stopped;
                                    std::unique_lock lock(mutex);
                                    stopped.wait(lock, call.stop, [] { return false; });
                                    return fail(ErrorCode::cancelled, "stopped");
                                  })};
  agent.limits.max_time = std::chrono::hours(1);
  {
    const auto runtime = open_runtime(*store);
    value_of(runtime->start(std::make_shared<const Agent>(agent), "Go"));
  }
  // As if it had worked for nearly an hour before its process ended.
  ASSERT_TRUE(store->apply_one(
      UpdateSession{.session_id = 1, .worked_ms = 3'599'999, .turn_worked_ms = 3'599'999}));
  const auto answer = resume(*store, agent, 1);
  ASSERT_FALSE(answer);
  EXPECT_EQ(limit_of(answer.error()), Limit::time);
}

}  // namespace
}  // namespace wright
