#include "session/call_estimate.h"

#include <variant>

namespace wright::session {
namespace {

constexpr std::int64_t kBytesOfAToken = 3;  // cautiously

std::int64_t bytes_of(const Message& message) {
  std::size_t bytes = 0;
  for (const Part& part : message.parts) {
    if (const std::string* words = words_in(part)) bytes += words->size();
    if (const auto* thought = std::get_if<Reasoning>(&part)) bytes += thought->text.size();
    if (const auto* call = std::get_if<ToolCall>(&part)) bytes += call->arguments.size();
    if (const auto* result = std::get_if<ToolResult>(&part)) bytes += result->content.size();
  }
  return static_cast<std::int64_t>(bytes);
}

}  // namespace

void CallEstimate::answered(const Run& run, const Usage& usage) {
  counted_tokens_ = usage.input_tokens + usage.output_tokens;
  counted_messages_ = run.messages.size();
}

Spending CallEstimate::of_next(const Agent& agent, const Run& run) const {
  std::int64_t bytes = 0;
  for (std::size_t i = counted_messages_; i < run.messages.size(); ++i) {
    bytes += bytes_of(run.messages[i]);
  }
  if (counted_messages_ == 0) {
    bytes += static_cast<std::int64_t>(agent.instructions.size());
    for (const Tool& tool : agent.tools) {
      bytes += static_cast<std::int64_t>(tool.spec.description.size() +
                                         to_text(tool.spec.parameters).size());
    }
  }
  const std::int64_t input = counted_tokens_ + bytes / kBytesOfAToken;
  const std::int64_t output = agent.sampling.max_tokens;
  return {input + output, agent.model.cost_usd(input, output)};
}

}  // namespace wright::session
