#include "providers/wire_ids.h"

#include <fmt/format.h>

namespace wright::providers {

std::string WireIds::allowed_id(std::string_view id) const {
  constexpr std::size_t kRoomForNumber = 8;
  std::string allowed;
  for (const char c : id.substr(0, longest_ - kRoomForNumber)) {
    const bool is_allowed = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                            (c >= '0' && c <= '9') || c == '_' || c == '-';
    allowed += is_allowed ? c : '_';
  }
  return allowed.empty() ? "call" : allowed;
}

const std::string& WireIds::of_call(std::string_view id) {
  const std::string allowed = allowed_id(id);
  std::string wire = allowed;
  for (int number = 2; !used_.insert(wire).second; ++number) {
    wire = fmt::format("{}_{}", allowed, number);
  }
  return to_wire_.insert_or_assign(std::string(id), std::move(wire)).first->second;
}

std::string WireIds::of_result(std::string_view id) const {
  const auto found = to_wire_.find(id);
  return found == to_wire_.end() ? allowed_id(id) : found->second;
}

}  // namespace wright::providers
