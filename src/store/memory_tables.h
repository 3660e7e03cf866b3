// The rows of the store in memory. They are kept as the columns that the SQLite store would write,
// so that both read back the same values. No locking and no transactions here.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "store/lease.h"
#include "store/message_codec.h"
#include "store/permits.h"
#include "wright/store.h"

namespace wright::store {

struct MessageRow {
  MessageId id = 0;
  Role role = Role::user;
  MessageColumns columns;
  std::int64_t created_at = 0;
};

struct CallRow {
  StoredCall call;  // without request, response and result
  std::string request;
  std::optional<std::string> response;
  std::optional<std::string> result;
  bool has_news = false;  // what it waits for is there, and it still waits
};

struct WaitRow {
  StoredWait wait;  // without shown and answer
  std::string shown;
  std::optional<std::string> answer;
};

struct SessionRow {
  Session session;  // without what is JSON
  std::optional<std::string> config;
  std::optional<std::string> feedback;
  std::optional<std::string> context;
  std::vector<MessageRow> messages;
  std::vector<CallRow> calls;
  std::vector<WaitRow> waits;
};

struct EventRow {
  StoredEvent event;  // without data
  std::string data;
};

struct RecordRow {
  std::int64_t id = 0;  // in the order of which those that are due at once are listed
  std::string value;
  std::int64_t due_at = 0;
  std::int64_t version = 1;
  std::optional<SessionId> session_id = {};
};
using RecordRows = std::map<std::pair<std::string, std::string>, RecordRow>;  // by kind and key

// The ids that were given out last; none is given out twice.
struct LastIds {
  SessionId session = 0;
  MessageId message = 0;
  CallId call = 0;
  WaitId wait = 0;
  RunnerId runner = 0;
  EventSequence event = 0;
  std::int64_t served = 0;
  std::int64_t record = 0;
};

struct Tables {
  std::map<SessionId, SessionRow> sessions;
  std::unordered_map<CallId, SessionId> session_of_call;
  std::unordered_map<WaitId, SessionId> session_of_wait;
  std::vector<Runner> runners;   // by id
  std::vector<EventRow> events;  // by sequence
  // When the queue last served an agent of a tenant.
  std::map<std::pair<std::string, std::string>, std::int64_t> served;
  std::map<std::string, PaceRow> paces;
  std::map<std::pair<std::string, RunnerId>, OtherSlots> slots;  // of a pace and a runner
  RecordRows records;
  LastIds last;

  SessionRow* find_session(SessionId id) {
    const auto found = sessions.find(id);
    return found == sessions.end() ? nullptr : &found->second;
  }

  CallRow* find_call(CallId id) {
    const auto found = session_of_call.find(id);
    if (found == session_of_call.end()) return nullptr;
    auto& calls = sessions.at(found->second).calls;
    return &*std::ranges::lower_bound(calls, id, {},
                                      [](const CallRow& row) { return row.call.id; });
  }

  WaitRow* find_wait(WaitId id) {
    const auto found = session_of_wait.find(id);
    if (found == session_of_wait.end()) return nullptr;
    auto& waits = sessions.at(found->second).waits;
    return &*std::ranges::lower_bound(waits, id, {},
                                      [](const WaitRow& row) { return row.wait.id; });
  }

  Runner* find_runner(RunnerId id) {
    const auto found = std::ranges::find(runners, id, &Runner::id);
    return found == runners.end() ? nullptr : &*found;
  }

  // The session and those above it, it first.
  std::vector<SessionId> line_of(SessionId id) const {
    std::vector<SessionId> line{id};
    while (const auto above = sessions.at(line.back()).session.parent_session_id) {
      line.push_back(*above);
    }
    return line;
  }

  // The session and all its descendants, by id. A child is always younger than its parent, so one
  // pass in the order of ids finds them all.
  std::vector<SessionId> family_of(SessionId id) const {
    std::vector<SessionId> family{id};
    for (auto at = sessions.upper_bound(id); at != sessions.end(); ++at) {
      const auto parent = at->second.session.parent_session_id;
      if (parent && std::ranges::binary_search(family, *parent)) family.push_back(at->first);
    }
    return family;
  }
};

}  // namespace wright::store
