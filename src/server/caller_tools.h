// Tools that whoever called an agent executes: a call of one waits for its result from outside, so
// that it is stored, survives a restart and is answered once.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "server/conversation.h"
#include "wright/agent.h"

namespace wright::server {

// Refuses a name that the agent's own tools have.
Result<Agent> with_caller_tools(Agent agent, const std::vector<CallerTool>& tools);

// The call that the caller is to execute, of a wait; nothing where somebody else is to answer: a
// person, or whoever a tool of the agent's own waits for.
struct WaitOfCall {
  SessionId session_id = 0;
  WaitId wait_id = 0;
  std::string_view kind = {};  // as to_string(WaitKind) names it
};
std::optional<HandedCall> handed_call(const WaitOfCall& wait, const Json& shown);

// As they are kept with a session, and back: none where the record has none.
Json caller_tools_json(const std::vector<CallerTool>& tools);
std::vector<CallerTool> caller_tools_of(const Json& config);
inline constexpr std::string_view kCallerToolsKey = "caller_tools";

// What the caller asks for beside the conversation, in the session's config: tools, and how the
// model is asked. `agent` is the agent as the caller wants it.
void keep_wishes(Json& config, const Conversation& conversation, const Agent& agent);
// The instructions of a session that goes on with others than it began with.
inline constexpr std::string_view kCallerInstructionsKey = "caller_instructions";

// Of a session whose caller said how long an answer may be: it ends at the first one that is cut.
inline constexpr std::string_view kEndsAtCutKey = "caller_ends_at_cut";

// The agent of a stored session with the tools, the instructions and the limit of its caller, if it
// has one. Whoever goes on with a session applies this: without its tools it would end wrongly.
Result<Agent> with_wishes_of_caller(Agent agent, const Json& config);
Result<AgentPointer> with_wishes_of_caller(AgentPointer agent, const Json& config);

}  // namespace wright::server
