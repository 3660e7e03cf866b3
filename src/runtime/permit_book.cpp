#include "runtime/permit_book.h"

#include <algorithm>
#include <utility>

namespace wright::runtime {
namespace {

constexpr PermitBook::Time kRefreshMs = 1'000;
// How often somebody is asked who had nothing to give.
constexpr std::int64_t kSoonestMs = 20;
constexpr std::int64_t kLatestMs = 2'000;
constexpr std::int64_t kForSlotsMs = 250;

template <class T>
bool has_limit(const std::optional<T>& most) {
  return most > 0;
}

}  // namespace

PermitBook::Entry PermitBook::enter(const std::vector<Need>& needs, std::int64_t tokens) {
  Request request{.entry = ++last_, .tokens = std::max<std::int64_t>(1, tokens)};
  for (const Need& need : needs) {
    limits_[need.name].pace = need.pace;
    request.names.push_back(need.name);
  }
  waiting_.push_back(std::move(request));
  return last_;
}

void PermitBook::leave(Entry entry, const PaceKeeper::Left& left) {
  std::erase_if(waiting_, [&](const Request& request) { return request.entry == entry; });
  const auto gone = gone_.extract(entry);
  if (!gone) return;
  const Request& request = gone.mapped();
  for (const std::string& name : request.names) {
    Limit& limit = limits_.at(name);
    --limit.used;
    if (left.tokens && has_limit(limit.pace.tokens_per_minute)) {
      limit.tokens -= *left.tokens - request.tokens;
    }
    if (left.pause) limit.pause = std::max(limit.pause, *left.pause);
  }
}

bool PermitBook::may_go(const Limit& limit, std::int64_t tokens, Time now) {
  const Pace& pace = limit.pace;
  return now >= limit.paused_until &&
         (!has_limit(pace.requests_per_minute) || limit.requests > 0) &&
         (!has_limit(pace.tokens_per_minute) || limit.tokens >= tokens) &&
         (!has_limit(pace.concurrent_requests) || limit.used < limit.slots);
}

std::vector<PermitBook::Entry> PermitBook::admit(Time now) {
  std::vector<Entry> admitted;
  short_of_.clear();  // nobody overtakes who waits for the same
  for (auto at = waiting_.begin(); at != waiting_.end();) {
    const auto may_go_by = [&](const std::string& name) {
      return !short_of_.contains(name) && may_go(limits_.at(name), at->tokens, now);
    };
    if (!std::ranges::all_of(at->names, may_go_by)) {
      for (const std::string& name : at->names) {
        if (!may_go(limits_.at(name), at->tokens, now)) short_of_.insert(name);
      }
      ++at;
      continue;
    }
    for (const std::string& name : at->names) {
      Limit& limit = limits_.at(name);
      if (has_limit(limit.pace.requests_per_minute)) --limit.requests;
      if (has_limit(limit.pace.tokens_per_minute)) limit.tokens -= at->tokens;
      ++limit.requests_gone;
      limit.tokens_gone += at->tokens;
      limit.most_used = std::max(limit.most_used, ++limit.used);
    }
    admitted.push_back(at->entry);
    gone_.emplace(at->entry, std::move(*at));
    at = waiting_.erase(at);
  }
  return admitted;
}

bool PermitBook::holds_anything(const Limit& limit) {
  return limit.requests > 0 || limit.slots > 0 ||
         (has_limit(limit.pace.tokens_per_minute) && limit.tokens != 0);
}

PermitBook::Demand PermitBook::demand_for(const std::string& name) const {
  Demand demand;
  for (const Request& request : waiting_) {
    if (std::ranges::find(request.names, name) == request.names.end()) continue;
    if (demand.requests++ == 0) demand.first_tokens = request.tokens;
    demand.tokens += request.tokens;
  }
  return demand;
}

TakePermits PermitBook::question(const std::string& name, const Limit& limit,
                                 const Demand& demand) {
  TakePermits take{.name = name,
                   .requests_per_minute = limit.pace.requests_per_minute.value_or(0),
                   .tokens_per_minute = limit.pace.tokens_per_minute.value_or(0),
                   .concurrent_requests = limit.pace.concurrent_requests.value_or(0),
                   .slots = std::max(limit.most_used, limit.used) + demand.requests,
                   .used_slots = limit.used,
                   .pause = limit.pause};
  // Where there is no limit, the answer says at least whether there is a pause.
  take.requests = has_limit(limit.pace.requests_per_minute)
                      ? demand.requests + limit.requests_gone - limit.requests
                      : 1;
  if (has_limit(limit.pace.tokens_per_minute)) {
    take.tokens = demand.tokens + limit.tokens_gone - limit.tokens;
    take.tokens_of_first = std::max<std::int64_t>(0, demand.first_tokens - limit.tokens);
  }
  return take;
}

std::vector<TakePermits> PermitBook::questions(Time now) {
  std::vector<TakePermits> asked;
  for (auto& [name, limit] : limits_) {
    const Demand demand = demand_for(name);
    const bool is_due = now >= limit.refresh_at && (holds_anything(limit) || demand.requests > 0);
    const bool has_news = limit.pause.count() > 0;
    if (!has_news && !(is_short(limit, demand, now) && now >= limit.ask_at) && !is_due) continue;
    asked.push_back(question(name, limit, demand));
    limit.requests_gone = limit.tokens_gone = 0;
    limit.most_used = limit.used;
    limit.pause = {};
  }
  return asked;
}

void PermitBook::answered(std::span<const TakePermits> asked, std::span<const Permits> given,
                          Time now) {
  for (std::size_t i = 0; i < std::min(asked.size(), given.size()); ++i) {
    Limit& limit = limits_.at(asked[i].name);
    const Permits& permits = given[i];
    const bool is_free = !has_limit(limit.pace.requests_per_minute);
    if (!is_free) limit.requests += permits.requests;
    if (has_limit(limit.pace.tokens_per_minute)) limit.tokens += permits.tokens;
    // More may be under way by now.
    limit.slots =
        has_limit(limit.pace.concurrent_requests) ? std::max(permits.slots, limit.used) : 0;
    const auto wait = std::clamp<std::int64_t>(permits.wait.count(), kSoonestMs, kLatestMs);
    if (is_free && permits.requests < asked[i].requests) limit.paused_until = now + wait;
    const bool lacks_slots =
        has_limit(limit.pace.concurrent_requests) && permits.slots < asked[i].slots;
    limit.ask_at = now + (lacks_slots ? std::max(wait, kForSlotsMs) : wait);
    limit.refresh_at = now + kRefreshMs;
  }
}

void PermitBook::failed(Time now) {
  for (auto& [name, limit] : limits_) limit.ask_at = limit.refresh_at = now + kRefreshMs;
}

std::optional<PermitBook::Time> PermitBook::next_look(Time now) const {
  std::optional<Time> first;
  const auto at = [&](Time time) { first = first ? std::min(*first, time) : time; };
  for (const auto& [name, limit] : limits_) {
    const Demand demand = demand_for(name);
    if (limit.pause.count() > 0) at(now);
    if (is_short(limit, demand, now)) at(limit.ask_at);
    if (demand.requests > 0 && limit.paused_until > now) at(limit.paused_until);
    if (demand.requests > 0 || holds_anything(limit)) at(limit.refresh_at);
  }
  return first;
}

void PermitBook::forget_slots() {
  for (auto& [name, limit] : limits_) {
    if (limit.slots <= limit.used) continue;
    limit.slots = limit.used;
    limit.ask_at = limit.refresh_at = 0;
  }
}

}  // namespace wright::runtime
