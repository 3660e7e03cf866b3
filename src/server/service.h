// What the server does with requests: one guard, one table of routes. It owns neither the store nor
// the runtime.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "http_server/server.h"
#include "runtime/stored_trace.h"
#include "server/event_hub.h"
#include "server/guard.h"
#include "server/metrics.h"
#include "server/store_figures.h"
#include "store/queue_limits.h"
#include "wright/runtime.h"
#include "wright/store.h"

namespace wright::server {

struct PreparedAgent {
  AgentPointer agent = {};
  Json config = {};  // kept with its sessions
};

// Where agents come from. All functions may be called from several threads.
struct AgentSource {
  std::function<std::vector<std::string>()> names = {};
  std::function<Result<PreparedAgent>(std::string_view name)> make = {};
  std::function<Result<AgentPointer>(const Session&)> of_session = {};
  // One whose answers are JSON that fits the schema, which is one. May be empty.
  std::function<Result<PreparedAgent>(std::string_view name, const Json& schema)> make_answering =
      {};
};

// How old figures may be that all who look on share.
struct SnapshotAges {
  std::chrono::milliseconds figures{1'000};
  // Less than a page waits before it asks again.
  std::chrono::milliseconds waits{150};
};

class SessionListeners;

struct ServiceOptions {
  Store& store;
  Runtime& runtime;
  AgentSource agents = {};
  Tokens& tokens;
  GuardOptions guard = {};
  EventHub& events;
  // Called after something was put into the queue of the store, in any thread; may be empty.
  std::function<void()> queued = {};
  store::QueueLimits queue_limits = {};
  SessionListeners& listeners;
  std::function<Json()> models = {};                // for /api/v1/models
  const Metrics* metrics = nullptr;                 // for /metrics
  std::function<std::vector<Gauge>()> gauges = {};  // more of them, without the store; may be empty
  std::function<std::vector<Gauge>()> store_gauges = {};  // those for which the store is asked
  StoreFiguresTimes store_figures = {};
  // Told whose trace a session belongs to, just before it begins; may be empty.
  runtime::AdoptTrace adopt_trace = {};
  SnapshotAges ages = {};
  // What a person says, as it may be kept; may be empty: as it is.
  std::function<std::string(std::string)> without_keys = {};
  // How long a request in a vendor's protocol waits for others that go on with the same session.
  std::chrono::milliseconds turn_patience{5'000};
  // Requested when the server is about to end: what would take long is stopped.
  std::stop_token ending = {};
};

// A request on its way to its route.
struct Call {
  http::Request request;
  http::Responder responder;
  Caller caller = {};
  std::vector<std::string> words = {};  // what stands for {…} in the pattern

  // The number in the path; ErrorCode::not_found where it is none.
  Result<std::int64_t> number(std::size_t index = 0) const;
  // The body, an object.
  Result<JsonObject> body() const;
  // Refuses members that are not `known`: a misspelt one must not be passed over.
  Result<JsonObject> body(std::initializer_list<std::string_view> known) const;
  // A parameter of the query as a number.
  Result<std::optional<std::int64_t>> number_of(std::string_view parameter) const;
  // How many of a list are asked for: `otherwise` where nothing is said, and never above 500.
  static constexpr std::size_t kMostOfAPage = 500;
  Result<std::size_t> page_size(std::size_t otherwise = kMostOfAPage) const;
  // The page that is asked for, with `after`, `before`, `limit` and `keep`.
  Result<Page> page() const;
  // The tenant whose sessions are meant: the caller's, or the one that is asked for, in the query
  // or as `wanted`. A caller of one tenant is refused those of others.
  Result<std::optional<std::string>> tenant(std::optional<std::string> wanted = {}) const;
};

// Nothing: the route answers by itself, now or later.
using Answer = Result<std::optional<http::Response>>;

struct Route {
  std::string method = {};
  std::string pattern = {};  // "/api/v1/sessions/{id}"
  Access access = Access::known;
  Scope scope = Scope::read;
  std::function<Answer(Call&)> answer = {};
  std::optional<std::size_t> most_body_bytes = {};  // else what its access allows
  // Of the query, that it knows: others are refused. Absent: any may come.
  std::optional<std::vector<std::string>> parameters = {};
};

class Service {
 public:
  explicit Service(ServiceOptions options);

  // For http::Server. The body is read when the guard has let the request in.
  void handle(http::Request request, const http::Responder& responder);

  // Routes of others, such as /mcp, behind the same guard.
  void add(Route route) { routes_.push_back(std::move(route)); }
  void add(std::vector<Route> routes);

  const ServiceOptions& options() const { return options_; }
  const std::vector<Route>& routes() const { return routes_; }

 private:
  // The route that the guard lets the call go to. `allowed`: the methods of this path otherwise.
  Result<const Route*> admit(Call& call, std::string& allowed);

  const ServiceOptions options_;
  Guard guard_;
  std::vector<Route> routes_;
};

// The agent of that name, whose answers are JSON that fits the schema. Refuses what is no schema.
Result<PreparedAgent> make_answering(const ServiceOptions& options, std::string_view name,
                                     const Json& schema);

// The routes, by what they are about. They refer to the service's options, which must outlive them.
std::vector<Route> information_routes(const ServiceOptions& options);
std::vector<Route> session_routes(const ServiceOptions& options);
std::vector<Route> wait_routes(const ServiceOptions& options);
std::vector<Route> event_routes(const ServiceOptions& options);
std::vector<Route> health_routes(const ServiceOptions& options);
std::vector<Route> replay_routes(const ServiceOptions& options);

// Requests that are answered from memory, whatever the store does (http::ServerOptions).
bool is_prompt(const http::Request& request);

// All of them.
void add_all_routes(Service& service);

// As every response goes out; for routes that answer by themselves.
void send_answer(const http::Responder& responder, http::Response response);

// A member of an object that must be a text; `otherwise` where it is absent.
Result<std::string> text_in(const JsonObject& object, std::string_view key,
                            std::optional<std::string> otherwise = std::nullopt);

}  // namespace wright::server
