#include "entities/entity_totals.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <boost/json/array.hpp>

#include <algorithm>
#include <optional>

#include "core/text.h"
#include "core/try.h"
#include "entities/entity_types.h"
#include "entities/index_schema.h"
#include "wright/json.h"

namespace wright::entities {
namespace {

}  // namespace

Result<EntityTotals> EntityTotals::prepare(sqlite3* connection) {
  using sqlite::Lifetime;
  using sqlite::Statement;
  auto change =
      TRY(Statement::prepare(connection,
                             "UPDATE tally SET entities = entities + ?4 WHERE type = ?1 AND "
                             "language IS ?2 AND visibility IS ?3",
                             Lifetime::kept));
  auto insert = TRY(Statement::prepare(
      connection,
      "INSERT INTO tally (type, language, visibility, entities) VALUES (?1, ?2, ?3, ?4)",
      Lifetime::kept));
  auto count_methods = TRY(Statement::prepare(
      connection,
      fmt::format("{} AND qualified_name IN (SELECT value FROM json_each(?1))", kCountMethods),
      Lifetime::kept));
  return EntityTotals(connection, std::move(change), std::move(insert), std::move(count_methods));
}

EntityTotals::EntityTotals(sqlite3* connection, sqlite::Statement change, sqlite::Statement insert,
                           sqlite::Statement count_methods)
    : connection_(connection),
      change_(std::move(change)),
      insert_(std::move(insert)),
      count_methods_(std::move(count_methods)) {}

void EntityTotals::note(const Counted& entity, std::int64_t number) {
  changes_[{entity.type, entity.language, entity.visibility}] += number;
  const bool is_method = entity.type == "method" || entity.type == "prototype";
  if (is_method && !entity.parent.empty()) scopes_.insert(entity.parent);
  if (may_have_methods(entity.type)) scopes_.insert(entity.qualified_name);
}

Result<void> EntityTotals::write_tally() {
  for (const auto& [kind, number] : changes_) {
    if (number == 0) continue;
    const auto language = unless_empty(kind.language);
    const auto visibility = unless_empty(kind.visibility);
    auto done = change_.run(kind.type, language, visibility, number);
    if (done && sqlite3_changes(connection_) == 0) {
      done = insert_.run(kind.type, language, visibility, number);
    }
    if (!done) return done;
  }
  return sqlite::execute(connection_, "DELETE FROM tally WHERE entities = 0");
}

Result<void> EntityTotals::write(Methods methods) {
  if (!has_changes()) return {};
  auto done = write_tally();
  if (done && methods == Methods::where_changed) {
    JsonArray scopes;
    for (const std::string& scope : scopes_) scopes.emplace_back(to_valid_utf8(scope));
    done = count_methods_.run(to_text(scopes));
  }
  if (done) forget();
  return done;
}

void EntityTotals::forget() {
  changes_.clear();
  scopes_.clear();
}

Result<void> EntityTotals::count_all_methods(sqlite3* connection) {
  return sqlite::execute(connection, kCountMethods);
}

}  // namespace wright::entities
