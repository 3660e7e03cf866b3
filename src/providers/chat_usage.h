// The usage of OpenAI's protocols, under the names that different vendors use.
#pragma once

#include <optional>

#include "wright/json.h"
#include "wright/message.h"

namespace wright::providers {

// Nothing where `usage` is absent or counts nothing.
std::optional<Usage> read_openai_usage(const Json* usage);

}  // namespace wright::providers
