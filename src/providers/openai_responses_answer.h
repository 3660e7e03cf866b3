// Reads the responses of OpenAI's responses API: the events of a stream, and whole responses.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "providers/event_decoder.h"

namespace wright::providers {

// A Reader for EventDecoder.
class ResponsesAnswerReader {
 public:
  Result<void> read_event(std::string_view type, const Json& event, AnswerPieces& pieces);
  Result<void> read_document(const Json& response, AnswerPieces& pieces);
  bool take_end_mark(std::string_view data, AnswerPieces& pieces);
  std::optional<StopReason> stop_reason(const AnswerBuilder& answer) const;

 private:
  void begin_item(const Json& event, AnswerPieces& pieces);
  void end_item(const Json& event, AnswerPieces& pieces);
  void read_arguments(const Json& event, AnswerPieces& pieces);
  void read_text(const Json& event, std::string_view key, AnswerPieces& pieces);
  void read_reasoning(const Json& event, AnswerPieces& pieces);
  void read_item(const Json& item, AnswerPieces& pieces);
  void read_message(const Json& item, AnswerPieces& pieces);
  void read_reasoning_item(const Json& item, AnswerPieces& pieces);
  std::optional<std::size_t> call_of(const Json& event) const;
  Result<void> read_end(const Json* response, AnswerPieces& pieces);

  std::map<std::int64_t, std::size_t> calls_;  // by output index
  std::set<std::int64_t> spoken_;              // output indexes whose text has arrived
  std::optional<std::pair<std::int64_t, std::int64_t>> thought_;  // item and part of the last one
  std::string status_;
  std::string incomplete_reason_;
  bool has_refused_ = false;
};

}  // namespace wright::providers
