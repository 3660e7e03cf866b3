// Requests in vendors' protocols that may come again. The vendors' libraries send one again by
// themselves when its answer took too long, was lost, or was an error that may pass. For a model
// that costs money; an agent would do everything twice. So it is kept, for a day, which session a
// request began: its repetition gets what comes of that one.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "server/service.h"
#include "wright/message.h"
#include "wright/session.h"
#include "wright/store.h"
#include "wright/tool.h"

namespace wright::server {

// Where its session stood when a request began.
struct BegunRequest {
  SessionId session_id = 0;
  MessageId after = 0;     // its last message before the request
  std::size_t inputs = 0;  // how many messages behind it the request brought
  std::string mark = {};   // of a response that is kept
  Usage usage_before = {};
};

// What tells a request from others: the `Idempotency-Key` that its caller gave it, or else all that
// it says, where its library counts how often it was sent. One with neither never comes again, and
// nothing of it is kept. A value.
class RepeatableRequest {
 public:
  explicit RepeatableRequest(const Call& call);

  // What it began when it came before. Nothing: it is new, and it is on record from now on that it
  // has come. ErrorCode::already_exists while the first one is being taken up.
  Result<std::optional<BegunRequest>> claim(Store& store);
  // The same, whatever came of it before.
  Result<void> claim_anew(Store& store) const;
  // Whether its repetition would be known as such.
  bool is_known() const { return !key_.empty(); }
  // One that its caller chose stands for one request alone; what a request says may be said again.
  bool has_own_key() const { return has_own_key_; }
  Result<void> has_begun(Store& store, const BegunRequest& request) const;
  // Nothing came of it. What another one has put there stays, or stands there again.
  void forget(Store& store);

 private:
  Result<std::optional<BegunRequest>> earlier(Store& store) const;
  PutRecord record(const Json& begun) const;

  std::string key_;                 // of its record; empty: none
  std::string content_;             // a digest of what it says
  std::string token_;               // of this attempt, in the record
  std::optional<Record> replaced_;  // of another request that says the same
  bool has_own_key_ = false;
  bool is_first_ = false;
};

// Why a session was cancelled whose client did not wait for it.
inline constexpr std::string_view kClientWentAway = "Its client went away";

// Whether a tool may have changed something since that message: one that does not only read has
// begun. Specialists count as such tools, whatever theirs did.
Result<bool> has_acted(Store& store, SessionId id, MessageId since, std::span<const Tool> tools);

// A run that ended by it may go on, and end otherwise.
bool is_passing(const Error& error);

// One that no library takes for a reason to send a request again, in the place of one that some do.
int status_that_nobody_repeats(int status);

}  // namespace wright::server
