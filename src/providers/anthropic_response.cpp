#include "providers/anthropic_response.h"

#include <boost/json/object.hpp>

#include <utility>

#include "core/try.h"
#include "providers/citations.h"
#include "providers/opaque_block.h"
#include "providers/vendor_tool_blocks.h"
#include "providers/vendor_tools.h"

namespace wright::providers {
namespace {

Json thinking_block(std::string_view text, std::string_view signature) {
  return JsonObject{{"type", "thinking"}, {"thinking", text}, {"signature", signature}};
}

std::string opaque_of(const ResponsePieces& pieces, const Json& block) {
  return opaque_text(Protocol::anthropic_messages, pieces.endpoint.model.name, block);
}

// Sets a count to what the vendor says, if it says anything: later events repeat the counts of
// earlier ones, or leave them out.
void set_count(std::int64_t& count, const Json* usage, std::string_view key) {
  if (field(usage, key) != nullptr) count = count_field(usage, key);
}

// A limit or a filter ended the response, wherever it was.
bool is_cut(std::string_view reason) {
  return reason == "max_tokens" || reason == "model_context_window_exceeded" || reason == "refusal";
}

// The block with the input that came in pieces; null where they make no JSON.
Json whole_block(const std::string& raw, const std::string& input) {
  auto block = parse_json(raw);
  if (!block || !block->is_object() || input.empty()) return block ? *block : Json();
  auto whole = parse_json(input);
  if (!whole) return {};
  block->get_object()["input"] = std::move(*whole);
  return *block;
}

}  // namespace

Result<void> AnthropicReader::read_event(std::string_view event_type, const Json& event,
                                         ResponsePieces& pieces) {
  if (is_complete_) return {};
  std::string_view type = text_field(&event, "type");
  if (type.empty()) type = event_type;
  const std::int64_t index = count_field(&event, "index");
  if (type == "message_start") {
    TRY(begin_message(pieces));
    const Json* message = field(&event, "message");
    pieces.answer.set_model(text_field(message, "model"));
    pieces.answer.set_id(text_field(message, "id"));
    read_usage(field(message, "usage"), pieces.answer.usage());
    read_container(message);
  } else if (type == "content_block_start") {
    open_.insert_or_assign(index, begin_block(field(&event, "content_block"), pieces));
  } else if (type == "content_block_delta") {
    const auto block = open_.find(index);
    if (block == open_.end()) {
      return std::unexpected(
          malformed_answer(pieces.endpoint, "a content_block_delta without its start"));
    }
    return read_delta(block->second, field(&event, "delta"), pieces);
  } else if (type == "content_block_stop") {
    const auto block = open_.find(index);
    if (block == open_.end()) return {};
    end_block(block->second, pieces);
    open_.erase(block);
  } else if (type == "message_delta") {
    const std::string_view reason = text_field(field(&event, "delta"), "stop_reason");
    if (!reason.empty()) reason_ = valid_text(reason);
    read_container(field(&event, "delta"));
    read_usage(field(&event, "usage"), pieces.answer.usage());
  } else if (type == "message_stop") {
    end_message(pieces);
  }
  return {};
}

Result<void> AnthropicReader::read_document(const Json& document, ResponsePieces& pieces) {
  const JsonArray* content = array_in(field(&document, "content"));
  if (content == nullptr) {
    return std::unexpected(malformed_answer(pieces.endpoint, "a message without content"));
  }
  pieces.answer.set_model(text_field(&document, "model"));
  pieces.answer.set_id(text_field(&document, "id"));
  read_usage(field(&document, "usage"), pieces.answer.usage());
  for (const Json& part : *content) {
    Block block = begin_block(&part, pieces);
    end_block(block, pieces);
  }
  reason_ = valid_text(text_field(&document, "stop_reason"));
  read_container(&document);
  end_message(pieces);
  return {};
}

// A gateway that loses its vendor midway begins again with another, in the same stream. Text that
// was already shown cannot be taken back, but reasoning and calls can.
Result<void> AnthropicReader::begin_message(ResponsePieces& pieces) {
  if (!std::exchange(has_begun_, true)) return {};
  if (!pieces.answer.text().empty()) {
    return std::unexpected(cut_answer(pieces.endpoint, "and began again"));
  }
  pieces.answer.replace_content({});
  open_.clear();
  last_ = Block::Kind::other;
  return {};
}

void AnthropicReader::end_message(ResponsePieces& pieces) {
  is_complete_ = open_.empty() || is_cut(reason_);
  // The call being written is incomplete, even if it does not look so.
  if (is_cut(reason_) && last_ == Block::Kind::call) {
    pieces.answer.drop_arguments(pieces.answer.call_count() - 1);
  }
  // A turn that goes on does so in the container that its tools have run in.
  const bool goes_on = reason_ == "pause_turn" || reason_ == "tool_use";
  if (goes_on && !container_.empty()) {
    pieces.answer.end_part();
    pieces.answer.reasoning().opaque =
        opaque_of(pieces, JsonObject{{"type", kContainer}, {"id", container_}});
    pieces.answer.end_part();
  }
}

void AnthropicReader::read_container(const Json* message) {
  const std::string_view id = text_field(field(message, "container"), "id");
  if (!id.empty()) container_ = valid_text(id);
}

// Anthropic counts cached input separately; Usage counts all input.
void AnthropicReader::read_usage(const Json* usage, Usage& counted) {
  if (usage == nullptr) return;
  set_count(fresh_tokens_, usage, "input_tokens");
  set_count(counted.cached_tokens, usage, "cache_read_input_tokens");
  set_count(counted.cache_write_tokens, usage, "cache_creation_input_tokens");
  set_count(counted.output_tokens, usage, "output_tokens");
  set_count(counted.reasoning_tokens, field(usage, "output_tokens_details"), "thinking_tokens");
  counted.input_tokens = fresh_tokens_ + counted.cached_tokens + counted.cache_write_tokens;
}

AnthropicReader::Block AnthropicReader::begin_block(const Json* content, ResponsePieces& pieces) {
  const std::string_view type = text_field(content, "type");
  pieces.answer.end_part();
  Block block;
  if (type == "text") {
    block.kind = Block::Kind::text;
    pieces.add_text(text_field(content, "text"));
    const JsonArray* citations = array_in(field(content, "citations"));
    for (std::size_t i = 0; citations != nullptr && i < citations->size(); ++i) {
      pieces.answer.cite(returned_citation((*citations)[i], pieces.endpoint));
    }
  } else if (type == "thinking") {
    block.kind = Block::Kind::thinking;
    pieces.answer.reasoning();
    pieces.answer.add_reasoning(text_field(content, "thinking"));
    block.signature = valid_text(text_field(content, "signature"));
  } else if (type == "redacted_thinking") {
    pieces.answer.reasoning().opaque = opaque_of(
        pieces, JsonObject{{"type", type}, {"data", valid_text(text_field(content, "data"))}});
    pieces.answer.end_part();
  } else if (type == "tool_use") {
    block.kind = Block::Kind::call;
    block.call = pieces.answer.add_call(text_field(content, "id"), text_field(content, "name"));
    const Json* input = field(content, "input");
    const JsonObject* fields = object_in(input);
    // A stream begins with an empty object that says nothing.
    if (input != nullptr && (fields == nullptr || !fields->empty())) block.input = to_text(*input);
  } else if (is_of_vendors_tool(type)) {
    block.kind = Block::Kind::vendors;
    block.raw = valid_text(to_text(*content));
  }
  last_ = block.kind;
  return block;
}

Result<void> AnthropicReader::read_delta(Block& block, const Json* delta, ResponsePieces& pieces) {
  const std::string_view type = text_field(delta, "type");
  if (type == "text_delta" && block.kind == Block::Kind::text) {
    pieces.add_text(text_field(delta, "text"));
  } else if (type == "citations_delta" && block.kind == Block::Kind::text) {
    if (const Json* citation = field(delta, "citation")) {
      pieces.answer.cite(returned_citation(*citation, pieces.endpoint));
    }
  } else if (type == "thinking_delta" && block.kind == Block::Kind::thinking) {
    pieces.answer.add_reasoning(text_field(delta, "thinking"));
  } else if (type == "signature_delta" && block.kind == Block::Kind::thinking) {
    block.signature += valid_text(text_field(delta, "signature"));
  } else if (type == "input_json_delta" && block.kind == Block::Kind::call) {
    const std::string_view piece = text_field(delta, "partial_json");
    if (!piece.empty()) block.input.clear();
    pieces.answer.add_arguments(block.call, piece);
  } else if (type == "input_json_delta" && block.kind == Block::Kind::vendors) {
    block.joiner.append(block.input, text_field(delta, "partial_json"));
  }
  return {};
}

void AnthropicReader::end_block(Block& block, ResponsePieces& pieces) {
  if (block.kind == Block::Kind::thinking) {
    Reasoning& reasoning = pieces.answer.reasoning();
    pieces.answer.end_part();
    // Anthropic does not accept a block back without its signature.
    if (!block.signature.empty()) {
      reasoning.opaque = opaque_of(pieces, thinking_block(reasoning.text, block.signature));
    }
  } else if (block.kind == Block::Kind::call) {
    if (!block.input.empty()) pieces.answer.add_arguments(block.call, block.input);
    if (pieces.answer.call(block.call).arguments.empty()) {
      pieces.answer.add_arguments(block.call, "{}");
    }
  } else if (block.kind == Block::Kind::vendors) {
    pieces.answer.end_part();
    block.joiner.finish(block.input);
    if (const Json whole = whole_block(block.raw, block.input); !whole.is_null()) {
      pieces.answer.add_reasoning(words_of_vendors_tool(whole));
      pieces.answer.reasoning().opaque = opaque_of(pieces, whole);
    }
    pieces.answer.end_part();
  } else {
    pieces.answer.end_part();
  }
}

std::optional<StopReason> AnthropicReader::stop_reason(const ResponseBuilder& answer) const {
  if (!is_complete_) return {};
  const bool has_calls = answer.call_count() > 0;
  if (reason_ == "end_turn" || reason_ == "tool_use" || reason_.empty()) {
    return has_calls ? StopReason::tool_use : StopReason::end_turn;
  }
  if (reason_ == "pause_turn") return has_calls ? StopReason::tool_use : StopReason::paused;
  if (reason_ == "stop_sequence") return StopReason::stop_sequence;
  if (reason_ == "refusal") return StopReason::content_filter;
  return is_cut(reason_) ? StopReason::max_tokens : StopReason::other;
}

bool AnthropicReader::take_end_mark(std::string_view data, ResponsePieces& /*pieces*/) {
  return data == "[DONE]";  // sent by gateways
}

}  // namespace wright::providers
