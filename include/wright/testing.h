// For tests of programs that use Wright: a model that follows a script.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "wright/model.h"
#include "wright/tool.h"

namespace wright::testing {

// One turn of a scripted model.
Response says(std::string text);
Response calls(std::vector<ToolCall> calls, std::string text = {});
ToolCall call(std::string name, std::string arguments = "{}", std::string id = {});

// Calls a tool by itself, with arguments that it accepts: what it answered, or why it failed. A
// tool that waits fails (ErrorCode::unavailable).
Result<Json> answer_of(const Tool& tool, const Json& arguments, const Context& context = {});

// Answers the n-th request with the n-th turn, and fails when the script is at its end. Keeps what
// it was asked, so that a test can look at it.
class ScriptedModel {
 public:
  explicit ScriptedModel(std::vector<Result<Response>> turns);

  Model model() const;

  // The messages of the requests so far, in order.
  std::vector<std::vector<Message>> requests() const;
  std::size_t turns_left() const;

 private:
  class Backend;
  std::shared_ptr<Backend> backend_;
};

}  // namespace wright::testing
