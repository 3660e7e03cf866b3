// Reads the JSON of Gemini's responses: a GenerateContentResponse, or the pieces of one.
#pragma once

#include <optional>
#include <string>

#include "providers/event_decoder.h"
#include "providers/gemini_partial_arguments.h"

namespace wright::providers {

// A Reader of EventDecoder. Every piece has the shape of a whole response. Calls arrive whole,
// unless a gateway asked for their arguments as they are written. A thought signature belongs to
// one part and must go back with exactly that part, so it becomes a Reasoning part directly before
// it.
class GeminiReader {
 public:
  Result<void> read_event(std::string_view type, const Json& event, ResponsePieces& pieces);
  // Without alt=sse, a stream is one array of pieces.
  Result<void> read_document(const Json& document, ResponsePieces& pieces);
  std::optional<StopReason> stop_reason(const ResponseBuilder& answer) const;
  bool take_end_mark(std::string_view data, ResponsePieces& pieces);

 private:
  Result<void> read_piece(const Json& piece, ResponsePieces& pieces);
  Result<void> read_part(const Json& part, ResponsePieces& pieces);
  Result<void> read_call(const Json& call, ResponsePieces& pieces);
  void end_open_call(ResponsePieces& pieces);
  void read_grounding(const Json& candidate, ResponsePieces& pieces);
  Result<void> read_reason(const Json& candidate, ResponsePieces& pieces);
  Result<void> take_unexpected_calls(std::string_view words, ResponsePieces& pieces) const;
  Result<void> broken_call(const ResponsePieces& pieces, std::string_view words) const;

  struct OpenCall {
    std::size_t number;  // in the answer
    GeminiPartialArguments arguments = {};
  };
  bool has_grounding_ = false;
  std::optional<OpenCall> open_call_;
  std::string reason_;
};

}  // namespace wright::providers
