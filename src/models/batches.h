// Batches over HTTP: submits them once, asks for their states, and fetches their results.
#pragma once

#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "models/provider_model.h"
#include "models/secret_filter.h"
#include "providers/batches.h"
#include "wright/models.h"

namespace wright::models {

// All of these block; not in the client's thread. `id` is the vendor's own.
class Batches {
 public:
  Batches(Candidate candidate, net::HttpClient& client, std::stop_token stop)
      : candidate_(std::move(candidate)), client_(client), stop_(std::move(stop)) {}

  Result<BatchState> submit(std::span<const BatchRequest> requests);
  Result<BatchState> state(std::string_view id);
  Result<BatchState> cancel(std::string_view id);
  Result<std::vector<BatchState>> list();
  // `endpoint_of` knows a model of the vendor by its name: its protocol and its price.
  using EndpointOf = std::function<Result<Endpoint>(const std::string& model)>;
  Result<std::vector<BatchResult>> results(std::string_view id, const EndpointOf& endpoint_of);

 private:
  Result<void> wait_for_file(const std::string& file);
  Result<std::string> answer_to(HttpRequest request, std::chrono::milliseconds most);
  // What hides the keys that were sent.
  SecretFilter filter() const;
  void clean(BatchResult& result) const;
  Result<BatchState> cleaned(Result<providers::DecodedBatch> decoded) const;

  Candidate candidate_;
  net::HttpClient& client_;
  std::stop_token stop_;
  std::vector<std::string> secrets_;  // of the credential that was sent last
};

}  // namespace wright::models
