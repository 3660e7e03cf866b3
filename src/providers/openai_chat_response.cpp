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
const Json* ChatResponseReader::our_choice(const Json* completions) {
  const JsonArray* choices = array_in(completions);
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
  const Json* choice = our_choice(read_heading(chunk, pieces));
  if (choice == nullptr) return {};
  const auto [usage, delta, message, reason] =
      fields<4>(choice, {"usage", "delta", "message", "finish_reason"});
  if (auto counted = read_openai_usage(usage)) pieces.answer.usage() = *counted;
  // Some servers put the whole message into the last chunk of a stream.
  if (delta != nullptr) {
    read_message(delta, Form::delta, pieces);
  } else if (pieces.answer.is_empty()) {
    read_message(message, Form::whole, pieces);
  }
  return read_finish(text_in(reason), pieces);
}

Result<void> ChatResponseReader::read_document(const Json& completion, ResponsePieces& pieces) {
  const Json* choice = our_choice(read_heading(completion, pieces));
  const Json* message = field(choice, "message");
  // Azure leaves out a message that it filtered.
  const bool has_reason = !text_field(choice, "finish_reason").empty();
  if (object_in(message) == nullptr && !has_reason) {
    return std::unexpected(malformed_answer(pieces.endpoint, "it holds no message"));
  }
  read_message(message, Form::whole, pieces);
  end_text(pieces);
  has_ended_ = true;
  return read_finish(text_field(choice, "finish_reason"), pieces);
}

// What stands in every chunk; the choices are left to read.
const Json* ChatResponseReader::read_heading(const Json& chunk, ResponsePieces& pieces) {
  const auto [id, model, choices, usage, x_groq, citations, results] = fields<7>(
      &chunk, {"id", "model", "choices", "usage", "x_groq", "citations", "search_results"});
  pieces.answer.set_model(text_in(model));
  pieces.answer.set_id(text_in(id));
  for (const Json* counts : {usage, field(x_groq, "usage")}) {
    if (auto counted = read_openai_usage(counts)) pieces.answer.usage() = *counted;
  }
  // Beside the answer, in every chunk: addresses alone, and what is known of them.
  for (const Json* cited : {citations, results}) {
    if (auto sources = citations_in(cited); !sources.empty()) {
      pieces.answer.set_sources(std::move(sources));
    }
  }
  return choices;
}

void ChatResponseReader::read_message(const Json* message, Form form, ResponsePieces& pieces) {
  const auto [content, refusal, annotations, calls, legacy_call] =
      fields<5>(message, {"content", "refusal", "annotations", "tool_calls", "function_call"});
  read_reasoning(message, pieces);
  read_content(content, pieces);
  if (const std::string_view refused = text_in(refusal); !refused.empty()) {
    has_refused_ = true;
    pieces.add_text(refused);
  }
  if (auto sources = citations_in(annotations); !sources.empty()) {
    pieces.answer.set_sources(std::move(sources));
  }
  read_calls(calls, form, pieces);
  if (object_in(legacy_call) != nullptr) calls_.merge_legacy(*legacy_call, pieces.answer);
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
  const std::string_view own_name = pieces.endpoint.model.quirks.reasoning_field;
  const auto [details, own, content, reasoning] =
      fields<4>(message, {"reasoning_details", own_name, "reasoning_content", "reasoning"});
  std::string from_details;
  const bool is_split = pieces.endpoint.model.quirks.split_reasoning;
  if (const JsonArray* blocks = array_in(details)) {
    using Pieces = ReasoningDetails::Pieces;
    from_details = details_.merge(*blocks, is_split ? Pieces::may_repeat : Pieces::only_new);
  }
  for (const Json* known : {own, content, reasoning}) {
    const std::string_view thought = text_in(known);
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

void ChatResponseReader::read_calls(const Json* listed, Form form, ResponsePieces& pieces) {
  const JsonArray* calls = array_in(listed);
  for (std::size_t i = 0; calls != nullptr && i < calls->size(); ++i) {
    const Json& call = (*calls)[i];
    if (!call.is_object()) continue;
    if (form == Form::whole) {
      ChatCalls::add(call, pieces.answer);
    } else {
      calls_.merge(call, pieces.answer);
    }
  }
}

Result<void> ChatResponseReader::read_finish(std::string_view reason, ResponsePieces& pieces) {
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
