// One agent at work for a command: shows its progress, asks the person at the terminal what it
// waits for, and prints what came of it. Shared by the commands that begin and that resume
// sessions.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/commands/commands.h"
#include "app/commands/run_display.h"
#include "app/terminal/interruption.h"
#include "app/wiring/ready_agent.h"
#include "wright/driver.h"

namespace wright::app {

class RemoteApi;

struct AgentRunOptions {
  OutputFormat output = OutputFormat::text;
  Verbosity verbosity = Verbosity::normal;
  Streaming streaming = Streaming::automatic;
  Input input = Input::terminal;
  std::optional<bool> debug = {};  // absent: as the settings say
  std::string tenant = {};         // of a session that begins
  // Resumes what a crash has interrupted and nothing else: what has failed or was cancelled stays
  // so, and what somebody else has taken first is no failure.
  bool only_interrupted = false;
};

class AgentRun {
 public:
  AgentRun(AgentRunOptions options, const Settings& settings, CommandContext context);

  ExitCode begin(ReadyAgent agent, const Message& prompt);
  ExitCode resume(ReadyAgent agent, const Session& session, const Settlements& settlements);

  // The same for a session that a server drives, and the next message to one.
  struct AtServer {
    std::optional<Json> schema = {};       // that answers fit
    std::optional<JsonObject> queue = {};  // it is only queued, and its number printed
  };
  ExitCode begin_at(RemoteApi& api, const std::string& agent, const Message& prompt,
                    AtServer wanted);
  ExitCode say_at(RemoteApi& api, SessionId id, const Message& message);
  ExitCode resume_at(RemoteApi& api, SessionId id, const Settlements& settlements);

  // What is there while a server drives the session, and gone while a person is asked something.
  using WhileItWorks = std::function<std::shared_ptr<void>(SessionId id)>;
  void while_it_works(WhileItWorks hold) { while_it_works_ = std::move(hold); }

  bool was_stopped() const { return interruption_.has_happened(); }  // by a signal
  // By the store, or by something else that is not there for now: trying more would fail as well.
  bool was_broken_off() const { return was_broken_off_; }
  SessionId session_id() const { return display_.record().session_id(); }
  RunDisplay& display() { return display_; }

 private:
  using First = std::function<Result<RunResult>(Store&, const Agent&, const RunOptions&)>;

  // `stored`: the config of the session that it goes on with; null for a new one.
  ExitCode run(ReadyAgent ready, const Json& stored, const First& first);
  RunOptions run_options(Json config, const Json& stored);
  void print_event(const Event& event, const EventOrigin& origin);
  void print_event(const StoredEvent& event);
  void print_result(Json json);
  bool has_person() const;
  ExitCode answered(const RunResult& answer);
  ExitCode waiting(const RunResult& answer);
  ExitCode broken_off(Error error, Store& store);
  ExitCode failed(const Error& error);
  ExitCode follow(RemoteApi& api, SessionId id, EventSequence after);
  static Error not_told(const Error& error, SessionId id);
  ExitCode concluded(const Session& session);

  const AgentRunOptions options_;
  const Settings& settings_;
  CommandContext context_;
  RunDisplay display_;
  std::shared_ptr<const FoundHooks> hooks_;
  WhileItWorks while_it_works_;
  SessionId goes_on_ = 0;   // the session, where none begins
  bool was_taken_ = false;  // by somebody else, before it could begin
  bool was_broken_off_ = false;
  std::optional<Json> answer_schema_;  // answers are JSON that fits it
  Interruption interruption_;          // last: its thread uses the display
};

// The model and the folder an agent works with, for a person.
std::string place_of(const Agent& agent, const Settings& settings, const Environment& environment);

}  // namespace wright::app
