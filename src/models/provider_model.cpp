#include "models/provider_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <random>

#include "core/failed_usage.h"
#include "core/text.h"
#include "models/blocking_call.h"
#include "models/chance.h"
#include "models/retry_policy.h"
#include "models/secret_filter.h"
#include "net/event_loop.h"
#include "providers/credential.h"
#include "providers/provider_errors.h"
#include "wright/log.h"
#include "wright/provider.h"

namespace wright::models {
namespace {

using Clock = net::EventLoop::Clock;
using std::chrono::milliseconds;

constexpr std::size_t kLargestErrorBody = 64 * 1024;
constexpr std::size_t kBytesOfAToken = 4;  // roughly; for pacing only
// Windows of models that the catalogue does not know: a guess, and, for a server that reads as much
// as it is asked to and silently drops the rest, what it is asked to read.
constexpr std::int64_t kUsualContext = 128'000;
constexpr std::int64_t kAskedContext = 16'384;

bool is_success(int status) {
  return status >= 200 && status < 300;
}

// A response that ended as it should, and holds neither words nor calls. A vendor that pauses says
// so, and sends blocks of its own.
bool says_nothing(const Response& response) {
  if (response.stop_reason == StopReason::other || response.stop_reason == StopReason::paused) {
    return response.content.empty();
  }
  if (response.stop_reason != StopReason::end_turn) return false;
  return std::ranges::none_of(response.content, [](const Part& part) {
    const auto* text = std::get_if<Text>(&part);
    return std::holds_alternative<ToolCall>(part) || (text != nullptr && !is_blank(text->text));
  });
}

// Whom to ask and how; the same for every request.
struct Plan {
  std::vector<Candidate> candidates;
  ProviderOptions options;
  // Not owned: a request may be released in the client's own thread, where the client cannot be
  // destroyed.
  net::HttpClient& client;
};

// One request to the candidates, from the first attempt to the response. Except for its
// construction it lives in the client's thread, so it needs no lock.
class PendingRequest : public std::enable_shared_from_this<PendingRequest> {
 public:
  PendingRequest(std::shared_ptr<const Plan> plan, const Request& request, ModelCall call,
                 ModelDone done)
      : plan_(std::move(plan)),
        request_(request),
        call_(std::move(call)),
        done_(std::move(done)),
        delivery_(call_.on_text ? Delivery::streamed : Delivery::whole) {}

  // The client may be destroyed while a request waits for its next attempt.
  ~PendingRequest() {
    leave({});
    if (!has_ended_) end(fail(ErrorCode::cancelled, "The program is ending"));
  }

  // The first attempt is encoded in the caller's thread: a long conversation must not hold up
  // others.
  static void ask(std::shared_ptr<PendingRequest> pending) {
    pending->first_ = pending->encoded();
    net::EventLoop& loop = pending->loop();
    loop.post([pending = std::move(pending)] {
      pending->heed_stop();
      pending->attempt(*std::exchange(pending->first_, {}));
    });
  }

 private:
  // Receives one exchange; what arrives after the request has moved on is dropped.
  class Attempt : public net::HttpReceiver {
   public:
    explicit Attempt(std::shared_ptr<PendingRequest> pending)
        : pending_(std::move(pending)), filter_(pending_->secrets()) {
      if (const auto& on_text = pending_->call_.on_text) {
        on_text_ = [this, &on_text](TextPiece piece) { filter_.feed(piece, on_text); };
      }
    }

    void on_head(HttpResponseHead head) override { head_ = std::move(head); }

    Result<void> on_body(std::string_view bytes) override {
      if (is_success(head_.status)) return decoder().feed(bytes, on_text_);
      error_body_ +=
          bytes.substr(0, kLargestErrorBody - std::min(kLargestErrorBody, error_body_.size()));
      return {};
    }

    void on_end(Result<void> end) override {
      auto taken = result(std::move(end));
      if (!taken && decoder_) pending_->count(decoder_->usage());
      pending_->take(std::move(taken));
      pending_.reset();
    }

   private:
    // Created when there is something to decode: an exchange mostly waits, and a decoder is large.
    ResponseDecoder& decoder() {
      if (!decoder_) decoder_ = make_decoder(pending_->candidate().endpoint, pending_->request_);
      return *decoder_;
    }

    Result<Response> result(Result<void> end) {
      if (!is_success(head_.status) && head_.status != 0) {
        return std::unexpected(error_from(pending_->endpoint_with_secret(), head_, error_body_));
      }
      if (end) return finished();
      // A vendor may close the connection improperly after a complete response.
      if (end.error().code == ErrorCode::network && head_.status != 0) {
        if (auto complete = finished()) return complete;
      }
      return std::unexpected(std::move(end).error());
    }

    Result<Response> finished() {
      auto response = decoder().finish(on_text_);
      if (on_text_) filter_.finish(pending_->call_.on_text);
      if (response) filter_.clean(*response);
      return response;
    }

    std::shared_ptr<PendingRequest> pending_;
    SecretFilter filter_;
    TextSink on_text_;
    std::unique_ptr<ResponseDecoder> decoder_;
    HttpResponseHead head_;
    std::string error_body_;
  };

  Result<HttpRequest> encoded() {
    auto request = encode(candidate().endpoint, request_, delivery_);
    if (request) fingerprint_ = request_fingerprint(request->body);
    return request;
  }

  const Candidate& candidate() const { return plan_->candidates[asked_]; }
  net::EventLoop& loop() const { return plan_->client.loop(); }

  void heed_stop() {
    if (!call_.stop.stop_possible()) return;
    // The callback may run in any thread, so it only asks the loop to act.
    on_stop_.emplace(call_.stop, [weak = weak_from_this(), &loop = loop()] {
      loop.post([weak] {
        if (const auto self = weak.lock()) self->stop();
      });
    });
  }

  void stop() {
    if (has_ended_) return;
    loop().cancel(timer_);
    plan_->client.cancel(exchange_);
    leave({});
    end(fail(ErrorCode::cancelled, "The request to the model was cancelled"));
  }

  void attempt(Result<HttpRequest> encoded) {
    if (has_ended_) return;
    if (!encoded) {
      take(std::unexpected(std::move(encoded).error()));
      return;
    }
    const auto now = Clock::now();
    const auto tokens = static_cast<std::int64_t>(encoded->body.size() / kBytesOfAToken);
    const bool is_kept = candidate().keeper != nullptr;
    const auto at =
        is_kept ? candidate().pacer->after_pause(now) : candidate().pacer->reserve(now, tokens);
    if (at <= now) {
      enter(std::move(*encoded), tokens);
      return;
    }
    timer_ = loop().run_at(at, [self = shared_from_this(), encoded = std::move(*encoded),
                                tokens]() mutable { self->enter(std::move(encoded), tokens); });
  }

  // Others share the pace: whoever keeps it says when.
  void enter(HttpRequest request, std::int64_t tokens) {
    if (candidate().keeper == nullptr) return send(std::move(request));
    const auto kept = std::make_shared<HttpRequest>(std::move(request));
    const auto go = [weak = weak_from_this(), kept, &loop = loop()] {
      loop.post([weak, kept] {
        const auto self = weak.lock();
        if (!self || self->has_ended_ || self->entered_ == nullptr) return;
        self->loop().cancel(self->timer_);
        self->send(std::move(*kept));
      });
    };
    // Keeps it alive meanwhile, too.
    timer_ = loop().run_at(Clock::now() + time_left(), [self = shared_from_this()] {
      self->take(fail(ErrorCode::timeout,
                      fmt::format("The pace of requests to {} left no room for this one in time",
                                  self->candidate().id())));
    });
    entered_ = candidate().keeper;
    entry_ = entered_->enter(candidate().endpoint, tokens, go);
  }

  void leave(const PaceKeeper::Left& left) {
    if (const auto keeper = std::exchange(entered_, {})) keeper->leave(entry_, left);
  }

  // Between the encoder and the transport: the request says who asks.
  void send(HttpRequest request) {
    const auto& credentials = candidate().credentials;
    if (credentials == nullptr) return transmit(std::move(request));
    credentials->get(plan_->client, [self = shared_from_this(), request = std::move(request)](
                                        const Result<Credential>& credential) mutable {
      if (self->has_ended_) return;
      if (!credential) return self->take(std::unexpected(credential.error()));
      self->secrets_ = secrets_in(*credential);
      auto authorised = providers::authorised(std::move(request), self->candidate().endpoint,
                                              *credential, self->candidate().credentials->now());
      if (!authorised) return self->take(std::unexpected(std::move(authorised).error()));
      self->transmit(std::move(*authorised));
    });
  }

  // What must not come back.
  std::vector<std::string> secrets() const {
    const std::string& key = candidate().endpoint.key;
    return secrets_.empty() && !key.empty() ? std::vector{key} : secrets_;
  }

  // So that an error can leave it out.
  Endpoint endpoint_with_secret() const {
    Endpoint endpoint = candidate().endpoint;
    if (!secrets_.empty()) endpoint.key = secrets_.front();
    return endpoint;
  }

  // A token may have been withdrawn before it expired: once, another is asked for.
  bool may_ask_with_another_credential(const Error& error) {
    // AWS says 403 of a token that has expired.
    const bool is_refused = error.code == ErrorCode::authentication ||
                            (error.code == ErrorCode::permission_denied &&
                             candidate().endpoint.vendor.platform == Platform::aws);
    if (!is_refused || secrets_.empty()) return false;
    candidate().credentials->forget();
    return !std::exchange(has_renewed_, true);
  }

  void transmit(HttpRequest request) {
    if (call_.trace.is_set()) request.headers.push_back({"traceparent", call_.trace.parent});
    if (!call_.trace.state.empty()) request.headers.push_back({"tracestate", call_.trace.state});
    HttpTimeouts timeouts = plan_->options.timeouts;
    timeouts.total = std::min(timeouts.total, std::max(milliseconds(1), time_left()));
    exchange_ = plan_->client.start(std::move(request), timeouts,
                                    std::make_shared<Attempt>(shared_from_this()));
  }

  milliseconds spent() const {
    return std::chrono::duration_cast<milliseconds>(Clock::now() - began_);
  }
  milliseconds time_left() const { return plan_->options.retry.deadline - spent(); }

  // What a vendor bills although it comes to nothing.
  void count(Usage used) {
    const auto& price = candidate().endpoint.model.price;
    if (price && used.cost_usd == 0) used.cost_usd = cost_usd(*price, used);
    usage_ += used;
  }

  void take(Result<Response> result) {
    if (has_ended_) return;
    leave(left_by(result));
    if (result) usage_ += result->usage;
    if (result && says_nothing(*result)) result = std::unexpected(nothing_said());
    if (result) {
      if (usage_ != result->usage) result->request_tokens = result->usage.input_tokens;
      result->usage = usage_;
      if (result->model.empty()) result->model = candidate().endpoint.model.name;
      result->request_fingerprint = fingerprint_;
      end(std::move(result));
      return;
    }
    if (may_ask_with_another_credential(result.error())) {
      try_again(result.error(), milliseconds(0));
      return;
    }
    ++failed_;
    if (const auto asked = asked_wait(result.error());
        asked && *asked <= plan_->options.retry.longest_asked_wait) {
      candidate().pacer->pause_until(Clock::now() + *asked);
    }
    const auto wait =
        wait_before_retry(result.error(), {failed_, spent()}, chance(), plan_->options.retry);
    if (wait) {
      try_again(result.error(), *wait);
    } else if (asked_ + 1 < plan_->candidates.size() &&
               result.error().code != ErrorCode::cancelled && time_left() > milliseconds(0)) {
      remember(std::move(result).error());
      ++asked_;
      failed_ = 0;
      has_said_nothing_ = false;
      secrets_.clear();
      has_renewed_ = false;
      try_again(failures_.back(), milliseconds(0));
    } else {
      remember(std::move(result).error());
      end(std::unexpected(with_usage(final_error(), usage_)));
    }
  }

  PaceKeeper::Left left_by(const Result<Response>& result) const {
    PaceKeeper::Left left;
    if (result) left.tokens = result->usage.input_tokens + result->usage.output_tokens;
    if (left.tokens == 0) left.tokens.reset();  // not told
    if (result) return left;
    const auto asked = asked_wait(result.error());
    if (asked && *asked <= plan_->options.retry.longest_asked_wait) left.pause = *asked;
    return left;
  }

  // The same request may give an answer the next time, but hardly the time after.
  Error nothing_said() {
    Error error = providers::empty_answer(candidate().endpoint);
    return std::exchange(has_said_nothing_, true) ? providers::as_final(std::move(error)) : error;
  }

  void try_again(const Error& error, milliseconds wait) {
    if (call_.on_retry) call_.on_retry({error, candidate().id(), wait});
    timer_ = loop().run_at(Clock::now() + wait,
                           [self = shared_from_this()] { self->attempt(self->encoded()); });
  }

  void remember(Error error) {
    if (failed_ > 1) error.message += fmt::format(" (after {} attempts)", failed_);
    failures_.push_back(std::move(error));
  }

  // The first model is the one that was asked for; the errors of the others are reported as well.
  // One that could answer a shorter request decides what can be done.
  Error final_error() {
    const auto too_long = std::ranges::find(failures_, ErrorCode::context_too_long, &Error::code);
    const bool can_be_shorter = too_long != failures_.end();
    const Json detail = can_be_shorter ? too_long->detail : Json();
    Error error = std::move(failures_.front());
    if (can_be_shorter) {
      error.code = ErrorCode::context_too_long;
      error.detail = detail;
    }
    for (std::size_t i = 1; i < failures_.size(); ++i) {
      error.message +=
          fmt::format(". Then {}: {}", plan_->candidates[i].id(), failures_[i].message);
    }
    return error;
  }

  void end(Result<Response> result) {
    has_ended_ = true;
    on_stop_.reset();
    const ModelDone done = std::exchange(done_, {});
    done(std::move(result));
  }

  const std::shared_ptr<const Plan> plan_;
  const Request request_;
  const ModelCall call_;
  ModelDone done_;
  const Delivery delivery_;
  const Clock::time_point began_ = Clock::now();

  std::optional<Result<HttpRequest>> first_;  // encoded, until it is sent
  std::uint64_t fingerprint_ = 0;             // of what was sent last
  std::size_t asked_ = 0;                     // which candidate
  int failed_ = 0;                            // attempts with it
  bool has_said_nothing_ = false;             // this candidate, once
  Usage usage_;                               // of all attempts, as far as they told
  std::vector<Error> failures_;
  net::HttpClient::Exchange exchange_ = 0;
  net::EventLoop::Timer timer_;
  bool has_ended_ = false;
  std::vector<std::string> secrets_;     // of the credential that was sent last
  bool has_renewed_ = false;             // it, after the vendor refused it
  std::shared_ptr<PaceKeeper> entered_;  // while it knows of this attempt
  PaceKeeper::Entry entry_ = 0;
  std::optional<std::stop_callback<Callback<void()>>> on_stop_;
};

// What a person may see of it.
HttpRequest without_secrets(HttpRequest request, const Endpoint& endpoint) {
  request.headers.clear();
  request.url.resize(std::min(request.url.find_first_of("?#"), request.url.size()));
  const std::size_t begin = request.url.find("://");
  const std::size_t host = begin == std::string::npos ? 0 : begin + 3;
  const std::size_t end = request.url.find('/', host);
  if (const std::size_t at = request.url.rfind('@', end); at != std::string::npos && at >= host) {
    request.url.erase(host, at + 1 - host);
  }
  constexpr std::size_t kShortestKey = 8;  // "none" is a word that may stand anywhere
  if (endpoint.key.size() < kShortestKey) return request;
  for (std::string* text : {&request.url, &request.body}) {
    for (std::size_t at = text->find(endpoint.key); at != std::string::npos;
         at = text->find(endpoint.key, at + kRedacted.size())) {
      text->replace(at, endpoint.key.size(), kRedacted);
    }
  }
  return request;
}

std::vector<Candidate> sharing_texts(std::vector<Candidate> candidates) {
  for (Candidate& candidate : candidates) {
    candidate.endpoint.texts = std::make_shared<SharedTexts>();
  }
  return candidates;
}

class ProviderModel : public ModelBackend {
 public:
  ProviderModel(std::vector<Candidate> candidates, ProviderOptions options,
                std::shared_ptr<net::HttpClient> client)
      : client_(std::move(client)),
        plan_(std::make_shared<const Plan>(sharing_texts(std::move(candidates)), options,
                                           *client_)) {}

  Result<Response> complete(const Request& request, const ModelCall& call) override {
    return complete_blocking(*this, request, call);
  }

  void start(const Request& request, ModelCall call, ModelDone done) override {
    PendingRequest::ask(
        std::make_shared<PendingRequest>(plan_, request, std::move(call), std::move(done)));
  }

  bool blocks() const override { return false; }

  // The most expensive of those that may answer, with nothing cached. Who asks for no key sends no
  // bill.
  std::optional<double> cost_usd(std::int64_t input_tokens,
                                 std::int64_t output_tokens) const override {
    double most = 0;
    for (const Candidate& candidate : plan_->candidates) {
      if (const auto& price = candidate.endpoint.model.price) {
        most = std::max(most, wright::cost_usd(*price, {.input_tokens = input_tokens,
                                                        .output_tokens = output_tokens}));
      } else if (candidate.endpoint.vendor.needs_key) {
        return std::nullopt;
      }
    }
    return most;
  }

  // That of the first: a fallback with a smaller window says so itself.
  std::optional<std::int64_t> context_tokens() const override {
    const Endpoint& endpoint = plan_->candidates.front().endpoint;
    if (const auto known = endpoint.model.context_tokens) return known;
    return endpoint.protocol() == Protocol::ollama_chat ? kAskedContext : kUsualContext;
  }

  bool guesses_context() const override {
    const Endpoint& endpoint = plan_->candidates.front().endpoint;
    return !endpoint.model.context_tokens && endpoint.protocol() != Protocol::ollama_chat;
  }

  Result<std::vector<HttpRequest>> preview(const Request& request) const override {
    Request anew = request;
    anew.memory = nullptr;
    std::vector<HttpRequest> requests;
    for (const Candidate& candidate : plan_->candidates) {
      for (const Delivery delivery : {Delivery::streamed, Delivery::whole}) {
        auto encoded = encode(candidate.endpoint, anew, delivery);
        if (!encoded && requests.empty()) return std::unexpected(std::move(encoded).error());
        if (encoded) requests.push_back(without_secrets(std::move(*encoded), candidate.endpoint));
      }
    }
    return requests;
  }

 private:
  std::shared_ptr<net::HttpClient> client_;
  std::shared_ptr<const Plan> plan_;
};

}  // namespace

std::shared_ptr<ModelBackend> provider_model(std::vector<Candidate> candidates,
                                             ProviderOptions options,
                                             std::shared_ptr<net::HttpClient> client) {
  return std::make_shared<ProviderModel>(std::move(candidates), options, std::move(client));
}

}  // namespace wright::models
