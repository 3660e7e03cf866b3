#include "runtime/said_messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <random>
#include <string_view>
#include <utility>

#include "core/try.h"
#include "wright/driver.h"

namespace wright::runtime {
namespace {

std::int64_t number_in(std::string_view key) {
  std::int64_t number = 0;
  const std::size_t slash = key.find('/');
  if (slash != std::string_view::npos) {
    std::from_chars(key.data() + slash + 1, key.data() + key.size(), number);
  }
  return number;
}

// Behind those that wait already, whatever the clocks of other machines say.
std::string new_key(SessionId id, const std::vector<session::Said>& waiting) {
  std::random_device random;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  std::int64_t number = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
  for (const session::Said& each : waiting) number = std::max(number, number_in(each.key) + 1);
  return fmt::format("{}/{:020}-{:08x}", id, number, random());
}

}  // namespace

Result<std::vector<session::Said>> said_to(Store& store, SessionId id) {
  std::vector<session::Said> said;
  // However many wait: one that is not seen would be lost.
  const auto records = TRY(
      store.get_records({.kind = std::string(kSaidRecords), .session_id = id, .limit = kNoLimit}));
  for (const Record& record : records) {
    if (auto message = message_from_json(record.value)) {
      said.push_back({record.key, std::move(*message)});
    }
  }
  return said;
}

Result<bool> is_spoken_to(Store& store, SessionId id) {
  const auto first =
      TRY(store.get_records({.kind = std::string(kSaidRecords), .session_id = id, .limit = 1}));
  return !first.empty();
}

Result<session::Said> store_said(Store& store, SessionId id, Message message) {
  const auto waiting = TRY(said_to(store, id));
  if (waiting.size() >= kMostUntaken) {
    return fail(
        ErrorCode::unavailable,
        fmt::format("Session {} has {} messages that it has not read yet: wait until it has", id,
                    waiting.size()));
  }
  session::Said said{new_key(id, waiting), std::move(message)};
  TRY(store.apply_one(PutRecord{.kind = std::string(kSaidRecords),
                                .key = said.key,
                                .value = to_json(said.message),
                                .session_id = id}));
  return said;
}

}  // namespace wright::runtime

namespace wright {

Result<std::vector<Message>> untaken_messages(Store& store, SessionId id) {
  std::vector<Message> messages;
  for (session::Said& said : TRY(runtime::said_to(store, id))) {
    messages.push_back(std::move(said.message));
  }
  return messages;
}

Result<std::vector<Message>> recall_messages(Store& store, SessionId id,
                                             std::optional<std::vector<Message>> own) {
  std::vector<Message> messages;
  for (session::Said& said : TRY(runtime::said_to(store, id))) {
    if (own) {
      const auto found = std::ranges::find(*own, said.message);
      if (found == own->end()) continue;
      own->erase(found);
    }
    // Replacing it first tells whether it was still there.
    const std::string kind(kSaidRecords);
    const std::vector<Write> writes{
        PutRecord{.kind = kind, .key = said.key, .value = to_json(said.message), .version = 1},
        RemoveRecords{.kind = kind, .key = said.key}};
    const auto removed = store.apply(writes);
    if (removed) messages.push_back(std::move(said.message));
    if (!removed && removed.error().code == ErrorCode::storage) {
      return std::unexpected(removed.error());
    }
  }
  return messages;
}

}  // namespace wright
