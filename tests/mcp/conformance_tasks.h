// The tools that the suite calls as tasks (the extension of 2026-07-28), for conformance_server:
// each goes on in a thread of its own, and is asked after.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "mcp/server.h"
#include "mcp/task.h"

namespace wright::conformance {

class FixtureTasks {
 public:
  // As tools/list shows them.
  static JsonArray tools();
  // Nothing: it is none of these tools.
  std::optional<mcp::WorkOutcome> call(const mcp::Work& work);
  // tasks/get, tasks/update and tasks/cancel.
  mcp::WorkOutcome perform(const mcp::Work& work);

 private:
  // In the thread of a task: asks, and waits for all answers. Nothing: it was cancelled.
  using Answers = std::map<std::string, JsonObject, std::less<>>;
  using Ask =
      std::function<std::optional<Answers>(const std::vector<mcp::NeedsInput::Request>& requests)>;
  // What it comes to: a result or an error.
  using Job = std::function<mcp::WorkOutcome(const Ask& ask, const std::stop_token& stop)>;

  // What tools/call answers: the task where the client knows tasks, else what the job comes to.
  mcp::WorkOutcome begin(const mcp::Work& work, Job job);
  static Job asking(std::vector<mcp::NeedsInput::Request> requests);

  struct Going {
    mcp::Task task = {};
    std::vector<mcp::NeedsInput::Request> open = {};
    Answers answers = {};
    mcp::WorkOutcome outcome = {};
    std::jthread thread = {};
  };
  std::optional<Answers> ask(Going& going, const std::vector<mcp::NeedsInput::Request>& requests,
                             const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  int last_ = 0;
  std::map<std::string, std::unique_ptr<Going>, std::less<>> tasks_;  // ends before the others
};

}  // namespace wright::conformance
