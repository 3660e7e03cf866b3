#include "providers/conversation.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "providers/paired_messages.h"

namespace wright::providers {
namespace {

bool is_only_blanks(const Part& part) {
  const std::string* words = words_in(part);
  return words != nullptr && is_blank(*words);
}

bool holds_calls(const Turn& turn) {
  return std::ranges::any_of(
      turn.parts, [](const Part* part) { return std::holds_alternative<ToolCall>(*part); });
}

std::string as_text(const ToolResult& result) {
  return display_text(Message{Role::tool, {result}});
}

void append_paragraph(std::string& text, std::string_view paragraph) {
  if (is_blank(paragraph)) return;
  if (!text.empty()) text += "\n\n";
  text += paragraph;
}

}  // namespace

Conversation::Conversation(const Request& request, std::span<const Message> messages) {
  append_paragraph(system_, request.system);
  for (const Message& message : messages) add(message);
  pair_calls_with_results();
  if (messages.size() < request.messages.size()) return;
  if (turns_.empty() || turns_.front().speaker != Turn::Speaker::user) {
    turns_.insert(turns_.begin(),
                  Turn{Turn::Speaker::user, {&keep(Text{"(The conversation goes on.)"})}});
  }
}

void Conversation::add(const Message& message) {
  if (message.role == Role::system) return append_paragraph(system_, message.text());
  const auto speaker = message.role == Role::assistant ? Turn::Speaker::model : Turn::Speaker::user;
  for (const Part& part : message.parts) {
    if (!is_only_blanks(part)) add_part(speaker, part);
  }
}

void Conversation::add_part(Turn::Speaker speaker, const Part& part) {
  if (turns_.empty() || turns_.back().speaker != speaker) turns_.push_back({speaker, {}});
  turns_.back().parts.push_back(&part);
}

void Conversation::pair_calls_with_results() {
  const Turn no_calls;
  std::vector<Turn> paired;
  for (Turn& turn : turns_) {
    const bool follows_calls = !paired.empty() && holds_calls(paired.back());
    if (turn.speaker == Turn::Speaker::user) {
      turn.parts = answered(follows_calls ? paired.back() : no_calls, std::move(turn.parts));
    }
    paired.push_back(std::move(turn));
  }
  if (!paired.empty() && holds_calls(paired.back())) {
    paired.push_back({Turn::Speaker::user, answered(paired.back(), {})});
  }
  turns_ = std::move(paired);
}

// What the user's side says after `calls`: first a result for each call, then the rest.
std::vector<const Part*> Conversation::answered(const Turn& calls, std::vector<const Part*> said) {
  std::vector<const Part*> parts;
  std::vector<const Part*> used;
  for (const Part* part : calls.parts) {
    const auto* call = std::get_if<ToolCall>(part);
    if (call == nullptr) continue;
    const auto result = std::ranges::find_if(said, [&](const Part* other) {
      const auto* candidate = std::get_if<ToolResult>(other);
      return candidate != nullptr && candidate->call_id == call->id &&
             std::ranges::find(used, other) == used.end();
    });
    if (result == said.end()) {
      parts.push_back(&keep(ToolResult{.call_id = call->id,
                                       .name = call->name,
                                       .content = std::string(kNoResultIsKnown),
                                       .is_error = true}));
      continue;
    }
    used.push_back(*result);
    parts.push_back(*result);
  }
  for (const Part* part : said) {
    if (std::ranges::find(used, part) != used.end()) continue;
    const auto* result = std::get_if<ToolResult>(part);
    parts.push_back(result == nullptr ? part : &keep(Text{as_text(*result)}));
  }
  return parts;
}

}  // namespace wright::providers
