// What a vendor wants back unchanged, inside Reasoning::opaque: the vendor's own JSON, tagged with
// the protocol and the model that it came from, so that it is sent to no one else.
#pragma once

#include <optional>
#include <string>

#include "wright/json.h"
#include "wright/message.h"
#include "wright/provider.h"

namespace wright::providers {

std::string opaque_text(Protocol protocol, std::string_view model, const Json& block);

// The block, if it came from this protocol and this model.
std::optional<Json> opaque_block(const Reasoning& reasoning, Protocol protocol,
                                 std::string_view model);

}  // namespace wright::providers
