// A conversation as vendors' programs send it, whatever the vendor, and what comes back of it.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/response_records.h"
#include "server/wishes.h"
#include "wright/json.h"
#include "wright/message.h"
#include "wright/runtime.h"

namespace wright::server {

// A tool that the caller executes.
struct CallerTool {
  std::string name = {};
  std::string description = {};
  Json parameters = {};
};

struct Conversation {
  std::string agent = {};              // what the vendor calls the model
  std::string instructions = {};       // beside the agent's own
  std::vector<Message> messages = {};  // without instructions
  std::vector<CallerTool> tools = {};
  std::optional<ResponseName> previous = {};  // it goes on from this one
  Wishes wishes = {};
  bool is_streamed = false;
  bool wants_usage = false;  // in a stream of chat completions
  bool is_response = false;  // it is to be kept, with an id of its own
  JsonObject echoed = {};    // of a response: what was asked for, as the vendor tells it again

  // What the caller's tools said, when the conversation ends with that. What the user says behind
  // it is told with the last of them.
  struct Results {
    std::vector<ToolResult> results = {};
    bool has_words = false;   // of the user
    bool has_images = false;  // likewise
  };
  Results results() const;
};

// A call of one of the caller's tools, which the caller is to execute.
struct HandedCall {
  std::string id = {};
  std::string name = {};
  std::string arguments = {};
};

struct Completion {
  SessionId session_id = 0;
  std::string mark = {};  // of a response that is kept
  std::int64_t at = 0;    // milliseconds since 1970
  std::string agent = {};
  std::string text = {};
  std::vector<HandedCall> calls = {};
  Usage usage = {};
  bool is_cut = false;  // the text ends where its limit of tokens was
  std::optional<Error> error = {};
};

// Ids of handed calls lead back to the wait that the result answers.
std::string handed_call_id(SessionId session_id, WaitId wait_id);
struct HandedTo {
  SessionId session_id = 0;
  WaitId wait_id = 0;
};
std::optional<HandedTo> handed_from(std::string_view call_id);

// How one vendor's protocol says it. `whole` is the body of a response; the others are pieces of a
// stream, which a rendering makes in this order: one opening, texts, one ending.
class Rendering {
 public:
  virtual ~Rendering() = default;
  virtual Json whole(const Completion& completion) = 0;
  // What is kept of a response that has begun; null in protocols that keep none.
  virtual Json beginning(const Completion&) { return {}; }
  virtual Json error(const Error& error) = 0;
  virtual std::string opening(const Completion& beginning) = 0;
  virtual std::string text(std::string_view piece) = 0;
  virtual std::string ending(const Completion& completion) = 0;
};

// One file a protocol.
Result<Conversation> conversation_from_chat(const JsonObject& body);
std::unique_ptr<Rendering> chat_rendering(const Conversation& conversation);
Result<Conversation> conversation_from_responses(const JsonObject& body);
std::unique_ptr<Rendering> responses_rendering(const Conversation& conversation);
Result<Conversation> conversation_from_messages(const JsonObject& body);
std::unique_ptr<Rendering> messages_rendering(const Conversation& conversation);

// For the readers of all three.
Result<std::string> text_of_content(const Json& content);
std::string data_line(const Json& json);
std::string named_event(std::string_view name, const Json& json);
Result<void> read_common(const JsonObject& body, Conversation& conversation);
Json arguments_object(const std::string& arguments);

}  // namespace wright::server
