// Embeddings from a vendor behind HTTP: paced, asked again where that may help, within a deadline
// that is shorter than that of an answer, because a search waits for them.
#pragma once

#include <memory>

#include "models/provider_model.h"
#include "wright/embeddings.h"

namespace wright::models {

EmbeddingModel embedding_model(Candidate candidate, const ProviderOptions& options,
                               std::shared_ptr<net::HttpClient> client);

}  // namespace wright::models
