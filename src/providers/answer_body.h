// Takes the body of an answer apart: server-sent events, or one JSON document. Servers send either,
// whatever was asked for, so the first bytes decide. It does not know what is in them.
#pragma once

#include <string>
#include <string_view>

#include "core/server_sent_events.h"

namespace wright::providers {

class AnswerBody {
 public:
  // Calls `on_event` (Result<void>(const ServerSentEvent&)) for every event that is now complete.
  template <class OnEvent>
  Result<void> feed(std::string_view bytes, OnEvent&& on_event) {
    if (kind_ == Kind::unknown) bytes = recognise(bytes);
    if (kind_ == Kind::events) return events_.feed(bytes, on_event);
    return keep(bytes);
  }

  // The body has ended: the last event, or `on_document` (Result<void>(std::string_view)) for the
  // document. A body that is neither is an error.
  template <class OnEvent, class OnDocument>
  Result<void> finish(OnEvent&& on_event, OnDocument&& on_document) {
    if (kind_ == Kind::events) return events_.finish(on_event);
    if (kind_ == Kind::document) return on_document(std::string_view(document_));
    return not_an_answer();
  }

 private:
  enum class Kind : std::uint8_t { unknown, events, document, page };

  std::string_view recognise(std::string_view bytes);
  Result<void> keep(std::string_view bytes);
  Result<void> not_an_answer() const;

  Kind kind_ = Kind::unknown;
  ServerSentEvents events_;
  std::string document_;
};

}  // namespace wright::providers
