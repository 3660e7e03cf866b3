#include "models/embedding_model.h"

#include <gtest/gtest.h>

#include <atomic>

#include "net/canned_server_testing.h"

namespace wright::models {
namespace {

using net::testing::CannedServer;
using net::testing::Connection;
using namespace std::chrono_literals;
using Strings = std::vector<std::string>;

constexpr std::string_view kOneVector = R"({"data":[{"index":0,"embedding":[3,4]}]})";
constexpr std::string_view kClose = "Connection: close\r\n";

// Answers the n-th connection with the n-th of the turns, the last one for all that follow.
class EmbeddingServer {
 public:
  using Turn = std::function<void(Connection&)>;
  explicit EmbeddingServer(std::vector<Turn> turns)
      : turns_(std::move(turns)), server_([this](Connection& connection) {
          if (connection.read_request().empty()) return;
          turns_[std::min(asked_++, turns_.size() - 1)](connection);
        }) {}

  EmbeddingModel model(HttpTimeouts timeouts = {}, int retries = 2) const {
    Candidate candidate{
        Endpoint{.vendor = {.name = "test", .title = "Test", .base_url = server_.url("/v1")},
                 .model = {.vendor = "test", .name = "small"},
                 .key = "a-secret-key"},
        std::make_shared<Pacer>(Pace{})};
    return embedding_model(
        std::move(candidate),
        {{.retries = retries, .first_wait = 1ms, .longest_wait = 2ms}, timeouts},
        std::make_shared<net::HttpClient>(net::HttpClient::Options{.proxy = ""}));
  }
  std::size_t asked() const { return asked_; }

 private:
  std::vector<Turn> turns_;
  std::atomic<std::size_t> asked_ = 0;
  CannedServer server_;
};

EmbeddingServer::Turn embeds(int status, std::string_view body) {
  return [=](Connection& connection) { connection.answer(status, body, kClose); };
}

Result<std::vector<Embedding>> embed(const EmbeddingModel& model, const Strings& texts = {"one"},
                                     const std::stop_token& stop = {}) {
  return model.embed(texts, stop);
}

TEST(EmbeddingModel, gives_the_vectors_of_a_server) {
  const EmbeddingServer server({embeds(200, kOneVector)});
  const EmbeddingModel model = server.model();
  EXPECT_EQ(model.id, "test:small");
  const auto vectors = embed(model);
  ASSERT_TRUE(vectors) << vectors.error().message;
  EXPECT_EQ(*vectors, (std::vector<Embedding>{{3, 4}}));
}

TEST(EmbeddingModel, asks_again_after_what_may_pass) {
  const EmbeddingServer server({embeds(500, "oops"),
                                [](Connection& connection) { connection.reset(); },
                                embeds(200, kOneVector)});
  EXPECT_TRUE(embed(server.model()));
  EXPECT_EQ(server.asked(), 3U);
}

TEST(EmbeddingModel, gives_up_after_its_attempts_and_says_what_the_server_said) {
  const EmbeddingServer server({embeds(503, R"({"error":{"message":"no room a-secret-key"}})")});
  const auto vectors = embed(server.model());
  ASSERT_FALSE(vectors);
  EXPECT_EQ(server.asked(), 3U);
  EXPECT_NE(vectors.error().message.find("no room"), std::string::npos) << vectors.error().message;
  EXPECT_EQ(vectors.error().message.find("a-secret-key"), std::string::npos);
}

TEST(EmbeddingModel, does_not_ask_again_with_a_key_that_is_wrong) {
  const EmbeddingServer server({embeds(401, R"({"error":{"message":"wrong key"}})")});
  const auto vectors = embed(server.model());
  ASSERT_FALSE(vectors);
  EXPECT_EQ(vectors.error().code, ErrorCode::authentication);
  EXPECT_EQ(server.asked(), 1U);
}

TEST(EmbeddingModel, fails_when_the_server_dies_in_the_middle) {
  const EmbeddingServer server({[](Connection& connection) {
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"data\":[");
    connection.reset();
  }});
  const auto vectors = embed(server.model());
  ASSERT_FALSE(vectors);
  EXPECT_EQ(server.asked(), 3U);
}

TEST(EmbeddingModel, refuses_an_answer_without_end) {
  const EmbeddingServer server({[](Connection& connection) {
    connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"data\":[");
    const std::string blanks(64 * 1024, ' ');
    while (connection.send(blanks)) {
    }
  }});
  const auto vectors = embed(server.model());
  ASSERT_FALSE(vectors);
  EXPECT_EQ(vectors.error().code, ErrorCode::limit_reached);
  EXPECT_EQ(server.asked(), 1U);
}

TEST(EmbeddingModel, does_not_wait_for_a_server_that_is_silent) {
  const EmbeddingServer server({[](Connection& connection) { connection.wait_for_close(); }});
  const auto vectors = embed(server.model({.first_byte = 20ms}, 0));
  ASSERT_FALSE(vectors);
  EXPECT_EQ(vectors.error().code, ErrorCode::timeout);
}

TEST(EmbeddingModel, ends_when_it_is_stopped) {
  std::stop_source stop;
  const EmbeddingServer server({[&](Connection& connection) {
    stop.request_stop();
    connection.wait_for_close();
  }});
  const auto vectors = embed(server.model(), {"one"}, stop.get_token());
  ASSERT_FALSE(vectors);
  EXPECT_EQ(vectors.error().code, ErrorCode::cancelled);
}

TEST(EmbeddingModel, sends_nothing_that_is_too_large) {
  const EmbeddingServer server({embeds(200, kOneVector)});
  EXPECT_FALSE(embed(server.model(), {std::string(kMostEmbeddedBytes + 1, 'x')}));
  EXPECT_EQ(server.asked(), 0U);
}

TEST(EmbeddingModel, that_is_not_there_says_what_to_do) {
  const Models models{ModelsOptions{}};
  for (const std::string_view id : {"openai:text-embedding-3-small", "nobody:model", "offline"}) {
    const EmbeddingModel model = models.embeddings(id);
    EXPECT_EQ(model.id, id);
    const auto vectors = embed(model);
    ASSERT_FALSE(vectors) << id;
    EXPECT_FALSE(vectors.error().message.empty());
  }
}

}  // namespace
}  // namespace wright::models
