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
class ChatAnswerReader {
 public:
  Result<void> read_event(std::string_view type, const Json& chunk, AnswerPieces& pieces);
  Result<void> read_document(const Json& completion, AnswerPieces& pieces);
  bool take_end_mark(std::string_view data, AnswerPieces& pieces);
  std::optional<StopReason> stop_reason(const AnswerBuilder& answer) const;

 private:
  enum class Form : std::uint8_t { delta, whole };

  void read_heading(const Json& chunk, AnswerPieces& pieces);
  void read_message(const Json* message, Form form, AnswerPieces& pieces);
  void read_content(const Json* content, AnswerPieces& pieces);
  void read_content_chunk(const Json& chunk, AnswerPieces& pieces);
  void read_reasoning(const Json* message, AnswerPieces& pieces);
  void read_calls(const Json* message, Form form, AnswerPieces& pieces);
  void add_text(std::string_view piece, AnswerPieces& pieces);
  void end_text(AnswerPieces& pieces);
  Result<void> read_finish(const Json* choice, AnswerPieces& pieces);

  ThinkTags think_tags_;
  ChatCalls calls_;
  ReasoningDetails details_;
  std::string finish_reason_;
  bool has_ended_ = false;  // the end mark has arrived
  bool has_refused_ = false;
};

}  // namespace wright::providers
