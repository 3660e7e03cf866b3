// How the model of an agent should answer, as JSON: for records of sessions and for people. What
// is not there is the default. `max_tokens` is not part of it.
#pragma once

#include <vector>

#include "wright/json.h"
#include "wright/message.h"

namespace wright {

// Without the secrets of vendors' tools.
JsonObject sampling_json(const Sampling& sampling);

// What the record tells; anything odd in it is left out.
Sampling sampling_from(const Json& record);

// Vendors' tools of a record, with the secrets of those of the agent that are the same but for them.
std::vector<Json> with_own_secrets(std::vector<Json> recorded, const std::vector<Json>& own);

}  // namespace wright
