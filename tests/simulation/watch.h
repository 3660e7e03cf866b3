// Sees everything that is written and every effect that a tool has, and says when one of the
// promises of a runtime is broken. It knows nothing of how sessions are driven.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "simulation/workload.h"
#include "wright/store.h"

namespace wright::simulation {

class World;

// A promise that was broken.
struct Violation {
  std::string rule = {};
  std::string what = {};
};

// What one who steers a session says: it is found again in the conversation.
std::string said_token(std::int64_t number);

// What a batch asks to hold, as it was just before it was applied.
struct WrittenBy {
  std::string stale = {};  // why its writer may not write; empty: it may
};

// One execution of a tool, as the tool knows it.
struct Execution {
  ToolKind kind = ToolKind::read;
  RunnerId runner = 0;
  SessionId session_id = 0;
  std::string call_id = {};
  std::string key = {};  // the same when the call is run again
  int epoch = 0;
};

class Watch {
 public:
  explicit Watch(World& world) : world_(world) {}

  // --- the store ---
  WrittenBy about_to_write(const Batch& batch);
  void written(const Batch& batch, const BatchIds& ids, const WrittenBy& by);
  void refused(const Batch& batch, const Error& error);
  // All that was written after the first `kept` batches is gone. Whether what was done because of
  // it may be done again depends on what the store had promised.
  enum class Effects : std::uint8_t { forgiven, held_against };
  void forget_after(std::size_t kept, Effects effects);

  // --- tools ---
  void begins(const Execution& execution);
  // The effect happens. False: whoever keeps the highest epoch that it saw refuses it.
  bool takes_effect(const Execution& execution);
  void receives(std::int64_t payload);

  SessionId root_of(SessionId id) const;

  // --- at the end ---
  // What keeps the world from being over: sessions that neither have ended nor wait for somebody
  // who has not answered. Empty: it is over.
  std::string unsettled();
  // How many sessions have begun and ended: it grows as long as something gets on.
  std::int64_t progress();
  std::string open_calls(SessionId id);
  void check_end();

 private:
  struct CallFacts {
    SessionId session_id = 0;
    std::string call_id = {};
    std::string tool = {};
    CallStatus status = CallStatus::pending;
    std::size_t created = 0;    // these count batches
    std::size_t executing = 0;  // since when
    bool has_begun = false;
  };
  struct SessionFacts {
    std::size_t created = 0;
    std::optional<SessionId> parent = {};
    std::optional<std::size_t> wished = {};  // since when it is to be cancelled
    Session last = {};
    std::vector<CallId> calls_of_turn = {};  // that were begun, below too; at a root
    Limits limits = {};
    std::optional<std::int64_t> late_since = {};  // its time is known to be over
  };
  struct Evidence {
    int times = 0;
    std::size_t at = 0;
  };

  void broken(std::string rule, std::string what);
  void note_calls(const Batch& batch, const BatchIds& ids);
  void note_new_calls(const AppendMessage& append, SessionId session, const BatchIds& ids,
                      std::size_t& next);
  void move(CallId id, CallStatus status);
  void note_leases(const Batch& batch, const BatchIds& ids);
  void hand_out(SessionId session, int epoch);
  void note_wishes(const Batch& batch);
  void note_answers(const BatchIds& ids);
  void note_said(const Batch& batch);
  void check_said();
  static bool is_late(const SessionFacts& facts);
  void look_at(SessionId id, const Batch& batch);
  void check_budget(SessionId id);
  void check_transcript(const Session& session);
  void check_rows(const Session& session);
  void check_answers(const Session& session);
  CallFacts* find_call(SessionId session, const std::string& call_id);
  static std::string key_of(SessionId session, const std::string& call_id);

  World& world_;
  std::map<CallId, CallFacts> calls_;
  std::map<std::pair<SessionId, std::string>, CallId> rows_;
  std::map<SessionId, SessionFacts> sessions_;
  std::map<std::pair<SessionId, int>, std::size_t> epochs_;  // that were handed out, and when
  std::map<std::string, Evidence> evidence_;                 // by key
  std::map<SessionId, int> highest_epoch_;                   // that an effect was asked with
  std::map<WaitId, std::size_t> answered_;
  std::set<std::int64_t> received_;  // payloads of answers
  std::map<std::string, std::size_t>
      said_;  // by key: what was said while sessions worked, and when
};

}  // namespace wright::simulation
