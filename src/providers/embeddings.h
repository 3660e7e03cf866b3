// Requests for embeddings: POST …/embeddings for OpenAI and those who follow it, …/embed for
// Ollama. Pure, like this whole folder.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wright/model.h"
#include "wright/provider.h"

namespace wright::providers {

// Refused where the protocol has no embeddings, and when the texts are too many or too long.
Result<HttpRequest> encode_embeddings(const Endpoint& endpoint, std::span<const std::string> texts);

// Reads the body of a successful response: exactly `count` vectors of the same size, finite numbers
// only. Everything else is an error.
Result<std::vector<Embedding>> decode_embeddings(const Endpoint& endpoint, std::string_view body,
                                                 std::size_t count);

}  // namespace wright::providers
