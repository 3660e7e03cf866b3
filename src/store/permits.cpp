#include "store/permits.h"

#include <algorithm>

namespace wright::store {
namespace {

struct Taken {
  std::int64_t amount = 0;
  std::int64_t until = 0;
};

// At most `wanted`, but all that `first` needs when the bucket is not empty.
Taken take(std::int64_t until, std::int64_t now, std::int64_t per_minute, std::int64_t wanted,
           std::int64_t first) {
  if (per_minute == 0) return {wanted, until};
  until = std::max(until, now - kBurstUs);
  std::int64_t amount = wanted;
  if (wanted > 0) {
    amount =
        until > now ? 0 : std::min(wanted, std::max(first, (now - until) * per_minute / kMinuteUs));
  }
  return {amount, until + amount * kMinuteUs / per_minute};
}

std::int64_t slots_for(const TakePermits& take, std::span<const OtherSlots> others) {
  if (take.concurrent_requests == 0) return take.slots;
  std::int64_t held = 0;
  std::int64_t wanting = 1;
  for (const OtherSlots& other : others) {
    held += other.slots;
    if (other.wanted > 0) ++wanting;
  }
  const std::int64_t share = std::max<std::int64_t>(1, take.concurrent_requests / wanting);
  const bool is_any_short = std::ranges::any_of(
      others, [&](const OtherSlots& other) { return other.slots < std::min(other.wanted, share); });
  const std::int64_t target = is_any_short ? std::min(take.slots, share) : take.slots;
  const std::int64_t free = std::max<std::int64_t>(0, take.concurrent_requests - held);
  return std::max(take.used_slots, std::min(target, free));
}

}  // namespace

TakePermits sensible(TakePermits take) {
  for (std::int64_t* pace :
       {&take.requests_per_minute, &take.tokens_per_minute, &take.concurrent_requests}) {
    *pace = std::clamp<std::int64_t>(*pace, 0, kFastestPace);
  }
  // What is more than a bucket holds is not there in any case.
  constexpr std::int64_t kMost = 1'000'000'000;
  take.requests = std::clamp(take.requests, -kMost, kMost);
  take.tokens = std::clamp(take.tokens, -kMost, kMost);
  take.tokens_of_first = std::clamp<std::int64_t>(take.tokens_of_first, 0, kMost);
  take.used_slots = std::clamp<std::int64_t>(take.used_slots, 0, kMost);
  take.slots = std::clamp(take.slots, take.used_slots, kMost);
  take.pause = std::clamp(take.pause, std::chrono::milliseconds(0),
                          std::chrono::milliseconds(std::chrono::hours(1)));
  return take;
}

PermitRuling permits_for(const TakePermits& given, const PaceRow& row,
                         std::span<const OtherSlots> others, std::int64_t now_ms) {
  const TakePermits asked = sensible(given);
  const std::int64_t now = now_ms * 1'000;
  PermitRuling ruling{{}, row};
  PaceRow& after = ruling.row;
  after.paused_until = std::max(row.paused_until, now + asked.pause.count() * 1'000);
  const bool is_paused = after.paused_until > now;
  const auto unless_paused = [&](std::int64_t wanted) {
    return is_paused ? std::min<std::int64_t>(wanted, 0) : wanted;
  };
  const Taken requests =
      take(row.requests_until, now, asked.requests_per_minute, unless_paused(asked.requests), 1);
  const Taken tokens = take(row.tokens_until, now, asked.tokens_per_minute,
                            unless_paused(asked.tokens), asked.tokens_of_first);
  after.requests_until = requests.until;
  after.tokens_until = tokens.until;
  std::int64_t ready = after.paused_until;
  if (requests.amount < asked.requests) ready = std::max(ready, requests.until);
  if (tokens.amount < asked.tokens) ready = std::max(ready, tokens.until);
  ruling.permits = {
      requests.amount, tokens.amount, slots_for(asked, others),
      std::chrono::milliseconds(std::max<std::int64_t>(0, (ready - now + 999) / 1'000))};
  return ruling;
}

}  // namespace wright::store
