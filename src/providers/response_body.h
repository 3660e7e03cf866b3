// Splits the body of a response: server-sent events, or one JSON document. Servers send either,
// whatever was asked for, so the first bytes decide. It does not know what is in them, but says
// what it was that was neither.
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
  std::size_t depth_ = 0;
  bool has_begun_ = false;
  bool is_in_string_ = false;
  bool is_escaped_ = false;
};

// More than a model says in one answer: a server that sends more does not stop. It holds for the
// text of a stream, for one event of it, and for a whole document.
inline constexpr std::size_t kLargestAnswer = std::size_t{32} << 20;
// Of all events of a stream together: they repeat much.
inline constexpr std::size_t kLargestBody = std::size_t{128} << 20;

// One of the kinds that ResponseBody::strange_kind() names.
inline constexpr std::string_view kBrokenJson = "broken JSON";

class ResponseBody {
 public:
  enum class Kind : std::uint8_t { unknown, events, document, page };

  // Calls `on_event` (Result<void>(const ServerSentEvent&)) for every event that is now complete,
  // or `on_document` (Result<void>(std::string_view)) for the document once it is complete. Errors
  // of its own have no detail: something is larger than kLargestAnswer.
  template <class OnEvent, class OnDocument>
  Result<void> feed(std::string_view bytes, OnEvent&& on_event, OnDocument&& on_document) {
    if (kind_ == Kind::unknown) bytes = recognise(bytes);
    if (kind_ == Kind::document) {
      if (document_end_.is_reached()) return {};
      const std::string_view document = TRY(document_with(bytes));
      return document_end_.is_reached() ? on_document(document) : Result<void>();
    }
    if (beginning_.size() < kKeptOfBeginning) {
      beginning_ += bytes.substr(0, kKeptOfBeginning - beginning_.size());
    }
    return kind_ == Kind::events ? events_.feed(bytes, on_event) : Result<void>();
  }

  // The body has ended: calls `on_event` for an event without the blank line after it. A body that
  // is incomplete or something else is not an error here.
  template <class OnEvent>
  Result<void> finish(OnEvent&& on_event) {
    return kind_ == Kind::events ? events_.finish(on_event) : Result<void>();
  }

  // What the body is if it cannot have been an answer: "a web page", "plain text", "broken JSON".
  // Empty for what is merely incomplete.
  std::string_view strange_kind() const;
  // The first bytes of a body that is no answer, as many as are of use in a message.
  std::string_view beginning() const {
    return kind_ == Kind::document ? std::string_view(document_).substr(0, kKeptOfBeginning)
                                   : beginning_;
  }

 private:
  static constexpr std::size_t kKeptOfBeginning = 1024;

  std::string_view recognise(std::string_view bytes);
  Result<std::string_view> document_with(std::string_view bytes);

  Kind kind_ = Kind::unknown;
  std::string beginning_;
  ServerSentEvents events_{kLargestAnswer};
  std::string document_;  // as long as it is not whole; empty when it came in one piece
  DocumentEnd document_end_;
};

}  // namespace wright::providers
