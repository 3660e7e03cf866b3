#include "store/labels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "core/label.h"
#include "wright/json.h"

namespace wright::store {

Result<std::optional<std::string>> labels_column(const std::vector<std::string>& labels) {
  if (labels.empty()) return std::nullopt;
  const auto wrong = std::ranges::find_if_not(labels, is_label);
  if (wrong != labels.end()) {
    return fail(ErrorCode::invalid_argument, no_label(*wrong));
  }
  return fmt::format("{}", fmt::join(labels, ","));
}

Result<void> check_tenant(const std::string& tenant) {
  if (tenant.empty() || is_label(tenant)) return {};
  return fail(ErrorCode::invalid_argument,
              fmt::format("'{}' is no name of a tenant: use up to 63 letters, digits and . _ - =",
                          to_valid_utf8(tenant)));
}

std::vector<std::string> labels_from(const std::optional<std::string>& column) {
  std::vector<std::string> labels;
  if (!column) return labels;
  std::string_view rest = *column;
  while (true) {
    const std::size_t comma = rest.find(',');
    labels.emplace_back(rest.substr(0, comma));
    if (comma == std::string_view::npos) return labels;
    rest.remove_prefix(comma + 1);
  }
}

bool has_labels(const std::vector<std::string>& there, const std::vector<std::string>& wanted) {
  return std::ranges::all_of(wanted, [&](const std::string& label) {
    return std::ranges::find(there, label) != there.end();
  });
}

}  // namespace wright::store
