// Reads the responses of OpenAI's chat completions, and of vendors that imitate it: chunks of a
// stream and whole completions.
#pragma once

#include <optional>
#include <string>

#include "providers/chat_calls.h"
#include "providers/event_decoder.h"
#include "providers/reasoning_details.h"
#include "providers/think_tags.h"

namespace wright::providers {

// A Reader for EventDecoder.
class ChatResponseReader {
 public:
  Result<void> read_event(std::string_view type, const Json& chunk, ResponsePieces& pieces);
  Result<void> read_document(const Json& completion, ResponsePieces& pieces);
  bool take_end_mark(std::string_view data, ResponsePieces& pieces);
  std::optional<StopReason> stop_reason(const ResponseBuilder& answer) const;

 private:
  enum class Form : std::uint8_t { delta, whole };

  const Json* our_choice(const Json* completions);
  const Json* read_heading(const Json& chunk, ResponsePieces& pieces);
  void read_message(const Json* message, Form form, ResponsePieces& pieces);
  void read_content(const Json* content, ResponsePieces& pieces);
  void read_content_chunk(const Json& chunk, ResponsePieces& pieces);
  void read_reasoning(const Json* message, ResponsePieces& pieces);
  void read_calls(const Json* listed, Form form, ResponsePieces& pieces);
  void add_text(std::string_view piece, ResponsePieces& pieces);
  void end_text(ResponsePieces& pieces);
  Result<void> read_finish(std::string_view reason, ResponsePieces& pieces);

  ThinkTags think_tags_;
  ChatCalls calls_;
  ReasoningDetails details_;
  std::optional<std::int64_t> choice_;  // the index of ours
  std::string finish_reason_;
  bool has_ended_ = false;  // the end mark has arrived
  bool has_refused_ = false;
};

}  // namespace wright::providers
