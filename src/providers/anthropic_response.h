// Reads the JSON of Anthropic's responses: a message, or the events that make up one.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "providers/event_decoder.h"
#include "providers/utf8_joiner.h"

namespace wright::providers {

// A Reader of EventDecoder. The events of one answer are message_start; for each block of the
// content content_block_start, content_block_delta (any number) and content_block_stop;
// message_delta and message_stop; a ping anywhere. Blocks of tools that run at the vendor are kept
// as they are, and go back. Anything unknown is skipped, as Anthropic asks.
class AnthropicReader {
 public:
  Result<void> read_event(std::string_view type, const Json& event, ResponsePieces& pieces);
  Result<void> read_document(const Json& document, ResponsePieces& pieces);
  std::optional<StopReason> stop_reason(const ResponseBuilder& answer) const;
  bool take_end_mark(std::string_view data, ResponsePieces& pieces);

 private:
  struct Block {
    enum class Kind : std::uint8_t { other, text, thinking, call, vendors };
    Kind kind = Kind::other;
    std::size_t call = 0;  // its number in the answer
    std::string signature = {};
    std::string input = {};  // of a call that arrived whole, or of a vendor's in pieces
    std::string raw = {};    // of a vendor's: the block as it began
    Utf8Joiner joiner = {};  // of its input
  };

  void read_container(const Json* message);
  void read_usage(const Json* usage, Usage& counted);
  Block begin_block(const Json* content, ResponsePieces& pieces);
  Result<void> read_delta(Block& block, const Json* delta, ResponsePieces& pieces);
  void end_block(Block& block, ResponsePieces& pieces);
  Result<void> begin_message(ResponsePieces& pieces);
  void end_message(ResponsePieces& pieces);

  std::map<std::int64_t, Block> open_;  // by index
  Block::Kind last_ = Block::Kind::other;
  std::int64_t fresh_tokens_ = 0;  // of the input: neither read from the cache nor written to it
  std::string reason_;
  std::string container_;  // where its tools have run
  bool has_begun_ = false;
  bool is_complete_ = false;
};

}  // namespace wright::providers
