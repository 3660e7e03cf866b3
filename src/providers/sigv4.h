// AWS Signature Version 4: signs a request for a service in a region.
#pragma once

#include <string>

#include "providers/credential.h"

namespace wright::providers {

struct AwsScope {
  std::string region = {};
  std::string service = {};
};

// Adds x-amz-date, x-amz-security-token where there is one, and authorization. Every header that
// the request has is signed, and the host of its URL; the path is signed as it stands in the URL,
// written with percent signs once more, as all services but S3 want it.
HttpRequest signed_for_aws(HttpRequest request, const AwsKeys& keys, const AwsScope& scope,
                           Moment now);

// What the signature is computed from, for tests and for people who compare it with AWS's errors.
std::string canonical_request(const HttpRequest& request);

}  // namespace wright::providers
