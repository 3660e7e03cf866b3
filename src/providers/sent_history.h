// What a conversation looked like in the last request: the text of its messages and what the text
// of the next ones depends on. A request only has to write what is new, so that a turn costs the
// same however long the conversation is. The bytes are those that would be written without it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/kept_history.h"
#include "providers/tool_names.h"
#include "providers/wire_ids.h"
#include "wright/provider.h"

namespace wright::providers {

class SentHistory final : public KeptHistory {
 public:
  // --- for provider.cpp --------------------------------------------------------------------------

  // What the request's memory keeps, if it is of this model and its owner said that it goes on;
  // otherwise null, and what is kept stays there. Costs the same however long the conversation is.
  static std::unique_ptr<SentHistory> continued(const Endpoint& endpoint, const Request& request);
  // What the request's memory keeps, if it is the beginning of this request to this model;
  // otherwise one that is empty.
  static std::unique_ptr<SentHistory> recalled(const Endpoint& endpoint, const Request& request);
  // The request was written. Kept in its memory if nothing can come that changes what stands
  // before.
  static void keep(std::unique_ptr<SentHistory> history, const Request& request);

  // --- for the file of a protocol ----------------------------------------------------------------

  // The messages that are not written yet: all of them, or a model's answer and what follows.
  std::span<const Message> new_messages(const Request& request) const {
    return request.messages.subspan(messages_);
  }
  bool is_empty() const { return messages_ == 0; }
  std::size_t messages() const { return messages_; }  // that are written
  // The request's messages are not those that its owner knows.
  void is_of_others() { is_of_others_ = true; }
  void start_over();  // forgets the messages

  // The names of the request's tools and of all calls.
  const ToolNames& names(const Request& request, const ToolNameRule& rule);

  // The tools as text, made once.
  template <class Make>
  const std::string& tools(Make make) {
    if (!tools_) tools_ = shared(make());
    return *tools_;
  }

  // Where the text of a message on the wire goes that follows those that are there.
  std::string& next_message() {
    if (!text_.empty()) text_ += ',';
    ++wire_messages_;
    return text_;
  }
  void add(const Json& message);
  void add(const JsonArray& messages);

  // All messages, separated by commas.
  const std::string& text() const { return text_; }

  // Marks that vendors want at the end of the user's last two turns. They move with every request,
  // so they are no part of the text: `text_with_marks` puts them in, `bytes_from_end` before the
  // end of each message that add_of_user() added.
  void add_of_user(const Json& message, bool may_be_marked = true);
  std::string text_with_marks(std::string_view mark, std::size_t bytes_from_end) const;
  std::size_t wire_messages() const { return wire_messages_; }

  // What else a protocol has to know of what is written.
  WireIds& ids(std::size_t longest) { return ids_ ? *ids_ : ids_.emplace(longest); }
  int documents = 0;
  bool ends_with_result = false;

 private:
  struct MarkedEnd {
    std::size_t at = 0;  // in text_; 0: there is no such message
    bool may_be_marked = false;
  };
  bool may_continue(const Endpoint& endpoint, const Request& request) const;
  bool is_beginning_of(const Request& request) const;
  std::shared_ptr<const std::string> shared(std::string text) const;

  // What the text depends on beside the messages.
  Protocol protocol_ = Protocol::openai_chat;
  std::string vendor_;
  std::string model_;
  Quirks quirks_;
  ToolChoice choice_;
  std::uint64_t tools_fingerprint_ = 0;

  std::size_t messages_ = 0;
  std::uint64_t fingerprint_ = 0;  // of them
  bool is_of_others_ = false;
  std::string text_;
  std::size_t wire_messages_ = 0;
  std::array<MarkedEnd, 2> ends_of_user_;  // the last one first
  std::optional<ToolNames> names_;
  std::size_t named_ = 0;  // messages whose names are known
  std::optional<WireIds> ids_;
  std::shared_ptr<SharedTexts> texts_;  // may be null
  std::shared_ptr<const std::string> tools_;
};

// A member of a body whose value is text already, in pieces that are joined by commas where neither
// is empty.
struct WrittenMember {
  std::string_view name = {};
  std::string_view open = {};  // "["
  std::string_view first = {};
  std::string_view rest = {};
  std::string_view close = {};  // "]"
};

// As to_text(body), where the members that are written already hold a null in the body.
std::string body_text(const JsonObject& body, std::span<const WrittenMember> written);

}  // namespace wright::providers
