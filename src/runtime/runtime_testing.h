// What the tests of the runtime share: agents whose models do as they are told, and a runtime that
// ends soon.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "wright/runtime.h"
#include "wright/testing.h"

namespace wright::testing {

template <class T>
T value_of(Result<T> result) {
  EXPECT_TRUE(result) << (result ? "" : result.error().message);
  return result ? std::move(*result) : T{};
}

inline std::unique_ptr<Runtime> open_runtime(Store& store) {
  return value_of(Runtime::open({.store = &store, .grace = std::chrono::milliseconds(50)}));
}

// Answers the first message of a conversation with these calls, and the results with their texts.
inline Model calling(std::vector<ToolCall> wanted) {
  return model_from("test", "calling",
                    [wanted](const Request& request, const ModelCall&) -> Result<Response> {
                      if (request.messages.back().role == Role::user) return calls(wanted);
                      std::string text;
                      for (const Message& message : request.messages) {
                        for (const Part& part : message.parts) {
                          if (const auto* result = std::get_if<ToolResult>(&part))
                            text += result->content + ";";
                        }
                      }
                      return says(text);
                    });
}

inline AgentPointer agent_with(std::string name, Model model, std::vector<Tool> tools) {
  return std::make_shared<const Agent>(
      Agent{.name = std::move(name), .model = std::move(model), .tools = std::move(tools)});
}

inline Tool asking(std::string name = "ask") {
  return tool(std::move(name), "Asks", [](const Context& context) -> ToolReply {
    if (context.answers.answer) return Output{.value = *context.answers.answer};
    return Waiting{.kind = WaitKind::result, .shown = {{"question", "Well?"}}};
  });
}

// Ends when it is told to.
inline Tool lasting(std::function<void()> begun = [] {}) {
  return tool("forever", "", [begun](const Context& context) {
    begun();
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    stopped.wait(lock, context.stop, [] { return false; });
  });
}

}  // namespace wright::testing
