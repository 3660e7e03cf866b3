// A model over HTTP: encodes the request, sends it, decodes the response, and retries, or asks a
// fallback, where that may help.
#pragma once

#include <memory>
#include <vector>

#include "models/credentials.h"
#include "models/pacer.h"
#include "net/http_client.h"
#include "wright/models.h"

namespace wright::models {

// One of the models that may answer, in the order in which they are tried.
struct Candidate {
  Endpoint endpoint;
  std::shared_ptr<Pacer> pacer;
  std::shared_ptr<Credentials> credentials = {};  // null: the endpoint's key is all there is
  std::shared_ptr<PaceKeeper> keeper = {};        // in the pacer's place, but for its pauses

  std::string id() const { return endpoint.vendor.name + ":" + endpoint.model.name; }
};

struct ProviderOptions {
  RetryOptions retry;
  HttpTimeouts timeouts;
};

std::shared_ptr<ModelBackend> provider_model(std::vector<Candidate> candidates,
                                             ProviderOptions options,
                                             std::shared_ptr<net::HttpClient> client);

}  // namespace wright::models
