// The server's side of one connection, as a machine: frames and outcomes in, actions out. It speaks
// both eras, knows no socket, starts no thread and reads no clock. What tools, resources and
// prompts there are is the host's business: it gets work and answers it.
//
//   for (ServerAction& action : machine.receive(now, line)) perform(action);
//   …
//   for (ServerAction& action : machine.finish(now, work.id, outcome)) perform(action);
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "mcp/protocol.h"
#include "wright/message.h"

namespace wright::mcp {

// What a server has. What it has not is answered with "method not found".
struct ServerOffer {
  Peer self = {};
  std::string instructions = {};
  bool has_tools = true;
  bool has_resources = false;
  bool has_prompts = false;
  bool has_completions = false;
  bool has_logging = false;
  bool has_tasks = false;  // calls of tools may become tasks (task.h)
  // Whether anybody tells of changes: announce() and announce_update(). What is not told is not
  // promised.
  bool has_news = true;
  // Whether clients of the older revisions can be told of changes at any time.
  bool has_lasting_connections = true;
  std::int64_t ttl_ms = 0;  // how long lists may be taken as they are
  bool is_same_for_all = false;
  std::string state_key = {};  // signs what clients keep for us; the same for all instances
};

// What the host knows of whoever asks.
struct ClientView {
  Era era = Era::legacy;
  std::string version = {};
  Peer peer = {};
  JsonObject capabilities = {};

  // Whether it can be asked: "elicitation/create", "sampling/createMessage", "roots/list".
  bool can_answer(std::string_view method) const;
  // Whether its person can be asked to open an address (elicitation of mode "url").
  bool can_open_addresses() const;
  // Whether a call of this client may be answered with a task that nobody asked for (2026-07-28).
  bool knows_tasks() const;
};

// Whether a request says of itself which revision it is in.
bool is_modern(const Request& request);

using WorkId = std::uint64_t;

// What a client or its person answered: a result, or why there is none.
using InputAnswer = std::variant<JsonObject, Problem>;
using InputAnswers = std::map<std::string, InputAnswer, std::less<>>;

// A request that the host has to answer with finish(). `params` have the shape that the method
// demands. One that needed input comes again under the same id, with all answers so far.
struct Work {
  WorkId id = 0;
  std::string method = {};
  JsonObject params = {};
  std::shared_ptr<const ClientView> client = {};
  InputAnswers answers = {};
  JsonObject state = {};  // as the host gave it with NeedsInput
  bool wants_progress = false;
  std::string principal = {};  // who speaks, where somebody has shown that
  RequestId request = {};      // by which the client knows it
  TraceContext trace = {};     // where it stands in a trace; whoever has a tracer sets it
};

struct Finished {
  JsonObject result = {};
};
// The client has to be asked first: by a request of ours (legacy), or by a result that it answers
// by asking again (modern).
struct NeedsInput {
  struct Request {
    std::string key = {};
    std::string method = {};
    JsonObject params = {};
  };
  std::vector<Request> requests = {};
  JsonObject state = {};
};
using WorkOutcome = std::variant<Finished, NeedsInput, Problem>;

// A line to be sent. `about` is the work it belongs to, 0: to none.
struct SendLine {
  WorkId about = 0;
  std::string line = {};
  bool ends_work = false;
  std::int64_t problem = 0;  // the code, where it is the answer to a request and tells of one
};
struct BeginWork {
  Work work = {};
};
// Nobody waits for it any more; finish() is ignored from now on.
struct StopWork {
  WorkId id = 0;
};
using ServerAction = std::variant<SendLine, BeginWork, StopWork>;
using ServerActions = std::vector<ServerAction>;

class ServerMachine {
 public:
  // `principal` is who speaks, where somebody has shown that; states are for them alone.
  // What it asks itself is numbered from `first_number` on.
  explicit ServerMachine(std::shared_ptr<const ServerOffer> offer, std::string principal = {},
                         WorkId first_number = 0);

  // Goes on with a client whose handshake was elsewhere.
  void adopt(std::shared_ptr<const ClientView> client) { client_ = std::move(client); }
  const std::shared_ptr<const ClientView>& client() const { return client_; }

  ServerActions receive(std::int64_t now_ms, std::string_view frame);
  ServerActions receive(std::int64_t now_ms, Frame frame);
  ServerActions finish(std::int64_t now_ms, WorkId id, WorkOutcome outcome);
  ServerActions report(WorkId id, const Progress& progress);
  // To the client of this work, where it wants to hear of that level.
  ServerActions log(WorkId id, LoggingLevel level, const Json& data);
  // To the client of this work, beside what it is answered.
  ServerActions notify(WorkId id, std::string_view method, const JsonObject& params);
  ServerActions announce(Change change);
  ServerActions announce_update(std::string_view uri);
  // Nobody is there any more.
  ServerActions close();

  bool has_open_work() const { return !open_.empty() || !listening_.empty(); }
  bool is_initialized() const { return client_ != nullptr; }
  // What a legacy client is spoken to in; empty before the handshake.
  std::string_view version() const;

 private:
  struct OpenWork {
    Work work;
    RequestId request;
    std::optional<Json> progress_token;
    double last_progress = -1e300;
    std::optional<LoggingLevel> log_level;
    std::size_t batch = 0;         // 0: none
    std::vector<WorkId> awaiting;  // requests of ours, by number
  };
  struct Batch {
    std::size_t open = 0;
    std::vector<std::string> lines;
  };
  struct Asked {  // a request of ours
    WorkId about = 0;
    std::string key = {};
  };
  struct Listening {
    RequestId id = {};
    bool tools = false;
    bool prompts = false;
    bool resources = false;
    std::vector<std::string> uris = {};
  };

  void take(std::int64_t now_ms, Request request, std::size_t batch, ServerActions& actions);
  void take(const Notification& notification, ServerActions& actions);
  void take(Answer answer, ServerActions& actions);
  void take_modern(std::int64_t now_ms, Request request, ServerActions& actions);
  void take_legacy(Request request, std::size_t batch, ServerActions& actions);
  void begin(Request request, std::shared_ptr<const ClientView> client, std::size_t batch,
             ServerActions& actions, InputAnswers answers = {}, JsonObject state = {});
  std::optional<Problem> problem_with(const Request& request, const ClientView& client) const;
  void initialize(const Request& request, std::size_t batch, ServerActions& actions);
  void set_level(const Request& request, std::size_t batch, ServerActions& actions);
  void subscribe(const Request& request, std::size_t batch, ServerActions& actions);
  void listen(const Request& request, const ClientView& client, ServerActions& actions);
  void discover(const Request& request, ServerActions& actions);
  void cancel(const JsonObject& params, ServerActions& actions);
  void ask(OpenWork& open, NeedsInput needs, ServerActions& actions);
  JsonObject input_required(std::int64_t now_ms, const OpenWork& open, const NeedsInput& needs);
  JsonObject decorated(JsonObject result, Era era, std::string_view method) const;
  JsonObject capabilities(std::string_view version) const;
  void reply(const RequestId& id, WorkId about, std::size_t batch, std::string line,
             std::int64_t problem, ServerActions& actions);
  void refuse(const RequestId& id, std::size_t batch, const Problem& problem,
              ServerActions& actions);

  std::shared_ptr<const ServerOffer> offer_;
  std::string principal_;
  std::shared_ptr<const ClientView> client_;  // of the handshake
  std::optional<LoggingLevel> level_;         // of logging/setLevel
  std::vector<std::string> subscribed_;       // uris, by resources/subscribe
  std::map<WorkId, OpenWork> open_;
  std::map<std::string, WorkId, std::less<>> by_request_;  // by id_key()
  std::map<WorkId, Asked> asked_;                          // by the number that is its id
  std::map<WorkId, Listening> listening_;
  std::map<std::size_t, Batch> batches_;
  WorkId last_ = 0;
  std::size_t last_batch_ = 0;
};

}  // namespace wright::mcp
