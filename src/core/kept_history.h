// What a conversation's RequestMemory keeps, as far as whoever owns the conversation knows it. Who
// only ever adds to its messages, and sends them with the same tools, says so before the next
// request; what is kept is then used without being compared with every message.
#pragma once

#include <utility>

#include "wright/message.h"

namespace wright {

class KeptHistory : public RequestMemory::Kept {
 public:
  // All requests with this memory so far had the tools of the next one, and their messages are its
  // first ones. Holds for one request.
  static void goes_on(RequestMemory& memory) {
    auto kept = memory.take();
    if (auto* history = dynamic_cast<KeptHistory*>(kept.get())) history->goes_on_ = true;
    if (kept != nullptr) memory.keep(std::move(kept));
  }

 protected:
  bool goes_on_ = false;
};

}  // namespace wright
