// What a stored session keeps of its context: for forks, for people who look, and for those who sum
// up before it is necessary.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "wright/driver.h"
#include "wright/testing.h"

namespace wright {
namespace {

// Keeps what it was asked; answers at once, and counts four bytes for a token.
class AskedModel : public ModelBackend {
 public:
  Result<Response> complete(const Request& request, const ModelCall&) override {
    const std::lock_guard lock(mutex_);
    std::size_t bytes = 0;
    for (const Message& message : request.messages) bytes += to_text(to_json(message)).size();
    requests_.emplace_back(request.messages.begin(), request.messages.end());
    Response response = testing::says(fmt::format("Answer {}.", requests_.size()));
    response.usage = {.input_tokens = static_cast<std::int64_t>(bytes / 4), .output_tokens = 5};
    return response;
  }
  std::optional<std::int64_t> context_tokens() const override { return 8'000; }
  std::vector<std::vector<Message>> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::vector<Message>> requests_;
};

class SessionContexts : public ::testing::Test {
 protected:
  Agent agent() const {
    return {.name = "talker",
            .instructions = "Talk.",
            .model = Model("test", "asked", model_),
            .sampling = {.max_tokens = 1'000}};
  }

  SessionId talk(int messages) {
    SessionId id = 0;
    for (int i = 0; i < messages; ++i) {
      const std::string said = fmt::format("question {} {}", i, std::string(1'800, 'q'));
      const auto answer = id == 0 ? run(*store_, agent(), said) : send(*store_, agent(), id, said);
      EXPECT_TRUE(answer) << answer.error().message;
      if (answer) id = answer->session_id;
    }
    return id;
  }

  const std::shared_ptr<AskedModel> model_ = std::make_shared<AskedModel>();
  const std::unique_ptr<Store> store_ = open_memory_store();
};

TEST_F(SessionContexts, are_summed_up_when_somebody_asks) {
  const SessionId id = talk(5);
  const auto before = session_context(*store_, agent(), id);
  ASSERT_TRUE(before) << before.error().message;
  EXPECT_EQ(before->window, 8'000);
  EXPECT_GT(before->tokens, 2'000);
  EXPECT_EQ(before->summarised_messages, 0U);
  const Usage used = store_->get_session(id)->usage;
  const auto after = compact(*store_, agent(), id, "the colour of doors");
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_LT(after->tokens, before->tokens);
  EXPECT_EQ(after->summarised_messages, 8U);
  EXPECT_NE(after->summary.find("Answer 6."), std::string::npos) << after->summary;
  EXPECT_NE(after->summary.find("question 2"), std::string::npos) << "the user's own words";
  const std::vector<Message> asked = model_->requests().back();
  EXPECT_NE(words_in(asked.back().parts.front())->find("the colour of doors"), std::string::npos);
  EXPECT_GT(store_->get_session(id)->usage.input_tokens, used.input_tokens);
  EXPECT_EQ(store_->get_session(id)->status, SessionStatus::completed);
  EXPECT_EQ(store_->get_messages(id)->size(), 10U) << "the session stays whole";
  ASSERT_TRUE(send(*store_, agent(), id, "And now?"));
  EXPECT_NE(model_->requests().back().at(1).text().find("Answer 6."), std::string::npos);
}

TEST_F(SessionContexts, are_not_summed_up_where_there_is_nothing) {
  const SessionId id = talk(1);
  const auto nothing = compact(*store_, agent(), id, "");
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().code, ErrorCode::unavailable);
  EXPECT_FALSE(compact(*store_, agent(), 99, ""));
  ASSERT_TRUE(send(*store_, agent(), id, "Still there?")) << "it was let go";
}

TEST_F(SessionContexts, hold_in_a_fork_of_a_part) {
  const SessionId id = talk(6);
  ASSERT_TRUE(compact(*store_, agent(), id, ""));
  ASSERT_TRUE(send(*store_, agent(), id, "One more"));
  ASSERT_TRUE(send(*store_, agent(), id, "And another"));
  const auto messages = store_->get_messages(id);
  const auto fork = store_->fork_session(id, messages->at(messages->size() - 3).id);
  ASSERT_TRUE(fork);
  ASSERT_TRUE(send(*store_, agent(), *fork, "Something else"));
  const auto requests = model_->requests();
  const auto& original = requests.at(requests.size() - 2);
  const auto& forked = requests.back();
  EXPECT_TRUE(std::ranges::equal(std::span(original).first(3), std::span(forked).first(3)))
      << "the beginning is in the vendor's cache";
  const auto early = store_->fork_session(id, messages->at(3).id);
  ASSERT_TRUE(early);
  ASSERT_TRUE(send(*store_, agent(), *early, "Something else"));
  EXPECT_EQ(model_->requests().back().size(), 5U) << "what is not summarised there is whole";
}

}  // namespace
}  // namespace wright
