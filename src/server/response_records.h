// Responses of /v1/responses, each kept with its session under an id of its own: where it begins
// and ends among the session's messages, and what was answered. Whoever goes on from one that
// others have gone on from gets a fork, which knows nothing of what came after it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "wright/json.h"
#include "wright/session.h"
#include "wright/store.h"

namespace wright::server {

// What stands in an id: "resp_7_1f6b3c", and "msg_7_1f6b3c" of the message in it.
struct ResponseName {
  SessionId session_id = 0;
  // Tells the responses of a session apart. Empty in ids of earlier versions ("resp_7"), which mean
  // all that the session has said.
  std::string mark = {};
};
std::string response_id(const ResponseName& name);
std::string message_item_id(const ResponseName& name);
// Nothing for ids that are not ours.
std::optional<ResponseName> response_named(std::string_view id);
std::optional<ResponseName> message_item_named(std::string_view id);
std::string new_response_mark();

struct KeptResponse {
  MessageId after = 0;     // the session's last message before the request
  std::size_t inputs = 0;  // how many messages behind it the request brought
  // What the caller's tools said, where the request brought that: [{"call_id", "output"}].
  JsonArray results = {};
  std::optional<MessageId> last = {};  // when it ended; absent: it has not, or nobody saw it end
  Json response = {};                  // as it was told last
  // Nobody is told of it any more. It stays a border between what came before and after it.
  bool is_deleted = false;
  std::int64_t version = 1;  // of the record
};

// ErrorCode::not_found for ids that mean no response of this tenant's (absent: of any).
Result<KeptResponse> kept_response(Store& store, const ResponseName& name,
                                   const std::optional<std::string>& tenant);
Result<void> keep_beginning(Store& store, const ResponseName& name, const KeptResponse& response);
// Where it cannot be kept, the end is found by what came next.
void keep_end(Store& store, const ResponseName& name, const KeptResponse& response);
// Nobody finds it any more. A session that began with responses, all of which are deleted, goes
// with them, unless it runs (ErrorCode::already_exists), or a person spoke in it otherwise.
Result<void> delete_response(Store& store, const ResponseName& name,
                             const std::optional<std::string>& tenant);

// A beginning of which nothing came: nobody finds it any more, and nobody has gone on from it.
void forget_beginning(Store& store, const ResponseName& name);

// What became of a response whose end nobody has kept.
struct OwnTurn {
  bool has_begun = false;
  std::optional<std::string> answer = {};  // what it ended with
  bool is_newest = false;                  // what its session does, or how it ended, is of this one
};
Result<OwnTurn> own_turn(Store& store, const ResponseName& name, const KeptResponse& kept);

// The newest message of a session; 0 where there is none.
Result<MessageId> newest_message(Store& store, SessionId session_id);

// The session in which a conversation goes on from that response: its own, where nothing came after
// it, else a new fork that ends with it.
Result<SessionId> session_to_go_on(Store& store, const ResponseName& name,
                                   const std::optional<std::string>& tenant);

}  // namespace wright::server
