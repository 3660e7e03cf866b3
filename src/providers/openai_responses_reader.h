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
class ResponsesReader {
 public:
  Result<void> read_event(std::string_view type, const Json& event, ResponsePieces& pieces);
  Result<void> read_document(const Json& response, ResponsePieces& pieces);
  bool take_end_mark(std::string_view data, ResponsePieces& pieces);
  std::optional<StopReason> stop_reason(const ResponseBuilder& answer) const;

 private:
  void begin_item(const Json& event, ResponsePieces& pieces);
  void end_item(const Json& event, ResponsePieces& pieces);
  void read_arguments(const Json& event, ResponsePieces& pieces);
  void read_text(const Json& event, std::string_view key, ResponsePieces& pieces);
  void read_reasoning(const Json& event, ResponsePieces& pieces);
  void read_item(const Json& item, ResponsePieces& pieces);
  static void read_citations(const Json& message, ResponsePieces& pieces);
  void read_message(const Json& item, ResponsePieces& pieces);
  void read_reasoning_item(const Json& item, ResponsePieces& pieces);
  std::optional<std::size_t> call_of(const Json& event) const;
  bool is_cut(const Json& item) const;
  void drop_call(std::size_t number, ResponsePieces& pieces);
  Result<void> read_end(const Json* response, ResponsePieces& pieces);

  std::map<std::int64_t, std::size_t> calls_;  // by output index
  std::set<std::int64_t> spoken_;              // output indexes whose text has arrived
  std::optional<std::pair<std::int64_t, std::int64_t>> thought_;  // item and part of the last one
  std::string status_;
  std::string incomplete_reason_;
  bool has_refused_ = false;
  bool has_cut_call_ = false;
};

}  // namespace wright::providers
