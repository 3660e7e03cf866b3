// The concurrent driver, and two-phase execution.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "wright/agent.h"
#include "wright/driver.h"

namespace wright {

class PaceKeeper;

// The concurrent driver: any number of sessions at once in one process.
//
// A session that waits for a model, a person, a specialist or a timer holds no thread. Every step
// is stored before anything is done about it. All functions may be called from any thread, also by
// listeners, observers and tools; but an observer cannot wait(), and drain() is for those outside.

using AgentPointer = std::shared_ptr<const Agent>;

// What belongs to the process. What belongs to one session is in RunOptions.
struct RuntimeOptions {
  // Not owned. Without one, nothing is stored: nobody can be waited for, and nothing resumed.
  // open_memory_store() keeps sessions as long as the process lives.
  Store* store = nullptr;
  std::optional<int> workers = {};       // threads that advance sessions; absent: one a processor
  std::optional<int> tool_threads = {};  // for tools and models that block; absent: a good number
  int parallel_calls = 8;                // of one turn of one session
  // Of a session that is driven, for those who subscribe late.
  std::size_t kept_events = 1000;
  std::size_t kept_event_bytes = 1024 * 1024;
  std::chrono::milliseconds lease_time{30'000};  // after which a silent process is taken for dead
  std::chrono::milliseconds grace{5'000};        // for tools of a cancelled session to end
  // Finds the agent of a session that this process has not started, when an answer to it comes.
  std::function<Result<AgentPointer>(const Session&)> agents = {};
  // What this process has that sessions may ask for: see NewSession::labels. A session that asks
  // for something else is not driven here, whoever wants it.
  std::vector<std::string> labels = {};
  // Sessions that are driven at a time; absent: as many as come. More are refused
  // (ErrorCode::rate_limited). Those that were answered meanwhile wait for resume_abandoned().
  std::optional<std::size_t> most_running = {};
  // Models that may not be asked at this moment, "vendor" or "vendor:model": claim() leaves
  // sessions of theirs in the queue. May be empty.
  std::function<std::vector<std::string>()> busy_models = {};
  // Looks on at all sessions of this runtime, those below too. It is called where things happen, so
  // it must be quick. May be empty.
  Observer observer = {};
  FindTrace find_trace = {};  // may be empty
};

// One event of a session or of one of those below it.
struct SessionEvent {
  SessionId session_id = 0;
  std::optional<SessionId> parent_session_id = {};  // absent: nobody is above
  int depth = 0;                                    // how many sessions are above
  std::uint64_t sequence = 0;  // rises within a subscription, also over restarts
  std::string agent = {};
  std::int64_t time_ms = 0;  // since 1970
  std::string type = {};     // "text_delta", "tool_started", …: see docs/runtime.md
  Json data = {};
};
using Listener = std::function<void(const SessionEvent&)>;

// Ends when it is destroyed; from then on the listener is not called any more.
class Subscription {
 public:
  Subscription() = default;
  explicit Subscription(std::shared_ptr<void> held) : held_(std::move(held)) {}

 private:
  std::shared_ptr<void> held_;
};

class Runtime {
 public:
  static Result<std::unique_ptr<Runtime>> open(RuntimeOptions options = {});
  // Suspends what still runs: another process, or the next start, can resume it.
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  Store* store();  // null when nothing is stored

  // As run(), send() and resume() of driver.h, but these return when the session is stored; what
  // follows happens by itself. The options are kept as long as the session is known here: it goes
  // on with them when somebody has answered.
  Result<SessionId> start(AgentPointer agent, std::string_view prompt, RunOptions options = {});
  Result<SessionId> start(AgentPointer agent, Message prompt, RunOptions options = {});
  Result<void> send(AgentPointer agent, SessionId id, std::string_view message,
                    RunOptions options = {});
  Result<void> send(AgentPointer agent, SessionId id, Message message, RunOptions options = {});
  // A message to a session that runs or waits, here or in another process: it is stored, and the
  // model reads it before its next turn, when the calls that are under way have ended. One that has
  // ended meanwhile goes on with it. Of the options, those that it runs with stay.
  Result<void> steer(AgentPointer agent, SessionId id, Message message, RunOptions options = {});
  Result<void> resume(AgentPointer agent, SessionId id, RunOptions options = {});
  // Every session that needs a driver and has none (SessionFilter::needs_driver): its process ended
  // while it ran, or it was answered, cancelled or is overdue and nobody has gone on with it.
  // At most so many, from the oldest on. Agents come from RuntimeOptions::agents; a session whose
  // agent is not known here, or that asks for labels that are not there, is left alone.
  Result<std::vector<SessionId>> resume_abandoned(std::size_t most = kNoLimit);
  // Takes up to `most` sessions from the queue of the store and drives them, with agents from
  // RuntimeOptions::agents. Only sessions of the agents that are named; of all where none is. One
  // that cannot be driven here goes back into the queue, and is left to others for some minutes.
  Result<std::vector<SessionId>> claim(std::size_t most,
                                       const std::vector<std::string>& agent_names = {});

  // Also the specialists below it, and the processes of its tools. Whatever it does: one that runs
  // here stops, one that waits or is queued ends, and one that another process drives is stopped
  // there in a moment. Refused when it has ended.
  Result<void> cancel(SessionId id, std::string reason = "The run was cancelled");

  // Answers a wait of any session at any depth, and goes on with what waited. See answer_wait().
  Result<StoredWait> answer(WaitId id, const Json& answer, std::string answered_by);
  template <PersonAnswer T>
  Result<StoredWait> answer(WaitId id, const T& given, std::string answered_by) {
    return answer(id, to_json(given), std::move(answered_by));
  }

  // Blocks until the session has ended or needs a person.
  Result<RunResult> wait(SessionId id);
  // So long at most (ErrorCode::timeout).
  Result<RunResult> wait(SessionId id, std::chrono::milliseconds most);

  // Events of the session and of those below it, from the one after `after` on; 0: all that are
  // there. Where the first ones are gone, messages come in their place. The listener is called in
  // any thread, one event at a time; one that stays far behind loses the oldest (`events_lost`).
  Result<Subscription> subscribe(SessionId id, std::uint64_t after, Listener listener);

  std::size_t running() const;  // sessions that are driven now, specialists not counted
  // Whether it has what the session asks for, and ever drives any.
  bool may_drive(const Session& session) const;

  // Takes no new sessions, gives those that run this long to end, and suspends the others: in the
  // last quarter of the time, and at most RuntimeOptions::grace before its end, their tools are
  // asked to stop, for which they have 3 s at least. Without any time, tools have that grace to
  // end, and as long again to stop.
  void drain(std::chrono::milliseconds time);

 private:
  class Implementation;
  explicit Runtime(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

// The paces of vendors and models (VendorInfo::pace, ModelInfo::pace), kept by all processes that
// share the store: for ModelsOptions::pace of models.h. A request that must wait holds no thread.
// While the store does not answer, requests with a pace wait. The store is not owned.
Result<std::shared_ptr<PaceKeeper>> make_shared_pace(Store& store);

// Two-phase execution: the agent detects tool calls, and somebody else (an orchestrator) executes
// them. It is the run machine with a friendly face; nothing is stored, nothing is executed here.
//
//   TwoPhaseAgent agent(helper);
//   auto response = agent.process("Weather in Oslo?").get();
//   while (auto* needs = needs_tools(response)) {
//     auto messages = needs->messages;
//     for (const ToolCall& call : needs->tool_calls) messages.push_back(Message::tool(run(call)));
//     response = agent.process_with_results(std::move(messages)).get();
//   }
//   std::cout << text_of(response)->all().value();

// The agent cannot go on before these calls have results. `messages` is the conversation so far;
// add one Message::tool() for each call, in any order, and hand it to process_with_results().
struct NeedsToolExecution {
  std::vector<ToolCall> tool_calls;
  std::vector<Message> messages;
};

// Text as the model speaks it. A handle: copies read the same stream. May be read from any thread.
class TextStream {
 public:
  class State;
  explicit TextStream(std::shared_ptr<State> state) : state_(std::move(state)) {}

  // The next piece; waits for it. Absent when the model has said everything, or has failed.
  std::optional<std::string> next();

  // Waits for the end: all of the text, from its beginning, or what went wrong.
  Result<std::string> all() const;

  // Waits for the end. A model may speak first and call tools then.
  std::optional<NeedsToolExecution> needs_tools() const;

 private:
  std::shared_ptr<State> state_;
};

using AgentResponse = std::variant<TextStream, NeedsToolExecution>;

class TwoPhaseAgent {
 public:
  // Of the options count those of the model: observer, on_text, stop and delivery.
  explicit TwoPhaseAgent(Agent agent, RunOptions options = {});
  ~TwoPhaseAgent();  // cancels what is under way
  TwoPhaseAgent(const TwoPhaseAgent&) = delete;
  TwoPhaseAgent& operator=(const TwoPhaseAgent&) = delete;

  const Agent& agent() const;

  using Respond = std::function<void(Result<AgentResponse>)>;

  // All of these return at once and may be called from any thread, any number of them at a time.
  // The response is there when the model has begun to speak, or has called tools without a word.
  // `history` is the conversation before the message.
  std::future<Result<AgentResponse>> process(std::string message,
                                             std::vector<Message> history = {});
  std::future<Result<AgentResponse>> process_with_results(std::vector<Message> messages);

  // The same with a callback, which is called in any thread and must not block.
  void process(std::string message, std::vector<Message> history, Respond respond);
  void process_with_results(std::vector<Message> messages, Respond respond);

 private:
  class Implementation;
  std::shared_ptr<Implementation> implementation_;
};

// What a response is, for ifs and loops. A stream is waited for to its end by needs_tools().
std::optional<NeedsToolExecution> needs_tools(const Result<AgentResponse>& response);
TextStream* text_of(Result<AgentResponse>& response);

}  // namespace wright
