// The blocking driver: runs an agent to its end; the calls of a turn run side by side.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "wright/event.h"
#include "wright/feedback.h"
#include "wright/run.h"

namespace wright {

class Store;

// Whether somebody may answer what a tool or a rule asks.
enum class People : std::uint8_t {
  may_answer_later,  // the run parks until somebody has
  nobody,            // the call fails at once and says so
};

struct RunOptions {
  Store* store = nullptr;  // not owned; without one nothing is persisted
  Observer observer = {};  // may be empty; one event at a time, any thread
  // What the model says, as it comes, for those who want nothing else; may be empty. Where an
  // attempt failed half-way, the next one says it again: the observer is told so (ModelRetried).
  std::function<void(std::string_view text)> on_text = {};
  std::stop_token stop = {};  // ends the run as cancelled
  // Whether an observer gets the text as it comes, or whole answers only.
  Delivery delivery = Delivery::streamed;
  Json config = {};  // kept with the session, for those who read it later
  People people = People::may_answer_later;
  // For this run instead of the agent's own.
  std::optional<std::vector<Interceptor>> interceptors = {};
  std::optional<bool> debug = {};  // for this run, whatever the agent says
};

struct RunResult {
  enum class Status : std::uint8_t { completed, waiting };
  Status status = Status::completed;
  std::string text = {};
  std::vector<PersonWait> waits = {};  // Status::waiting
  std::int64_t session_id = 0;         // 0 when nothing was stored
  int iterations = 0;
  Usage usage = {};
  std::optional<FeedbackReport> feedback = {};  // in debug mode
};

// Runs `agent` on `prompt` until it has answered, has failed, or needs a person. Every way out
// leaves the stored session completed, failed, cancelled or waiting.
Result<RunResult> run(const Agent& agent, std::string_view prompt, const RunOptions& options = {});

// Drives a run that already exists, for example one that was loaded from JSON; nothing is stored.
Result<RunResult> drive(const Agent& agent, Run& run, const RunOptions& options = {});

}  // namespace wright
