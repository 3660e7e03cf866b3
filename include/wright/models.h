// From the id of a model to a Model: which vendors there are, with which keys, and what happens
// when one of them does not answer.
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

#include "wright/log.h"
#include "wright/message.h"
#include "wright/model.h"
#include "wright/provider.h"

namespace wright {

// When to retry. Repeating a request to a model is safe: it changes nothing but the bill.
struct RetryOptions {
  int retries = 3;                            // after the first attempt
  std::chrono::milliseconds first_wait{500};  // eight times that after an overload
  std::chrono::milliseconds longest_wait{30'000};
  // The longest wait that a vendor may ask for (Retry-After); for a longer one there is no retry.
  std::chrono::milliseconds longest_asked_wait{120'000};
  std::chrono::milliseconds deadline{1'800'000};  // for all attempts of one request together
  bool operator==(const RetryOptions&) const = default;
};

// What a program found for a vendor, and where, for messages: "OPENAI_BASE_URL".
struct VendorSetting {
  VendorSetting() = default;
  VendorSetting(std::string found, std::string where = {})
      : value(std::move(found)), origin(std::move(where)) {}
  VendorSetting(const char* found) : value(found) {}

  std::string value = {};
  std::string origin = {};
};

// An environment variable; empty where it is not set.
using ReadVariable = std::function<std::string(const std::string& name)>;

// Decides when a request may be sent, where more than one Models object must keep to a pace. See
// make_shared_pace() of runtime.h. Used from any thread.
class PaceKeeper {
 public:
  virtual ~PaceKeeper() = default;

  using Entry = std::uint64_t;
  // `go` is called once, in any thread, perhaps before this returns, when a request of about that
  // many tokens may be sent. It is short, and neither begins nor goes on after leave().
  virtual Entry enter(const Endpoint& endpoint, std::int64_t tokens, std::function<void()> go) = 0;

  struct Left {
    std::optional<std::int64_t> tokens = {};  // that it really took; absent: as was said
    std::optional<std::chrono::milliseconds> pause = {};  // that the vendor asked for
  };
  // The request has ended, or is not wanted any more. Once for each entry.
  virtual void leave(Entry entry, const Left& left) = 0;

  // What requests wait for at this moment: "vendor", or "vendor:model".
  virtual std::vector<std::string> waited_for() const = 0;
};

struct ModelsOptions {
  Catalogue catalogue = Catalogue::built_in();
  // The program's own models by id, such as "offline": asked first. A Model that is not set means
  // that the id is a vendor's.
  std::function<Model(std::string_view id)> find_model = {};
  // The key for a vendor; empty when there is none. Blanks around it are not part of it.
  std::function<VendorSetting(const VendorInfo&)> find_key = {};
  // The vendor's address in place of its row's base_url; empty: the row's. Without this function, a
  // vendor with an alternative address is at that one.
  std::function<VendorSetting(const VendorInfo&)> find_base_url = {};
  // An environment variable, empty where it is not set: regions, projects and credentials of the
  // clouds come from those (AWS_REGION, GOOGLE_APPLICATION_CREDENTIALS, HOME for their files).
  ReadVariable find_variable = {};
  std::vector<std::string> fallback = {};  // ids, tried in order when a model does not answer
  RetryOptions retry = {};
  HttpTimeouts timeouts = {};
  std::string ca_file = {};                          // empty: the system's
  std::function<void(std::string_view)> trace = {};  // gets HTTP traffic as text, keys masked
  Redactor redactor = {};  // learns every credential that is obtained on the way
  // Without one, this object keeps to the requests and tokens a minute of its vendors by itself.
  std::shared_ptr<PaceKeeper> pace = {};
};

// One answer of a batch (BatchRequest of provider.h).
struct BatchResult {
  std::string id = {};  // of the request
  Result<Response> response = Response{};
};

// Hands out models that share one transport, its connections and its pace. Cheap to copy.
class Models {
 public:
  explicit Models(ModelsOptions options);

  // "vendor:name", or an id of find_model. Never fails: what is not there gives a Model whose calls
  // fail and say what to do.
  Model get(std::string_view id) const;

  // Texts as vectors, from a vendor that offers them as OpenAI or Ollama do. Never fails, like
  // get(). Waits at most a minute for a response, all attempts together.
  EmbeddingModel embeddings(std::string_view id) const;

  // What the vendor itself lists as its models. Blocks, for at most a minute.
  Result<std::vector<ListedModel>> list(std::string_view vendor,
                                        const std::stop_token& stop = {}) const;

  // Sends a batch to the vendor of `model` ("openai:gpt-5-mini"). It is sent once: where nobody
  // knows whether it arrived, batches() tells. These calls block, for at most a minute; results for
  // at most ten.
  Result<BatchState> submit_batch(std::string_view model, std::span<const BatchRequest> requests,
                                  const std::stop_token& stop = {}) const;
  Result<BatchState> batch(std::string_view id, const std::stop_token& stop = {}) const;
  // The newest first, as many as the vendor lists at once.
  Result<std::vector<BatchState>> batches(std::string_view vendor,
                                          const std::stop_token& stop = {}) const;
  // What is answered is answered; what is not ends.
  Result<BatchState> cancel_batch(std::string_view id, const std::stop_token& stop = {}) const;
  // Of a batch that has ended, in the vendor's order. ErrorCode::unavailable while it works.
  Result<std::vector<BatchResult>> batch_results(std::string_view id,
                                                 const std::stop_token& stop = {}) const;

  // What get() would talk to, or why it could not.
  Result<Endpoint> endpoint(std::string_view id) const;

  const Catalogue& catalogue() const;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

// The key in the first of the vendor's usual environment variables that is set, and the address in
// the variable that changes it (OPENAI_BASE_URL; for Ollama also OLLAMA_HOST, as its own programs
// read it).
VendorSetting key_from(const VendorInfo& vendor, const ReadVariable& variable);
VendorSetting base_url_from(const VendorInfo& vendor, const ReadVariable& variable);
std::string base_url_variable(const VendorInfo& vendor);

}  // namespace wright
