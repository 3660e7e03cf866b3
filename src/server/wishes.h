// How a vendor's program wants the model to answer. What can be kept becomes the agent's sampling;
// what cannot be kept is refused by name, so that nobody relies on what is not so. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "wright/agent.h"
#include "wright/json.h"
#include "wright/message.h"

namespace wright::server {

struct Wishes {
  std::optional<int> max_tokens = {};
  std::optional<double> temperature = {};
  std::optional<double> top_p = {};
  std::vector<std::string> stop_sequences = {};
  std::optional<ReasoningEffort> reasoning = {};
  ToolChoice tool_choice = {};  // of the caller's tools
  ResponseFormat format = {};
  // The member that wants at most one call at a time; empty: none does.
  std::string single_call = {};
};

// The wishes of a request in one of the three protocols. An absent member and null are the same.
Result<Wishes> wishes_from_chat(const JsonObject& body);
Result<Wishes> wishes_from_responses(const JsonObject& body);
Result<Wishes> wishes_from_messages(const JsonObject& body);

// Makes the agent answer as it is wished for. `caller_tools`: the names of those that the caller
// executes; `agent` has them already, beside `own_tools` of its own. Refuses a tool_choice that
// cannot be kept.
Result<void> grant(const Wishes& wishes, const std::vector<std::string>& caller_tools,
                   std::size_t own_tools, Agent& agent);

// An error about one member of a request; vendors' programs show its name apart.
std::unexpected<Error> refused_member(ErrorCode code, std::string_view member,
                                      std::string_view why);

}  // namespace wright::server
