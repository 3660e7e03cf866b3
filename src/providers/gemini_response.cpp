#include "providers/gemini_response.h"

#include <fmt/format.h>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>

#include "core/text.h"
#include "core/try.h"
#include "providers/opaque_block.h"

namespace wright::providers {
namespace {

constexpr std::array<std::string_view, 10> kFiltered{"SAFETY",
                                                     "RECITATION",
                                                     "BLOCKLIST",
                                                     "PROHIBITED_CONTENT",
                                                     "SPII",
                                                     "IMAGE_SAFETY",
                                                     "LANGUAGE",
                                                     "IMAGE_PROHIBITED_CONTENT",
                                                     "IMAGE_RECITATION",
                                                     "MODEL_ARMOR"};

// The model wrote a call that its vendor could not parse; there is no response, but a retry may
// give one.
constexpr std::array<std::string_view, 3> kBrokenCalls{
    "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MALFORMED_RESPONSE"};

bool is_true(const Json* value) {
  return value != nullptr && value->is_bool() && value->get_bool();
}

void read_usage(const Json* usage, Usage& counted) {
  if (usage == nullptr) return;
  counted.input_tokens =
      count_field(usage, "promptTokenCount") + count_field(usage, "toolUsePromptTokenCount");
  counted.cached_tokens = count_field(usage, "cachedContentTokenCount");
  counted.reasoning_tokens = count_field(usage, "thoughtsTokenCount");
  counted.output_tokens = count_field(usage, "candidatesTokenCount") + counted.reasoning_tokens;
}

}  // namespace

Result<void> GeminiReader::read_event(std::string_view /*type*/, const Json& event,
                                      ResponsePieces& pieces) {
  return read_piece(event, pieces);
}

Result<void> GeminiReader::read_document(const Json& document, ResponsePieces& pieces) {
  const JsonArray* list = array_in(&document);
  if (list == nullptr) {
    TRY(read_piece(document, pieces));
    // A whole response without a reason has ended all the same.
    if (reason_.empty() && !pieces.answer.is_empty()) {
      reason_ = "STOP";
      end_open_call(pieces);
    }
    return {};
  }
  for (const Json& piece : *list) {
    if (const auto error = vendor_error_in(piece)) {
      return std::unexpected(error_in_answer(pieces.endpoint, *error));
    }
    TRY(read_piece(piece, pieces));
  }
  return {};
}

Result<void> GeminiReader::read_piece(const Json& piece, ResponsePieces& pieces) {
  pieces.answer.set_model(text_field(&piece, "modelVersion"));
  read_usage(field(&piece, "usageMetadata"), pieces.answer.usage());
  const Json* feedback = field(&piece, "promptFeedback");
  if (const auto blocked = text_field(feedback, "blockReason"); !blocked.empty()) {
    const std::string_view words = text_field(feedback, "blockReasonMessage");
    return std::unexpected(error_in_answer(
        pieces.endpoint,
        {.code = "content_filter",
         .message = fmt::format("The prompt was blocked ({}){}{}", valid_text(blocked),
                                words.empty() ? "" : ": ", valid_text(words))}));
  }
  const JsonArray* candidates = array_in(field(&piece, "candidates"));
  if (candidates == nullptr || candidates->empty()) return {};
  const Json& candidate = candidates->front();
  if (const JsonArray* parts = array_in(field(field(&candidate, "content"), "parts"))) {
    for (const Json& part : *parts) {
      TRY(read_part(part, pieces));
    }
  }
  return read_reason(candidate, pieces);
}

Result<void> GeminiReader::read_part(const Json& part, ResponsePieces& pieces) {
  const bool is_thought = is_true(field(&part, "thought"));
  const std::string_view text = text_field(&part, "text");
  const std::string_view signature = text_field(&part, "thoughtSignature");
  if (is_thought) pieces.answer.add_reasoning(text);
  if (!signature.empty()) {
    pieces.answer.reasoning().opaque =
        opaque_text(Protocol::gemini_generate, pieces.endpoint.model.name,
                    JsonObject{{"thoughtSignature", valid_text(signature)}});
    pieces.answer.end_part();
  }
  if (is_thought) return {};
  if (const Json* call = field(&part, "functionCall")) return read_call(*call, pieces);
  pieces.add_text(text);
  // A part with a signature must not be merged with the next.
  if (!signature.empty()) pieces.answer.end_part();
  return {};
}

// A call in pieces begins with its name and continues in pieces without one for as long as they say
// so.
Result<void> GeminiReader::read_call(const Json& call, ResponsePieces& pieces) {
  const std::string_view name = text_field(&call, "name");
  const JsonArray* partial = array_in(field(&call, "partialArgs"));
  const bool goes_on = is_true(field(&call, "willContinue"));
  const bool continues = name.empty() && open_call_;
  if (!continues) {
    end_open_call(pieces);
    if (call.is_object() && call.get_object().empty())
      return {};  // the end of a call that has ended
    const std::size_t number = pieces.answer.add_call(text_field(&call, "id"), name);
    if (!goes_on && partial == nullptr) {
      const Json* arguments = field(&call, "args");
      pieces.answer.add_arguments(number, arguments == nullptr ? "{}" : to_text(*arguments));
      return {};
    }
    open_call_.emplace(OpenCall{number});
  }
  for (std::size_t i = 0; partial != nullptr && i < partial->size(); ++i) {
    if (auto added = open_call_->arguments.add((*partial)[i]); !added) {
      return std::unexpected(malformed_answer(pieces.endpoint, added.error().message));
    }
  }
  if (!goes_on) end_open_call(pieces);
  return {};
}

void GeminiReader::end_open_call(ResponsePieces& pieces) {
  if (!open_call_) return;
  pieces.answer.add_arguments(open_call_->number, open_call_->arguments.text());
  open_call_.reset();
}

Result<void> GeminiReader::read_reason(const Json& candidate, ResponsePieces& pieces) {
  const std::string_view reason = text_field(&candidate, "finishReason");
  if (reason.empty() || reason == "FINISH_REASON_UNSPECIFIED") return {};
  reason_ = valid_text(reason);
  // A call that is open when the response is cut has no arguments.
  if (reason_ == "STOP") end_open_call(pieces);
  const std::string words = valid_text(text_field(&candidate, "finishMessage"));
  if (is_one_of(reason_, kBrokenCalls)) {
    return std::unexpected(
        cut_answer(pieces.endpoint,
                   fmt::format("with a call that cannot be read ({}{}{})", reason_,
                               words.empty() ? "" : ": ", std::string(utf8_prefix(words, 300)))));
  }
  if (reason_ == "MISSING_THOUGHT_SIGNATURE") {
    return std::unexpected(malformed_answer(pieces.endpoint, words.empty() ? reason_ : words));
  }
  return {};
}

std::optional<StopReason> GeminiReader::stop_reason(const ResponseBuilder& answer) const {
  if (reason_.empty()) return {};
  if (reason_ == "STOP") {
    return answer.call_count() > 0 ? StopReason::tool_use : StopReason::end_turn;
  }
  if (reason_ == "MAX_TOKENS") return StopReason::max_tokens;
  if (is_one_of(reason_, kFiltered)) return StopReason::content_filter;
  if (open_call_) return {};  // never to be run as if it had no arguments
  return StopReason::other;
}

bool GeminiReader::take_end_mark(std::string_view data, ResponsePieces& /*pieces*/) {
  return data == "[DONE]";  // sent by gateways
}

}  // namespace wright::providers
