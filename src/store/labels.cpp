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
  std::string column = fmt::format("{}", fmt::join(labels, ","));
  // They are part of an index.
  constexpr std::size_t kMostBytes = 1'000;
  if (column.size() > kMostBytes) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("The labels of a session have {} bytes; {} may be", column.size(), kMostBytes));
  }
  return column;
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
