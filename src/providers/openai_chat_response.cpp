#include "providers/openai_chat_response.h"

#include <fmt/format.h>

#include <array>

#include "providers/chat_usage.h"
#include "providers/citations.h"
#include "providers/opaque_block.h"

namespace wright::providers {
namespace {

std::optional<VendorError> failure_named(std::string_view finish_reason) {
  constexpr std::array<std::string_view, 3> kFailures{"error", "network_error",
                                                      "insufficient_system_resource"};
  if (std::ranges::find(kFailures, finish_reason) == kFailures.end()) return {};
  return VendorError{.code = std::string(finish_reason),
                     .message = "The model's answer ended with an error",
                     .status = finish_reason == "insufficient_system_resource" ? 503 : 0};
}

StopReason stop_reason_named(std::string_view name, std::size_t calls) {
  const StopReason usual = calls > 0 ? StopReason::tool_use : StopReason::end_turn;
  if (name == "length" || name == "model_length" || name == "max_tokens") {
    return StopReason::max_tokens;
  }
  if (name == "content_filter" || name == "sensitive" || name == "safety") {
    return StopReason::content_filter;
  }
  // Servers that stop at a call say "stop" as often as "tool_calls".
  if (name.empty() || name == "stop" || name == "tool_calls" || name == "function_call" ||
      name == "eos" || name == "eos_token" || name == "end_turn" || name == "tool_use") {
    return usual;
  }
  if (name == "stop_sequence") return calls > 0 ? usual : StopReason::stop_sequence;
  return calls > 0 ? usual : StopReason::other;
}

}  // namespace

bool ChatResponseReader::take_end_mark(std::string_view data, ResponsePieces& pieces) {
  if (data != "[DONE]") return false;
  if (!has_ended_) end_text(pieces);
  has_ended_ = true;
  return true;
}

// The choice that came first: we never ask for more, but some servers send several, mixed.
const Json* ChatResponseReader::our_choice(const Json& completion) {
  const JsonArray* choices = array_in(field(&completion, "choices"));
  for (std::size_t i = 0; choices != nullptr && i < choices->size(); ++i) {
    const Json& choice = (*choices)[i];
    const std::int64_t index = count_field(&choice, "index");
    if (index == choice_.value_or(index)) {
      choice_ = index;
      return &choice;
    }
  }
  return nullptr;
}

Result<void> ChatResponseReader::read_event(std::string_view, const Json& chunk,
                                            ResponsePieces& pieces) {
  if (has_ended_) return {};
  read_heading(chunk, pieces);
  const Json* choice = our_choice(chunk);
  if (choice == nullptr) return {};
  if (auto usage = read_openai_usage(field(choice, "usage"))) pieces.answer.usage() = *usage;
  // Some servers put the whole message into the last chunk of a stream.
  const Json* delta = field(choice, "delta");
  if (delta != nullptr) {
    read_message(delta, Form::delta, pieces);
  } else if (pieces.answer.is_empty()) {
    read_message(field(choice, "message"), Form::whole, pieces);
  }
  return read_finish(choice, pieces);
}

Result<void> ChatResponseReader::read_document(const Json& completion, ResponsePieces& pieces) {
  read_heading(completion, pieces);
  const Json* choice = our_choice(completion);
  const Json* message = field(choice, "message");
  // Azure leaves out a message that it filtered.
  const bool has_reason = !text_field(choice, "finish_reason").empty();
  if (object_in(message) == nullptr && !has_reason) {
    return std::unexpected(malformed_answer(pieces.endpoint, "it holds no message"));
  }
  read_message(message, Form::whole, pieces);
  end_text(pieces);
  has_ended_ = true;
  return read_finish(choice, pieces);
}

void ChatResponseReader::read_heading(const Json& chunk, ResponsePieces& pieces) {
  pieces.answer.set_model(text_field(&chunk, "model"));
  pieces.answer.set_id(text_field(&chunk, "id"));
  for (const Json* place : {&chunk, field(&chunk, "x_groq")}) {
    if (auto usage = read_openai_usage(field(place, "usage"))) pieces.answer.usage() = *usage;
  }
  // Beside the answer, in every chunk: addresses alone, and what is known of them.
  for (const std::string_view name : {"citations", "search_results"}) {
    if (auto sources = citations_in(field(&chunk, name)); !sources.empty()) {
      pieces.answer.set_sources(std::move(sources));
    }
  }
}

void ChatResponseReader::read_message(const Json* message, Form form, ResponsePieces& pieces) {
  read_reasoning(message, pieces);
  read_content(field(message, "content"), pieces);
  if (const std::string_view refusal = text_field(message, "refusal"); !refusal.empty()) {
    has_refused_ = true;
    pieces.add_text(refusal);
  }
  if (auto sources = citations_in(field(message, "annotations")); !sources.empty()) {
    pieces.answer.set_sources(std::move(sources));
  }
  read_calls(message, form, pieces);
}

void ChatResponseReader::add_text(std::string_view piece, ResponsePieces& pieces) {
  think_tags_.feed(
      piece, [&](std::string_view text) { pieces.add_text(text); },
      [&](std::string_view thought) { pieces.answer.add_reasoning(thought); });
}

// Text, or a list of chunks, each of them text or thinking.
void ChatResponseReader::read_content(const Json* content, ResponsePieces& pieces) {
  if (const JsonArray* chunks = array_in(content)) {
    for (const Json& chunk : *chunks) read_content_chunk(chunk, pieces);
  } else if (const std::string_view text = text_in(content); !text.empty()) {
    add_text(text, pieces);
  }
}

void ChatResponseReader::read_content_chunk(const Json& chunk, ResponsePieces& pieces) {
  if (text_field(&chunk, "type") != "thinking") {
    if (const std::string_view text = text_field(&chunk, "text"); !text.empty()) {
      add_text(text, pieces);
    }
    return;
  }
  const Json* thinking = field(&chunk, "thinking");
  pieces.answer.add_reasoning(text_in(thinking));
  if (const JsonArray* thoughts = array_in(thinking)) {
    for (const Json& thought : *thoughts) pieces.answer.add_reasoning(text_field(&thought, "text"));
  }
}

// Gateways send the same thought under several names; it counts once.
void ChatResponseReader::read_reasoning(const Json* message, ResponsePieces& pieces) {
  const Json* details = field(message, "reasoning_details");
  std::string from_details;
  const bool is_split = pieces.endpoint.model.quirks.split_reasoning;
  if (const JsonArray* blocks = array_in(details)) {
    using Pieces = ReasoningDetails::Pieces;
    from_details = details_.merge(*blocks, is_split ? Pieces::may_repeat : Pieces::only_new);
  }
  for (const std::string_view name :
       {std::string_view(pieces.endpoint.model.quirks.reasoning_field),
        std::string_view("reasoning_content"), std::string_view("reasoning")}) {
    const std::string_view thought = text_field(message, name);
    if (thought.empty() || (is_split && !details_.is_empty())) continue;
    pieces.answer.add_reasoning(thought);
    from_details.clear();
    break;
  }
  pieces.answer.add_reasoning(from_details);
  if (details_.is_empty() || details == nullptr) return;
  pieces.answer.reasoning().opaque =
      opaque_text(pieces.endpoint.protocol(), pieces.endpoint.model.name, details_.block());
}

void ChatResponseReader::read_calls(const Json* message, Form form, ResponsePieces& pieces) {
  if (const JsonArray* calls = array_in(field(message, "tool_calls"))) {
    for (const Json& call : *calls) {
      if (!call.is_object()) continue;
      if (form == Form::whole) {
        ChatCalls::add(call, pieces.answer);
      } else {
        calls_.merge(call, pieces.answer);
      }
    }
  }
  if (const Json* function = field(message, "function_call"); object_in(function) != nullptr) {
    calls_.merge_legacy(*function, pieces.answer);
  }
}

Result<void> ChatResponseReader::read_finish(const Json* choice, ResponsePieces& pieces) {
  const std::string_view reason = text_field(choice, "finish_reason");
  if (reason.empty()) return {};
  if (const auto failure = failure_named(reason)) {
    return std::unexpected(error_in_answer(pieces.endpoint, *failure));
  }
  finish_reason_ = reason;
  end_text(pieces);
  return {};
}

// The text that was held back is certain now.
void ChatResponseReader::end_text(ResponsePieces& pieces) {
  think_tags_.finish([&](std::string_view text) { pieces.add_text(text); },
                     [&](std::string_view thought) { pieces.answer.add_reasoning(thought); });
  pieces.answer.end_part();
}

std::optional<StopReason> ChatResponseReader::stop_reason(const ResponseBuilder& answer) const {
  const bool is_complete = !finish_reason_.empty() || (has_ended_ && !answer.is_empty());
  if (!is_complete) return {};
  const StopReason reason = stop_reason_named(finish_reason_, answer.call_count());
  return has_refused_ && reason != StopReason::max_tokens ? StopReason::content_filter : reason;
}

}  // namespace wright::providers
