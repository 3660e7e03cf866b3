// How conversations were fitted before, for a driver whose callers keep the conversations: it knows
// one again by its beginning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <span>

#include "wright/fitting.h"

namespace wright::runtime {

class FittingMemory {
 public:
  // As the longest beginning of these messages was fitted; a new one when none is known.
  ContextFitting recall(std::span<const Message> messages) const;
  void remember(std::span<const Message> messages, const ContextFitting& fitting);

 private:
  static constexpr std::size_t kMost = 64;  // conversations

  struct Known {
    std::size_t messages = 0;
    std::uint64_t fingerprint = 0;  // of them all, in order
    ContextFitting fitting = {};
  };

  mutable std::mutex mutex_;
  std::list<Known> known_;  // the newest first
};

}  // namespace wright::runtime
