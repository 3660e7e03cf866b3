// Models that take longer than they may, and do not heed their stop token.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>

#include "runtime/runtime_testing.h"
#include "wright/driver.h"
#include "wright/runtime.h"
#include "wright/testing.h"

namespace wright {
namespace {

// Shared with a model that goes on when nobody waits for it any more.
class Latch {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_open_ = false;
};

// Answers, with text before it, when it is let go, whatever it is asked to do. `ended` opens then.
struct DeafModel {
  std::shared_ptr<Latch> go = std::make_shared<Latch>();
  std::shared_ptr<Latch> ended = std::make_shared<Latch>();

  Model model() const {
    return model_from("test", "deaf",
                      [go = go, ended = ended](const Request& request,
                                               const ModelCall& call) -> Result<Response> {
                        go->wait();
                        if (call.on_text) call.on_text("too late");
                        const std::size_t read = request.messages.size() + request.tools.size();
                        ended->open();
                        return testing::says("Too late: " + std::to_string(read));
                      });
  }
};

Agent hasty(const Model& model) {
  return {.name = "hasty",
          .model = model,
          .tools = {tool("look", "", [] { return "seen"; })},
          .limits = {.max_time = std::chrono::milliseconds(20)}};
}

TEST(ModelTime, ends_a_run_whose_model_does_not_heed_its_stop_token) {
  const DeafModel deaf;
  const auto store = open_memory_store();
  std::atomic<int> heard = 0;
  const auto answer =
      run(*store, hasty(deaf.model()), "Hurry", {.observer = [&](const Event& event) {
        if (std::holds_alternative<TextDelta>(event)) ++heard;
      }});
  // It came back although the model is still at it.
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::limit_reached);
  EXPECT_EQ(store->list_sessions({})->front().status, SessionStatus::failed);
  deaf.go->open();
  deaf.ended->wait();
  EXPECT_EQ(heard, 0) << "what it says later is lost";
}

TEST(ModelTime, ends_a_summary_as_well) {
  const auto go = std::make_shared<Latch>();
  const auto ended = std::make_shared<Latch>();
  const Model writer = model_from(
      "test", "writer", [go, ended](const Request&, const ModelCall&) -> Result<Response> {
        go->wait();
        ended->open();
        return testing::says("Too late");
      });
  int looks = 0;
  Agent agent = hasty(model_from("test", "looker", [&](const Request&, const ModelCall&) {
    return testing::calls({testing::call("look", R"({})")});
  }));
  agent.tools = {
      tool("look", "", [&] { return std::to_string(++looks) + std::string(4'000, 'r'); })};
  agent.limits = {.max_iterations = 1'000, .max_time = std::chrono::milliseconds(1'500)};
  agent.context_tokens = 4'000;
  agent.context.summary_model = writer;
  // Old results alone give way in this policy when they are summed up.
  agent.context.fit = [](std::span<const Message> messages, const ContextCut& cut,
                         const ContextWindow&, const MeasuredRequest&) {
    ContextFit fit{.cut = cut};
    if (messages.size() > 8) fit.summarise = messages.size() - 4;
    return fit;
  };
  const auto answer = run(agent, "Look");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::limit_reached);
  EXPECT_GT(looks, 2);
  go->open();
  ended->wait();
}

TEST(ModelTime, cancels_on_both_drivers) {
  const DeafModel deaf;
  const auto store = open_memory_store();
  {
    std::stop_source stop;
    Agent agent = hasty(deaf.model());
    agent.limits = {};
    const auto answer = run(*store, agent, "Hurry",
                            {.observer =
                                 [&](const Event& event) {
                                   if (std::holds_alternative<ModelStarted>(event))
                                     stop.request_stop();
                                 },
                             .stop = stop.get_token()});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, ErrorCode::cancelled);
  }
  const auto runtime = testing::open_runtime(*store);
  const auto id = runtime->start(std::make_shared<const Agent>(hasty(deaf.model())), "Hurry");
  ASSERT_TRUE(id);
  const auto answer = runtime->wait(*id);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::limit_reached);
  deaf.go->open();
  deaf.ended->wait();
}

}  // namespace
}  // namespace wright
