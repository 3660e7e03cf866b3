// Models: where a request goes, texts as vectors, and HTTP as values.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "wright/error.h"
#include "wright/message.h"

namespace wright {

// Where a request goes: a provider over HTTP, the offline planner, a script in a test, a
// recording. One interface for all four.

struct HttpRequest;

// Of a request's body: what is the same has the same one, here and in any other build.
std::uint64_t request_fingerprint(std::string_view body);

// An attempt failed, and another one follows. Text that arrived so far belongs to the failed one.
struct ModelRetry {
  const Error& error;              // of the attempt that failed
  std::string_view next;           // "vendor:name" of the next attempt
  std::chrono::milliseconds wait;  // before it begins
};

// Words as they arrive, and which text they belong to: a remark on the way, or the answer. The
// blank line between two texts belongs to the one before it. Who does not tell them apart takes a
// std::string_view.
struct TextPiece {
  std::string_view text;
  Text::Phase phase = Text::Phase::unmarked;

  TextPiece(std::string_view words, Text::Phase kind = Text::Phase::unmarked)
      : text(words), phase(kind) {}
  TextPiece(const std::string& words, Text::Phase kind = Text::Phase::unmarked)
      : text(words), phase(kind) {}
  TextPiece(const char* words) : text(words) {}
  operator std::string_view() const { return text; }
};
using TextSink = std::function<void(TextPiece piece)>;

// What one call to a model may use in addition to its request.
struct ModelCall {
  std::stop_token stop = {};                             // asked to end early
  TextSink on_text = {};                                 // text as it arrives; may be empty
  std::function<void(const ModelRetry&)> on_retry = {};  // may be empty
  TraceContext trace = {};                               // passed on with the request
};

using ModelDone = std::function<void(Result<Response>)>;

// The interface behind a Model. It may be called from several threads at once.
class ModelBackend {
 public:
  virtual ~ModelBackend() = default;

  // Blocks until the response is complete; the callbacks run in the caller's thread.
  virtual Result<Response> complete(const Request& request, const ModelCall& call) = 0;

  // Does not block where the backend can avoid it. `done` is called once, in any thread, perhaps
  // before this returns; until then the request must stay as it is. The callbacks run in any one
  // thread at a time. Unless overridden, calls complete() and then `done`.
  virtual void start(const Request& request, ModelCall call, ModelDone done);

  // Whether start() holds its thread until the response is complete.
  virtual bool blocks() const { return true; }

  // What this many tokens would cost at most; absent where they have a price that nobody knows.
  virtual std::optional<double> cost_usd(std::int64_t input_tokens,
                                         std::int64_t output_tokens) const;

  // How many tokens a request and its response may have together; absent: no limit.
  virtual std::optional<std::int64_t> context_tokens() const { return {}; }
  // Whether that is a guess: then a request that is longer is sent all the same.
  virtual bool guesses_context() const { return false; }

  // What would be sent for this request, for people who want to see it: one for each model that may
  // answer and each way of delivery, the likeliest first. Without headers, credentials, and what
  // stands behind '?' in the address. ErrorCode::unsupported where nothing is sent.
  virtual Result<std::vector<HttpRequest>> preview(const Request& request) const;
};

// A value, cheap to copy. A default Model answers every request with an error that says so.
class Model {
 public:
  Model() = default;
  Model(std::string provider, std::string name, std::shared_ptr<ModelBackend> backend)
      : provider_(std::move(provider)), name_(std::move(name)), backend_(std::move(backend)) {}

  const std::string& provider() const { return provider_; }
  const std::string& name() const { return name_; }
  bool is_set() const { return backend_ != nullptr; }

  Result<Response> complete(const Request& request, const ModelCall& call = {}) const;
  void start(const Request& request, ModelCall call, ModelDone done) const;
  bool blocks() const { return backend_ == nullptr || backend_->blocks(); }
  std::optional<double> cost_usd(std::int64_t input_tokens, std::int64_t output_tokens) const;
  std::optional<std::int64_t> context_tokens() const {
    return backend_ == nullptr ? std::nullopt : backend_->context_tokens();
  }
  bool guesses_context() const { return backend_ != nullptr && backend_->guesses_context(); }
  Result<std::vector<HttpRequest>> preview(const Request& request) const;

 private:
  std::string provider_;
  std::string name_;
  std::shared_ptr<ModelBackend> backend_;
};

// A model from any callable.
Model model_from(std::string provider, std::string name,
                 std::function<Result<Response>(const Request&, const ModelCall&)> complete);

// "vendor:name" names a provider's model; its key comes from the vendor's usual environment
// variable (this function is the only one of the library that reads the environment; Models of
// models.h gives a choice). What is not there gives a Model whose calls fail and say what to do,
// so that building an agent never fails.
Model model(std::string_view id);

// The offline model, for programs that link wright::offline beside wright::wright: a deterministic
// planner, provider "offline", name "planner". It is not a language model: it recognises common
// questions about a tree of files (and simple requests to other tools), plans tool calls, and
// answers from their results. A pure function of each request: no key, no network, no state, no
// clock. It reaches a final answer within six calls for one user message.
Model offline_model();

// Texts as vectors: similar meanings are close together. A value like Model, whatever is behind it.

using Embedding = std::vector<float>;

// The limits of one call and of its result.
inline constexpr std::size_t kMostEmbeddedTexts = 2'048;
inline constexpr std::size_t kMostEmbeddedBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMostDimensions = 8'192;

struct EmbeddingModel {
  std::string id = {};  // "openai:text-embedding-3-small"; vectors of one id can be compared

  // One vector for each text, in the same order, all of the same size. Blocks; from any thread.
  std::function<Result<std::vector<Embedding>>(std::span<const std::string> texts,
                                               const std::stop_token& stop)>
      embed = {};

  bool is_set() const { return embed != nullptr; }
};

// HTTP as values: a request, and the head of its response. Nothing here opens a socket.

struct HttpHeader {
  std::string name = {};
  std::string value = {};
  bool is_secret = false;  // never shown, logged or traced
  bool operator==(const HttpHeader&) const = default;
};

// The value of the first header of that name, whatever its case; empty when there is none.
std::string_view find_header(const std::vector<HttpHeader>& headers, std::string_view name);

struct HttpRequest {
  std::string url = {};
  std::vector<HttpHeader> headers = {};
  std::string body = {};
  std::string method = "POST";
};

struct HttpResponseHead {
  int status = 0;
  std::vector<HttpHeader> headers = {};
  // When it arrived, by this machine's clock; absent: not known.
  std::optional<std::chrono::system_clock::time_point> arrived = {};
};

struct HttpTimeouts {
  std::chrono::milliseconds connect{10'000};
  std::chrono::milliseconds first_byte{600'000};  // until the first byte of the body
  std::chrono::milliseconds idle{120'000};        // between bytes of the body
  std::chrono::milliseconds total{1'800'000};
  bool operator==(const HttpTimeouts&) const = default;
};

}  // namespace wright
