#include "providers/ollama_response.h"

#include "core/try.h"

namespace wright::providers {
namespace {

constexpr std::size_t kKeptOfBeginning = 1024;
constexpr std::string_view kBetweenObjects = " \t\r\n\xEF\xBB\xBF";

}  // namespace

OllamaDecoder::OllamaDecoder(const Endpoint& endpoint, const Request& request, ToolNameRule rule)
    : endpoint_(endpoint), calls_(endpoint, request, rule) {}

Result<void> OllamaDecoder::feed(std::string_view bytes, const TextSink& on_text) {
  read_ += bytes.size();
  if (read_ > kLargestBody) return std::unexpected(endless_answer(endpoint_, kLargestBody));
  while (!bytes.empty()) {
    if (!strange_.empty()) {
      strange_ += bytes.substr(0, kKeptOfBeginning - std::min(kKeptOfBeginning, strange_.size()));
      return {};
    }
    if (begun_.empty()) {
      bytes.remove_prefix(std::min(bytes.find_first_not_of(kBetweenObjects), bytes.size()));
      if (bytes.empty()) return {};
      if (bytes.front() != '{') {
        strange_ = bytes.front();
        bytes.remove_prefix(1);
        continue;
      }
    }
    const std::size_t length = end_.feed(bytes);
    if (begun_.size() + length > kLargestAnswer) {
      return std::unexpected(endless_answer(endpoint_, kLargestAnswer));
    }
    if (!end_.is_reached()) {
      begun_ += bytes;
      return {};
    }
    const std::string_view piece = bytes.substr(0, length);
    bytes.remove_prefix(length);
    end_ = {};
    if (begun_.empty()) {
      TRY(read_object(piece, on_text));
      continue;
    }
    begun_ += piece;
    auto read = read_object(begun_, on_text);
    begun_.clear();
    TRY(std::move(read));
  }
  return {};
}

Result<void> OllamaDecoder::read_object(std::string_view text, const TextSink& on_text) {
  const auto object = json_.parse_event(text);
  if (!object) return std::unexpected(malformed_answer(endpoint_, object.error().message));
  if (const auto error = vendor_error_in(**object)) {
    return std::unexpected(error_in_answer(endpoint_, *error));
  }
  if (reason_) return {};  // nothing after "done" belongs to the response
  answer_.set_model(text_field(*object, "model"));
  read_message(field(*object, "message"), on_text);
  if (answer_.bytes() > kLargestAnswer) {
    return std::unexpected(endless_answer(endpoint_, kLargestAnswer));
  }
  const Json* done = field(*object, "done");
  if (done == nullptr || !done->is_bool() || !done->get_bool()) return {};
  reason_ = valid_text(text_field(*object, "done_reason"));
  answer_.usage().input_tokens = count_field(*object, "prompt_eval_count");
  answer_.usage().output_tokens = count_field(*object, "eval_count");
  tags_.finish([&](std::string_view words) { answer_.add_text(words, on_text); },
               [&](std::string_view words) { answer_.add_reasoning(words); });
  return {};
}

void OllamaDecoder::read_message(const Json* message, const TextSink& on_text) {
  answer_.add_reasoning(text_field(message, "thinking"));
  tags_.feed(
      text_field(message, "content"),
      [&](std::string_view words) { answer_.add_text(words, on_text); },
      [&](std::string_view words) { answer_.add_reasoning(words); });
  if (const JsonArray* calls = array_in(field(message, "tool_calls"))) {
    for (const Json& call : *calls) read_call(call);
  }
}

// Calls arrive whole: Ollama itself parses them from the model's text.
void OllamaDecoder::read_call(const Json& call) {
  const Json* function = field(&call, "function");
  const std::size_t number =
      answer_.add_call(text_field(&call, "id"), text_field(function, "name"));
  const Json* arguments = field(function, "arguments");
  if (arguments == nullptr) {
    answer_.add_arguments(number, "{}");
  } else if (arguments->is_string()) {
    answer_.add_arguments(number, text_in(arguments));
  } else {
    answer_.add_arguments(number, to_text(*arguments));
  }
}

Result<Response> OllamaDecoder::finish(const TextSink& on_text) {
  if (!strange_.empty()) {
    const std::string_view kind = strange_.front() == '<' ? "a web page" : "plain text";
    return std::unexpected(
        as_final(not_an_answer(endpoint_, kind, read_vendor_error(strange_).message)));
  }
  if (!reason_) return std::unexpected(cut_answer(endpoint_, "before it was complete"));
  StopReason reason = answer_.call_count() > 0 ? StopReason::tool_use : StopReason::end_turn;
  if (*reason_ == "length") reason = StopReason::max_tokens;
  if (*reason_ == "load" || *reason_ == "unload") reason = StopReason::other;
  answer_.set_listener(&on_text);
  Response response = answer_.take(reason, endpoint_.model);
  answer_.set_listener(nullptr);
  calls_.restore(response);
  return response;
}

}  // namespace wright::providers
