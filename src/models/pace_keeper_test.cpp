// Requests that wait for whoever keeps the pace, and models that are forgotten while they answer.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <latch>
#include <mutex>
#include <optional>
#include <stop_token>

#include "net/canned_server_testing.h"
#include "wright/models.h"

namespace wright {
namespace {

using net::testing::CannedServer;
using net::testing::Connection;

void answer_all(Connection& connection) {
  while (!connection.read_request().empty()) {
    connection.answer(200,
                      R"({"choices":[{"index":0,"message":{"role":"assistant","content":"Hi"},)"
                      R"("finish_reason":"stop"}],)"
                      R"("usage":{"prompt_tokens":70,"completion_tokens":30}})",
                      "Content-Type: application/json\r\n");
  }
}

// Lets nobody go by itself.
class SlowKeeper final : public PaceKeeper {
 public:
  Entry enter(const Endpoint& endpoint, std::int64_t, std::function<void()> go) override {
    const std::lock_guard lock(mutex_);
    names.push_back(endpoint.vendor.name + ":" + endpoint.model.name);
    go_ = std::move(go);
    entered.count_down();
    return 7;
  }
  void leave(Entry entry, const Left& left) override {
    const std::lock_guard lock(mutex_);
    EXPECT_EQ(entry, 7U);
    left_.push_back(left);
  }
  std::vector<std::string> waited_for() const override { return {}; }

  void let_go() {
    const std::lock_guard lock(mutex_);
    go_();
  }
  std::vector<Left> left() {
    const std::lock_guard lock(mutex_);
    return left_;
  }

  std::vector<std::string> names;
  std::latch entered{1};

 private:
  std::mutex mutex_;
  std::function<void()> go_;
  std::vector<Left> left_;
};

Model model_at(const CannedServer& server, std::shared_ptr<PaceKeeper> keeper = {}) {
  ModelsOptions options;
  const auto added = options.catalogue.add(
      "[vendors.local]\nneeds_key = false\nprotocol = \"openai-chat\"\nbase_url = \"" +
          server.url("/v1") + "\"\n",
      "test");
  EXPECT_TRUE(added) << added.error().message;
  options.pace = std::move(keeper);
  return Models(std::move(options)).get("local:any");
}

struct Asked {
  const std::vector<Message> messages{Message::user("Hello")};
  Request request{.messages = messages};
  std::latch answered{1};
  std::optional<Result<Response>> response;

  ModelDone done() {
    return [this](Result<Response> came) {
      response = std::move(came);
      answered.count_down();
    };
  }
};

TEST(PaceKeeper, says_when_a_request_goes_and_hears_what_it_took) {
  CannedServer server(answer_all);
  const auto keeper = std::make_shared<SlowKeeper>();
  const Model model = model_at(server, keeper);
  Asked asked;
  model.start(asked.request, {}, asked.done());
  keeper->entered.wait();
  EXPECT_EQ(server.connections(), 0);
  keeper->let_go();
  asked.answered.wait();
  ASSERT_TRUE(*asked.response) << asked.response->error().message;
  EXPECT_EQ(keeper->names, std::vector<std::string>{"local:any"});
  ASSERT_EQ(keeper->left().size(), 1U);
  EXPECT_EQ(keeper->left().front().tokens, 100);
}

TEST(PaceKeeper, is_told_of_who_does_not_wait_any_more) {
  CannedServer server(answer_all);
  const auto keeper = std::make_shared<SlowKeeper>();
  const Model model = model_at(server, keeper);
  Asked asked;
  std::stop_source stop;
  model.start(asked.request, {.stop = stop.get_token()}, asked.done());
  keeper->entered.wait();
  stop.request_stop();
  asked.answered.wait();
  EXPECT_EQ(asked.response->error().code, ErrorCode::cancelled);
  EXPECT_EQ(keeper->left().size(), 1U);
  keeper->let_go();  // too late: nothing is sent
  EXPECT_EQ(server.connections(), 0);
}

TEST(PaceKeeper, may_outlast_the_model_and_its_requests) {
  CannedServer server(answer_all);
  const auto keeper = std::make_shared<SlowKeeper>();
  Asked asked;
  {
    const Model model = model_at(server, keeper);
    model.start(asked.request, {}, asked.done());
    keeper->entered.wait();
  }
  asked.answered.wait();
  EXPECT_EQ(asked.response->error().code, ErrorCode::cancelled);
  EXPECT_EQ(keeper->left().size(), 1U);
}

TEST(Models, may_be_forgotten_by_whoever_hears_the_answer) {
  CannedServer server(answer_all);
  std::optional<Model> model = model_at(server);
  Asked asked;
  const ModelDone done = asked.done();
  const Model* const asking = &*model;
  asking->start(asked.request, {}, [&](Result<Response> came) {
    model.reset();
    done(std::move(came));
  });
  asked.answered.wait();
  EXPECT_TRUE(*asked.response);
}

}  // namespace
}  // namespace wright
