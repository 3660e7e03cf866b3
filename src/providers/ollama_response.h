// Reads Ollama's responses: one JSON object after another; the last says "done".
#pragma once

#include <optional>
#include <string>

#include "providers/event_decoder.h"
#include "providers/think_tags.h"

namespace wright::providers {

class OllamaDecoder final : public ResponseDecoder {
 public:
  OllamaDecoder(const Endpoint& endpoint, const Request& request, ToolNameRule rule);

  // Brackets show where an object ends, so objects that span several lines are read as well as one
  // per line.
  Result<void> feed(std::string_view bytes, const TextSink& on_text) override;
  Result<Response> finish(const TextSink& on_text) override;
  Usage usage() const override { return answer_.usage(); }

 private:
  Result<void> read_object(std::string_view text, const TextSink& on_text);
  void read_message(const Json* message, const TextSink& on_text);
  void read_call(const Json& call);

  const Endpoint& endpoint_;
  CallRestorer calls_;
  ResponseJson json_;
  ResponseBuilder answer_;
  ThinkTags tags_;
  DocumentEnd end_;
  std::string begun_;    // of an object that is not complete
  std::string strange_;  // the beginning of what is no object
  std::size_t read_ = 0;
  std::optional<std::string> reason_;
};

}  // namespace wright::providers
