// The client's side of one connection, as a machine: frames and wishes in, actions out. It finds
// out which revision the server speaks, newest first. It knows no process, no socket and no clock.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "mcp/http_headers.h"
#include "mcp/protocol.h"
#include "mcp/task.h"

namespace wright::mcp {

using CallNumber = std::int64_t;  // also the id on the wire

struct ClientOptions {
  enum class Revisions : std::uint8_t {
    automatic,  // the newest one that the server has
    legacy,     // with a handshake
    modern,     // without
  };
  Peer self = {};
  JsonObject capabilities = {};        // "elicitation", "sampling", "roots"
  std::vector<JsonObject> roots = {};  // {uri, name}
  Revisions revisions = Revisions::automatic;
  bool has_tasks = false;  // tools/call may be answered with a task (2026-07-28)
};

// Who answers, when that is known.
struct ServerView {
  Era era = Era::legacy;
  std::string version = {};
  Peer peer = {};
  JsonObject capabilities = {};
  std::string instructions = {};

  bool has(std::string_view capability) const { return capabilities.contains(capability); }
};

// The server needs answers before it can go on. Whoever has them calls again with the same params
// and `inputResponses` and `requestState` in them.
struct InputRequired {
  struct Request {
    std::string method = {};
    JsonObject params = {};
  };
  std::map<std::string, Request, std::less<>> requests = {};
  std::optional<std::string> state = {};
};
// There was an answer, and it cannot be read: nobody knows what the call did.
struct Unreadable {
  std::string why = {};
};
// The call goes on at the server, which is asked after it: TaskStatus says how it ends.
struct TaskCreated {
  Task task = {};
};
using CallOutcome = std::variant<JsonObject, InputRequired, TaskCreated, Problem, Unreadable>;

struct SendFrame {
  std::string line = {};
  CallNumber call = 0;  // 0: no request of ours
  std::string method = {};
  std::vector<HeaderParameter> repeated = {};  // over HTTP, in headers
};
struct ServerReady {};  // server() is known
struct ServerUnusable {
  Error error = {};
};
struct CallEnded {
  CallNumber number = 0;
  CallOutcome outcome = {};
};
struct CallProgressed {
  CallNumber number = 0;
  Progress progress = {};
};
// The server asks in the middle of something (legacy); to be answered with answer().
struct ServerAsks {
  RequestId id = {};
  std::string method = {};
  JsonObject params = {};
};
struct ServerWithdraws {  // what it asked
  RequestId id = {};
};
struct ServerChanged {
  Change change = Change::tools;
};
struct ResourceUpdated {
  std::string uri = {};
};
struct ServerLogs {
  std::string level = {};
  std::string text = {};
};
using ClientAction =
    std::variant<SendFrame, ServerReady, ServerUnusable, CallEnded, CallProgressed, ServerAsks,
                 ServerWithdraws, ServerChanged, ResourceUpdated, ServerLogs>;
using ClientActions = std::vector<ClientAction>;

class ClientMachine {
 public:
  explicit ClientMachine(ClientOptions options) : options_(std::move(options)) {}

  // The first thing to be done with a connection. With what is known already it costs no exchange
  // in the newest revision.
  ClientActions start();
  // The question after the revision was not answered, or not by a living server: the handshake,
  // with this server or a fresh one.
  ClientActions start_with_handshake();
  bool is_probing() const { return phase_ == Phase::probing; }
  bool is_ready() const { return phase_ == Phase::ready; }
  const ServerView& server() const { return server_; }

  ClientActions receive(std::string_view frame);

  struct Started {
    CallNumber number = 0;
    ClientActions actions = {};
  };
  enum class WantsProgress : std::uint8_t { no, yes };
  // Only when it is ready.
  Started call(std::string_view method, JsonObject params,
               WantsProgress progress = WantsProgress::no,
               std::vector<HeaderParameter> repeated = {});
  ClientActions notify(std::string_view method, JsonObject params);
  // CallEnded does not come any more.
  ClientActions cancel(CallNumber number, std::string_view reason);
  ClientActions answer(const RequestId& id, const std::variant<JsonObject, Problem>& outcome);
  // The connection is gone: every open call ends with this.
  ClientActions lose(const Problem& why);

 private:
  enum class Phase : std::uint8_t { fresh, probing, initializing, ready, closed };

  ClientActions initialize();
  void take(Request request, ClientActions& actions);
  void take(const Notification& notification, ClientActions& actions);
  void take(Answer answer, ClientActions& actions);
  void take_discovery(const Answer& answer, ClientActions& actions);
  void take_handshake(const Answer& answer, ClientActions& actions);
  void add_meta(JsonObject& params) const;

  ClientOptions options_;
  Phase phase_ = Phase::fresh;
  ServerView server_;
  CallNumber last_ = 0;
  CallNumber opening_ = 0;        // the request that opens the connection
  bool has_asked_again_ = false;  // after a refusal that names our revision
  struct OpenCall {
    double progress = -1e300;  // the last that was told
    bool may_be_task = false;
  };
  std::map<CallNumber, OpenCall> calls_;
};

enum class MayBeTask : std::uint8_t { no, yes };
// What a server answered to a call, as a result that any revision would have: without what only the
// protocol needs.
CallOutcome outcome_of(JsonObject result, Era era, MayBeTask may_be_task);

}  // namespace wright::mcp
