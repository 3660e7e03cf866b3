// One statement with its values, and what to do with its rows.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "postgres/row.h"
#include "postgres/text.h"
#include "wright/error.h"

namespace wright::postgres {

// The name is the text's fingerprint: behind a pooler that mixes up connections, a statement of
// that name is still the same statement.
struct Sql {
  Sql() = default;
  explicit Sql(std::string sql);

  std::string text;
  std::string name;
};

using Values = std::vector<std::optional<std::string>>;
using OnRow = std::function<Result<void>(const Row&)>;

inline std::optional<std::string> to_value(std::int64_t value) {
  return fmt::to_string(value);
}
inline std::optional<std::string> to_value(int value) {
  return fmt::to_string(value);
}
inline std::optional<std::string> to_value(double value) {
  return fmt::to_string(value);  // the shortest text that reads back the same
}
inline std::optional<std::string> to_value(std::string_view value) {
  return to_column(value);
}
template <class T>
std::optional<std::string> to_value(const std::optional<T>& value) {
  return value ? to_value(*value) : std::nullopt;
}

template <class... Given>
Values values_of(const Given&... given) {
  Values values;
  values.reserve(sizeof...(given));
  (values.push_back(to_value(given)), ...);
  return values;
}

struct Request {
  const Sql* sql = nullptr;  // outlives the exchange
  Values values = {};
  OnRow on_row = {};  // may be empty
};

}  // namespace wright::postgres
