// A server with real sockets, a real runtime and agents whose models do as they are told, for the
// tests of its routes.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <latch>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/temporary_folder_testing.h"
#include "http_server/server_testing.h"
#include "runtime/event_writer.h"
#include "server/caller_tools.h"
#include "server/compatible_routes.h"
#include "server/dashboard_routes.h"
#include "server/metrics.h"
#include "server/service.h"
#include "wright/testing.h"

namespace wright::server {

struct Answered {
  int status = 0;
  std::string head = {};
  std::string body = {};

  Json json() const {
    auto parsed = parse_json(body);
    EXPECT_TRUE(parsed) << head << body;
    return parsed ? *parsed : Json();
  }
};

// Says the prompt again, or calls a tool when the prompt is "call NAME ARGUMENTS" and tells what it
// answered. A tool that it has to call gets the prompt as arguments.
inline Result<wright::Response> parrot_answer(const wright::Request& request,
                                              const ModelCall& call) {
  const Message& last = request.messages.back();
  std::string text = last.text();
  if (last.role == Role::tool) {
    text = "told: ";
    for (const Part& part : last.parts) {
      if (const auto* result = std::get_if<ToolResult>(&part)) text += result->content;
    }
  } else if (text.starts_with("call ")) {
    const std::size_t space = text.find(' ', 5);
    return testing::calls({testing::call(
        text.substr(5, space - 5), space == std::string::npos ? "{}" : text.substr(space + 1))});
  }
  if (const ToolChoice choice = request.tool_choice(); choice.kind == ToolChoice::Kind::one) {
    return testing::calls({testing::call(choice.tool, text)});
  }
  wright::Response response = testing::says(text);
  response.usage = {.input_tokens = 10, .output_tokens = 2};
  if (call.on_text) {
    call.on_text(std::string_view(text).substr(0, text.size() / 2));
    call.on_text(std::string_view(text).substr(text.size() / 2));
  }
  return response;
}
inline Model parrot() {
  return model_from("test", "parrot", parrot_answer);
}

// What a test has instead of a parrot that can ask.
struct Served {
  Model model = parrot();
  std::vector<Tool> tools = {};  // more of them
  std::vector<std::string> labels = {};             // of the runtime
  std::optional<std::size_t> most_running = {};     // of the runtime
  std::function<void()> queued = {};                // see ServiceOptions
  store::QueueLimits queue_limits = {};             // see ServiceOptions
  bool can_ask = true;           // else it has no tools of its own but those
  Store* store = nullptr;        // instead of one in memory; not owned
  http::ServerOptions http = {};
  StoreFiguresTimes store_figures = {};  // see ServiceOptions
  SnapshotAges ages = {std::chrono::milliseconds(0), std::chrono::milliseconds(0)};
  std::chrono::milliseconds turn_patience = std::chrono::seconds(60);  // see ServiceOptions
};

class ServedService {
 public:
  explicit ServedService(Served what = {})
      : own_store_(what.store == nullptr ? open_memory_store() : nullptr),
        store_(what.store == nullptr ? own_store_.get() : what.store),
        tokens_(tokens_file()),
        events_(*store_, std::chrono::milliseconds(1'000)),
        writer_(*store_, [this] { events_.look(); }) {
    Agent agent{.name = "parrot", .description = "Says it again", .model = std::move(what.model)};
    if (what.can_ask) {
      agent.tools.push_back(tool("ask", "Asks a person", [](const Context& context) -> ToolReply {
        if (context.answers.answer) return Output{.value = *context.answers.answer};
        return Waiting{.kind = WaitKind::result, .shown = {{"question", "Well?"}}};
      }));
    }
    for (Tool& each : what.tools) agent.tools.push_back(std::move(each));
    agent_ = std::make_shared<const Agent>(std::move(agent));
    AgentSource agents{
        .names = [] { return std::vector<std::string>{"parrot"}; },
        .make = [this](std::string_view name) -> Result<PreparedAgent> {
          if (name != "parrot") return fail(ErrorCode::not_found, "There is no such agent");
          return PreparedAgent{agent_, JsonObject()};
        },
        .of_session = [this](const Session& session) -> Result<AgentPointer> {
          return with_wishes_of_caller(agent_, session.config);
        },
        .make_answering = [this](std::string_view, const Json& schema) -> Result<PreparedAgent> {
          Agent answering = *agent_;
          answering.sampling.response_format = {
              .kind = ResponseFormat::Kind::json_schema, .name = "answer", .schema = schema};
          return PreparedAgent{std::make_shared<const Agent>(std::move(answering)), JsonObject()};
        }};
    const Observer write = writer_.observer();
    runtime_ = std::move(
        *Runtime::open({.store = store_,
                        .agents = agents.of_session,
                        .labels = what.labels,
                        .most_running = what.most_running,
                        .observer = [this, write](const Event& event, const EventOrigin& origin) {
                          write(event, origin);
                          metrics_.observe(event, origin);
                          listeners_.observe(event, origin);
                        }}));
    what.http.is_prompt = is_prompt;
    http_ = http::served(std::move(what.http),
                         [this](http::Request request, const http::Responder& responder) {
                           is_ready_.wait();
                           service_->handle(std::move(request), responder);
                         });
    service_ = std::make_unique<Service>(ServiceOptions{.store = *store_,
                                                        .runtime = *runtime_,
                                                        .agents = agents,
                                                        .tokens = tokens_,
                                                        .guard = {.hosts = hosts()},
                                                        .events = events_,
                                                        .queued = what.queued,
                                                        .queue_limits = what.queue_limits,
                                                        .listeners = listeners_,
                                                        .metrics = &metrics_,
                                                        .store_figures = what.store_figures,
                                                        .ages = what.ages,
                                                        .turn_patience = what.turn_patience});
    add_all_routes(*service_);
    service_->add(compatible_routes(service_->options(), listeners_));
    service_->add(dashboard_routes());
    is_ready_.count_down();
  }
  ~ServedService() { http_.reset(); }
  ServedService(const ServedService&) = delete;
  ServedService& operator=(const ServedService&) = delete;

  Answered ask(std::string_view method, std::string_view path, std::string_view body = {},
               std::string_view headers = {}) {
    http::RawPeer peer(*http_);
    peer.write(request_text(method, path, body, headers));
    return answered_from(peer.read_all());
  }
  static std::string request_text(std::string_view method, std::string_view path,
                                  std::string_view body = {}, std::string_view headers = {},
                                  std::string_view host = "localhost") {
    return fmt::format(
        "{} {} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {}\r\n{}\r\n{}", method,
        path, host, body.size(), headers, body);
  }
  static Answered answered_from(const std::string& bytes) {
    const std::size_t end = bytes.find("\r\n\r\n");
    Answered answered;
    if (end == std::string::npos) return answered;
    answered.head = bytes.substr(0, end);
    answered.status = std::stoi(bytes.substr(9, 3));
    answered.body = bytes.substr(end + 4);
    if (answered.head.find("chunked") != std::string::npos) {
      answered.body = joined_chunks(answered.body);
    }
    return answered;
  }

  // Begins a session and waits until it has ended or waits.
  SessionId begin(std::string_view prompt) {
    const Answered answered =
        ask("POST", "/api/v1/sessions", to_text(Json{{"agent", "parrot"}, {"prompt", prompt}}));
    EXPECT_EQ(answered.status, 201) << answered.body;
    const SessionId id = answered.json().at("id").to_number<SessionId>();
    (void)runtime_->wait(id);
    return id;
  }

  Store& store() { return *store_; }
  const Agent& agent() const { return *agent_; }
  Runtime& runtime() { return *runtime_; }
  Tokens& tokens() { return tokens_; }
  std::string tokens_file() const { return folder_ / "tokens.json"; }
  Service& service() { return *service_; }
  const http::Server& http() const { return *http_; }
  void end_http() { http_.reset(); }  // the sessions go on
  runtime::EventWriter& writer() { return writer_; }
  SessionListeners& listeners() { return listeners_; }

 private:
  std::vector<std::string> hosts() const {
    std::vector<std::string> hosts = hosts_of(http_->addresses());
    hosts.emplace_back("localhost");
    return hosts;
  }
  static std::string joined_chunks(std::string_view bytes) {
    std::string joined;
    while (!bytes.empty()) {
      const std::size_t line = bytes.find("\r\n");
      if (line == std::string_view::npos) break;
      const std::size_t size = std::stoul(std::string(bytes.substr(0, line)), nullptr, 16);
      joined += bytes.substr(line + 2, size);
      bytes.remove_prefix(std::min(bytes.size(), line + 2 + size + 2));
      if (size == 0) break;
    }
    return joined;
  }

  const TemporaryFolder folder_;
  const std::unique_ptr<Store> own_store_;
  Store* const store_;
  Tokens tokens_;
  EventHub events_;
  Metrics metrics_;
  SessionListeners listeners_;
  runtime::EventWriter writer_;
  AgentPointer agent_;
  std::unique_ptr<Runtime> runtime_;
  std::unique_ptr<Service> service_;
  std::latch is_ready_{1};  // the server listens before its service knows by which names
  std::unique_ptr<http::Server> http_;
};

}  // namespace wright::server
