#include "providers/bedrock_response.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <array>

#include "core/text.h"
#include "core/try.h"
#include "providers/citations.h"
#include "providers/opaque_block.h"

namespace wright::providers {
namespace {

std::string converse_opaque(const ResponsePieces& pieces, JsonObject reasoning) {
  return opaque_text(Protocol::bedrock_converse, pieces.endpoint.model.name,
                     JsonObject{{"reasoningContent", std::move(reasoning)}});
}

JsonObject signed_reasoning(std::string_view text, std::string_view signature) {
  return JsonObject{{"reasoningText", JsonObject{{"text", text}, {"signature", signature}}}};
}

Citation cited_in(const Json& json) {
  Citation citation = citation_in(json);
  const JsonArray* content = array_in(field(&json, "sourceContent"));
  for (std::size_t i = 0; content != nullptr && i < content->size(); ++i) {
    citation.quote += valid_text(text_field(&(*content)[i], "text"));
  }
  return citation;
}

// What stands in the header of a frame, as an error of the vendor. Bedrock's exceptions are those
// that a response with another status would hold.
VendorError exception_in(const AwsEvent& event) {
  constexpr std::array<std::pair<std::string_view, int>, 6> kStatuses{{
      {"throttlingException", 429},
      {"validationException", 400},
      {"internalServerException", 500},
      {"modelStreamErrorException", 500},
      {"modelTimeoutException", 408},
      {"serviceUnavailableException", 503},
  }};
  VendorError error = read_vendor_error(event.payload);
  const std::string_view type =
      event.exception_type.empty() ? event.error_code : event.exception_type;
  error.code = valid_text(type);
  if (error.message.empty()) error.message = valid_text(event.error_message);
  for (const auto& [name, status] : kStatuses) {
    if (lower(type) == lower(name)) error.status = status;
  }
  return error;
}

}  // namespace

void ConverseReader::begin(Block& block, Block::Kind kind, ResponsePieces& pieces) {
  if (block.kind == kind) return;
  pieces.answer.end_part();
  block.kind = kind;
}

Result<void> ConverseReader::read_event(std::string_view type, const Json& event,
                                        ResponsePieces& pieces) {
  const std::int64_t index = count_field(&event, "contentBlockIndex");
  if (type == "contentBlockStart") {
    Block& block = open_[index];
    block = {};
    if (const Json* call = field(field(&event, "start"), "toolUse")) {
      // What the vendor itself runs is not ours to run.
      if (!text_field(call, "type").empty()) {
        begin(block, Block::Kind::other, pieces);
        return {};
      }
      begin(block, Block::Kind::call, pieces);
      block.call = pieces.answer.add_call(text_field(call, "toolUseId"), text_field(call, "name"));
    }
  } else if (type == "contentBlockDelta") {
    read_delta(open_[index], field(&event, "delta"), pieces);
  } else if (type == "contentBlockStop") {
    const auto block = open_.find(index);
    if (block == open_.end()) return {};
    end_block(block->second, pieces);
    open_.erase(block);
  } else if (type == "messageStop") {
    reason_ = valid_text(text_field(&event, "stopReason"));
    // The last call may be cut: its arguments stay as they are.
    for (auto& [number, block] : open_) {
      if (block.kind != Block::Kind::call) end_block(block, pieces);
    }
    open_.clear();
    is_complete_ = true;
  } else if (type == "metadata") {
    read_usage(field(&event, "usage"), pieces.answer.usage());
  }
  return {};
}

Result<void> ConverseReader::read_document(const Json& document, ResponsePieces& pieces) {
  const Json* message = field(field(&document, "output"), "message");
  const JsonArray* content = array_in(field(message, "content"));
  if (content == nullptr) {
    return std::unexpected(malformed_answer(pieces.endpoint, "no output.message.content"));
  }
  for (const Json& block : *content) read_block(block, pieces);
  read_usage(field(&document, "usage"), pieces.answer.usage());
  reason_ = valid_text(text_field(&document, "stopReason"));
  is_complete_ = true;
  return {};
}

// A block of a whole response holds all that its deltas would have.
void ConverseReader::read_block(const Json& content, ResponsePieces& pieces) {
  Block block;
  if (const Json* call = field(&content, "toolUse")) {
    if (!text_field(call, "type").empty()) return;
    begin(block, Block::Kind::call, pieces);
    block.call = pieces.answer.add_call(text_field(call, "toolUseId"), text_field(call, "name"));
    if (const Json* input = field(call, "input")) {
      pieces.answer.add_arguments(block.call, to_text(*input));
    }
  } else if (const Json* reasoning = field(&content, "reasoningContent")) {
    const Json* text = field(reasoning, "reasoningText");
    const Json flat = JsonObject{{"text", text_field(text, "text")},
                                 {"signature", text_field(text, "signature")},
                                 {"redactedContent", text_field(reasoning, "redactedContent")}};
    const Json delta = JsonObject{{"reasoningContent", flat}};
    read_delta(block, &delta, pieces);
  } else if (const Json* cited = field(&content, "citationsContent")) {
    if (const JsonArray* said = array_in(field(cited, "content"))) {
      for (const Json& piece : *said) read_delta(block, &piece, pieces);
    }
    const JsonArray* citations = array_in(field(cited, "citations"));
    for (std::size_t i = 0; citations != nullptr && i < citations->size(); ++i) {
      pieces.answer.cite(cited_in((*citations)[i]));
    }
  } else {
    read_delta(block, &content, pieces);
  }
  end_block(block, pieces);
}

void ConverseReader::read_delta(Block& block, const Json* delta, ResponsePieces& pieces) {
  if (block.kind == Block::Kind::other) return;
  if (const Json* text = field(delta, "text")) {
    begin(block, Block::Kind::text, pieces);
    pieces.add_text(text_in(text));
  } else if (const Json* citation = field(delta, "citation")) {
    begin(block, Block::Kind::text, pieces);
    pieces.answer.cite(cited_in(*citation));
  } else if (const Json* call = field(delta, "toolUse")) {
    if (block.kind != Block::Kind::call) return;
    pieces.answer.add_arguments(block.call, text_field(call, "input"));
  } else if (const Json* reasoning = field(delta, "reasoningContent")) {
    begin(block, Block::Kind::reasoning, pieces);
    pieces.answer.reasoning();
    pieces.answer.add_reasoning(text_field(reasoning, "text"));
    block.signature += valid_text(text_field(reasoning, "signature"));
    block.redacted += valid_text(text_field(reasoning, "redactedContent"));
  }
}

void ConverseReader::end_block(Block& block, ResponsePieces& pieces) {
  if (block.kind == Block::Kind::reasoning) {
    Reasoning& reasoning = pieces.answer.reasoning();
    pieces.answer.end_part();
    if (!block.redacted.empty()) {
      reasoning.opaque = converse_opaque(pieces, {{"redactedContent", block.redacted}});
    } else if (!block.signature.empty()) {
      reasoning.opaque = converse_opaque(pieces, signed_reasoning(reasoning.text, block.signature));
    }
  } else if (block.kind == Block::Kind::call) {
    if (pieces.answer.call(block.call).arguments.empty()) {
      pieces.answer.add_arguments(block.call, "{}");
    }
  } else {
    pieces.answer.end_part();
  }
}

// Bedrock counts what was read from a cache or written to one beside the input.
void ConverseReader::read_usage(const Json* usage, Usage& counted) {
  counted.cached_tokens = count_field(usage, "cacheReadInputTokens");
  counted.cache_write_tokens = count_field(usage, "cacheWriteInputTokens");
  counted.input_tokens =
      count_field(usage, "inputTokens") + counted.cached_tokens + counted.cache_write_tokens;
  counted.output_tokens = count_field(usage, "outputTokens");
}

std::optional<StopReason> ConverseReader::stop_reason(const ResponseBuilder& answer) const {
  if (!is_complete_) return {};
  const bool has_calls = answer.call_count() > 0;
  if (reason_ == "end_turn" || reason_ == "tool_use" || reason_.empty()) {
    return has_calls ? StopReason::tool_use : StopReason::end_turn;
  }
  if (reason_ == "stop_sequence") return StopReason::stop_sequence;
  if (reason_ == "max_tokens" || reason_ == "model_context_window_exceeded") {
    return StopReason::max_tokens;
  }
  if (reason_ == "content_filtered" || reason_ == "guardrail_intervened") {
    return StopReason::content_filter;
  }
  return StopReason::other;
}

Result<void> BedrockDecoder::feed(std::string_view bytes, const TextSink& on_text) {
  read_ += bytes.size();
  if (read_ > kLargestBody) return std::unexpected(endless_answer(endpoint_, kLargestBody));
  answer_.set_listener(&on_text);
  auto fed = take(bytes, on_text);
  answer_.set_listener(nullptr);
  return fed;
}

Result<void> BedrockDecoder::take(std::string_view bytes, const TextSink& on_text) {
  // A frame is shorter than 16 MB, so its first byte is zero.
  if (kind_ == Kind::unknown && !bytes.empty()) {
    kind_ = bytes.front() == '\0' ? Kind::frames : Kind::other;
  }
  if (kind_ == Kind::frames) {
    auto fed =
        frames_.feed(bytes, [&](const AwsEvent& event) { return take_frame(event, on_text); });
    if (fed || fed.error().code != ErrorCode::protocol || !fed.error().detail.is_null()) return fed;
    return std::unexpected(malformed_answer(endpoint_, fed.error().message));
  }
  auto fed = body_.feed(
      bytes, [](const ServerSentEvent&) { return Result<void>(); },
      [&](std::string_view document) { return take_document(document, on_text); });
  return with_vendor(std::move(fed), endpoint_);
}

Result<Response> BedrockDecoder::finish(const TextSink& on_text) {
  auto ended = body_.finish([](const ServerSentEvent&) { return Result<void>(); });
  TRY(with_vendor(std::move(ended), endpoint_));
  const auto reason = reader_.stop_reason(answer_);
  // Frames that end early are no body of another kind: nothing was fed to it.
  if (!reason) return std::unexpected(what_is_missing(endpoint_, body_));
  answer_.set_listener(&on_text);
  Response response = answer_.take(*reason, endpoint_.model);
  answer_.set_listener(nullptr);
  calls_.restore(response);
  return response;
}

Result<void> BedrockDecoder::take_frame(const AwsEvent& event, const TextSink& on_text) {
  if (event.message_type == "exception" || event.message_type == "error") {
    return std::unexpected(error_in_answer(endpoint_, exception_in(event)));
  }
  const auto json = json_.parse_event(event.payload.empty() ? "{}" : event.payload);
  if (!json) return std::unexpected(malformed_answer(endpoint_, json.error().message));
  ResponsePieces pieces{endpoint_, answer_, on_text};
  TRY(reader_.read_event(event.event_type, **json, pieces));
  if (answer_.bytes() <= kLargestAnswer) return {};
  return std::unexpected(endless_answer(endpoint_, kLargestAnswer));
}

Result<void> BedrockDecoder::take_document(std::string_view text, const TextSink& on_text) {
  const auto json = json_.parse(text);
  if (!json) return std::unexpected(malformed_answer(endpoint_, json.error().message));
  if (const auto error = vendor_error_in(**json)) {
    return std::unexpected(error_in_answer(endpoint_, *error));
  }
  const bool says_why = field(*json, "output") == nullptr && field(*json, "message") != nullptr;
  if (says_why) return std::unexpected(error_in_answer(endpoint_, read_vendor_error(text)));
  ResponsePieces pieces{endpoint_, answer_, on_text};
  return reader_.read_document(**json, pieces);
}

}  // namespace wright::providers
