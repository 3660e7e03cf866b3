// The labels that sessions ask for, as a column: joined by commas, which no label has.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "wright/error.h"

namespace wright::store {

// Absent where there are none. A label that is none is refused (ErrorCode::invalid_argument).
Result<std::optional<std::string>> labels_column(const std::vector<std::string>& labels);
std::vector<std::string> labels_from(const std::optional<std::string>& column);

// A name like a label, or none.
Result<void> check_tenant(const std::string& tenant);

// Whether whoever has the labels `there` has all that are `wanted`.
bool has_labels(const std::vector<std::string>& there, const std::vector<std::string>& wanted);

}  // namespace wright::store
