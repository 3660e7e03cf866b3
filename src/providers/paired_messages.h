// A request's messages with every call answered, as OpenAI's protocols want them: results directly
// after the calls, and none without its call. A run keeps them so, but messages may come from
// elsewhere, have been cut, or were interrupted. It knows no protocol.
#pragma once

#include <list>
#include <span>
#include <string_view>
#include <vector>

#include "wright/message.h"

namespace wright::providers {

inline constexpr std::string_view kNoResultIsKnown = "No result of this call is known.";

class PairedMessages {
 public:
  // Refers to the messages. A call without a result gets one that says so, and a result without its
  // call becomes a text of the user's side.
  explicit PairedMessages(std::span<const Message> messages);
  PairedMessages(const PairedMessages&) = delete;
  PairedMessages& operator=(const PairedMessages&) = delete;

  std::span<const Message* const> messages() const { return paired_; }

 private:
  void add_after(const Message* calls, std::span<const Message> said);
  const Message& keep(Message message) { return kept_.emplace_back(std::move(message)); }

  std::vector<const Message*> paired_;
  std::list<Message> kept_;  // messages that the request does not hold
};

}  // namespace wright::providers
