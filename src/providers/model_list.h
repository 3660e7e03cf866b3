// What a vendor itself says of its models: GET …/models, and how that differs from the catalogue's
// rows. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wright/provider.h"

namespace wright::providers {

// Page by page: `page` is empty for the first, and else what the page before named. Refused where
// the platform has no list that a key may read.
Result<HttpRequest> encode_model_list(const Endpoint& endpoint, std::string_view page);

struct ModelListPage {
  std::vector<ListedModel> models;
  std::string next = {};  // empty: this is the last
};

// Reads the body of a successful response. Entries without a name are skipped; what a vendor does
// not say of a model stays unknown.
Result<ModelListPage> decode_model_list(const Endpoint& endpoint, std::string_view body);

}  // namespace wright::providers
