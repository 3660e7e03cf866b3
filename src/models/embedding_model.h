// Embeddings from a vendor over HTTP: paced, retried where that may help, with a shorter deadline
// than a model's response, because a search waits for them.
#pragma once

#include <memory>

#include "models/provider_model.h"
#include "wright/model.h"

namespace wright::models {

EmbeddingModel embedding_model(Candidate candidate, const ProviderOptions& options,
                               std::shared_ptr<net::HttpClient> client);

}  // namespace wright::models
