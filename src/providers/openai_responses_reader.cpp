#include "providers/openai_responses_reader.h"

#include <boost/json/object.hpp>

#include <algorithm>
#include <array>

#include "core/text_pieces.h"
#include "providers/chat_usage.h"
#include "providers/citations.h"
#include "providers/opaque_block.h"
#include "providers/vendor_tools.h"

namespace wright::providers {
namespace {

std::int64_t output_index(const Json& event) {
  return count_field(&event, "output_index");
}

// The item as it goes back: without its status, which is not accepted there.
Json returned_item(const Json& item) {
  JsonObject returned;
  for (const auto& [key, value] : item.get_object()) {
    if (key != "status") returned[key] = value;
  }
  return returned;
}

Text::Phase phase_of(const Json* item) {
  return phase_named(text_field(item, "phase")).value_or(Text::Phase::unmarked);
}

}  // namespace

bool ResponsesReader::take_end_mark(std::string_view data, ResponsePieces& /*pieces*/) {
  return data == "[DONE]";
}

Result<void> ResponsesReader::read_event(std::string_view event_type, const Json& event,
                                         ResponsePieces& pieces) {
  if (!status_.empty()) return {};
  std::string_view type = text_field(&event, "type");
  if (type.empty()) type = event_type;
  if (type == "response.output_text.delta") {
    read_text(event, "delta", pieces);
  } else if (type == "response.function_call_arguments.delta") {
    read_arguments(event, pieces);
  } else if (type == "response.reasoning_summary_text.delta" ||
             type == "response.reasoning_text.delta") {
    read_reasoning(event, pieces);
  } else if (type == "response.output_item.added") {
    begin_item(event, pieces);
  } else if (type == "response.output_item.done") {
    end_item(event, pieces);
  } else if (type == "response.refusal.delta") {
    has_refused_ = true;
    read_text(event, "delta", pieces);
  } else if (type == "response.created" || type == "response.in_progress") {
    pieces.answer.set_model(text_field(field(&event, "response"), "model"));
    pieces.answer.set_id(text_field(field(&event, "response"), "id"));
  } else if (type == "response.completed" || type == "response.incomplete" ||
             type == "response.failed" || type == "response.cancelled") {
    status_ = type.substr(type.find('.') + 1);
    return read_end(field(&event, "response"), pieces);
  }
  return {};
}

Result<void> ResponsesReader::read_document(const Json& response, ResponsePieces& pieces) {
  if (array_in(field(&response, "output")) == nullptr) {
    return std::unexpected(malformed_answer(pieces.endpoint, "it holds no output"));
  }
  status_ = text_field(&response, "status");
  // Only a background response arrives before it is complete.
  constexpr std::array<std::string_view, 5> kOtherEnds{"incomplete", "failed", "cancelled",
                                                       "in_progress", "queued"};
  if (std::ranges::find(kOtherEnds, status_) == kOtherEnds.end()) status_ = "completed";
  return read_end(&response, pieces);
}

// --- Items in pieces ------------------------------------------------------------------------

void ResponsesReader::begin_item(const Json& event, ResponsePieces& pieces) {
  const Json* item = field(&event, "item");
  pieces.answer.end_part();
  pieces.answer.set_phase(phase_of(item));
  thought_.reset();
  if (text_field(item, "type") != "function_call") return;
  const std::size_t number =
      pieces.answer.add_call(text_field(item, "call_id"), text_field(item, "name"));
  calls_[output_index(event)] = number;
  pieces.answer.add_arguments(number, text_field(item, "arguments"));
}

std::optional<std::size_t> ResponsesReader::call_of(const Json& event) const {
  const auto found = calls_.find(output_index(event));
  if (found == calls_.end()) return {};
  return found->second;
}

void ResponsesReader::read_arguments(const Json& event, ResponsePieces& pieces) {
  const auto number = call_of(event);
  if (number) pieces.answer.add_arguments(*number, text_field(&event, "delta"));
}

void ResponsesReader::read_text(const Json& event, std::string_view key, ResponsePieces& pieces) {
  spoken_.insert(output_index(event));
  pieces.add_text(text_field(&event, key));
}

// Each part of a summary is a paragraph.
void ResponsesReader::read_reasoning(const Json& event, ResponsePieces& pieces) {
  const std::pair place{output_index(event), count_field(&event, "summary_index") +
                                                 count_field(&event, "content_index")};
  if (thought_ && thought_ != place) pieces.answer.add_reasoning("\n\n");
  thought_ = place;
  pieces.answer.add_reasoning(text_field(&event, "delta"));
}

// The whole item: it contains what the pieces may have left out.
void ResponsesReader::end_item(const Json& event, ResponsePieces& pieces) {
  const Json* item = field(&event, "item");
  const std::string_view type = text_field(item, "type");
  const auto number = call_of(event);
  if (type == "function_call" && number) {
    ToolCall& call = pieces.answer.call(*number);
    if (const auto name = text_field(item, "name"); !name.empty()) call.name = valid_text(name);
    if (const auto id = text_field(item, "call_id"); !id.empty()) call.id = valid_text(id);
    if (const auto arguments = text_field(item, "arguments"); !arguments.empty()) {
      call.arguments = valid_text(arguments);
    }
    if (is_cut(*item)) drop_call(*number, pieces);
  } else if (type == "reasoning" && thought_) {
    pieces.answer.reasoning().opaque =
        opaque_text(pieces.endpoint.protocol(), pieces.endpoint.model.name, returned_item(*item));
    pieces.answer.end_part();
  } else if (type != "message" || !spoken_.contains(output_index(event))) {
    if (item != nullptr) read_item(*item, pieces);
  } else {
    pieces.answer.end_part();
    if (const auto phase = phase_of(item); phase != Text::Phase::unmarked) {
      pieces.answer.set_phase_of_last(phase);
    }
    read_citations(*item, pieces);
  }
}

// Places in the text are counted within one chunk, so that they hold only where there is one.
void ResponsesReader::read_citations(const Json& message, ResponsePieces& pieces) {
  const JsonArray* chunks = array_in(field(&message, "content"));
  for (std::size_t i = 0; chunks != nullptr && i < chunks->size(); ++i) {
    const JsonArray* cited = array_in(field(&(*chunks)[i], "annotations"));
    for (std::size_t j = 0; cited != nullptr && j < cited->size(); ++j) {
      pieces.answer.cite_last(chunks->size() == 1 ? returned_citation((*cited)[j], pieces.endpoint)
                                                  : citation_in((*cited)[j]));
    }
  }
}

// --- Whole items ----------------------------------------------------------------------------

void ResponsesReader::read_item(const Json& item, ResponsePieces& pieces) {
  const std::string_view type = text_field(&item, "type");
  pieces.answer.end_part();
  if (type == "message") {
    read_message(item, pieces);
  } else if (type == "reasoning") {
    read_reasoning_item(item, pieces);
  } else if (type == "function_call") {
    const std::size_t number =
        pieces.answer.add_call(text_field(&item, "call_id"), text_field(&item, "name"));
    const Json* arguments = field(&item, "arguments");
    if (arguments == nullptr) return;
    pieces.answer.add_arguments(
        number, arguments->is_string() ? std::string(text_in(arguments)) : to_text(*arguments));
    if (is_cut(item)) drop_call(number, pieces);
  } else if (is_item_of_vendors_tool(type)) {
    pieces.answer.add_reasoning(words_of_vendors_tool(item));
    pieces.answer.reasoning().opaque =
        opaque_text(pieces.endpoint.protocol(), pieces.endpoint.model.name, item);
    pieces.answer.end_part();
  } else if (type == "search_results" || type == "fetch_url_results") {
    // Perplexity shows what it read, and does not want it back.
    if (auto sources = citations_in(field(&item, "results")); !sources.empty()) {
      pieces.answer.set_sources(std::move(sources));
    }
    pieces.answer.add_reasoning(words_of_vendors_tool(item));
    pieces.answer.end_part();
  }
}

// By its own word, however whole it looks. Some servers leave calls in progress in a response that is complete.
bool ResponsesReader::is_cut(const Json& item) const {
  const std::string_view status = text_field(&item, "status");
  return status == "incomplete" || (status == "in_progress" && status_ == "incomplete");
}

void ResponsesReader::drop_call(std::size_t number, ResponsePieces& pieces) {
  pieces.answer.drop_arguments(number);
  has_cut_call_ = true;
}

void ResponsesReader::read_message(const Json& item, ResponsePieces& pieces) {
  const Json* content = field(&item, "content");
  pieces.answer.set_phase(phase_of(&item));
  pieces.add_text(text_in(content));
  const JsonArray* chunks = array_in(content);
  for (std::size_t i = 0; chunks != nullptr && i < chunks->size(); ++i) {
    const Json* chunk = &(*chunks)[i];
    const std::string_view refusal = text_field(chunk, "refusal");
    has_refused_ = has_refused_ || !refusal.empty();
    pieces.add_text(refusal.empty() ? text_field(chunk, "text") : refusal);
  }
  read_citations(item, pieces);
}

void ResponsesReader::read_reasoning_item(const Json& item, ResponsePieces& pieces) {
  bool is_first = true;
  for (const std::string_view key : {"summary", "content"}) {
    const JsonArray* parts = array_in(field(&item, key));
    for (std::size_t i = 0; parts != nullptr && i < parts->size(); ++i) {
      if (!std::exchange(is_first, false)) pieces.answer.add_reasoning("\n\n");
      pieces.answer.add_reasoning(text_field(&(*parts)[i], "text"));
    }
  }
  pieces.answer.reasoning().opaque =
      opaque_text(pieces.endpoint.protocol(), pieces.endpoint.model.name, returned_item(item));
}

// --- The end --------------------------------------------------------------------------------

Result<void> ResponsesReader::read_end(const Json* response, ResponsePieces& pieces) {
  if (status_ == "failed" || status_ == "cancelled") {
    const auto error = response != nullptr ? vendor_error_in(*response) : std::nullopt;
    return std::unexpected(error_in_answer(
        pieces.endpoint,
        error.value_or(VendorError{.code = status_, .message = "The response was not completed"})));
  }
  pieces.answer.set_model(text_field(response, "model"));
  pieces.answer.set_id(text_field(response, "id"));
  incomplete_reason_ = text_field(field(response, "incomplete_details"), "reason");
  const JsonArray* output = array_in(field(response, "output"));
  if (output != nullptr && !output->empty()) {
    ResponseBuilder whole;
    const ResponseDecoder::TextSink nobody;
    ResponsePieces silent{pieces.endpoint, whole, nobody};
    for (const Json& item : *output) read_item(item, silent);
    whole.end_part();
    pieces.answer.end_part();
    // The final response decides, unless it takes back what was already shown.
    const std::string heard = pieces.answer.text();
    const std::string said = whole.text();
    if (said.starts_with(heard)) {
      if (pieces.on_text) tell_texts(whole.content(), pieces.on_text, heard.size());
      pieces.answer.replace_content(std::move(whole));
    } else if (has_cut_call_ && pieces.answer.call_count() > 0) {
      pieces.answer.drop_arguments(pieces.answer.call_count() - 1);
    }
  }
  if (auto usage = read_openai_usage(field(response, "usage"))) pieces.answer.usage() = *usage;
  return {};
}

std::optional<StopReason> ResponsesReader::stop_reason(const ResponseBuilder& answer) const {
  if (status_ == "incomplete") {
    // For any other reason, the last call may be incomplete.
    return incomplete_reason_ == "content_filter" ? StopReason::content_filter
                                                  : StopReason::max_tokens;
  }
  if (status_ != "completed") return {};
  if (has_cut_call_) return StopReason::max_tokens;
  if (has_refused_) return StopReason::content_filter;
  return answer.call_count() > 0 ? StopReason::tool_use : StopReason::end_turn;
}

}  // namespace wright::providers
