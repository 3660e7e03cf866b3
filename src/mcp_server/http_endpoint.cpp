#include "mcp_server/http_endpoint.h"

#include <fmt/format.h>
#include <boost/json/object.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>

#include "core/text.h"
#include "mcp/request_state.h"
#include "mcp_server/http_exchange.h"

namespace wright::mcp_server {
namespace {

constexpr std::string_view kJsonType = "application/json";

void refuse(HttpReply& reply, int status, const mcp::Problem& problem, const Json& id = {}) {
  std::vector<HttpHeader> headers{{"Content-Type", std::string(kJsonType)}};
  if (status == 405) headers.push_back({"Allow", "POST"});
  reply.send(status, std::move(headers), mcp::problem_text(id, problem));
}

void refuse_for_scope(HttpReply& reply, std::string_view scope, const Json& id = {}) {
  reply.send(403,
             {{"Content-Type", std::string(kJsonType)},
              {"WWW-Authenticate",
               fmt::format(R"(Bearer error="insufficient_scope", scope="{}")", scope)}},
             mcp::problem_text(
                 id, {mcp::code::kInvalidRequest,
                      fmt::format("this token may not do that: it lacks the scope '{}'", scope)}));
}

// What a request needs and its caller lacks; empty: nothing.
std::string_view missing_scope(const HttpCall& call, const mcp::Request& request) {
  const bool is_run = request.method == "tools/call" || request.method == "tasks/cancel";
  if (!call.rights.may_call && is_run) return "run";
  if (!call.rights.may_answer && request.params.contains("inputResponses")) return "answer";
  return {};
}

TraceContext trace_of(const HttpCall& call) {
  return {std::string(find_header(call.headers, "traceparent")),
          std::string(find_header(call.headers, "tracestate"))};
}

// "localhost" of "localhost:8080", "http://localhost:8080"
std::string host_in(std::string_view text) {
  if (const std::size_t scheme = text.find("://"); scheme != std::string_view::npos) {
    text.remove_prefix(scheme + 3);
  }
  text = text.substr(0, text.find('/'));
  const std::size_t colon = text.rfind(':');
  const std::size_t bracket = text.rfind(']');
  if (colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket)) {
    text = text.substr(0, colon);
  }
  return lower(text);
}

// By id_key().
std::set<std::string> ids_in(const mcp::Frame& frame) {
  std::set<std::string> ids;
  for (const mcp::Message& message : frame.messages) {
    if (const auto* request = std::get_if<mcp::Request>(&message)) {
      ids.insert(mcp::id_key(request->id));
    }
  }
  return ids;
}

bool accepts(std::string_view accept, std::string_view type) {
  return accept.empty() || accept.find("*/*") != std::string_view::npos ||
         lower(accept).find(type) != std::string::npos;
}

std::string random_word() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}", device(), device());
}

}  // namespace

class HttpEndpoint::State : public std::enable_shared_from_this<HttpEndpoint::State> {
 public:
  explicit State(EndpointOptions options) : options_(std::move(options)) {}

  void handle(HttpCall call, const std::shared_ptr<HttpReply>& reply) {
    if (!is_known_host(call)) {
      return refuse(*reply, 403,
                    {mcp::code::kInvalidRequest, "this Host or Origin is not welcome"});
    }
    if (call.method != "POST") {
      return refuse(*reply, 405, {mcp::code::kInvalidRequest, "only POST is understood here"});
    }
    const std::string_view accept = find_header(call.headers, "Accept");
    if (!accepts(accept, kJsonType) && !accepts(accept, "text/event-stream")) {
      return refuse(
          *reply, 406,
          {mcp::code::kInvalidRequest, "Accept must have application/json and text/event-stream"});
    }
    if (!lower(find_header(call.headers, "Content-Type")).starts_with(kJsonType)) {
      return refuse(*reply, 415,
                    {mcp::code::kInvalidRequest, "Content-Type must be application/json"});
    }
    mcp::Frame frame = mcp::read_frame(call.body);
    if (frame.is_batch) return take_batch(call, std::move(frame), reply);
    mcp::Message& message = frame.messages.front();
    if (const auto* malformed = std::get_if<mcp::Malformed>(&message)) {
      return refuse(*reply, 400, malformed->problem, malformed->id);
    }
    if (const auto* request = std::get_if<mcp::Request>(&message)) {
      if (const auto scope = missing_scope(call, *request); !scope.empty()) {
        return refuse_for_scope(*reply, scope, request->id);
      }
      if (is_modern_call(call, *request)) return take_modern(call, std::move(frame), reply);
      return take_legacy(call, std::move(frame), reply);
    }
    take_other(call, std::move(frame), *reply);
  }

  void announce(mcp::Change change) {
    for (const auto& exchange : exchanges()) exchange->announce(change);
  }

  void end_listening() {
    for (const auto& exchange : exchanges()) {
      if (!exchange->is_working()) exchange->hang_up();
    }
  }

  void close() {
    for (const auto& exchange : exchanges()) exchange->stop();
    std::unique_lock lock(mutex_);
    is_closing_ = true;
    work_came_.notify_all();
    thread_ended_.wait(lock, [this] { return threads_ == 0; });
  }

 private:
  bool is_known_host(const HttpCall& call) const {
    if (options_.hosts.empty()) return true;
    const auto is_known = [this](std::string_view header) {
      return header.empty() ||
             std::ranges::find(options_.hosts, host_in(header)) != options_.hosts.end();
    };
    return is_known(find_header(call.headers, "Host")) &&
           is_known(find_header(call.headers, "Origin"));
  }

  static bool is_modern_call(const HttpCall& call, const mcp::Request& request) {
    if (request.method == "initialize") return false;
    const std::string_view version = find_header(call.headers, mcp::kVersionHeader);
    if (!version.empty() && !mcp::is_legacy_version(version)) return true;
    return mcp::is_modern(request);
  }

  void take_modern(const HttpCall& call, mcp::Frame frame,
                   const std::shared_ptr<HttpReply>& reply) {
    const auto& request = std::get<mcp::Request>(frame.messages.front());
    // What is said to be of an unknown revision is told so by the machine.
    const std::string_view version = find_header(call.headers, mcp::kVersionHeader);
    std::vector<mcp::HeaderParameter> parameters;
    if (options_.header_parameters && request.method == "tools/call") {
      parameters = options_.header_parameters(mcp::text_in(request.params, "name"));
    }
    const JsonObject* meta = mcp::object_in(request.params, "_meta");
    if (meta == nullptr || mcp::string_in(*meta, mcp::meta::kVersion) == nullptr) {
      return refuse(
          *reply, 400,
          {mcp::code::kInvalidParams, fmt::format("_meta must have \"{}\"", mcp::meta::kVersion)},
          request.id);
    }
    if (const auto problem = mcp::problem_with_headers(call.headers, request, parameters)) {
      const bool is_version = version != mcp::kModernVersion;
      const bool is_same = mcp::text_in(*meta, mcp::meta::kVersion) == version;
      if (!is_version || !is_same) return refuse(*reply, 400, *problem, request.id);
    }
    start(mcp::ServerMachine(options_.offer, call.principal, next_numbers()), std::move(frame),
          reply, {}, call);
  }

  void take_legacy(const HttpCall& call, mcp::Frame frame,
                   const std::shared_ptr<HttpReply>& reply) {
    const auto& request = std::get<mcp::Request>(frame.messages.front());
    const std::string_view version = find_header(call.headers, mcp::kVersionHeader);
    mcp::ServerMachine machine(options_.offer, call.principal, next_numbers());
    if (request.method == "initialize") {
      // The note that the client carries says what it told in the handshake.
      mcp::ServerMachine trial(options_.offer, call.principal);
      (void)trial.receive(milliseconds_now(), mcp::Frame{{request}, false});
      std::string session = trial.client() ? note_of(*trial.client(), call.principal) : "";
      return start(std::move(machine), std::move(frame), reply, std::move(session), call);
    }
    const std::string session(find_header(call.headers, mcp::kSessionHeader));
    if (session.empty()) {
      return refuse(
          *reply, 400,
          {mcp::code::kInvalidRequest,
           fmt::format("the header {} is missing: say \"initialize\" first", mcp::kSessionHeader)},
          request.id);
    }
    auto client = client_of(session, call.principal);
    if (!client) {
      return refuse(*reply, 404,
                    {mcp::code::kInvalidRequest,
                     "there is no such session any more: say \"initialize\" again"},
                    request.id);
    }
    if (!version.empty() && !mcp::is_legacy_version(version)) {
      return refuse(*reply, 400, {mcp::code::kInvalidRequest, "this revision is not known here"},
                    request.id);
    }
    machine.adopt(std::move(client));
    start(std::move(machine), std::move(frame), reply, session, call);
  }

  // Of the one revision that has them. What is no request in it goes where it would go alone; the
  // requests are answered together.
  void take_batch(const HttpCall& call, mcp::Frame frame, const std::shared_ptr<HttpReply>& reply) {
    const std::string session(find_header(call.headers, mcp::kSessionHeader));
    auto client = session.empty() ? nullptr : client_of(session, call.principal);
    if (!client || client->version != mcp::kBatchVersion) {
      return refuse(*reply, 400,
                    {mcp::code::kInvalidRequest,
                     fmt::format("batches are for sessions of revision {}", mcp::kBatchVersion)});
    }
    mcp::Frame requests{.is_batch = true};
    mcp::Frame others;
    for (mcp::Message& message : frame.messages) {
      const auto* request = std::get_if<mcp::Request>(&message);
      if (request != nullptr && request->method == "initialize") {
        return refuse(*reply, 400, {mcp::code::kInvalidRequest, "say \"initialize\" alone"},
                      request->id);
      }
      const auto scope = request != nullptr ? missing_scope(call, *request) : std::string_view();
      if (!scope.empty()) return refuse_for_scope(*reply, scope, request->id);
      if (!call.rights.may_answer && std::holds_alternative<mcp::Answer>(message)) {
        return refuse_for_scope(*reply, "answer");
      }
      const bool is_answered =
          request != nullptr || std::holds_alternative<mcp::Malformed>(message);
      (is_answered ? requests : others).messages.push_back(std::move(message));
    }
    for (mcp::Message& message : others.messages) {
      pass_on(session, mcp::Frame{{std::move(message)}, false});
    }
    if (requests.messages.empty()) return reply->send(202, {}, "");
    mcp::ServerMachine machine(options_.offer, call.principal, next_numbers());
    machine.adopt(std::move(client));
    start(std::move(machine), std::move(requests), reply, session, call);
  }

  void pass_on(std::string_view session, const mcp::Frame& frame) {
    for (const auto& exchange : exchanges()) {
      if (exchange->session() == session) exchange->receive(frame);
    }
  }

  // Notifications and answers go to whatever of their session is under way.
  void take_other(const HttpCall& call, mcp::Frame frame, HttpReply& reply) {
    if (!call.rights.may_answer && std::holds_alternative<mcp::Answer>(frame.messages.front())) {
      return refuse_for_scope(reply, "answer");
    }
    const std::string session(find_header(call.headers, mcp::kSessionHeader));
    if (!session.empty()) {
      if (!client_of(session, call.principal)) {
        return refuse(reply, 404,
                      {mcp::code::kInvalidRequest, "there is no such session any more"});
      }
      pass_on(session, frame);
    }
    reply.send(202, {}, "");
  }

  std::string note_of(const mcp::ClientView& client, std::string_view principal) const {
    return mcp::seal(options_.offer->state_key,
                     {{"version", client.version},
                      {"capabilities", client.capabilities},
                      {"info", mcp::to_json(client.peer)},
                      {"nonce", random_word()}},
                     {principal, "session", nullptr}, milliseconds_now());
  }

  std::shared_ptr<const mcp::ClientView> client_of(std::string_view note,
                                                   std::string_view principal) {
    const std::string key = fmt::format("{}\n{}", principal, note);
    const std::int64_t now = milliseconds_now();
    {
      const std::lock_guard lock(notes_mutex_);
      const auto known = notes_.find(key);
      if (known != notes_.end() && now < known->second.until) return known->second.client;
    }
    const auto read =
        mcp::unseal(options_.offer->state_key, note, {principal, "session", nullptr}, now);
    if (!read) return nullptr;
    auto client = std::make_shared<mcp::ClientView>();
    client->version = mcp::text_in(*read, "version");
    if (const JsonObject* own = mcp::object_in(*read, "capabilities")) client->capabilities = *own;
    if (const JsonObject* info = mcp::object_in(*read, "info"))
      client->peer = mcp::peer_from(*info);
    constexpr std::size_t kMostNotes = 1'000;
    constexpr std::int64_t kKeptMs = 60'000;
    const std::lock_guard lock(notes_mutex_);
    if (notes_.size() >= kMostNotes) notes_.clear();
    notes_[key] = {client, now + kKeptMs};
    return client;
  }

  void start(mcp::ServerMachine machine, mcp::Frame frame, const std::shared_ptr<HttpReply>& reply,
             std::string session, const HttpCall& call) {
    const auto* first = std::get_if<mcp::Request>(&frame.messages.front());
    const bool begins = first != nullptr && first->method == "initialize" && !session.empty();
    const StartWork start_work = [weak = weak_from_this()](std::function<void()> work) {
      const auto self = weak.lock();
      return self && self->start_thread(std::move(work));
    };
    auto exchange = std::make_shared<HttpExchange>(
        options_, std::move(machine), reply, session, ids_in(frame), start_work,
        HttpExchange::OfCaller{call.rights.may_answer, call.is_admitted, trace_of(call)});
    if (begins) exchange->add_header({std::string(mcp::kSessionHeader), session});
    if (const mcp::Request* taken = add_unless_under_way(exchange, frame)) {
      return refuse(*reply, 400,
                    {mcp::code::kInvalidRequest, "a request with this id is still being answered"},
                    taken->id);
    }
    reply->when_closed([weak = std::weak_ptr(exchange)] {
      if (const auto there = weak.lock()) there->abandon();
    });
    exchange->receive(std::move(frame));
    // Whoever listens is kept by nobody else.
    if (!exchange->is_over()) keep(exchange);
  }

  // The request of the frame whose id another one of the same session has, if there is one: what it
  // asks for could be done twice.
  const mcp::Request* add_unless_under_way(const std::shared_ptr<HttpExchange>& exchange,
                                           const mcp::Frame& frame) {
    const std::lock_guard lock(mutex_);
    std::erase_if(exchanges_, [](const auto& each) {
      const auto there = each.lock();
      return !there || there->is_over();
    });
    const auto is_under_way = [&](const std::string& id_key) {
      return std::ranges::any_of(exchanges_, [&](const auto& each) {
        const auto there = each.lock();
        return there && there->session() == exchange->session() && there->answers(id_key);
      });
    };
    for (const mcp::Message& message : frame.messages) {
      const auto* request = std::get_if<mcp::Request>(&message);
      if (request == nullptr || exchange->session().empty()) continue;
      if (is_under_way(mcp::id_key(request->id))) return request;
    }
    exchanges_.push_back(exchange);
    return nullptr;
  }

  void keep(const std::shared_ptr<HttpExchange>& exchange) {
    const std::lock_guard lock(mutex_);
    std::erase_if(kept_, [](const auto& each) { return each->is_over(); });
    kept_.push_back(exchange);
  }

  // In a thread that has just done something else, where there is one: starting one costs more than
  // most calls.
  bool start_thread(std::function<void()> work) {
    {
      const std::lock_guard lock(mutex_);
      if (working_ >= options_.most_calls) return false;
      ++working_;
      to_do_.push_back(std::move(work));
      if (idle_ >= to_do_.size()) {
        work_came_.notify_one();
        return true;
      }
      ++threads_;
    }
    std::thread([self = shared_from_this()] { self->work_on_what_comes(); }).detach();
    return true;
  }

  void work_on_what_comes() {
    constexpr std::chrono::seconds kPatience{5};
    std::unique_lock lock(mutex_);
    const auto has_work = [this] { return !to_do_.empty() || is_closing_; };
    while (true) {
      ++idle_;
      work_came_.wait_for(lock, kPatience, has_work);
      --idle_;
      if (to_do_.empty()) break;
      std::function<void()> work = std::move(to_do_.front());
      to_do_.pop_front();
      lock.unlock();
      work();
      work = nullptr;
      lock.lock();
      --working_;
    }
    --threads_;
    thread_ended_.notify_all();
  }

  std::vector<std::shared_ptr<HttpExchange>> exchanges() {
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<HttpExchange>> there;
    for (const auto& each : exchanges_) {
      if (auto exchange = each.lock()) there.push_back(std::move(exchange));
    }
    return there;
  }

  // What one machine asks must not be taken for what another did.
  mcp::WorkId next_numbers() {
    const std::lock_guard lock(mutex_);
    constexpr mcp::WorkId kRoom = 1 << 20;
    return numbers_ += kRoom;
  }

  struct ReadNote {
    std::shared_ptr<const mcp::ClientView> client = {};
    std::int64_t until = 0;  // then it is read again, which finds out that it is too old
  };

  const EndpointOptions options_;
  std::mutex notes_mutex_;
  std::unordered_map<std::string, ReadNote> notes_;  // that clients carry, as they were read
  std::mutex mutex_;
  std::condition_variable work_came_;
  std::condition_variable thread_ended_;
  std::vector<std::weak_ptr<HttpExchange>> exchanges_;
  std::vector<std::shared_ptr<HttpExchange>> kept_;
  std::deque<std::function<void()>> to_do_;
  std::size_t working_ = 0;  // what is under way, and what is to do
  std::size_t threads_ = 0;
  std::size_t idle_ = 0;  // threads that wait for something to do
  bool is_closing_ = false;
  mcp::WorkId numbers_ = 0;
};

HttpEndpoint::HttpEndpoint(EndpointOptions options)
    : state_(std::make_shared<State>(std::move(options))) {}

HttpEndpoint::~HttpEndpoint() {
  state_->close();
}

void HttpEndpoint::handle(HttpCall call, std::shared_ptr<HttpReply> reply) {
  state_->handle(std::move(call), reply);
}

void HttpEndpoint::end_listening() {
  state_->end_listening();
}

void HttpEndpoint::announce(mcp::Change change) {
  state_->announce(change);
}

}  // namespace wright::mcp_server
