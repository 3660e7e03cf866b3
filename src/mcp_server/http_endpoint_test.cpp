#include "mcp_server/http_endpoint.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>

#include "mcp/content.h"

namespace wright::mcp_server {
namespace {

// Keeps what came, and lets a test wait for its end.
class KeptReply : public HttpReply {
 public:
  void send(int status, std::vector<HttpHeader> headers, std::string body) override {
    const std::lock_guard lock(mutex_);
    status_ = status;
    headers_ = std::move(headers);
    body_ = std::move(body);
    is_over_ = true;
    changed_.notify_all();
  }
  void begin_stream(std::vector<HttpHeader> headers) override {
    const std::lock_guard lock(mutex_);
    status_ = 200;
    headers_ = std::move(headers);
  }
  bool write(std::string bytes) override {
    const std::lock_guard lock(mutex_);
    body_ += bytes;
    changed_.notify_all();
    return true;
  }
  void end() override {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
    changed_.notify_all();
  }
  void when_closed(std::function<void()> then) override { closed_ = std::move(then); }

  int status() {
    await([this] { return is_over_; });
    return status_;
  }
  Json json() {
    await([this] { return is_over_; });
    return parse_json(body_).value_or(Json());
  }
  std::string header(std::string_view name) {
    await([this] { return is_over_; });
    return std::string(find_header(headers_, name));
  }
  // The whole stream, as soon as it has this.
  std::string stream_with(std::string_view text) {
    await([&] { return is_over_ || body_.find(text) != std::string::npos; });
    return body_;
  }
  void go_away() { closed_(); }

 private:
  template <class Done>
  void await(Done done) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, done);
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  int status_ = 0;
  std::vector<HttpHeader> headers_;
  std::string body_;
  bool is_over_ = false;
  std::function<void()> closed_;
};

// Does something while its answer goes out.
class ReplyWithAnEcho final : public KeptReply {
 public:
  explicit ReplyWithAnEcho(std::function<void()> echo) : echo_(std::move(echo)) {}
  void send(int status, std::vector<HttpHeader> headers, std::string body) override {
    echo_();
    KeptReply::send(status, std::move(headers), std::move(body));
  }
  bool write(std::string bytes) override {
    if (bytes.find("done") != std::string::npos) echo_();
    return KeptReply::write(std::move(bytes));
  }

 private:
  const std::function<void()> echo_;
};

constexpr std::string_view kMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}})";

mcp::WorkOutcome answered(const mcp::Work& work, const WorkControls& controls) {
  if (work.method != "tools/call") return mcp::Finished{{{"tools", JsonArray{}}}};
  const std::string name = mcp::text_in(work.params, "name");
  if (name == "ask") {
    const auto found = work.answers.find("q");
    if (found == work.answers.end()) {
      return mcp::NeedsInput{.requests = {{"q", "elicitation/create", {{"message", "?"}}}}};
    }
    return mcp::Finished{mcp::text_result(to_text(std::get<JsonObject>(found->second)))};
  }
  if (name == "progress") controls.progress({1, 2, "half"});
  if (name == "stay") {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any never;
    never.wait(lock, controls.stop, [] { return false; });
    return mcp::Finished{mcp::text_result("stopped")};
  }
  if (name == "unknown") return mcp::Problem{mcp::code::kInvalidParams, "unknown"};
  return mcp::Finished{mcp::text_result("done")};
}

class McpEndpoint : public ::testing::Test {
 protected:
  std::shared_ptr<KeptReply> post(std::string body, std::vector<HttpHeader> headers = {},
                                  std::shared_ptr<KeptReply> reply = nullptr) {
    headers.push_back({"Content-Type", "application/json"});
    headers.push_back({"Accept", "application/json, text/event-stream"});
    headers.push_back({"Host", "localhost:80"});
    if (reply == nullptr) reply = std::make_shared<KeptReply>();
    endpoint_.handle({.method = "POST",
                      .headers = std::move(headers),
                      .body = std::move(body),
                      .rights = rights_,
                      .is_admitted = is_admitted_},
                     reply);
    return reply;
  }
  std::shared_ptr<KeptReply> modern(std::string_view method, std::string params = "") {
    const std::string body = R"({"jsonrpc":"2.0","id":1,"method":")" + std::string(method) +
                             R"(","params":{)" + params + std::string(kMeta) + "}}";
    const JsonObject request = parse_json(body).value().as_object();
    return post(body, mcp::request_headers(method, request.at("params").as_object()));
  }
  std::string session(std::string_view capabilities = "{}",
                      std::string_view version = "2025-11-25") {
    return post(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":")" +
                std::string(version) + R"(","capabilities":)" + std::string(capabilities) + "}}")
        ->header(mcp::kSessionHeader);
  }

  Rights rights_ = {};
  std::function<bool()> is_admitted_ = {};
  HttpEndpoint endpoint_{{.offer = std::make_shared<mcp::ServerOffer>(
                              mcp::ServerOffer{.self = {"test", "", "1"}, .state_key = "key"}),
                          .perform = answered}};
};

TEST_F(McpEndpoint, ModernRequestsStandAlone) {
  EXPECT_EQ(modern("server/discover")->status(), 200);
  const auto called = modern("tools/call", R"("name":"x",)");
  EXPECT_EQ(called->status(), 200);
  EXPECT_EQ(called->json().at("result").at("resultType"), Json("complete"));
  EXPECT_EQ(modern("nonsense")->status(), 404);
  EXPECT_EQ(modern("tools/call", R"("name":"unknown",)")->status(), 200);
}

TEST_F(McpEndpoint, HeadersMustSayWhatTheBodySays) {
  const std::string body =
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x",)" +
      std::string(kMeta) + "}}";
  const auto missing = post(body, {{"MCP-Protocol-Version", "2026-07-28"}});
  EXPECT_EQ(missing->status(), 400);
  EXPECT_EQ(missing->json().at("error").at("code"), Json(mcp::code::kHeaderMismatch));
  EXPECT_EQ(missing->json().at("id"), Json(1));
  const auto bare =
      post(R"({"jsonrpc":"2.0","id":1,"method":"server/discover"})",
           {{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", "server/discover"}});
  EXPECT_EQ(bare->status(), 400);
  EXPECT_EQ(bare->json().at("error").at("code"), Json(mcp::code::kInvalidParams));
}

TEST_F(McpEndpoint, ForeignHostsAndOriginsAreRefused) {
  for (const HttpHeader& header :
       {HttpHeader{"Origin", "http://evil.example"},
        HttpHeader{"Origin", "http://localhost.evil.example:80"}, HttpHeader{"Origin", "null"}}) {
    EXPECT_EQ(post("{}", {header})->status(), 403) << header.value;
  }
  auto reply = std::make_shared<KeptReply>();
  endpoint_.handle({.method = "POST", .headers = {{"Host", "evil.example"}}}, reply);
  EXPECT_EQ(reply->status(), 403);
  EXPECT_EQ(post("{}", {{"Origin", "http://localhost:3000"}})->status(), 400);
  EXPECT_EQ(post("{}", {{"Origin", "http://[::1]:3000"}})->status(), 400);
}

TEST_F(McpEndpoint, OtherMethodsAndTypesAreRefused) {
  for (const std::string method : {"GET", "DELETE", "PUT"}) {
    auto reply = std::make_shared<KeptReply>();
    endpoint_.handle({.method = method}, reply);
    EXPECT_EQ(reply->status(), 405);
    EXPECT_EQ(reply->header("Allow"), "POST");
  }
  auto reply = std::make_shared<KeptReply>();
  endpoint_.handle({.method = "POST", .headers = {{"Content-Type", "text/plain"}}}, reply);
  EXPECT_EQ(reply->status(), 415);
  EXPECT_EQ(post("not json")->status(), 400);
}

TEST_F(McpEndpoint, LegacySessionsAreNotesThatClientsCarry) {
  EXPECT_EQ(post(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})")->status(), 400);
  EXPECT_EQ(
      post(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})", {{"Mcp-Session-Id", "made-up"}})
          ->status(),
      404);
  const std::string id = session();
  ASSERT_FALSE(id.empty());
  const auto listed = post(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})",
                           {{"Mcp-Session-Id", id}, {"MCP-Protocol-Version", "2025-11-25"}});
  EXPECT_EQ(listed->status(), 200);
  EXPECT_FALSE(listed->json().at("result").as_object().contains("resultType"));
  EXPECT_EQ(
      post(R"({"jsonrpc":"2.0","method":"notifications/initialized"})", {{"Mcp-Session-Id", id}})
          ->status(),
      202);
}

TEST_F(McpEndpoint, AnIdThatIsUnderWayInItsSessionIsRefused) {
  const std::string id = session();
  const std::vector<HttpHeader> mine{{"Mcp-Session-Id", id}};
  const auto call = [](int number, std::string_view tool) {
    return fmt::format(
        R"({{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{{"name":"{}"}}}})", number,
        tool);
  };
  const auto first = post(call(7, "stay"), mine);
  const auto second = post(call(7, "x"), mine);
  EXPECT_EQ(second->status(), 400);
  EXPECT_EQ(second->json().at("error").at("code"), Json(mcp::code::kInvalidRequest));
  EXPECT_EQ(second->json().at("id"), Json(7));
  EXPECT_EQ(post(call(8, "x"), mine)->status(), 200);
  EXPECT_EQ(post(call(8, "x"), mine)->status(), 200) << "that one is over";
  EXPECT_EQ(post(call(7, "x"), {{"Mcp-Session-Id", session()}})->status(), 200);
}

// Its client has the answer already, which is all but ended here.
TEST_F(McpEndpoint, AnIdIsFreeWhileItsAnswerGoesOut) {
  const std::vector<HttpHeader> mine{{"Mcp-Session-Id", session()}};
  for (const std::string_view tool : {"x", "progress"}) {
    const std::string call =
        fmt::format(R"({{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"{}",)"
                    R"("_meta":{{"progressToken":1}}}}}})",
                    tool);
    int again = 0;
    const auto first =
        std::make_shared<ReplyWithAnEcho>([&] { again = post(call, mine)->status(); });
    EXPECT_EQ(post(call, mine, first)->status(), 200);
    EXPECT_EQ(again, 200) << tool;
  }
}

TEST_F(McpEndpoint, ProgressMakesAStream) {
  const auto reply = post(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":)"
                          R"("progress","_meta":{"progressToken":1}}})",
                          {{"Mcp-Session-Id", session()}});
  EXPECT_EQ(reply->status(), 200);
  EXPECT_EQ(reply->header("Content-Type"), "text/event-stream");
  const std::string stream = reply->stream_with("done");
  EXPECT_LT(stream.find("notifications/progress"), stream.find("done"));
}

TEST_F(McpEndpoint, ALegacyClientIsAskedOnTheStreamAndAnswersWithAPost) {
  const std::string id = session(R"({"elicitation":{}})");
  const auto reply =
      post(R"({"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"ask"}})",
           {{"Mcp-Session-Id", id}});
  const std::string stream = reply->stream_with("elicitation/create");
  const std::size_t data = stream.find("data: ") + 6;
  const Json asked = parse_json(stream.substr(data, stream.find('\n', data) - data)).value();
  EXPECT_EQ(post(R"({"jsonrpc":"2.0","id":)" + to_text(asked.at("id")) +
                     R"(,"result":{"action":"accept"}})",
                 {{"Mcp-Session-Id", id}})
                ->status(),
            202);
  EXPECT_NE(reply->stream_with("\"id\":\"a\"").find("accept"), std::string::npos);
}

TEST_F(McpEndpoint, AModernClientThatGoesAwayCancels) {
  const auto reply = modern("tools/call", R"("name":"stay",)");
  reply->go_away();
  // The endpoint's end waits for the work: it has stopped, or this test hangs.
}

TEST_F(McpEndpoint, ListenersHearWhatChanges) {
  const auto reply =
      modern("subscriptions/listen", R"("notifications":{"toolsListChanged":true},)");
  reply->stream_with("acknowledged");
  endpoint_.announce(mcp::Change::tools);
  EXPECT_NE(reply->stream_with("tools/list_changed").find("list_changed"), std::string::npos);
}

TEST_F(McpEndpoint, WhoMayNotCallIsToldWhatIsMissing) {
  rights_ = {.may_call = false};
  EXPECT_EQ(modern("tools/list")->status(), 200);
  const auto refused = modern("tools/call", R"("name":"x",)");
  EXPECT_EQ(refused->status(), 403);
  EXPECT_NE(refused->header("WWW-Authenticate").find(R"(scope="run")"), std::string::npos);
}

TEST_F(McpEndpoint, WhoMayNotAnswerIsNotAsked) {
  rights_ = {.may_answer = false};
  // Nobody is there to be asked, as with a client that cannot ask.
  const Json result = modern("tools/call", R"("name":"ask",)")->json();
  EXPECT_TRUE(result.as_object().contains("error")) << to_text(result);
  EXPECT_EQ(modern("tools/call", R"("name":"ask","inputResponses":{},)")->status(), 403);
  const std::string note = session(R"({"elicitation":{}})");
  EXPECT_EQ(post(R"({"jsonrpc":"2.0","id":1,"result":{"action":"accept"}})",
                 {{std::string(mcp::kSessionHeader), note}})
                ->status(),
            403);
}

TEST_F(McpEndpoint, ListenersEndWithTheirTokenAndWithTheServer) {
  bool is_admitted = true;
  is_admitted_ = [&] { return is_admitted; };
  const std::string wants = R"("notifications":{"toolsListChanged":true},)";
  const auto removed = modern("subscriptions/listen", wants);
  removed->stream_with("acknowledged");
  is_admitted = false;
  endpoint_.announce(mcp::Change::tools);
  EXPECT_EQ(removed->status(), 200);  // it is over
  EXPECT_EQ(removed->stream_with("list_changed").find("list_changed"), std::string::npos);
  is_admitted = true;
  const auto left = modern("subscriptions/listen", wants);
  left->stream_with("acknowledged");
  endpoint_.end_listening();
  EXPECT_EQ(left->status(), 200);
}

constexpr std::string_view kCallAndPing =
    R"([{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}},)"
    R"({"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":2,"method":"ping"}])";

TEST_F(McpEndpoint, BatchesAreAnsweredTogetherInTheRevisionThatHasThem) {
  const std::string older = session("{}", "2025-03-26");
  const auto within = [&](std::string_view body, const std::string& note) {
    return post(std::string(body), {{std::string(mcp::kSessionHeader), note}});
  };
  const auto both = within(kCallAndPing, older);
  EXPECT_EQ(both->status(), 200);
  const Json answers = both->json();
  ASSERT_TRUE(answers.is_array()) << to_text(answers);
  ASSERT_EQ(answers.as_array().size(), 2U);
  EXPECT_NE(to_text(answers).find("done"), std::string::npos);
  EXPECT_EQ(within(R"([{"jsonrpc":"2.0","method":"notifications/x"}])", older)->status(), 202);
  EXPECT_EQ(within(R"([{"jsonrpc":"2.0","id":1,"method":"initialize"}])", older)->status(), 400);
  const auto broken = within(R"([7,{"jsonrpc":"2.0","id":2,"method":"ping"}])", older);
  EXPECT_EQ(broken->json().as_array().size(), 2U);

  EXPECT_EQ(within(kCallAndPing, session())->status(), 400);
  EXPECT_EQ(post(std::string(kCallAndPing))->status(), 400);
  rights_.may_call = false;
  EXPECT_EQ(within(kCallAndPing, older)->status(), 403);
}

TEST_F(McpEndpoint, OneOfABatchThatIsCancelledLeavesTheOthers) {
  const std::string older = session("{}", "2025-03-26");
  const std::vector<HttpHeader> note{{std::string(mcp::kSessionHeader), older}};
  const std::string stays =
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"stay"}})";
  const std::string cancel =
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})";
  const auto both = post("[" + stays + R"(,{"jsonrpc":"2.0","id":2,"method":"ping"}])", note);
  EXPECT_EQ(post(cancel, note)->status(), 202);
  EXPECT_EQ(both->status(), 200);
  ASSERT_EQ(both->json().as_array().size(), 1U);
  EXPECT_EQ(both->json().at(0).at("id"), Json(2));
  // Nor does its id belong to the batch, while the others are worked on.
  const std::string also =
      R"({"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"stay"}})";
  const auto later = post("[" + stays + "," + also + "]", note);
  EXPECT_EQ(post(cancel, note)->status(), 202);
  EXPECT_EQ(post(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}})", note)
                ->status(),
            200);
  EXPECT_EQ(post(also, note)->status(), 400) << "that one is under way";
  // Of one that is cancelled whole, nothing is left to be said.
  const auto alone = post("[" + stays + "]", note);
  EXPECT_EQ(post("[" + cancel + "]", note)->status(), 202);
  EXPECT_EQ(alone->status(), 202);
}

}  // namespace
}  // namespace wright::mcp_server
