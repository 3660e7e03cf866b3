#include "providers/opaque_block.h"

#include <boost/json/object.hpp>

#include "providers/response_json.h"

namespace wright::providers {

std::string opaque_text(Protocol protocol, std::string_view model, const Json& block) {
  return to_text(JsonObject{{"protocol", to_string(protocol)}, {"model", model}, {"block", block}});
}

std::optional<Json> opaque_block(const Reasoning& reasoning, Protocol protocol,
                                 std::string_view model) {
  if (reasoning.opaque.empty()) return {};
  const auto tagged = parse_json(reasoning.opaque);
  if (!tagged || text_field(&*tagged, "protocol") != to_string(protocol) ||
      text_field(&*tagged, "model") != model) {
    return {};
  }
  const Json* block = field(&*tagged, "block");
  if (object_in(block) == nullptr) return {};
  return *block;
}

}  // namespace wright::providers
