// What the statuses of sessions, calls and waits mean to a store: which of them are ends, and which
// moves are legal. Their names are in session.h's to_string(). Knows nothing about any database.
#pragma once

#include <string>

#include "wright/store.h"

namespace wright::store {

bool is_end(SessionStatus status);
bool is_end(CallStatus status);
bool is_failure(SessionStatus status);

// Whether the call was executed, wholly or in part, or is about to be.
bool was_begun(const StoredCall& call);

// The table of legal moves, as UpdateCall documents it.
bool may_move(CallStatus from, CallStatus to);

// Every status that may move to `to`, each between commas: ",pending,executing,".
std::string may_move_to(CallStatus to);

// Closing a wait is not answering it.
bool may_close_as(WaitStatus status);

// A wait is open as long as nobody has answered it and its time is not over.
bool is_over(const StoredWait& wait, std::int64_t now);

// What to show: expired when its time is over, although whoever drives its session next stores that.
WaitStatus status_at(const StoredWait& wait, std::int64_t now);

Error no_session(SessionId id);
Error no_message(MessageId id, SessionId session_id);
Error no_call(CallId id);
Error no_call(CallId id, SessionId session_id);
Error no_wait(WaitId id);
Error illegal_move(CallId id, CallStatus from, CallStatus to);
Error not_waiting(CallId id, CallStatus status);
Error waits_already(CallId id);
// Why a record cannot be put as it was to be: there is one, or there is not the one expected.
Error record_exists(std::string_view kind, std::string_view key);
Error record_changed(std::string_view kind, std::string_view key);
Error call_without_parent();
Error illegal_close(WaitStatus status);
Error has_ended(SessionId id, SessionStatus status);
Error has_not_ended(SessionId id, SessionStatus status);
Error queued_child();
Error queue_is_full(const LimitQueue& limit);
Error is_running(SessionId id);
Error queued_with_runner();

// Why a wait that is no longer open, or whose time is over, takes no answer.
Error not_open(const StoredWait& wait);

}  // namespace wright::store
