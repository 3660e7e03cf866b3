// A model's server that dies in the middle of what it says: half an answer is never used, half a
// call never run, and a session that had to give up can go on later.
#include <gtest/gtest.h>

#include "faults/evidence.h"
#include "net/canned_server_testing.h"
#include "store/store_testing.h"
#include "wright/models.h"

namespace wright::faults {
namespace {

using net::testing::CannedServer;
using net::testing::Connection;

std::string event(std::string_view data) {
  return "data: " + std::string(data) + "\n\n";
}

constexpr std::string_view kHead =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";

const std::string kCall =
    event(R"({"choices":[{"index":0,"delta":{"content":"I shall pay."}}]})") +
    event(R"({"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"pay1",)"
          R"("type":"function","function":{"name":"pay","arguments":"{\"amount\":"}}]}}]})") +
    event(R"({"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,)"
          R"("function":{"arguments":"1000}"}}]}}]})") +
    event(R"({"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]})") + event("[DONE]");
const std::string kText = event(R"({"choices":[{"index":0,"delta":{"content":"Paid"}}]})") +
                          event(R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})") +
                          event("[DONE]");

// Says what is next in the conversation, but only the first `alive` bytes of its first `deaths`
// answers; then the connection breaks.
class DyingServer {
 public:
  DyingServer(std::size_t alive, int deaths)
      : deaths_(deaths), server_([this, alive](Connection& connection) {
          const std::string request = connection.read_request();
          if (request.empty()) return;
          ++requests_;
          const bool is_paid = request.find(R"("role":"tool")") != std::string::npos;
          const std::string answer = std::string(kHead) + (is_paid ? kText : kCall);
          if (deaths_-- > 0) {
            connection.send(std::string_view(answer).substr(0, alive));
            connection.reset();
          } else {
            connection.send(answer);
          }
        }) {}

  std::string url() const { return server_.url("/v1"); }
  int requests() const { return requests_; }

 private:
  std::atomic<int> deaths_;
  std::atomic<int> requests_ = 0;
  CannedServer server_;
};

class ModelServer : public ::testing::Test {
 protected:
  Agent paying(const DyingServer& server, int retries) {
    Catalogue catalogue = Catalogue::built_in();
    const auto added = catalogue.add(
        "[vendors.fake]\nneeds_key = false\nprotocol = \"openai-chat\"\nbase_url = \"" +
            server.url() + "\"\n",
        "the test");
    EXPECT_TRUE(added);
    const Models models({.catalogue = std::move(catalogue),
                         .retry = {.retries = retries,
                                   .first_wait = std::chrono::milliseconds(1),
                                   .longest_wait = std::chrono::milliseconds(1)}});
    return {.name = "paying",
            .model = models.get("fake:dying"),
            .tools = {tool("pay", "",
                           [this](const Json& arguments, const Context& context) {
                             ledger_.add("pay did " + std::string(context.idempotency_key) + " " +
                                         to_text(arguments));
                           },
                           {.effect = Effect::write})}};
  }

  void expect_paid_once(SessionId id) {
    EXPECT_EQ(ledger_.lines(), std::vector<std::string>{"pay did " + std::to_string(id) +
                                                        R"(:pay1 {"amount":1000})"});
    const auto messages = store::value_of(store_->get_messages(id));
    ASSERT_EQ(messages.size(), 4U);
    EXPECT_EQ(messages[1].message.text(), "I shall pay.");
    EXPECT_EQ(messages[3].message.text(), "Paid");
    EXPECT_EQ(store::value_of(store_->get_session(id)).status, SessionStatus::completed);
  }

  TemporaryFolder folder_;
  Ledger ledger_{folder_ / "ledger"};
  std::unique_ptr<Store> store_ = store::value_of(open_sqlite_store(folder_ / "store.db"));
};

// Where an answer can break: within the head, between and within events, and before its end.
std::vector<std::size_t> places() {
  constexpr std::size_t kStride = 29;
  std::vector<std::size_t> places;
  for (std::size_t at = 0; at < kHead.size() + kCall.size() - event("[DONE]").size(); at += kStride)
    places.push_back(at);
  return places;
}

TEST_F(ModelServer, that_dies_once_is_asked_again_and_nothing_of_its_half_answer_is_used) {
  for (const std::size_t alive : places()) {
    SCOPED_TRACE(alive);
    std::filesystem::remove(ledger_.path());
    const DyingServer server(alive, 1);
    const auto answer = run(*store_, paying(server, 2), "Pay");
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(server.requests(), 3);
    expect_paid_once(answer->session_id);
  }
}

TEST_F(ModelServer, that_stays_dead_fails_a_session_that_can_be_resumed_later) {
  for (const std::size_t alive : places()) {
    SCOPED_TRACE(alive);
    std::filesystem::remove(ledger_.path());
    const DyingServer server(alive, 2);
    ASSERT_FALSE(run(*store_, paying(server, 1), "Pay"));
    const Session failed = store::value_of(store_->list_sessions({})).front();
    EXPECT_EQ(failed.status, SessionStatus::failed);
    EXPECT_FALSE(failed.error.value_or("").empty());
    EXPECT_EQ(store::value_of(store_->get_messages(failed.id)).size(), 1U);
    EXPECT_TRUE(ledger_.lines().empty());
    const auto answer = resume(*store_, paying(server, 1), failed.id);
    ASSERT_TRUE(answer) << answer.error().message;
    expect_paid_once(failed.id);
  }
}

}  // namespace
}  // namespace wright::faults
