#include "runtime/fitting_memory.h"

#include <utility>
#include <vector>

#include "core/fingerprint.h"

namespace wright::runtime {
namespace {

// Of the first message, of the first two, and so on.
std::vector<std::uint64_t> fingerprints(std::span<const Message> messages) {
  std::vector<std::uint64_t> made;
  made.reserve(messages.size());
  std::uint64_t last = 0;
  for (const Message& message : messages) {
    last = last * 1'099'511'628'211U + fingerprint_of(to_text(to_json(message)));
    made.push_back(last);
  }
  return made;
}

}  // namespace

ContextFitting FittingMemory::recall(std::span<const Message> messages) const {
  {
    const std::lock_guard lock(mutex_);
    if (known_.empty()) return {};
  }
  const auto wanted = fingerprints(messages);
  const std::lock_guard lock(mutex_);
  const Known* longest = nullptr;
  for (const Known& known : known_) {
    if (known.messages > messages.size() || wanted[known.messages - 1] != known.fingerprint) {
      continue;
    }
    if (longest == nullptr || known.messages > longest->messages) longest = &known;
  }
  return longest != nullptr ? longest->fitting : ContextFitting();
}

void FittingMemory::remember(std::span<const Message> messages, const ContextFitting& fitting) {
  if (messages.empty()) return;
  const auto made = fingerprints(messages);
  const std::lock_guard lock(mutex_);
  // What went before in the same conversation is not needed any more.
  known_.remove_if([&](const Known& known) {
    return known.messages <= messages.size() && made[known.messages - 1] == known.fingerprint;
  });
  known_.push_front({messages.size(), made.back(), fitting});
  if (known_.size() > kMost) known_.pop_back();
}

}  // namespace wright::runtime
