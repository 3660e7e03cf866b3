// What a model was sent over the wire, made anew from what is stored. Requests themselves are not
// kept: a conversation would be stored once for each of its turns. The fingerprint that the event
// `model_ended` has of the body tells whether what is made anew is what was sent.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/service.h"

namespace wright::server {

// `before`: what was said before the model's turn. `fingerprint`: as the event tells it; empty
// where nobody knows. Keys and what else is secret are never in it.
Json sent_json(const Result<AgentPointer>& agent, const Session& session,
               std::vector<Message> before, const std::optional<std::string>& fingerprint);

}  // namespace wright::server
