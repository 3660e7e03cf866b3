// The model that follows a script; see wright/testing.h.
#include <fmt/format.h>

#include <algorithm>

#include "wright/testing.h"

#include "core/arguments.h"
#include "core/text_pieces.h"
#include "core/try.h"

namespace wright::testing {

Response says(std::string text) {
  Response response;
  response.content.emplace_back(Text{std::move(text)});
  return response;
}

Response calls(std::vector<ToolCall> calls, std::string text) {
  Response response;
  response.stop_reason = StopReason::tool_use;
  if (!text.empty()) response.content.emplace_back(Text{std::move(text)});
  for (ToolCall& call : calls) response.content.emplace_back(std::move(call));
  return response;
}

ToolCall call(std::string name, std::string arguments, std::string id) {
  return {std::move(id), std::move(name), std::move(arguments)};
}

Result<Json> answer_of(const Tool& tool, const Json& arguments, const Context& context) {
  TRY(check_arguments(tool, arguments, {}));
  auto reply = TRY(tool.function(arguments, context));
  auto* output = std::get_if<Output>(&reply);
  if (output == nullptr) return fail(ErrorCode::unavailable, "It waits for somebody");
  return std::move(output->value);
}

class ScriptedModel::Backend : public ModelBackend {
 public:
  explicit Backend(std::vector<Result<Response>> turns) : turns_(std::move(turns)) {}

  Result<Response> complete(const Request& request, const ModelCall& call) override {
    Result<Response> turn = take_turn(request);
    if (turn && call.on_text) tell_texts(turn->content, call.on_text);
    return turn;
  }

  std::vector<std::vector<Message>> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

  std::size_t turns_left() const {
    const std::lock_guard lock(mutex_);
    return turns_.size() - std::min(turns_.size(), requests_.size());
  }

 private:
  Result<Response> take_turn(const Request& request) {
    const std::lock_guard lock(mutex_);
    const std::size_t turn = requests_.size();
    requests_.emplace_back(request.messages.begin(), request.messages.end());
    if (turn < turns_.size()) return turns_[turn];
    return fail(ErrorCode::not_found, fmt::format("The script has {} turns; this is request {}",
                                                  turns_.size(), turn + 1));
  }

  mutable std::mutex mutex_;
  std::vector<Result<Response>> turns_;
  std::vector<std::vector<Message>> requests_;
};

ScriptedModel::ScriptedModel(std::vector<Result<Response>> turns)
    : backend_(std::make_shared<Backend>(std::move(turns))) {}

Model ScriptedModel::model() const {
  return {"scripted", "script", backend_};
}

std::vector<std::vector<Message>> ScriptedModel::requests() const {
  return backend_->requests();
}

std::size_t ScriptedModel::turns_left() const {
  return backend_->turns_left();
}

}  // namespace wright::testing
