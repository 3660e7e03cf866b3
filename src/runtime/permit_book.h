// Which requests to models may go, by the permits that this process has taken from the store, and
// what to ask the store for next. Pure: time comes from outside, and it needs no lock.
//
// Permits are taken for the requests that wait and for about as many as went in the last second, so
// that a busy process asks about once a second, however many requests it sends. What was not used
// in a second is given back.
#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "wright/models.h"
#include "wright/store_writes.h"

namespace wright::runtime {

class PermitBook {
 public:
  using Time = std::int64_t;  // milliseconds, of a clock that never goes back
  using Entry = PaceKeeper::Entry;

  // A pace that a request must keep to, such as its vendor's and its model's.
  struct Need {
    std::string name = {};
    Pace pace = {};
  };

  Entry enter(const std::vector<Need>& needs, std::int64_t tokens);
  void leave(Entry entry, const PaceKeeper::Left& left);

  // Those that may go now, in the order in which they came: each once.
  std::vector<Entry> admit(Time now);

  // What to ask the store for, by name; none: nothing now. answered() follows, or failed().
  std::vector<TakePermits> questions(Time now);
  void answered(std::span<const TakePermits> asked, std::span<const Permits> given, Time now);
  void failed(Time now);
  // When to look for questions again; absent: not before something happens.
  std::optional<Time> next_look(Time now) const;

  // Others may have what this process had for requests at a time.
  void forget_slots();

  // What the requests that wait lacked when admit() looked last.
  std::vector<std::string> waited_for() const { return {short_of_.begin(), short_of_.end()}; }

 private:
  struct Limit {
    Pace pace = {};
    std::int64_t requests = 0;
    std::int64_t tokens = 0;  // below 0: owed
    std::int64_t slots = 0;
    std::int64_t used = 0;
    std::int64_t most_used = 0;  // since the last question
    // Since the last question.
    std::int64_t requests_gone = 0;
    std::int64_t tokens_gone = 0;
    std::chrono::milliseconds pause = {};  // to be told
    Time paused_until = 0;
    Time ask_at = 0;      // not before, whatever waits
    Time refresh_at = 0;  // to give back what is not used
  };
  struct Request {
    Entry entry = 0;
    std::vector<std::string> names = {};
    std::int64_t tokens = 0;
  };
  // What waits for one limit.
  struct Demand {
    std::int64_t requests = 0;
    std::int64_t tokens = 0;
    std::int64_t first_tokens = 0;
  };

  static bool may_go(const Limit& limit, std::int64_t tokens, Time now);
  static bool is_short(const Limit& limit, const Demand& demand, Time now) {
    return demand.requests > 0 && !may_go(limit, demand.first_tokens, now);
  }
  static bool holds_anything(const Limit& limit);
  Demand demand_for(const std::string& name) const;
  static TakePermits question(const std::string& name, const Limit& limit, const Demand& demand);

  std::map<std::string, Limit> limits_;
  std::list<Request> waiting_;
  std::map<Entry, Request> gone_;
  std::set<std::string> short_of_;
  Entry last_ = 0;
};

}  // namespace wright::runtime
