// How the model of an agent should answer, as JSON: for records of sessions and for people. What
// is not there is the default. `max_tokens` is not part of it.
#pragma once

#include "wright/json.h"
#include "wright/message.h"

namespace wright {

JsonObject sampling_json(const Sampling& sampling);

// What the record tells; anything odd in it is left out.
Sampling sampling_from(const Json& record);

}  // namespace wright
