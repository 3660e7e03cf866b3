// Asks a vendor for its list of models.
#pragma once

#include <stop_token>
#include <vector>

#include "models/provider_model.h"

namespace wright::models {

// Page by page, at most a minute in all. Blocks; not in the client's thread.
Result<std::vector<ListedModel>> listed_models(const Candidate& candidate, net::HttpClient& client,
                                               const std::stop_token& stop);

}  // namespace wright::models
