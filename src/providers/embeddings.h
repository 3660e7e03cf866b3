// Asking a vendor for embeddings: POST …/embeddings as OpenAI and all who follow it, …/embed as
// Ollama. Pure, like all of this folder.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wright/catalogue.h"
#include "wright/embeddings.h"
#include "wright/http.h"

namespace wright::providers {

// Refused where the protocol knows no embeddings, and for texts that are too many or too long.
Result<HttpRequest> encode_embeddings(const Endpoint& endpoint, std::span<const std::string> texts);

// What the body of a successful answer says: exactly `count` vectors of one size, finite numbers
// only. Everything else is an error.
Result<std::vector<Embedding>> decode_embeddings(const Endpoint& endpoint, std::string_view body,
                                                 std::size_t count);

}  // namespace wright::providers
