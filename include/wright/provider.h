// For those who add vendors: their wire protocols and the catalogue.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "wright/error.h"
#include "wright/message.h"
#include "wright/model.h"

namespace wright {

// The known vendors and models: their addresses, protocols, prices and quirks. The catalogue is
// data: TOML that comes with Wright, and rows of the user's own.

enum class Protocol : std::uint8_t {
  openai_chat,
  openai_responses,
  anthropic_messages,
  gemini_generate,
  ollama_chat,
  bedrock_converse,
};

std::string_view to_string(Protocol protocol);  // "openai-chat", …
Result<Protocol> protocol_from(std::string_view name);

// Dollars for a million tokens.
struct Price {
  double input = 0;
  double output = 0;
  std::optional<double> cached_input = {};  // absent: as input
  std::optional<double> cache_write = {};   // absent: as input
  bool operator==(const Price&) const = default;
};

double cost_usd(const Price& price, const Usage& usage);

// Where a vendor or a model deviates from the documentation of its protocol. Every field defaults
// to the protocol's normal behaviour.
struct Quirks {
  enum class ToolChoiceSupport : std::uint8_t { full, automatic_only, none };
  enum class CallIds : std::uint8_t { any, nine_alphanumeric };
  enum class ReturnReasoning : std::uint8_t {
    never,
    within_turn,  // what was thought since the user's last message
    always,
    required,  // always, and beside calls even if nothing was thought
  };

  std::string max_tokens_field = {};  // empty: the protocol's own
  bool supports_temperature = true;   // reasoning models refuse it
  bool supports_tools = true;
  bool supports_images = true;
  bool supports_parallel_calls = true;
  bool supports_stream_usage = true;     // stream_options.include_usage
  bool supports_response_schema = true;  // otherwise the schema is asked for in words
  bool strict_schemas = false;           // ask for schemas to be enforced, in the strict dialect
  bool supports_schema_refs = true;      // otherwise $ref is expanded
  bool system_as_developer = false;      // role "developer" instead of "system"
  ToolChoiceSupport tool_choice = ToolChoiceSupport::full;
  bool supports_user_after_tool = true;  // otherwise the assistant says something in between
  CallIds call_ids = CallIds::any;
  std::string reasoning_field = {};  // of chat responses: "reasoning_content", "reasoning"
  ReturnReasoning return_reasoning = ReturnReasoning::never;
  bool split_reasoning = false;        // ask for thoughts apart from the text (reasoning_split)
  std::string preserve_thinking = {};  // how the vendor is told to keep the thoughts of earlier
                                       // turns: "keep", "clear_thinking", "preserve_thinking";
                                       // empty: it is not. With it, all of them are sent back
  std::string reasoning_request = {};  // how effort is asked for: "reasoning_effort",
                                       // "reasoning", "thinking", "effort", "level"; empty: it
                                       // cannot be
  std::string reasoning_off = {};      // how none is asked for; empty: with the least effort
  std::optional<int> reasoning_tokens = {};  // how many tokens thinking may take; absent: by the
                                             // effort
  std::string service_tier = {};  // the vendor's word ("flex", "priority"); empty: its default
  std::string prompt_cache = {};  // "off", or how long it is to last ("1h", "24h"); empty: the
                                  // vendor's usual time
  bool operator==(const Quirks&) const = default;
};

// How fast requests may go to a vendor or a model; absent: no limit.
struct Pace {
  std::optional<int> requests_per_minute = {};
  std::optional<std::int64_t> tokens_per_minute = {};
  std::optional<int> concurrent_requests = {};  // counts where there is a PaceKeeper
  bool operator==(const Pace&) const = default;
};

// Who runs the vendor's API: it decides how a request is addressed and how it says who asks.
enum class Platform : std::uint8_t {
  direct,  // the vendor itself: a key in the protocol's own header
  azure,   // deployments; a key in `api-key`, or a token of Entra ID
  aws,     // requests are signed (SigV4), or carry an API key of Bedrock
  google,  // a token of Google Cloud
};

struct VendorInfo {
  std::string name = {};                  // the part of "vendor:model" before the colon
  std::vector<std::string> aliases = {};  // other names for it
  std::string title = {};                 // for people
  Protocol protocol = Protocol::openai_chat;
  Platform platform = Platform::direct;
  std::string base_url = {};  // with the version, without a trailing slash
  // What stands in braces in base_url ("https://bedrock-runtime.{region}.amazonaws.com"): the
  // environment variables that hold it, best first, and its value where none of them does.
  std::map<std::string, std::vector<std::string>> base_url_variables = {};
  std::map<std::string, std::string> base_url_values = {};
  std::vector<std::string> address_variables = {};  // environment variables that hold its address
  std::string api_version = {};                     // of Azure's dated API; empty: the current one
  std::string alternative_base_url = {};            // used instead where alternative_setting is on
  std::string alternative_setting = {};  // a switch in [api_keys], on unless the user says no
  std::vector<std::string> key_variables = {};  // the usual environment variables, best first
  std::string key_setting = {};                 // in [api_keys]
  std::string key_page = {};                    // where a person gets a key
  bool needs_key = true;
  // A program and its arguments that print a key, a token or AWS credentials: asked first, and
  // again when what it printed expires.
  std::vector<std::string> key_command = {};
  std::string batches = {};    // how it takes batches: "jobs" as Mistral; empty: as its protocol's
                               // maker does
  std::string models_of = {};  // the vendor whose rows hold for models without a row of their own
  std::vector<HttpHeader> headers = {};  // sent with every request
  Quirks quirks = {};
  Pace pace = {};
};

struct ModelInfo {
  std::string vendor = {};
  std::string name = {};
  std::optional<std::int64_t> context_tokens = {};  // absent: not known
  std::optional<std::int64_t> max_output_tokens = {};
  std::optional<Price> price = {};
  Quirks quirks = {};                     // the vendor's with the model's own on top
  std::optional<Protocol> protocol = {};  // where it differs from the vendor's
  Pace pace = {};                         // of this model alone, beside the vendor's
  bool is_listed = true;                  // false: no row knows it, and the quirks are a guess
};

// Texts that many conversations have in common, such as an agent's tools: each is there once, as
// long as somebody has it. From any thread.
class SharedTexts {
 public:
  std::shared_ptr<const std::string> share(std::string text);

 private:
  std::mutex mutex_;
  std::unordered_map<std::size_t, std::weak_ptr<const std::string>> texts_;  // by their hash
};

// One model at one address: everything that an encoder and a decoder need to know.
struct Endpoint {
  VendorInfo vendor = {};
  ModelInfo model = {};
  std::string key = {};                     // secret; empty where none is needed
  std::shared_ptr<SharedTexts> texts = {};  // of all conversations with it; may be null

  Protocol protocol() const { return model.protocol.value_or(vendor.protocol); }
};

class Catalogue {
 public:
  // What to do about sections other than [vendors] and [models].
  enum class OtherSections : std::uint8_t { refuse, ignore };

  // The one that comes with Wright.
  static const Catalogue& built_in();

  // Rows of TOML text on top: [vendors.NAME] and [models."VENDOR:NAME"] tables, whose keys are the
  // fields of VendorInfo, ModelInfo and Quirks. A vendor or model of the same name is changed field
  // by field, a new one is added; a vendor needs only a base_url. `origin` names the text in errors
  // ("config.toml"), which list every problem. Changes nothing on error.
  Result<void> add(std::string_view toml, std::string_view origin,
                   OtherSections other_sections = OtherSections::refuse);

  const std::vector<VendorInfo>& vendors() const { return vendors_; }
  const std::vector<ModelInfo>& models() const { return models_; }
  const VendorInfo* find_vendor(std::string_view name) const;

  const ModelInfo* find_model(const VendorInfo& vendor, std::string_view name) const;

  // "vendor:model". The vendor must be known; an unknown model gets the vendor's quirks, since
  // there are always newer models than rows. A name with a date at its end ("-20250929",
  // "-2025-08-07") or "-latest" is the model without it.
  Result<Endpoint> find(std::string_view id) const;

 private:
  friend class CatalogueRows;
  using QuirkChange = std::function<void(Quirks&)>;

  std::optional<ModelInfo> row_of_maker(const VendorInfo& vendor, std::string_view name) const;

  std::vector<VendorInfo> vendors_;
  std::vector<ModelInfo> models_;
  // By "vendor:model": what a model's row says, to be applied again when its vendor's quirks
  // change.
  std::map<std::string, std::vector<QuirkChange>, std::less<>> model_quirks_;
};

// A model as its vendor lists it. What the vendor does not say is absent.
struct ListedModel {
  std::string name = {};
  std::optional<std::int64_t> context_tokens = {};
  std::optional<std::int64_t> max_output_tokens = {};
  std::optional<Price> price = {};
  bool operator==(const ListedModel&) const = default;
};

struct ModelDifference {
  std::string model = {};
  std::string field = {};           // "context_tokens", "price.input"
  std::optional<double> ours = {};  // absent: the row does not say
  double theirs = 0;
  bool operator==(const ModelDifference&) const = default;
};

struct ModelComparison {
  std::vector<ModelDifference> different = {};  // where a row and the vendor disagree
  std::vector<std::string> not_listed = {};     // rows that the vendor does not list (any more)
  std::vector<std::string> without_row = {};    // what it lists and the catalogue does not know
};

// The catalogue's rows of a vendor beside the vendor's own list (Models::list).
ModelComparison compare(const Catalogue& catalogue, const VendorInfo& vendor,
                        const std::vector<ListedModel>& listed);

// Batches: many requests at once, answered within a day at half the price, by OpenAI (also at
// Azure), Anthropic, Gemini and Mistral.
// The vendor keeps them; their id is all that a program has to remember.

struct BatchRequest {
  std::string id = {};  // unique in its batch: at most 64 letters, digits, '-' and '_'
  std::vector<Message> messages = {};
  std::string system = {};
  Sampling sampling = {};
};

struct BatchState {
  enum class Phase : std::uint8_t { working, ended };
  std::string id = {};  // "openai:batch_…": for every process that has the vendor's key
  Phase phase = Phase::working;
  std::string status = {};  // in the vendor's word
  std::int64_t total = 0;   // requests; 0 where the vendor has not counted them yet
  std::int64_t answered = 0;
  std::int64_t failed = 0;  // also those that expired or were cancelled
  bool operator==(const BatchState&) const = default;
};

// The wire protocols of the vendors, as pure functions: a Request becomes an HttpRequest, and the
// bytes that come back become a Response. Nothing here opens a socket, waits or reads a clock.

// The HTTP request for `endpoint`. Fails where the protocol cannot express the request (an image
// for a model that reads none).
Result<HttpRequest> encode(const Endpoint& endpoint, const Request& request, Delivery delivery);

// Reads the body of one successful response (status 2xx), as it arrives.
class ResponseDecoder {
 public:
  using TextSink = wright::TextSink;

  virtual ~ResponseDecoder() = default;

  // The next bytes, cut anywhere. `on_text` gets text as it arrives, whole UTF-8 characters only;
  // it may be empty. After an error nothing more can be fed.
  virtual Result<void> feed(std::string_view bytes, const TextSink& on_text) = 0;

  // The body has ended. An incomplete response is the error answer_cut, whatever was read of it. A
  // response that the vendor itself ended early is a Response with the stop reason max_tokens or
  // content_filter; a call that was being written then has arguments that are not a JSON object, or
  // none. `on_text` gets the text that is certain only now: after that, it has had all text of the
  // Response.
  virtual Result<Response> finish(const TextSink& on_text = {}) = 0;

  // What the vendor has counted so far, as far as it has said so: of a response that comes to
  // nothing, too.
  virtual Usage usage() const { return {}; }
};

// `request` is the one that was encoded: its tools' names come back as they are there. What it
// refers to, and the endpoint, stay as they are until the decoder has finished.
std::unique_ptr<ResponseDecoder> make_decoder(const Endpoint& endpoint, const Request& request);
std::unique_ptr<ResponseDecoder> make_decoder(Endpoint&& endpoint, const Request& request) = delete;

// What a response with a status other than 2xx means. The message contains the vendor's words and
// what to do; the detail is JSON {vendor, status, code?, request_id?, retry_after_ms?, is_final?}:
// what is final will not get better by trying again.
Error error_from(const Endpoint& endpoint, const HttpResponseHead& head, std::string_view body);

}  // namespace wright
