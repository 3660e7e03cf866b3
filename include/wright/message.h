// What is said: messages, and what goes to a model and comes back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "wright/error.h"
#include "wright/json.h"

namespace wright {

// What is said in a session: messages made of parts. All of these are plain values.

enum class Role : std::uint8_t { user, assistant, system, tool };

std::string_view to_string(Role role);
Result<Role> role_from(std::string_view name);

// Where a model has something from, as its vendor tells. `opaque` is the vendor's own block, as in
// Reasoning.
struct Citation {
  std::string url = {};
  std::string title = {};
  std::string quote = {};  // what stands there
  std::string opaque = {};
  bool operator==(const Citation&) const = default;
};

struct Text {
  // What a vendor says that a text of its model is: a remark on the way, or the answer.
  enum class Phase : std::uint8_t { unmarked, commentary, final_answer };

  std::string text = {};
  Phase phase = Phase::unmarked;
  std::vector<Citation> citations = {};
  bool operator==(const Text&) const = default;
};
std::string_view to_string(Text::Phase phase);
std::optional<Text::Phase> phase_named(std::string_view name);

// What a model thought before it spoke. `opaque` is the vendor's own block (signature, encrypted
// content) as JSON text; it is sent back unchanged where the protocol demands it.
struct Reasoning {
  std::string text;
  std::string opaque;
  bool operator==(const Reasoning&) const = default;
};

struct Image {
  std::string media_type;  // "image/png"; "application/pdf", "audio/wav", "audio/mpeg" as well
  std::string base64;
  bool operator==(const Image&) const = default;
};

// A call exactly as the model wrote it: `arguments` is its raw text and may be broken JSON.
struct ToolCall {
  std::string id;
  std::string name;
  std::string arguments;
  bool operator==(const ToolCall&) const = default;
};

// What Wright itself tells a model in a conversation. `text` is what the model reads.
struct Notice {
  enum class Kind : std::uint8_t {
    answer_cut,      // its last answer was cut before anything in it was whole, and was not used
    same_result,     // the same call has had the same result several times
    summarise,       // it is asked for a summary of what came before
    answer_refused,  // its last answer was not what was asked for; the text says why
    turn_paused,     // its vendor paused its turn, which goes on; not sent to that vendor
    folder_notes,    // what people ask of agents in a folder that a call has touched
    secrets_hidden,  // of a result: passages of it are not what the tool returned
  };
  Kind kind = Kind::answer_cut;
  std::string text = {};
  bool operator==(const Notice&) const = default;
};

std::string_view to_string(Notice::Kind kind);
Notice notice(Notice::Kind kind);  // with its usual words

// The answer to the call with the id `call_id`. `content` and `notices` are what the model reads,
// `images` what it looks at.
struct ToolResult {
  // How it came about.
  enum class Origin : std::uint8_t {
    tool,     // the tool answered, or failed
    not_run,  // the session reached a limit first
    refused,  // a person refused the call
  };

  std::string call_id = {};
  std::string name = {};
  std::string content = {};
  bool is_error = false;
  std::vector<Image> images = {};
  std::vector<Notice> notices = {};
  // Of what the tool itself answered, before anything was added or cut; 0: not known. Equal answers
  // of a tool have equal fingerprints.
  std::uint64_t fingerprint = 0;
  Origin origin = Origin::tool;
  bool operator==(const ToolResult&) const = default;
};

std::string_view to_string(ToolResult::Origin origin);
Result<ToolResult::Origin> origin_from(std::string_view name);

// All that the model reads of it.
std::string text_of(const ToolResult& result);

using Part = std::variant<Text, Reasoning, Image, ToolCall, ToolResult, Notice>;

// The words of a text or a notice; null for other parts.
const std::string* words_in(const Part& part);

// What an assistant turn with calls and no text is stored and shown as.
inline constexpr std::string_view kUsingTools = "[Using tools]";

struct Message {
  Role role = Role::user;
  std::vector<Part> parts;

  static Message user(std::string text);
  static Message assistant(std::string text);
  static Message system(std::string text);
  static Message tool(ToolResult result);
  static Message notice(Notice::Kind kind);

  // All text parts, joined by nothing, or by a blank line where one of the two has a phase. Empty
  // for a message of calls or notices only.
  std::string text() const;
  // The text without commentary; all of it where there is nothing else.
  std::string answer() const;
  std::vector<ToolCall> tool_calls() const;
  // Whether a person said it: a notice has the same role.
  bool is_from_user() const;

  bool operator==(const Message&) const = default;
};

// One line or more for a person: the text and its sources, `[Using tools]`, `Tool X result:\n…` or
// `Tool X failed: …`.
std::string display_text(const Message& message);

// "Sources:\n[1] Title <address>\n…", each once; empty where nothing is cited.
std::string sources_text(std::span<const Part> parts);

// Tokens. `input` counts everything that was sent, `cached` the part of it read from a cache and
// `cache_write` the part of it written to one; `output` counts everything that came back,
// `reasoning` the part of it that was thought. `cost_usd` is 0 where no price is known.
struct Usage {
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::int64_t cached_tokens = 0;
  std::int64_t reasoning_tokens = 0;
  std::int64_t cache_write_tokens = 0;
  double cost_usd = 0;

  Usage& operator+=(const Usage& other);
  Usage operator-(const Usage& before) const;  // what came since
  bool operator==(const Usage&) const = default;
};

Json to_json(const Message& message);
Result<Message> message_from_json(const Json& json);
Json to_json(const Usage& usage);
Result<Usage> usage_from_json(const Json& json);

// Where something stands in a trace that other programs see, too: the headers of W3C Trace Context.
struct TraceContext {
  std::string parent =
      {};  // "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"; empty: none
  std::string state = {};

  bool is_set() const { return !parent.empty(); }
  // For logs; empty where there is none.
  std::string_view trace_id() const { return part(3, 32); }
  std::string_view span_id() const { return part(36, 16); }

 private:
  std::string_view part(std::size_t from, std::size_t length) const {
    return parent.size() < from + length ? std::string_view()
                                         : std::string_view(parent).substr(from, length);
  }
};

// What goes to a model and what comes back, independent of any vendor.

struct Tool;

// Which tools the model may call. `required` and `one` hold from the user's message until a tool
// was called; from then on the model is free to answer, or else it never would.
struct ToolChoice {
  enum class Kind : std::uint8_t { automatic, required, none, one };
  Kind kind = Kind::automatic;
  std::string tool = {};  // for Kind::one: the tool that must be called

  static ToolChoice automatic() { return {}; }
  static ToolChoice required() { return {Kind::required, {}}; }
  static ToolChoice none() { return {Kind::none, {}}; }
  static ToolChoice one(std::string name) { return {Kind::one, std::move(name)}; }
  bool operator==(const ToolChoice&) const = default;
};

struct ResponseFormat {
  enum class Kind : std::uint8_t { text, json_object, json_schema };
  Kind kind = Kind::text;
  std::string name = {};  // for Kind::json_schema
  Json schema = {};

  bool operator==(const ResponseFormat&) const = default;
};

// How long a model that can think should do so.
enum class ReasoningEffort : std::uint8_t { none, low, medium, high };

// How the model should answer; but for `tool_choice` the same for every turn of an agent.
struct Sampling {
  int max_tokens = 4000;
  std::optional<double> temperature = {};
  std::optional<double> top_p = {};
  std::vector<std::string> stop_sequences = {};
  std::optional<ReasoningEffort> reasoning = {};  // absent: the model's own default
  ToolChoice tool_choice = {};
  ResponseFormat response_format = {};
  // Tools that run at the vendor: "web_search", "web_fetch", "code_execution", or an object, which
  // is a tool as the vendor's own API describes it. What they did comes back as Reasoning parts.
  std::vector<Json> vendor_tools = {};
  bool operator==(const Sampling&) const = default;
};

// Where whoever encodes the requests of one conversation keeps what the next one can use. It
// belongs to whoever owns the conversation. What is kept is checked before it is used: it may be of
// another conversation, or of messages that have changed.
class RequestMemory {
 public:
  class Kept {
   public:
    virtual ~Kept() = default;
  };

  // What was kept last; null when there is nothing, or somebody else has it at this moment. From
  // any thread.
  std::unique_ptr<Kept> take() {
    const std::lock_guard lock(mutex_);
    return std::move(kept_);
  }
  void keep(std::unique_ptr<Kept> kept) {
    const std::lock_guard lock(mutex_);
    kept_.swap(kept);
  }

 private:
  std::mutex mutex_;
  std::unique_ptr<Kept> kept_;
};

// A view, so that a turn costs the same however long the history is: valid as long as the agent
// and the messages it was made from are neither changed nor destroyed.
struct Request {
  std::span<const Message> messages = {};
  std::string_view system = {};
  std::string_view model = {};
  std::span<const Tool> tools = {};
  const Sampling* sampling = nullptr;  // never null in a request made by next()
  // The window that it was made to fit into; absent: not known.
  std::optional<std::int64_t> context_tokens = {};
  // A tool was called since the user's last message: the model may answer, whatever it was told to
  // call first.
  bool has_called = false;
  RequestMemory* memory = nullptr;  // of the conversation; null: every request is made anew

  // The agent's choice, as far as it still holds.
  ToolChoice tool_choice() const;
};

// Whether an answer comes as it is made, or when it is complete.
enum class Delivery : std::uint8_t { whole, streamed };

enum class StopReason : std::uint8_t {
  end_turn,
  tool_use,
  max_tokens,  // the answer was cut
  stop_sequence,
  content_filter,
  paused,  // by the vendor, amid its own tools: sent back as it is, the turn goes on
  other,
};

std::string_view to_string(StopReason reason);

struct Response {
  std::vector<Part> content = {};  // text, reasoning and tool calls, in the model's order
  Role role = Role::assistant;
  Usage usage = {};
  StopReason stop_reason = StopReason::end_turn;
  std::string model = {};                 // what really answered, when the vendor says so
  std::string id = {};                    // by which the vendor knows it; empty: not told
  std::uint64_t request_fingerprint = 0;  // of the body that was sent for it; 0: none was
  // Of the request that was answered, where `usage` has what came to nothing before it, too.
  std::optional<std::int64_t> request_tokens = {};

  std::string text() const;        // as Message::text()
  std::string answer() const;      // as Message::answer()
  std::string commentary() const;  // what answer() leaves out
  std::vector<ToolCall> tool_calls() const;
  bool operator==(const Response&) const = default;
};

}  // namespace wright
