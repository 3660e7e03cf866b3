// The schemas of schemas, for schemas that refer to them.
#pragma once

#include <optional>
#include <string_view>

#include "wright/json.h"

namespace wright::json_schema {

inline constexpr std::string_view kDraft7Uri = "http://json-schema.org/draft-07/schema";
inline constexpr std::string_view kDraft2020Uri = "https://json-schema.org/draft/2020-12/schema";

// The metaschema, or one vocabulary's part of it, with this URI.
std::optional<Json> metaschema_at(std::string_view uri);

}  // namespace wright::json_schema
