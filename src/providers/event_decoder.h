// The decoder of every protocol whose responses are server-sent events of JSON, or one JSON
// document. A protocol's own file provides a Reader, which understands the JSON:
//
//   Result<void> read_event(std::string_view type, const Json& event, ResponsePieces& pieces);
//   Result<void> read_document(const Json& document, ResponsePieces& pieces);
//   // The stop reason of a complete response; nothing until it is complete.
//   std::optional<StopReason> stop_reason(const ResponseBuilder& answer) const;
//   // An event's data that is not JSON but ends the stream: "[DONE]".
//   bool take_end_mark(std::string_view data, ResponsePieces& pieces);
#pragma once

#include <optional>
#include <utility>

#include "core/try.h"
#include "providers/provider_errors.h"
#include "providers/response_body.h"
#include "providers/response_builder.h"
#include "providers/response_json.h"
#include "providers/tool_names.h"
#include "wright/provider.h"

namespace wright::providers {

// Where a Reader puts what it has read.
struct ResponsePieces {
  const Endpoint& endpoint;
  ResponseBuilder& answer;
  const ResponseDecoder::TextSink& on_text;

  void add_text(std::string_view piece) { answer.add_text(piece, on_text); }
};

// What must be undone in the calls of a response: names as they were on the wire, and nulls that
// the strict dialect requires.
class CallRestorer {
 public:
  // Refers to what the request refers to.
  CallRestorer(const Endpoint& endpoint, const Request& request, ToolNameRule rule)
      : request_(request), rule_(rule), is_strict_(endpoint.model.quirks.strict_schemas) {}
  void restore(Response& response) const;

 private:
  std::string_view own_name(std::string_view name, std::optional<ToolNames>& names) const;

  Request request_;
  ToolNameRule rule_;
  bool is_strict_;
};

// Why there is no complete answer in a body that has ended.
Error what_is_missing(const Endpoint& endpoint, const ResponseBody& body);

// What ResponseBody says is named after the vendor and final: it will not send less next time.
Result<void> with_vendor(Result<void> fed, const Endpoint& endpoint);

template <class Reader>
class EventDecoder final : public ResponseDecoder {
 public:
  EventDecoder(const Endpoint& endpoint, const Request& request, ToolNameRule rule, Reader reader)
      : endpoint_(endpoint), calls_(endpoint, request, rule), reader_(std::move(reader)) {}

  Result<void> feed(std::string_view bytes, const TextSink& on_text) override {
    read_ += bytes.size();
    if (read_ > kLargestBody) return std::unexpected(endless_answer(endpoint_, kLargestBody));
    answer_.set_listener(&on_text);
    auto fed = body_.feed(
        bytes, [&](const ServerSentEvent& event) { return take_event(event, on_text); },
        [&](std::string_view document) { return take_document(document, on_text); });
    answer_.set_listener(nullptr);
    return with_vendor(std::move(fed), endpoint_);
  }

  Result<Response> finish(const TextSink& on_text) override {
    answer_.set_listener(&on_text);
    auto response = finished(on_text);
    answer_.set_listener(nullptr);
    return response;
  }

  Usage usage() const override { return answer_.usage(); }

 private:
  Result<Response> finished(const TextSink& on_text) {
    // The last event, when its blank line is missing, is either whole or cut.
    auto ended = body_.finish([&](const ServerSentEvent& event) {
      auto taken = take_event(event, on_text);
      const bool is_cut = !taken && taken.error().code == ErrorCode::protocol;
      return is_cut ? Result<void>() : taken;
    });
    TRY(with_vendor(std::move(ended), endpoint_));
    const auto reason = reader_.stop_reason(answer_);
    if (!reason) return std::unexpected(what_is_missing(endpoint_, body_));
    Response response = answer_.take(*reason, endpoint_.model);
    calls_.restore(response);
    return response;
  }

  Result<void> take_event(const ServerSentEvent& event, const TextSink& on_text) {
    if (event.data.find_first_not_of(" \t\r\n") == std::string_view::npos) return {};
    ResponsePieces pieces{endpoint_, answer_, on_text};
    if (reader_.take_end_mark(event.data, pieces)) return {};
    if (event.type == "error") {
      return std::unexpected(error_in_answer(endpoint_, read_vendor_error(event.data)));
    }
    const auto json = json_.parse_event(event.data);
    if (!json && event.data.contains('\n')) return take_lines(event, on_text);
    if (!json) return std::unexpected(malformed_answer(endpoint_, json.error().message));
    if (const auto error = vendor_error_in(**json)) {
      return std::unexpected(error_in_answer(endpoint_, *error));
    }
    TRY(reader_.read_event(event.type, **json, pieces));
    if (answer_.bytes() <= kLargestAnswer) return {};
    return std::unexpected(endless_answer(endpoint_, kLargestAnswer));
  }

  // Some proxies drop the blank lines between events, which merges them into one; each line is JSON
  // then.
  Result<void> take_lines(const ServerSentEvent& event, const TextSink& on_text) {
    std::string_view rest = event.data;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      TRY(take_event({event.type, rest.substr(0, end)}, on_text));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return {};
  }

  Result<void> take_document(std::string_view text, const TextSink& on_text) {
    const auto json = json_.parse(text);
    if (!json) return std::unexpected(malformed_answer(endpoint_, json.error().message));
    if (const auto error = vendor_error_in(**json)) {
      return std::unexpected(error_in_answer(endpoint_, *error));
    }
    ResponsePieces pieces{endpoint_, answer_, on_text};
    return reader_.read_document(**json, pieces);
  }

  const Endpoint& endpoint_;
  CallRestorer calls_;
  std::size_t read_ = 0;
  ResponseBody body_;
  ResponseJson json_;
  ResponseBuilder answer_;
  Reader reader_;
};

}  // namespace wright::providers
