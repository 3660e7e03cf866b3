// Turns what happens to a run into writes: the store's half of a driver. It compares the run with
// what it knows to be stored, so a step that did several things is still one batch.
//
// It does not write: the driver hands the batch to its host and tells written() what came of it. At
// most one batch is under way.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "wright/run.h"
#include "wright/store.h"

namespace wright::session {

// A call of the current turn as the store knows it.
struct StoredRow {
  CallId id = 0;
  CallStatus status = CallStatus::pending;
  WaitId wait_id = 0;  // of the last wait, if it ever waited
  // It has begun and may go on: it was executing when its process ended and is to be executed
  // again, or it waits in the middle of what it does.
  bool may_have_happened = false;
};

class Journal {
 public:
  // Of a session that is to be created. `runner` may be absent: then nobody holds the session.
  explicit Journal(std::optional<RunnerId> runner) : runner_(runner) {}

  // Of a session that is there and that the runner holds since `epoch`, with its open calls, by the
  // model's id.
  Journal(std::optional<RunnerId> runner, SessionId session, std::size_t stored_messages,
          std::map<std::string, StoredRow> rows = {}, int epoch = 1);

  SessionId session_id() const { return session_id_; }
  int epoch() const { return epoch_; }
  // The condition under which anything is written to this session; absent when nobody holds it.
  std::optional<HoldLease> lease() const;
  CallId row_of(const std::string& call_id) const;
  WaitId wait_of(const std::string& call_id) const;
  std::optional<std::string> call_of(CallId row) const;  // the model's id of an open call

  // `above` is the session above with its lease: one that is not held any more starts nobody.
  void create(NewSession session, std::optional<HoldLease> above = {}) {
    create_ = std::move(session);
    above_ = above;
  }
  // The call is about to be executed.
  void call_starts(const std::string& call_id);
  void call_ended(const std::string& call_id, ToolOutcome&& outcome);
  // Nobody knows what became of it.
  void call_is_unknown(const std::string& call_id, std::string why);
  // The call waits for somebody (with a wait that can be answered), or for a specialist (without).
  void call_waits(const std::string& call_id, const Json& shown, std::optional<OpenWait> wait);
  // The call has begun to act. Should it not go on, nobody knows what became of it.
  void may_have_happened(const std::string& call_id);
  void wait_ended(const std::string& call_id, WaitStatus status);
  void agent_changed(std::string name);
  // What was said under this key is in the conversation.
  void message_taken(std::string key);
  void feedback(Json feedback);
  void config_changed(Json config);
  // What requests to the model leave out from now on.
  void context_changed(Json cut);
  // The time at work: of the session, and since the user's last message.
  void worked(std::int64_t session_ms, std::int64_t turn_ms);
  // The next batch says how long the session has worked, even if it has nothing else to say.
  void count_work() { counts_work_ = true; }
  // The next batch finds out whether the session is still held, even if it has nothing else to say.
  void check_lease() { checks_lease_ = true; }
  // The next batch is the last one, and lets others have the session.
  void release() { releases_ = true; }

  // Everything that the run has and the store has not. `status` is the session's. A session that
  // its status released is taken again, unless somebody else has driven it meanwhile.
  Batch batch(const Run& run, SessionStatus status);
  void written(const BatchIds& ids);
  // The batch under way holds nothing but the time at work.
  bool is_only_count() const { return is_only_count_; }
  // It was not written: the next batch that counts says what it would have said.
  void count_is_lost() { counted_ms_ = counted_before_ms_; }
  // Whether the batch was refused because somebody else has the session, or had it meanwhile.
  bool is_taken_by_another(const Error& refusal) const;

 private:
  class Writes;
  Writes writes_under_lease();
  void add_calls(const Run& run, Writes& writes);
  void add_messages(const Run& run, Writes& writes);
  void add_session(const Run& run, SessionStatus status, Writes& writes);
  bool is_work_to_be_counted(const Writes& writes);
  void add_release(SessionStatus status, Writes& writes);

  struct CallNews {
    UpdateCall update = {};
    std::optional<ToolResult> result = {};  // told to the model when the turn is over
    std::optional<OpenWait> wait = {};
  };

  std::optional<RunnerId> runner_;
  SessionId session_id_ = 0;
  std::size_t stored_messages_ = 0;
  std::size_t messages_under_way_ = 0;
  std::map<std::string, StoredRow> rows_;
  std::vector<std::string> new_calls_;  // of the batch under way, in the order of its ids
  std::vector<std::string> new_waits_;
  std::optional<NewSession> create_;
  std::optional<HoldLease> above_;
  bool checks_lease_ = false;
  bool releases_ = false;
  std::map<std::string, CallNews> news_;  // by call, in no order that matters
  std::size_t starts_ = 0;                // of calls that have no row yet
  std::vector<Write> others_;
  std::optional<std::string> agent_name_;
  std::optional<Json> feedback_;
  std::optional<Json> context_;
  std::optional<SessionStatus> status_;  // as stored
  int epoch_ = 1;
  Usage usage_;
  int iterations_ = 0;
  std::optional<std::int64_t> worked_ms_;  // unless nobody counts
  std::optional<std::int64_t> turn_worked_ms_;
  std::int64_t counted_ms_ = 0;         // of worked_ms_, in batches so far
  std::int64_t counted_before_ms_ = 0;  // as it was before the batch under way
  bool is_only_count_ = false;
  bool counts_work_ = false;
};

}  // namespace wright::session
