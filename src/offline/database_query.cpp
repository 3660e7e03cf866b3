#include "offline/database_query.h"

#include <algorithm>
#include <array>

namespace wright::offline {

std::string_view database_reader(const Investigation& look) {
  constexpr auto kReaders = std::to_array<std::string_view>({"sqlite_reader", "sqlite3_reader"});
  const auto* found =
      std::ranges::find_if(kReaders, [&](std::string_view name) { return look.offers(name); });
  return found == kReaders.end() ? std::string_view() : *found;
}

Json query_database(Investigation& look, std::string_view sql, int limit) {
  return look.call(database_reader(look), {{"query", sql}, {"limit", limit}});
}

std::optional<std::int64_t> count_in(const Json& answer) {
  const Json* rows = answer.is_object() ? answer.get_object().if_contains("rows") : nullptr;
  if (rows == nullptr || !rows->is_array() || rows->get_array().size() != 1) return std::nullopt;
  const Json& row = rows->get_array()[0];
  if (!row.is_array() || row.get_array().size() != 1) return std::nullopt;
  const Json& value = row.get_array()[0];
  return value.is_int64() ? std::optional(value.get_int64()) : std::nullopt;
}

}  // namespace wright::offline
