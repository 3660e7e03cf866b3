// Requests of clients in traces: what whoever records them is told, and what stands below.
#include <gtest/gtest.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "core/try.h"
#include "mcp/content.h"
#include "mcp_server/http_endpoint.h"
#include "wright/testing.h"

namespace wright::mcp_server {
namespace {

const TraceContext kInMeta{"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "a=b"};
const TraceContext kInHeaders{"00-11111111111111111111111111111111-2222222222222222-01", "c=d"};
const TraceContext kOwn{"00-4bf92f3577b34da6a3ce929d0e0e4736-3333333333333333-01", "a=b"};

// What is told of requests.
struct Told {
  TracedRequest request = {};
  int ended = 0;
  bool has_answer = false;
  JsonObject result = {};
  std::int64_t code = 0;
};

class ToldSpan final : public RequestSpan {
 public:
  explicit ToldSpan(std::shared_ptr<Told> told) : told_(std::move(told)) {}
  ~ToldSpan() override { ++told_->ended; }
  TraceContext context() const override { return kOwn; }
  void answered(const JsonObject& result) override {
    told_->has_answer = true;
    told_->result = result;
  }
  void refused(std::int64_t code, std::string_view) override { told_->code = code; }

 private:
  const std::shared_ptr<Told> told_;
};

// Waits for the end of an answer.
class AwaitedReply final : public HttpReply {
 public:
  void send(int, std::vector<HttpHeader> headers, std::string body) override {
    headers_ = std::move(headers);
    end_with(std::move(body));
  }
  void begin_stream(std::vector<HttpHeader>) override {}
  bool write(std::string bytes) override {
    const std::lock_guard lock(mutex_);
    body_ += bytes;
    changed_.notify_all();
    return true;
  }
  void end() override { end_with({}); }
  void when_closed(std::function<void()>) override {}

  std::string body() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_over_; });
    return body_;
  }
  void await(std::string_view text) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return body_.find(text) != std::string::npos; });
  }
  std::string header(std::string_view name) {
    (void)body();
    return std::string(find_header(headers_, name));
  }

 private:
  void end_with(std::string more) {
    const std::lock_guard lock(mutex_);
    body_ += more;
    is_over_ = true;
    changed_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<HttpHeader> headers_;
  std::string body_;
  bool is_over_ = false;
};

class McpTracing : public ::testing::Test {
 protected:
  McpTracing() {
    worker_->name = "worker";
    worker_->model = model_from(
        "p", "m", [this](const Request&, const ModelCall& call) -> Result<Response> {
          model_was_told_ = call.trace;
          return testing::says("done");
        });
    auto caller = std::make_shared<Agent>();
    caller->tools = {tool("where", "Tells its trace",
                          [](const Context& context) { return context.trace.parent; }),
                     tool("broken", "Fails", []() -> Result<int> {
                       return fail(ErrorCode::tool_failed, "no");
                     }),
                     ask_user_tool()};
    host_ = std::make_unique<Host>(
        Offering{.caller = std::move(caller),
                 .agents = {{.tool = "ask_worker",
                             .description = "Works",
                             .make = [this]() -> Result<AgentToRun> {
                               return AgentToRun{worker_, JsonObject{}};
                             }}},
                 .store = store_.get(),
                 .tracing = {.find = [this](SessionId id, std::string_view) {
                               return adopted_.contains(id) ? adopted_[id] : TraceContext();
                             },
                             .adopt = [this](SessionId id, const TraceContext& trace) {
                               adopted_[id] = trace;
                             }}});
    EndpointOptions options{
        .offer = std::make_shared<mcp::ServerOffer>(host_->offer({"w", "W", "1"}, "key")),
        .perform = [this](const mcp::Work& work,
                          const WorkControls& controls) { return host_->perform(work, controls); },
        .begin_span =
            [this](const TracedRequest& request) {
              told_.push_back(std::make_shared<Told>(Told{.request = request}));
              return std::make_unique<ToldSpan>(told_.back());
            }};
    endpoint_ = std::make_unique<HttpEndpoint>(std::move(options));
  }

  std::shared_ptr<AwaitedReply> post(const Json& message, std::vector<HttpHeader> headers = {}) {
    headers.push_back({"Content-Type", "application/json"});
    headers.push_back({"Accept", "application/json, text/event-stream"});
    headers.push_back({"Host", "localhost"});
    headers.push_back({"traceparent", kInHeaders.parent});
    headers.push_back({"tracestate", kInHeaders.state});
    auto reply = std::make_shared<AwaitedReply>();
    endpoint_->handle({.method = "POST", .headers = std::move(headers), .body = to_text(message)},
                      reply);
    return reply;
  }
  std::shared_ptr<AwaitedReply> modern(std::string_view method, JsonObject params,
                                       std::vector<HttpHeader> headers = {}) {
    params["_meta"] =
        JsonObject{{"io.modelcontextprotocol/protocolVersion", "2026-07-28"},
                   {"io.modelcontextprotocol/clientCapabilities", capabilities_},
                   {"traceparent", kInMeta.parent},
                   {"tracestate", kInMeta.state}};
    headers.push_back({"MCP-Protocol-Version", "2026-07-28"});
    headers.push_back({"Mcp-Method", std::string(method)});
    if (params.contains("name")) {
      headers.push_back({"Mcp-Name", std::string(params["name"].as_string())});
    }
    return post({{"jsonrpc", "2.0"}, {"id", "r-7"}, {"method", method}, {"params", params}},
                std::move(headers));
  }
  const Told& only() {
    EXPECT_EQ(told_.size(), 1U);
    return *told_.front();
  }

  std::unique_ptr<Store> store_ = open_memory_store();
  std::shared_ptr<Agent> worker_ = std::make_shared<Agent>();
  JsonObject capabilities_;  // of clients
  TraceContext model_was_told_;
  std::map<SessionId, TraceContext> adopted_;
  std::vector<std::shared_ptr<Told>> told_;
  std::unique_ptr<Host> host_;
  std::unique_ptr<HttpEndpoint> endpoint_;
};

TEST_F(McpTracing, tells_of_a_call_and_gives_its_place_to_the_tool) {
  const auto reply = modern("tools/call", {{"name", "where"}});
  EXPECT_NE(reply->body().find(kOwn.parent), std::string::npos) << reply->body();
  const Told& told = only();
  EXPECT_EQ(told.request.method, "tools/call");
  EXPECT_EQ(told.request.tool, "where");
  EXPECT_EQ(told.request.id, "r-7");
  EXPECT_EQ(told.request.version, "2026-07-28");
  EXPECT_EQ(told.request.session, "");
  EXPECT_EQ(told.request.asked_by.parent, kInMeta.parent);
  EXPECT_EQ(told.request.asked_by.state, kInMeta.state);
  EXPECT_EQ(told.request.carried_by.parent, kInHeaders.parent);
  EXPECT_EQ(told.request.carried_by.state, kInHeaders.state);
  EXPECT_TRUE(told.has_answer);
  EXPECT_EQ(told.ended, 1) << "before its client has the answer";
}

TEST_F(McpTracing, tells_of_tools_that_fail_and_of_what_is_refused) {
  (void)modern("tools/call", {{"name", "broken"}})->body();
  EXPECT_EQ(only().result.at("isError"), Json(true));
  (void)modern("tools/call", {{"name", "nobody"}})->body();
  ASSERT_EQ(told_.size(), 2U);
  EXPECT_EQ(told_[1]->code, mcp::code::kInvalidParams);
  EXPECT_EQ(told_[1]->ended, 1);
  (void)modern("no/such", {})->body();
  ASSERT_EQ(told_.size(), 3U);
  EXPECT_EQ(told_[2]->code, mcp::code::kMethodNotFound);
}

TEST_F(McpTracing, begins_sessions_below_the_request) {
  const auto reply =
      modern("tools/call", {{"name", "ask_worker"}, {"arguments", {{"prompt", "Go"}}}});
  EXPECT_NE(reply->body().find("done"), std::string::npos) << reply->body();
  const auto sessions = store_->list_sessions({});
  ASSERT_TRUE(sessions);
  ASSERT_EQ(sessions->size(), 1U);
  const Session& session = sessions->front();
  EXPECT_EQ(session.config.at("traceparent"), Json(kOwn.parent)) << "so that others go on in it";
  EXPECT_EQ(session.config.at("tracestate"), Json(kOwn.state));
  EXPECT_EQ(adopted_[session.id].parent, kOwn.parent);
  EXPECT_EQ(model_was_told_.parent, kOwn.parent);
}

TEST_F(McpTracing, begins_tasks_below_the_request) {
  capabilities_ = {{"extensions", {{"io.modelcontextprotocol/tasks", JsonObject{}}}}};
  const auto reply =
      modern("tools/call", {{"name", "ask_worker"}, {"arguments", {{"prompt", "Go"}}}});
  EXPECT_NE(reply->body().find("taskId"), std::string::npos) << reply->body();
  const auto session = [&] { return store_->get_session(1).value_or(Session()); };
  while (session().status != SessionStatus::completed) std::this_thread::yield();
  EXPECT_EQ(session().config.at("traceparent"), Json(kOwn.parent));
  endpoint_.reset();
  host_.reset();  // whoever drove it is gone
  EXPECT_EQ(adopted_[1].parent, kOwn.parent);
  EXPECT_EQ(model_was_told_.parent, kOwn.parent);
}

TEST_F(McpTracing, tells_of_what_the_older_revisions_ask) {
  const auto hello = post({{"jsonrpc", "2.0"},
                           {"id", 1},
                           {"method", "initialize"},
                           {"params", {{"protocolVersion", "2025-11-25"},
                                       {"capabilities", {{"elicitation", JsonObject{}}}},
                                       {"clientInfo", {{"name", "c"}, {"version", "1"}}}}}});
  const std::string session = hello->header("Mcp-Session-Id");
  ASSERT_FALSE(session.empty());
  EXPECT_EQ(only().request.method, "initialize");
  EXPECT_EQ(only().request.id, "1");
  EXPECT_EQ(only().request.version, "2025-11-25");
  EXPECT_EQ(only().ended, 1);
  EXPECT_FALSE(only().request.asked_by.is_set());

  // A call that asks its client's person on the way is one request, until it is answered.
  const auto call =
      post({{"jsonrpc", "2.0"},
            {"id", 2},
            {"method", "tools/call"},
            {"params", {{"name", "ask_user"},
                        {"arguments", {{"questions", JsonArray{JsonObject{
                                                        {"id", "who"}, {"question", "Who?"}}}}}}}}},
           {{"Mcp-Session-Id", session}});
  call->await("elicitation/create");
  ASSERT_EQ(told_.size(), 2U);
  EXPECT_EQ(told_[1]->request.session, session);
  EXPECT_EQ(told_[1]->request.version, "2025-11-25");
  EXPECT_EQ(told_[1]->ended, 0);
}

TEST_F(McpTracing, takes_only_what_can_be_a_trace) {
  mcp::Request request{.id = 1, .method = "tools/list"};
  request.params["_meta"] = JsonObject{{"traceparent", 7}, {"tracestate", std::string(600, 'x')}};
  const TracedRequest traced = traced_request(request);
  EXPECT_FALSE(traced.asked_by.is_set());
  EXPECT_TRUE(traced.asked_by.state.empty());
  EXPECT_TRUE(traced.tool.empty());
}

}  // namespace
}  // namespace wright::mcp_server
