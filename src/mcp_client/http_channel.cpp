#include "mcp_client/http_channel.h"

#include <fmt/format.h>
#include <boost/json/object.hpp>

#include <algorithm>
#include <future>
#include <map>
#include <mutex>
#include <set>
#include <stop_token>
#include <thread>
#include <vector>

#include "core/text.h"
#include "mcp/event_stream.h"
#include "mcp/http_headers.h"
#include "net/event_loop.h"
#include "net/whole_response.h"

namespace wright::mcp_client {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kUsualPause{1'000};
constexpr milliseconds kShortestPause{250};  // whatever the server says
constexpr int kMostRepeats = 10;             // of a stream that breaks without an event
constexpr std::size_t kMostBytes = 64 << 20;

// Whether it is the answer to this request.
bool answers(std::string_view line, mcp::CallNumber call) {
  const mcp::Frame frame = mcp::read_frame(line);
  return std::ranges::any_of(frame.messages, [&](const mcp::Message& message) {
    const auto* answer = std::get_if<mcp::Answer>(&message);
    if (answer != nullptr) return answer->id == Json(call);
    const auto* malformed = std::get_if<mcp::Malformed>(&message);
    return malformed != nullptr && malformed->id == Json(call);
  });
}

// Whether the line says that the call went well.
bool has_result(std::string_view line, mcp::CallNumber call) {
  const mcp::Frame frame = mcp::read_frame(line);
  return std::ranges::any_of(frame.messages, [&](const mcp::Message& message) {
    const auto* answer = std::get_if<mcp::Answer>(&message);
    return answer != nullptr && answer->id == Json(call) &&
           std::holds_alternative<JsonObject>(answer->outcome);
  });
}

class HttpChannelState : public std::enable_shared_from_this<HttpChannelState> {
 public:
  HttpChannelState(ServerAddress address, std::shared_ptr<net::HttpClient> client,
                   std::shared_ptr<ChannelListener> listener)
      : address_(std::move(address)), client_(std::move(client)), listener_(std::move(listener)) {}

  // `repeats`: how often it was sent before, and refused for want of a token.
  void post(const mcp::SendFrame& frame, int repeats = 0);
  void settle(const mcp::ServerView& server);
  bool close_call(mcp::CallNumber call);
  void close();

  // One request to the server, and what comes for it.
  struct Exchange;
  void start(const std::shared_ptr<Exchange>& exchange, HttpRequest request);
  void ended(const std::shared_ptr<Exchange>& exchange, const Result<void>& end);
  void unanswered(const Exchange& exchange, const Error& why);
  void refused(const Exchange& exchange);
  void forget(const Exchange& exchange);
  void take_up(const std::shared_ptr<Exchange>& exchange);
  void listen();
  bool can_authorize(const Exchange& exchange) const;
  void authorize(const std::shared_ptr<Exchange>& exchange);

  std::string token() { return address_.authorizer ? address_.authorizer->token() : ""; }
  std::vector<HttpHeader> common_headers(const std::string& token) {
    const std::lock_guard lock(mutex_);
    std::vector<HttpHeader> headers = address_.headers;
    if (!token.empty()) headers.push_back({"Authorization", "Bearer " + token});
    if (!session_.empty()) headers.push_back({std::string(mcp::kSessionHeader), session_});
    if (!version_.empty()) headers.push_back({std::string(mcp::kVersionHeader), version_});
    return headers;
  }
  void take_session(std::string_view session) {
    if (session.empty()) return;
    const std::lock_guard lock(mutex_);
    session_ = session;
  }
  // Whether what it is for is still wanted.
  bool is_wanted(mcp::CallNumber call) {
    const std::lock_guard lock(mutex_);
    return !is_closed_ && (call == 0 || calls_.contains(call));
  }
  ChannelListener& listener() { return *listener_; }

 private:
  const ServerAddress address_;
  std::shared_ptr<net::HttpClient> client_;  // until it is closed
  const std::shared_ptr<ChannelListener> listener_;
  std::mutex mutex_;
  std::string session_;
  std::string version_;  // once it is settled with a handshake
  bool is_modern_ = false;
  bool is_closed_ = false;
  // With the exchange that is under way, or the last one. Until the call has ended or is given up.
  std::map<mcp::CallNumber, net::HttpClient::Exchange> calls_;
  std::set<net::HttpClient::Exchange> open_;
  std::stop_source closing_;
  std::vector<std::thread> authorizing_;  // for the requests that wait for a token
};

struct HttpChannelState::Exchange : net::HttpReceiver,
                                    std::enable_shared_from_this<HttpChannelState::Exchange> {
  std::weak_ptr<HttpChannelState> channel;
  mcp::CallNumber call = 0;
  std::string method;
  net::HttpClient::Exchange number = 0;
  int status = 0;
  bool was_sent = false;
  bool is_stream = false;
  bool is_answered = false;
  bool is_listening = false;  // the server's own stream
  bool is_rest = false;       // of a stream that broke: the server has the request already
  int repeats = 0;
  mcp::SendFrame frame;  // what was sent
  std::string token;     // with what
  mcp::Challenge challenge;
  int authorized = 0;  // times before
  std::string body;
  mcp::EventStream events;

  void on_sending() override { was_sent = true; }
  void on_head(HttpResponseHead head) override {
    status = head.status;
    is_stream = lower(find_header(head.headers, "Content-Type")).starts_with("text/event-stream");
    if (status == 401 || status == 403) {
      challenge = mcp::challenge_in(find_header(head.headers, "WWW-Authenticate"));
    }
    const auto there = channel.lock();
    if (there && method == "initialize" && status < 300) {
      there->take_session(find_header(head.headers, mcp::kSessionHeader));
    }
  }
  Result<void> on_body(std::string_view bytes) override {
    const auto there = channel.lock();
    if (!there) return fail(ErrorCode::cancelled, "nobody listens any more");
    if (!is_stream || status >= 300) {
      if (body.size() + bytes.size() > kMostBytes) {
        return fail(ErrorCode::limit_reached, "the server's answer is too long");
      }
      body += bytes;
      return {};
    }
    return events.feed(bytes, [&](std::string_view data) -> Result<void> {
      repeats = 0;
      if (call != 0 && answers(data, call)) is_answered = true;
      there->listener().on_line(call, data);
      return {};
    });
  }
  void on_end(Result<void> end) override {
    if (const auto there = channel.lock()) there->ended(shared_from_this(), end);
  }
};

void HttpChannelState::start(const std::shared_ptr<Exchange>& exchange, HttpRequest request) {
  HttpTimeouts timeouts;
  timeouts.first_byte = address_.timeout;
  timeouts.idle = std::chrono::minutes(15);
  timeouts.total = std::chrono::hours(24);
  // It may end before the number is known here, which ended() waits for.
  const std::lock_guard lock(mutex_);
  if (is_closed_) return;
  const auto number = client_->start(std::move(request), timeouts, exchange);
  exchange->number = number;
  open_.insert(number);
  if (exchange->call != 0) calls_[exchange->call] = number;
}

void HttpChannelState::post(const mcp::SendFrame& frame, int repeats) {
  auto exchange = std::make_shared<Exchange>();
  exchange->token = token();
  if (address_.authorizer) exchange->frame = frame;
  exchange->authorized = repeats;
  exchange->channel = weak_from_this();
  exchange->call = frame.call;
  exchange->method = frame.method;
  HttpRequest request{
      .url = address_.url, .headers = common_headers(exchange->token), .body = frame.line};
  request.headers.push_back({"Content-Type", "application/json"});
  request.headers.push_back({"Accept", "application/json, text/event-stream"});
  bool is_modern = frame.method == "server/discover";
  {
    const std::lock_guard lock(mutex_);
    is_modern = is_modern || is_modern_;
  }
  if (is_modern) {
    const mcp::Frame read = mcp::read_frame(frame.line);
    const JsonObject* params = nullptr;
    if (const auto* asked = std::get_if<mcp::Request>(&read.messages.front())) {
      params = &asked->params;
    } else if (const auto* told = std::get_if<mcp::Notification>(&read.messages.front())) {
      params = &told->params;
    }
    static const JsonObject kNone;
    for (HttpHeader& header :
         mcp::request_headers(frame.method, params != nullptr ? *params : kNone, frame.repeated)) {
      request.headers.push_back(std::move(header));
    }
  }
  start(exchange, std::move(request));
}

void HttpChannelState::ended(const std::shared_ptr<Exchange>& exchange, const Result<void>& end) {
  bool has_session = false;
  {
    const std::lock_guard lock(mutex_);
    open_.erase(exchange->number);
    if (is_closed_) return;
    has_session = !session_.empty();
  }
  const mcp::CallNumber call = exchange->call;
  if (!is_wanted(call)) return;  // it was given up
  if (end && can_authorize(*exchange)) return authorize(exchange);
  if (exchange->is_stream && exchange->status < 300) {
    if (exchange->is_answered) return forget(*exchange);
    // What the stream brought cannot be taken, and would not be better the next time.
    const bool is_broken =
        end || end.error().code == ErrorCode::network || end.error().code == ErrorCode::timeout;
    return is_broken ? take_up(exchange) : unanswered(*exchange, end.error());
  }
  if (exchange->is_listening) return;  // the server has no stream of its own
  // A result with the status of a failure says two things at once, and neither can be relied on.
  if (end && call != 0 && exchange->status >= 300 && has_result(exchange->body, call)) {
    return unanswered(*exchange,
                      {ErrorCode::protocol,
                       fmt::format("the server answered with HTTP status {} and a result at once",
                                   exchange->status)});
  }
  const bool is_answer = call != 0 && answers(exchange->body, call);
  if (end && (is_answer || exchange->status < 300)) {
    if (!exchange->body.empty()) listener_->on_line(call, exchange->body);
    if (is_answer || call == 0) return forget(*exchange);
    return unanswered(*exchange, {ErrorCode::protocol,
                                  exchange->body.empty()
                                      ? "the server answered with nothing"
                                      : "what the server answered is no answer to this request"});
  }
  if (exchange->status == 404 && has_session && exchange->method != "initialize") {
    const Error why{ErrorCode::unavailable, "the server has ended the session"};
    if (exchange->is_rest) {
      unanswered(*exchange, why);
    } else if (call != 0) {
      listener_->on_refused(call, {mcp::code::kInternalError, why.message});
    }
    forget(*exchange);
    return listener_->on_lost(why);
  }
  if (call == 0) return;
  if (!end) return unanswered(*exchange, end.error());
  // What it thinks of taking up a stream says nothing about the request.
  constexpr int kServerErrors = 500;
  if (exchange->status < kServerErrors && !exchange->is_rest) return refused(*exchange);
  unanswered(*exchange, {ErrorCode::unavailable,
                         fmt::format("the server answered with HTTP status {}", exchange->status)});
}

void HttpChannelState::forget(const Exchange& exchange) {
  const std::lock_guard lock(mutex_);
  calls_.erase(exchange.call);
}

void HttpChannelState::unanswered(const Exchange& exchange, const Error& why) {
  forget(exchange);
  if (exchange.call == 0) return;
  listener_->on_unanswered(exchange.call, why, exchange.was_sent ? Arrived::maybe : Arrived::no);
}

// The server answers with a status that says that it did nothing.
void HttpChannelState::refused(const Exchange& exchange) {
  forget(exchange);
  std::string why = fmt::format("the server answered with HTTP status {}", exchange.status);
  if (exchange.status == 401 || exchange.status == 403) {
    why += address_.authorizer ? ": what you logged in with is not enough for it"
                               : ": it wants to know who you are. Set its headers in the "
                                 "configuration";
  }
  const bool is_no_such_place =
      exchange.status == 400 || exchange.status == 404 || exchange.status == 405;
  if (exchange.method == "initialize" && is_no_such_place) {
    why +=
        ". The address may be another one; servers with the transport of 2024-11-05 (HTTP with "
        "SSE) "
        "cannot be used";
  }
  const mcp::Frame frame = mcp::read_frame(exchange.body);
  const auto* answer = std::get_if<mcp::Answer>(&frame.messages.front());
  const auto* problem = answer != nullptr ? std::get_if<mcp::Problem>(&answer->outcome) : nullptr;
  if (problem != nullptr) why += fmt::format(" ({})", problem->message);
  mcp::Problem told{mcp::code::kInternalError, std::move(why)};
  // What a person can do something about keeps what it says.
  if (problem != nullptr && problem->code == mcp::code::kUrlElicitationRequired) {
    told.code = problem->code;
    told.data = problem->data;
  }
  listener_->on_refused(exchange.call, told);
}

// The server did nothing and wants a token, or a better one.
bool HttpChannelState::can_authorize(const Exchange& exchange) const {
  constexpr int kMostTimes = 2;  // a server that is never content is not asked without end
  const bool is_refused =
      exchange.status == 401 ||
      (exchange.status == 403 && exchange.challenge.error == "insufficient_scope");
  return address_.authorizer && is_refused && !exchange.is_listening && !exchange.is_rest &&
         exchange.authorized < kMostTimes;
}

void HttpChannelState::authorize(const std::shared_ptr<Exchange>& exchange) {
  const std::lock_guard lock(mutex_);
  if (is_closed_) return;
  authorizing_.emplace_back([this, exchange, stop = closing_.get_token()] {
    const auto renewed = address_.authorizer->renew(exchange->token, exchange->challenge, stop);
    if (stop.stop_requested() || !is_wanted(exchange->call)) return;
    if (renewed) return post(exchange->frame, exchange->authorized + 1);
    forget(*exchange);
    if (exchange->call == 0) return;
    // The listener hears one thing at a time.
    client_->loop().post(
        [weak = weak_from_this(), call = exchange->call, why = renewed.error().message] {
          const auto there = weak.lock();
          if (!there || !there->is_wanted(0)) return;
          there->listener().on_refused(call, {mcp::code::kInternalError, why});
        });
  });
}

// A stream that ended before its answer: the rest comes through another, after the pause that the
// server wants.
void HttpChannelState::take_up(const std::shared_ptr<Exchange>& exchange) {
  const std::string id = exchange->events.last_id();
  const bool is_own = exchange->is_listening;
  if ((!is_own && id.empty()) || exchange->repeats >= kMostRepeats) {
    return unanswered(*exchange,
                      {ErrorCode::unavailable, "the server's stream ended before its answer"});
  }
  const auto pause = std::max(exchange->events.retry().value_or(kUsualPause), kShortestPause);
  auto next = std::make_shared<Exchange>();
  next->channel = weak_from_this();
  next->call = exchange->call;
  next->method = exchange->method;
  next->is_listening = is_own;
  next->repeats = exchange->repeats + 1;
  next->was_sent = true;  // the request that this is the rest of
  next->is_rest = true;
  next->events = std::move(exchange->events);
  // This is the client's own thread.
  client_->loop().run_at(net::EventLoop::Clock::now() + pause, [weak = weak_from_this(), next, id] {
    const auto there = weak.lock();
    if (!there || !there->is_wanted(next->call)) return;
    HttpRequest request{.url = there->address_.url,
                        .headers = there->common_headers(there->token())};
    request.method = "GET";
    request.headers.push_back({"Accept", "text/event-stream"});
    if (!id.empty()) request.headers.push_back({"Last-Event-ID", id});
    there->start(next, std::move(request));
  });
}

// What the server says of its own accord comes through a stream that is opened for that.
void HttpChannelState::listen() {
  auto exchange = std::make_shared<Exchange>();
  exchange->channel = weak_from_this();
  exchange->is_listening = true;
  HttpRequest request{.url = address_.url, .headers = common_headers(token())};
  request.method = "GET";
  request.headers.push_back({"Accept", "text/event-stream"});
  start(exchange, std::move(request));
}

void HttpChannelState::settle(const mcp::ServerView& server) {
  {
    const std::lock_guard lock(mutex_);
    is_modern_ = server.era == mcp::Era::modern;
    if (is_modern_) return;
    version_ = server.version;
  }
  listen();
}

// Nobody listens for it any more. To a server of the newest revision that says all; older ones must
// be told, since to them a stream that breaks is one that will be taken up again.
bool HttpChannelState::close_call(mcp::CallNumber call) {
  const std::lock_guard lock(mutex_);
  if (const auto found = calls_.extract(call)) client_->cancel(found.mapped());
  return is_modern_;
}

void HttpChannelState::close() {
  std::set<net::HttpClient::Exchange> open;
  std::vector<std::thread> authorizing;
  bool has_session = false;
  {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    open = open_;
    has_session = !session_.empty();
    authorizing.swap(authorizing_);
  }
  closing_.request_stop();
  for (std::thread& thread : authorizing) thread.join();
  for (const auto number : open) client_->cancel(number);
  if (client_->loop().is_own_thread()) return;
  // After this the client's thread is in none of our functions, and comes into none: whatever they
  // hold on to, the client itself perhaps, is not let go of there.
  std::promise<void> is_quiet;
  client_->loop().post([&is_quiet] { is_quiet.set_value(); });
  is_quiet.get_future().wait();
  const auto client = std::move(client_);
  if (!has_session) return;
  // So that the server need not keep it.
  HttpRequest request{.url = address_.url, .headers = common_headers(token())};
  request.method = "DELETE";
  HttpTimeouts timeouts;
  timeouts.connect = timeouts.first_byte = timeouts.idle = timeouts.total = milliseconds(2'000);
  (void)net::ask_and_wait(*client, std::move(request), timeouts,
                          [](const HttpResponseHead&) { return std::size_t{0}; }, {});
}

class HttpChannel : public Channel {
 public:
  explicit HttpChannel(std::shared_ptr<HttpChannelState> state) : state_(std::move(state)) {}
  ~HttpChannel() override { state_->close(); }
  Result<void> send(const mcp::SendFrame& frame) override {
    state_->post(frame);
    return {};
  }
  void settle(const mcp::ServerView& server) override { state_->settle(server); }
  bool close_call(mcp::CallNumber call) override { return state_->close_call(call); }

 private:
  std::shared_ptr<HttpChannelState> state_;
};

}  // namespace

std::unique_ptr<Channel> open_address(const ServerAddress& address,
                                      std::shared_ptr<net::HttpClient> client,
                                      std::shared_ptr<ChannelListener> listener) {
  return std::make_unique<HttpChannel>(
      std::make_shared<HttpChannelState>(address, std::move(client), std::move(listener)));
}

}  // namespace wright::mcp_client
