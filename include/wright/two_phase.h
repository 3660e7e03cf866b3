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
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "wright/agent.h"

namespace wright {

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
  explicit TwoPhaseAgent(Agent agent);
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
