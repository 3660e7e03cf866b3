// Recorded sessions: replaying them, and cassettes.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "wright/agent.h"
#include "wright/interceptors.h"
#include "wright/store.h"

namespace wright {

// Recorded sessions, run again offline: the model's answers come from the record, the results of
// tools from the record or from the tools themselves, and what differs is told.

struct RecordedWait {
  WaitKind kind = WaitKind::question;
  Json shown = {};
  std::vector<std::string> covers = {};  // see Waiting
  std::optional<Json> answer = {};
};

struct RecordedSession {
  // What came of one call.
  struct Call {
    std::string id = {};
    CallStatus status = CallStatus::completed;
    std::optional<ToolResult> result = {};  // absent where the record ends before it
    std::vector<RecordedWait> waits = {};
    std::vector<RecordedSession> specialist = {};  // one when a child session answered it
  };

  std::string agent = {};  // with whom the conversation began
  std::string provider = {};
  std::string model = {};
  std::string instructions = {};
  Json config = {};  // as RunOptions::config was
  SessionStatus status = SessionStatus::completed;
  std::string error = {};
  std::optional<Limit> limit = {};  // that stopped it
  std::vector<Message> messages = {};
  std::vector<Call> calls = {};  // one for each call in the messages, in their order
};
using RecordedCall = RecordedSession::Call;

// The session with the specialists below it. Refuses what no run can have said.
Result<RecordedSession> load_recording(Store& store, SessionId id);

// Refuses a record that cannot be replayed: no messages, calls without an id or with the id of
// another, results of no call.
Result<void> check(const RecordedSession& recorded);

// The agent as far as the record tells: its instructions, and a tool for every name that was
// called. For records of agents that are not at hand; its tools have no functions of their own.
Agent recorded_agent(const RecordedSession& recorded);

enum class ToolSource : std::uint8_t {
  record,  // nothing is executed
  live,    // calls that were executed are executed again, with the answers people gave
};
enum class AfterDifference : std::uint8_t {
  stop,
  proceed,  // the model still answers from the record
};

struct ReplayOptions {
  ToolSource tools = ToolSource::record;
  AfterDifference after_difference = AfterDifference::stop;
  Redactor redactor = {};  // of what comes now, where the record was redacted
  std::stop_token stop = {};
};

struct Difference {
  enum class Kind : std::uint8_t {
    instructions,  // of the agent
    message,       // what was said, or called
    result,        // of a call
    specialist,    // asked then and not now
    turns,         // fewer or more of them
    end,           // how the session ended
  };
  Kind kind = Kind::message;
  std::vector<std::string> specialists = {};  // the way down to the session; empty: the root
  std::optional<std::size_t> message = {};    // its number in that session, from 1
  std::string what = {};                      // "the result of grep"
  std::string recorded = {};                  // as text for people; JSON is indented
  std::string now = {};
};
std::string_view to_string(Difference::Kind kind);

struct ReplayReport {
  // In the order of the conversation. AfterDifference::stop: what differs before anything is said,
  // and the first that differs in what is said and done.
  std::vector<Difference> differences = {};
  int turns = 0;                        // of the model, those of specialists too
  int recorded_calls = 0;               // answered from the record
  int live_calls = 0;                   // executed
  std::vector<std::string> notes = {};  // what a person should know of the record
  // That answered then, and that the agent of now does not have. Its answers are lost.
  std::vector<std::string> missing_tools = {};
  bool is_complete = true;       // false: the record ends before the session did
  RecordedSession session = {};  // what came of it now
};

// Runs the session again on a store in memory. Limits of time, tokens and money do not hold:
// nothing is spent. Durations, `_execution_metadata` and the ids of calls are no differences.
// The error is about the replay itself: an agent or a record that cannot be used, or a stop.
Result<ReplayReport> replay(const Agent& agent, const RecordedSession& recorded,
                            const ReplayOptions& options = {});

// The record with what came instead: what is the same stays byte for byte. For a report that is
// complete, of a replay that went on after differences.
RecordedSession updated(const RecordedSession& recorded, const ReplayReport& report);

// A recorded session as a file: a test that anybody can run without a model, a key or a network.

inline constexpr int kCassetteVersion = 2;

// {"format": "wright-cassette", "version": 2, "session": {…}}, indented, with secrets hidden. See
// docs/replay.md.
std::string cassette_text(const RecordedSession& recorded, const Redactor& redactor);

// Refuses what is no cassette, a newer version, an unknown key and a record that cannot be
// replayed; the error names the place ("session.messages[3]").
Result<RecordedSession> cassette_from(std::string_view text);

}  // namespace wright
