// Reads the responses of Amazon Bedrock's Converse API: one JSON document, or a stream of events in
// AWS's binary frames.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "providers/aws_event_stream.h"
#include "providers/event_decoder.h"

namespace wright::providers {

// The JSON of a response. The events of one answer are messageStart; for each block of the content
// contentBlockStart (of calls only), contentBlockDelta (any number) and contentBlockStop;
// messageStop, and metadata with the usage after it. What is unknown is skipped.
class ConverseReader {
 public:
  Result<void> read_event(std::string_view type, const Json& event, ResponsePieces& pieces);
  Result<void> read_document(const Json& document, ResponsePieces& pieces);
  std::optional<StopReason> stop_reason(const ResponseBuilder& answer) const;

 private:
  struct Block {
    enum class Kind : std::uint8_t { unknown, text, reasoning, call, other };
    Kind kind = Kind::unknown;
    std::size_t call = 0;  // its number in the answer
    std::string signature = {};
    std::string redacted = {};
  };

  void begin(Block& block, Block::Kind kind, ResponsePieces& pieces);
  void read_delta(Block& block, const Json* delta, ResponsePieces& pieces);
  void end_block(Block& block, ResponsePieces& pieces);
  void read_block(const Json& content, ResponsePieces& pieces);
  static void read_usage(const Json* usage, Usage& counted);

  std::map<std::int64_t, Block> open_;  // by index
  std::string reason_;
  bool is_complete_ = false;
};

class BedrockDecoder final : public ResponseDecoder {
 public:
  BedrockDecoder(const Endpoint& endpoint, const Request& request, ToolNameRule rule)
      : endpoint_(endpoint), calls_(endpoint, request, rule) {}

  Result<void> feed(std::string_view bytes, const TextSink& on_text) override;
  Result<Response> finish(const TextSink& on_text) override;
  Usage usage() const override { return answer_.usage(); }

 private:
  Result<void> take(std::string_view bytes, const TextSink& on_text);
  Result<void> take_frame(const AwsEvent& event, const TextSink& on_text);
  Result<void> take_document(std::string_view text, const TextSink& on_text);

  const Endpoint& endpoint_;
  CallRestorer calls_;
  enum class Kind : std::uint8_t { unknown, frames, other } kind_ = Kind::unknown;
  AwsEventStream frames_;
  std::size_t read_ = 0;
  ResponseBody body_;
  ResponseJson json_;
  ResponseBuilder answer_;
  ConverseReader reader_;
};

}  // namespace wright::providers
