// What the run machine shares with the loading of runs.
#pragma once

#include "wright/run.h"

namespace wright {

std::uint64_t hash_of(const std::string& call_id);
// Of a call and its result, without the remark that may have been added to it.
std::uint64_t hash_of(const ToolCall& call, const ToolResult& result);

// The phase that follows from the states of the open calls. When all are answered, the answers
// become messages and the model speaks next, unless a limit is reached.
void settle_calls(Run& run);
void go_on_with_model(Run& run);

// Counts again, from the messages, what the machine counts while it runs.
void recount(Run& run);

}  // namespace wright
