// Splits the body of a response: server-sent events, or one JSON document. Servers send either,
// whatever was asked for, so the first bytes decide. It does not know what is in them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/server_sent_events.h"
#include "core/try.h"

namespace wright::providers {

// Finds the end of a JSON document that arrives in pieces, by its brackets alone.
class DocumentEnd {
 public:
  // How many of these bytes belong to the document.
  std::size_t feed(std::string_view bytes);
  bool is_reached() const { return has_begun_ && depth_ == 0; }

 private:
  std::size_t pass_string(std::string_view bytes, std::size_t at);

  std::size_t depth_ = 0;
  bool has_begun_ = false;
  bool is_in_string_ = false;
  bool is_escaped_ = false;
};

class ResponseBody {
 public:
  // Calls `on_event` (Result<void>(const ServerSentEvent&)) for every event that is now complete,
  // or `on_document` (Result<void>(std::string_view)) for the document once it is complete.
  template <class OnEvent, class OnDocument>
  Result<void> feed(std::string_view bytes, OnEvent&& on_event, OnDocument&& on_document) {
    if (kind_ == Kind::unknown) bytes = recognise(bytes);
    if (kind_ == Kind::events) return events_.feed(bytes, on_event);
    if (kind_ != Kind::document || document_end_.is_reached()) return {};
    TRY(keep(bytes));
    if (!document_end_.is_reached()) return {};
    return on_document(std::string_view(document_));
  }

  // The body has ended: calls `on_event` for an event without the blank line after it. A body that
  // is neither events nor a document is an error; an incomplete one is not an error here.
  template <class OnEvent>
  Result<void> finish(OnEvent&& on_event) {
    if (kind_ == Kind::events) return events_.finish(on_event);
    if (kind_ == Kind::page) return not_an_answer();
    return {};
  }

 private:
  enum class Kind : std::uint8_t { unknown, events, document, page };

  std::string_view recognise(std::string_view bytes);
  Result<void> keep(std::string_view bytes);
  static Result<void> not_an_answer();

  Kind kind_ = Kind::unknown;
  ServerSentEvents events_;
  std::string document_;
  DocumentEnd document_end_;
};

}  // namespace wright::providers
