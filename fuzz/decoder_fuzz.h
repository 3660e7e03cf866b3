// What holds of every decoder, whatever bytes it is fed: no crash, no hang, the same result however
// the bytes are cut, text in whole characters, and an answer that can be sent back.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "providers/codec.h"
#include "wright/tool.h"

namespace wright::fuzz {

struct Outcome {
  Result<Response> response = fail(ErrorCode::internal, "nothing was decoded");
  std::string text;
};

inline void require(bool holds) {
  if (!holds) std::abort();
}

inline Outcome decode(const providers::Codec& codec, const Endpoint& endpoint,
                      const Request& request, std::string_view bytes, std::size_t piece_size) {
  Outcome outcome;
  const auto decoder = codec.make_decoder(endpoint, request);
  const ResponseDecoder::TextSink on_text = [&](std::string_view text) {
    require(is_valid_utf8(text));
    outcome.text += text;
  };
  for (std::size_t at = 0; at < bytes.size(); at += piece_size) {
    if (auto fed = decoder->feed(bytes.substr(at, piece_size), on_text); !fed) {
      outcome.response = std::unexpected(std::move(fed).error());
      return outcome;
    }
  }
  outcome.response = decoder->finish(on_text);
  return outcome;
}

inline void require_valid(const Response& response) {
  require(is_valid_utf8(response.model));
  for (const Part& part : response.content) {
    if (const auto* text = std::get_if<Text>(&part)) require(is_valid_utf8(text->text));
    if (const auto* reasoning = std::get_if<Reasoning>(&part)) {
      require(is_valid_utf8(reasoning->text) && is_valid_utf8(reasoning->opaque));
    }
    if (const auto* call = std::get_if<ToolCall>(&part)) {
      require(is_valid_utf8(call->id) && is_valid_utf8(call->name) &&
              is_valid_utf8(call->arguments));
    }
  }
}

inline int check_decoder(const providers::Codec& codec, Protocol protocol, const std::uint8_t* data,
                         std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);  // NOLINT: bytes as text
  Endpoint endpoint;
  endpoint.vendor.name = "example";
  endpoint.vendor.protocol = protocol;
  endpoint.vendor.base_url = "https://example.com/v1";
  endpoint.model.name = "model";
  const std::vector<Tool> tools{Tool{{.name = "files.read"}, {}}};
  const Sampling sampling;
  std::vector<Message> messages{Message::user("Hi")};
  Request request{.messages = messages, .tools = tools, .sampling = &sampling};

  const Outcome whole = decode(codec, endpoint, request, bytes, bytes.size() + 1);
  for (const std::size_t piece_size : {1U, 7U}) {
    const Outcome cut = decode(codec, endpoint, request, bytes, piece_size);
    require(cut.response == whole.response && cut.text == whole.text);
  }
  if (!whole.response) {
    require(!whole.response.error().message.empty());
    return 0;
  }
  require_valid(*whole.response);
  require(whole.response->text() == whole.text);
  messages.push_back({Role::assistant, whole.response->content});
  messages.push_back(Message::user("Go on"));
  request.messages = messages;
  providers::SentHistory history;
  const auto next = codec.encode(endpoint, request, Delivery::whole, history);
  require(next.has_value() && parse_json(next->body).has_value());
  return 0;
}

}  // namespace wright::fuzz
