#include "providers/paired_messages.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace wright::providers {
namespace {

template <class PartType>
std::vector<const PartType*> parts_in(const Message& message) {
  std::vector<const PartType*> found;
  for (const Part& part : message.parts) {
    if (const auto* one = std::get_if<PartType>(&part)) found.push_back(one);
  }
  return found;
}

bool holds_result(const Message& message) {
  return std::ranges::any_of(
      message.parts, [](const Part& part) { return std::holds_alternative<ToolResult>(part); });
}

// Takes the result of `call` from those that are left; null when there is none.
const ToolResult* take_result(std::vector<const ToolResult*>& left, const ToolCall& call) {
  const auto found = std::ranges::find(left, call.id, &ToolResult::call_id);
  if (found == left.end()) return nullptr;
  const ToolResult* result = *found;
  left.erase(found);
  return result;
}

// Whether the results come first, one for each call and no others.
bool answers_all(std::vector<const ToolCall*> calls, std::span<const Message> said) {
  bool are_results_over = calls.empty();
  for (const Message& message : said) {
    for (const Part& part : message.parts) {
      const auto* result = std::get_if<ToolResult>(&part);
      if (result == nullptr) {
        if (!calls.empty()) return false;
        are_results_over = true;
        continue;
      }
      const auto call = std::ranges::find(calls, result->call_id, &ToolCall::id);
      if (are_results_over || call == calls.end()) return false;
      calls.erase(call);
    }
  }
  return calls.empty();
}

// The same, where they come in the order of the calls, as a run keeps them.
bool answers_in_order(const Message* calls, std::span<const Message> said) {
  static const std::vector<Part> kNone;
  const std::vector<Part>& asked = calls != nullptr ? calls->parts : kNone;
  const auto next_call = [&](auto from) {
    return std::find_if(from, asked.end(),
                        [](const Part& part) { return std::holds_alternative<ToolCall>(part); });
  };
  auto call = next_call(asked.begin());
  for (const Message& message : said) {
    for (const Part& part : message.parts) {
      const auto* result = std::get_if<ToolResult>(&part);
      const bool is_expected = call != asked.end();
      if ((result != nullptr) != is_expected) return false;
      if (result == nullptr) continue;
      if (std::get<ToolCall>(*call).id != result->call_id) return false;
      call = next_call(std::next(call));
    }
  }
  return call == asked.end();
}

}  // namespace

PairedMessages::PairedMessages(std::span<const Message> messages) {
  paired_.reserve(messages.size());
  const Message* calls = nullptr;
  for (std::size_t at = 0; at < messages.size() || calls != nullptr;) {
    const auto rest = messages.subspan(at);
    const auto answer = std::ranges::find(rest, Role::assistant, &Message::role);
    const auto said = rest.first(static_cast<std::size_t>(answer - rest.begin()));
    add_after(std::exchange(calls, nullptr), said);
    at += said.size();
    if (at >= messages.size()) break;
    calls = &messages[at++];
    paired_.push_back(calls);
  }
}

// What the user's side says after `calls`, or at the beginning.
void PairedMessages::add_after(const Message* calls, std::span<const Message> said) {
  if (answers_in_order(calls, said)) {
    for (const Message& message : said) paired_.push_back(&message);
    return;
  }
  const auto asked = calls != nullptr ? parts_in<ToolCall>(*calls) : std::vector<const ToolCall*>();
  if (answers_all(asked, said)) {
    for (const Message& message : said) paired_.push_back(&message);
    return;
  }
  std::vector<const ToolResult*> left;
  for (const Message& message : said) {
    for (const ToolResult* result : parts_in<ToolResult>(message)) left.push_back(result);
  }
  for (const ToolCall* call : asked) {
    const ToolResult* result = take_result(left, *call);
    paired_.push_back(
        &keep(Message::tool(result != nullptr ? *result
                                              : ToolResult{.call_id = call->id,
                                                           .name = call->name,
                                                           .content = std::string(kNoResultIsKnown),
                                                           .is_error = true})));
  }
  for (const Message& message : said) {
    if (!holds_result(message)) {
      paired_.push_back(&message);
      continue;
    }
    Message others{Role::user, {}};
    for (const Part& part : message.parts) {
      const auto* result = std::get_if<ToolResult>(&part);
      if (result == nullptr) {
        others.parts.push_back(part);
      } else if (std::ranges::find(left, result) != left.end()) {
        others.parts.emplace_back(Text{display_text(Message{Role::tool, {*result}})});
      }
    }
    if (!others.parts.empty()) paired_.push_back(&keep(std::move(others)));
  }
}

}  // namespace wright::providers
