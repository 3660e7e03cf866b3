#include "session/lineage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace wright::session {

int Lineage::depth_left(const Limits& limits) const {
  return std::min(limits.max_depth, allowed_.value_or(limits.max_depth));
}

Lineage Lineage::for_child(const std::string& agent, const Limits& limits) const {
  Lineage lineage = *this;
  lineage.above_.push_back(agent);
  lineage.allowed_ = depth_left(limits) - 1;
  return lineage;
}

Result<void> Lineage::admit(const std::string& specialist, const std::string& agent,
                            const Limits& limits) const {
  if (specialist == agent || std::ranges::find(above_, specialist) != above_.end()) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} is at work on this already: {} > {}. Answer yourself", specialist,
                            fmt::join(above_, " > "), agent));
  }
  if (depth_left(limits) <= 0) {
    return std::unexpected(limit_error(
        Limit::depth,
        fmt::format("Specialists may call specialists {} deep. Answer yourself", above_.size())));
  }
  return {};
}

}  // namespace wright::session
