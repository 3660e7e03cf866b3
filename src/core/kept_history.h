// What a conversation's RequestMemory keeps, as far as whoever owns the conversation knows it. Who
// only ever adds to its messages, and sends them with the same tools, says so before the next
// request; what is kept is then used without being compared with every message.
#pragma once

#include <utility>

#include "wright/message.h"

namespace wright {

class KeptHistory : public RequestMemory::Kept {
 public:
  // All requests with this memory so far had the tools of this one, and their messages are its
  // first ones. Holds for one request, and for this one: whoever passes on another, with messages
  // or tools of its own, has it compared.
  static void continue_with(RequestMemory& memory, const Request& request) {
    auto kept = memory.take();
    if (auto* history = dynamic_cast<KeptHistory*>(kept.get())) {
      history->messages_ahead_ = request.messages.data();
      history->tools_ahead_ = request.tools.data();
    }
    if (kept != nullptr) memory.keep(std::move(kept));
  }

 protected:
  // Asked once.
  bool is_continued_by(const Request& request) {
    const auto* messages = std::exchange(messages_ahead_, nullptr);
    const auto* tools = std::exchange(tools_ahead_, nullptr);
    return messages != nullptr && messages == request.messages.data() &&
           tools == request.tools.data();
  }
  void forget_continuation() { messages_ahead_ = nullptr; }

 private:
  const Message* messages_ahead_ = nullptr;
  const Tool* tools_ahead_ = nullptr;
};

}  // namespace wright
