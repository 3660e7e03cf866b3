// Which vendors and models there are: where they live, what they speak, what they cost and what is
// odd about them. The catalogue is data: TOML that comes with Wright, and rows of the user's own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wright/error.h"
#include "wright/http.h"
#include "wright/message.h"

namespace wright {

enum class Protocol : std::uint8_t {
  openai_chat,
  openai_responses,
  anthropic_messages,
  gemini_generate,
  ollama_chat,
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

// What a vendor or a model does differently from its protocol's own document. Every field has the
// protocol's normal behaviour as its default.
struct Quirks {
  enum class ToolChoiceSupport : std::uint8_t { full, automatic_only, none };
  enum class CallIds : std::uint8_t { any, nine_alphanumeric };
  enum class ReturnReasoning : std::uint8_t { never, within_turn, always };

  std::string max_tokens_field = {};  // empty: the protocol's own
  bool supports_temperature = true;   // reasoning models refuse it
  bool supports_tools = true;
  bool supports_images = true;
  bool supports_parallel_calls = true;
  bool supports_stream_usage = true;     // stream_options.include_usage
  bool supports_response_schema = true;  // otherwise the schema is asked for in words
  bool strict_schemas = false;           // ask for schemas to be enforced, in the strict dialect
  bool supports_schema_refs = true;      // otherwise $ref is written out
  bool system_as_developer = false;      // role "developer" instead of "system"
  ToolChoiceSupport tool_choice = ToolChoiceSupport::full;
  CallIds call_ids = CallIds::any;
  std::string reasoning_field = {};  // of chat answers: "reasoning_content", "reasoning"
  ReturnReasoning return_reasoning = ReturnReasoning::never;
  std::string reasoning_request = {};  // how effort is asked for: "reasoning_effort",
                                       // "reasoning", "thinking"; empty: it cannot be
  bool operator==(const Quirks&) const = default;
};

// How fast a vendor may be asked; 0 is no limit.
struct Pace {
  int requests_per_minute = 0;
  std::int64_t tokens_per_minute = 0;
  bool operator==(const Pace&) const = default;
};

struct VendorInfo {
  std::string name = {};   // the part of "vendor:model" before the colon
  std::string title = {};  // for people
  Protocol protocol = Protocol::openai_chat;
  std::string base_url = {};
  std::vector<std::string> key_variables = {};  // the usual environment variables, best first
  std::string key_setting = {};                 // in [api_keys]
  std::string key_page = {};                    // where a person gets a key
  bool needs_key = true;
  std::vector<HttpHeader> headers = {};  // sent with every request
  Quirks quirks = {};
  Pace pace = {};
};

struct ModelInfo {
  std::string vendor = {};
  std::string name = {};
  std::int64_t context_tokens = 0;  // 0: not known
  std::int64_t max_output_tokens = 0;
  std::optional<Price> price = {};
  Quirks quirks = {};                     // the vendor's with the model's own on top
  std::optional<Protocol> protocol = {};  // where it differs from the vendor's
};

// One model at one place: everything that an encoder and a decoder need to know.
struct Endpoint {
  VendorInfo vendor = {};
  ModelInfo model = {};
  std::string key = {};  // secret; empty where none is needed

  Protocol protocol() const { return model.protocol.value_or(vendor.protocol); }
};

class Catalogue {
 public:
  // The one that comes with Wright.
  static const Catalogue& built_in();

  // Rows of TOML text on top: a vendor or model of the same name is changed field by field, a new
  // one is added. `origin` names the text in errors ("config.toml"). Changes nothing on error.
  Result<void> add(std::string_view toml, std::string_view origin);

  const std::vector<VendorInfo>& vendors() const { return vendors_; }
  const std::vector<ModelInfo>& models() const { return models_; }
  const VendorInfo* find_vendor(std::string_view name) const;

  // "vendor:model". The vendor must be known; a model that is not gets the vendor's quirks, for
  // there are always newer models than rows.
  Result<Endpoint> find(std::string_view id) const;

 private:
  std::vector<VendorInfo> vendors_;
  std::vector<ModelInfo> models_;
};

}  // namespace wright
