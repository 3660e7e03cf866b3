// Servers that answer what no server of wright would.
#include "app/wiring/remote_store.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <atomic>
#include <limits>
#include <string>

#include "app/wiring/remote_api.h"
#include "app/wiring/remote_rows.h"
#include "net/broken_connection.h"
#include "net/canned_server_testing.h"
#include "store/readable_waits.h"

namespace wright::app {
namespace {

using net::testing::CannedServer;

JsonObject sent_session(SessionId id) {
  return {{"id", id},
          {"agent", "a"},
          {"provider", "offline"},
          {"model", "planner"},
          {"prompt", "Go"},
          {"started_at", 1},
          {"status", "completed"},
          {"iterations", 1},
          {"usage", JsonObject{}}};
}

Json sent_wait(CallId call_id) {
  return {{"id", 1},          {"session_id", 1},    {"call_id", call_id},
          {"status", "open"}, {"kind", "question"}, {"created_at", 1}};
}

// Gives the same body to every request, and counts them.
class ServerOfOneAnswer {
 public:
  explicit ServerOfOneAnswer(std::string body)
      : server_([this, body = std::move(body)](net::testing::Connection& connection) {
          while (!connection.read_request().empty()) {
            ++requests_;
            connection.answer(200, body);
          }
        }) {}

  std::unique_ptr<Store> store() {
    return remote_store(std::make_shared<RemoteApi>(ServerPlace{.url = server_.url("")}));
  }
  int requests() const { return requests_; }

 private:
  std::atomic<int> requests_ = 0;
  CannedServer server_;
};

TEST(RowsOfServers, have_no_numbers_that_nobody_can_reckon_with) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  EXPECT_TRUE(session_from(sent_session(1)));
  for (const std::int64_t number : {kMost, kLeast}) {
    JsonObject session = sent_session(1);
    session["started_at"] = number;
    const auto read = session_from(session);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::protocol);
    EXPECT_NE(read.error().message.find("'started_at'"), std::string::npos);
    session = sent_session(1);
    session["usage"] = JsonObject{{"cached_tokens", number}};
    EXPECT_FALSE(session_from(session));
    EXPECT_FALSE(wait_from(sent_wait(number)));
  }
  EXPECT_TRUE(wait_from(sent_wait(1)));
}

TEST(ListsOfServers, end_where_a_page_comes_again) {
  ServerOfOneAnswer server(
      to_text(Json(JsonObject{{"sessions", JsonArray{sent_session(1)}}, {"next", 5}})));
  const auto listed = server.store()->list_sessions({.limit = 100});
  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().code, ErrorCode::protocol);
  EXPECT_NE(listed.error().message.find("same page"), std::string::npos);
  EXPECT_EQ(server.requests(), 2);
}

TEST(ListsOfServers, of_a_session_end_where_a_page_comes_again) {
  JsonArray messages;
  for (int i = 0; i < 500; ++i) {
    messages.push_back(JsonObject{{"id", 7},
                                  {"session_id", 1},
                                  {"message", to_json(Message::user("x"))},
                                  {"text", "x"},
                                  {"created_at", 1}});
  }
  ServerOfOneAnswer server(to_text(Json(JsonObject{{"messages", std::move(messages)}})));
  const auto listed = server.store()->get_messages(1, {.limit = 2'000});
  ASSERT_FALSE(listed);
  EXPECT_NE(listed.error().message.find("same page"), std::string::npos);
  EXPECT_EQ(server.requests(), 2);
}

TEST(ServersThatBreakOff, are_not_taken_for_missing_ones) {
  std::string url;
  {
    const CannedServer server([](net::testing::Connection& connection) {
      (void)connection.read_request();
      connection.reset();
    });
    url = server.url("");
    RemoteApi api({.url = url});
    const auto broken = api.post("/api/v1/sessions", JsonObject{});
    ASSERT_FALSE(broken);
    EXPECT_EQ(broken.error().code, ErrorCode::network);
    EXPECT_TRUE(net::may_have_arrived(broken.error()));
    EXPECT_EQ(broken.error().message.find("There is no server"), std::string::npos)
        << broken.error().message;
  }
  RemoteApi api({.url = url});
  const auto missing = api.post("/api/v1/sessions", JsonObject{});
  ASSERT_FALSE(missing);
  EXPECT_FALSE(net::may_have_arrived(missing.error()));
  EXPECT_TRUE(missing.error().message.starts_with("There is no server at"))
      << missing.error().message;
}

// Answers as a server does whose wait 2 is damaged: by the ids that the query names.
TEST(WaitsOfServers, are_read_beside_one_that_the_server_cannot_read) {
  const CannedServer server([](net::testing::Connection& connection) {
    for (std::string request; !(request = connection.read_request()).empty();) {
      const std::string line = request.substr(0, request.find('\r'));
      const auto number = [&line](std::string_view name, WaitId otherwise) -> WaitId {
        const std::size_t found = line.find(name);
        return found == std::string::npos ? otherwise
                                          : std::stoll(line.substr(found + name.size()));
      };
      JsonArray waits;
      JsonObject body;
      for (const WaitId id : {1, 2, 3}) {
        if (id <= number("after=", 0) || id >= number("before=", 4)) continue;
        if (id == 2) {
          body["damaged"] = JsonArray{JsonObject{
              {"wait_id", 2}, {"session_id", 7}, {"error", "The stored wait 2 cannot be read"}}};
        } else {
          Json wait = sent_wait(1);
          wait.as_object()["id"] = id;
          waits.push_back(std::move(wait));
        }
      }
      body["waits"] = std::move(waits);
      connection.answer(200, to_text(Json(std::move(body))));
    }
  });
  const auto store = remote_store(std::make_shared<RemoteApi>(ServerPlace{.url = server.url("")}));
  const auto found = store::readable_waits(*store, {.status = WaitStatus::open});
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->waits.size(), 2U);
  EXPECT_EQ(found->waits[0].id, 1);
  EXPECT_EQ(found->waits[1].id, 3);
  ASSERT_EQ(found->damaged.size(), 1U);
  EXPECT_EQ(found->damaged[0].session_id, 7);
  EXPECT_EQ(found->damaged[0].error.message, "The stored wait 2 cannot be read");
}

// As many as a page of the server holds, of more.
TEST(WaitsOfServers, are_asked_for_until_there_are_no_more) {
  const CannedServer server([](net::testing::Connection& connection) {
    for (std::string request; !(request = connection.read_request()).empty();) {
      JsonArray waits;
      const bool is_second = request.find("after=500") != std::string::npos;
      for (WaitId id = is_second ? 501 : 1; id <= (is_second ? 501 : 500); ++id) {
        Json wait = sent_wait(1);
        wait.as_object()["id"] = id;
        waits.push_back(std::move(wait));
      }
      connection.answer(200, to_text(Json(JsonObject{{"waits", std::move(waits)}})));
    }
  });
  const auto store = remote_store(std::make_shared<RemoteApi>(ServerPlace{.url = server.url("")}));
  const auto waits = store->get_waits({});
  ASSERT_TRUE(waits) << waits.error().message;
  EXPECT_EQ(waits->size(), 501U);
}

// A proxy that tells what it was sent, for one.
TEST(ServersThatRepeatTheToken, are_not_heard_with_it) {
  int status = 500;
  const CannedServer server([&](net::testing::Connection& connection) {
    while (!connection.read_request().empty()) {
      connection.answer(status, to_text(Json{{"detail", "sent: Bearer wright_0123456789"},
                                             {"headers", {"Bearer wright_0123456789"}}}));
    }
  });
  RemoteApi api({.url = server.url(""), .token = "wright_0123456789"});
  const auto refused = api.get("/api/v1/sessions");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "sent: Bearer [REDACTED]");
  status = 200;
  const auto answer = api.get("/api/v1/sessions");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(to_text(*answer).find("wright_0123456789"), std::string::npos) << to_text(*answer);
  status = 401;
  const auto listened =
      api.listen(1, 0, [](const StoredEvent&) { return RemoteApi::Listening::enough; }, {});
  ASSERT_FALSE(listened);
  EXPECT_EQ(listened.error().message.find("wright_0123456789"), std::string::npos);
}

}  // namespace
}  // namespace wright::app
