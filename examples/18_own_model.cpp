// A model of your own and an interceptor of your own: both are functions.
#include <wright/wright.h>

#include <iostream>

// Calls `roll` once, and says what came of it.
wright::Result<wright::Response> think(const wright::Request& request, const wright::ModelCall&) {
  const wright::Message& last = request.messages.back();
  if (last.role == wright::Role::user) {
    return wright::Response{.content = {wright::ToolCall{"1", "roll", "{}"}},
                            .stop_reason = wright::StopReason::tool_use};
  }
  const auto& result = std::get<wright::ToolResult>(last.parts.front());
  return wright::Response{.content = {wright::Text{"You rolled " + result.content}}};
}

int main() {
  const wright::Interceptor watching =
      [](const wright::Invocation& invocation, const wright::Context& context,
         const wright::Next& next) -> wright::Result<wright::ToolReply> {
    std::cout << "before " << invocation.call.name << '\n';
    auto reply = next(invocation, context);
    std::cout << "after " << invocation.call.name << (reply ? "" : ", which failed") << '\n';
    return reply;
  };
  const wright::Agent dice{.model = wright::model_from("mine", "thinker", think),
                           .tools = {wright::tool("roll", "Rolls a die", [] { return 4; })},
                           .interceptors = {watching}};
  const auto answer = wright::run(dice, "Roll the die");
  std::cout << (answer ? answer->text : answer.error().message) << '\n';
  return answer ? 0 : 1;
}
