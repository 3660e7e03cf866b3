#include "providers/gemini_response.h"

#include <fmt/format.h>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>

#include "core/text.h"
#include "core/try.h"
#include "providers/citations.h"
#include "providers/opaque_block.h"
#include "providers/vendor_tools.h"

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
constexpr std::array<std::string_view, 2> kBrokenCalls{"MALFORMED_FUNCTION_CALL",
                                                       "MALFORMED_RESPONSE"};

// The model called a tool that was not offered. That is a call all the same: it is answered as one
// to an unknown tool, and the model goes on.
constexpr std::string_view kUnexpectedCall = "UNEXPECTED_TOOL_CALL";

bool is_in_name(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '.' || c == ':';
}

// The tool in "Unexpected tool call: Model tried to call an undeclared function: default:look" or
// "Unexpected tool call: print(default_api.look(at='a'))"; empty where none is named.
std::string_view tool_named_in(std::string_view words) {
  constexpr std::string_view kUndeclared = "undeclared function:";
  constexpr std::string_view kCall = "tool call:";
  constexpr std::string_view kPrint = "print(";
  std::size_t at = words.find(kUndeclared);
  at = at != std::string_view::npos ? at + kUndeclared.size() : words.find(kCall);
  if (at == std::string_view::npos) return {};
  words = trimmed(words.substr(at));
  if (words.starts_with(kCall)) words = trimmed(words.substr(kCall.size()));
  if (words.starts_with(kPrint)) words.remove_prefix(kPrint.size());
  std::size_t length = 0;
  while (length < words.size() && is_in_name(words[length])) ++length;
  // A sentence begins with a word as well.
  if (length < words.size() && words[length] == ' ') return {};
  return words.substr(0, length);
}

// Without the name space that Gemini puts before it.
std::string_view without_namespace(std::string_view name) {
  for (const std::string_view space : {"default_api", "default_handler", "default"}) {
    if (!name.starts_with(space)) continue;
    const std::string_view rest = name.substr(space.size());
    if (rest.size() > 1 && (rest[0] == '.' || rest[0] == ':')) return rest.substr(1);
  }
  return name;
}

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
  pieces.answer.set_id(text_field(&piece, "responseId"));
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
  read_grounding(candidate, pieces);
  return read_reason(candidate, pieces);
}

// Later pieces repeat what earlier ones said.
void GeminiReader::read_grounding(const Json& candidate, ResponsePieces& pieces) {
  const Json* cited = field(&candidate, "citationMetadata");
  for (const Json* list : {field(field(&candidate, "groundingMetadata"), "groundingChunks"),
                           field(cited, "citationSources"), field(cited, "citations")}) {
    if (auto sources = citations_in(list); !sources.empty()) {
      pieces.answer.set_sources(std::move(sources));
    }
  }
  if (has_grounding_) return;
  const std::string words = words_of_grounding(field(&candidate, "groundingMetadata"));
  if (words.empty()) return;
  has_grounding_ = true;
  pieces.answer.end_part();
  pieces.answer.add_reasoning(words);
  pieces.answer.end_part();
}

Result<void> GeminiReader::read_part(const Json& part, ResponsePieces& pieces) {
  const bool is_thought = is_true(field(&part, "thought"));
  const std::string_view text = text_field(&part, "text");
  const std::string_view signature = text_field(&part, "thoughtSignature");
  if (is_part_of_vendors_tool(part)) {
    pieces.answer.end_part();
    pieces.answer.add_reasoning(words_of_vendors_tool(part));
    pieces.answer.reasoning().opaque =
        opaque_text(Protocol::gemini_generate, pieces.endpoint.model.name, part);
    pieces.answer.end_part();
    return {};
  }
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

Result<void> GeminiReader::broken_call(const ResponsePieces& pieces, std::string_view words) const {
  return std::unexpected(
      cut_answer(pieces.endpoint,
                 fmt::format("with a call that cannot be read ({}{}{})", reason_,
                             words.empty() ? "" : ": ", std::string(utf8_prefix(words, 300)))));
}

Result<void> GeminiReader::take_unexpected_calls(std::string_view words,
                                                 ResponsePieces& pieces) const {
  if (pieces.answer.call_count() == 0) {
    const std::string_view name = tool_named_in(words);
    if (name.empty()) return broken_call(pieces, words);
    // Its arguments are not known: words in their place make sure that no tool takes them.
    pieces.answer.add_arguments(pieces.answer.add_call({}, name), words);
  }
  for (std::size_t i = 0; i < pieces.answer.call_count(); ++i) {
    std::string& name = pieces.answer.call(i).name;
    name = std::string(without_namespace(name));
  }
  return {};
}

Result<void> GeminiReader::read_reason(const Json& candidate, ResponsePieces& pieces) {
  const std::string_view reason = text_field(&candidate, "finishReason");
  if (reason.empty() || reason == "FINISH_REASON_UNSPECIFIED") return {};
  reason_ = valid_text(reason);
  // A call that is open when the response is cut has no arguments.
  if (reason_ == "STOP" || reason_ == kUnexpectedCall) end_open_call(pieces);
  const std::string words = valid_text(text_field(&candidate, "finishMessage"));
  if (reason_ == kUnexpectedCall) TRY(take_unexpected_calls(words, pieces));
  if (is_one_of(reason_, kBrokenCalls)) return broken_call(pieces, words);
  if (reason_ == "MISSING_THOUGHT_SIGNATURE") {
    return std::unexpected(malformed_answer(pieces.endpoint, words.empty() ? reason_ : words));
  }
  return {};
}

std::optional<StopReason> GeminiReader::stop_reason(const ResponseBuilder& answer) const {
  if (reason_.empty()) return {};
  if (reason_ == "STOP" || reason_ == kUnexpectedCall) {
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
