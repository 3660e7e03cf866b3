#include "entities/vector_table.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include "core/try.h"
#include "entities/blob_hash.h"
#include "entities/identifier_words.h"
#include "entities/index_database.h"
#include "wright/json.h"

namespace wright::entities {
namespace {

using sqlite::Row;
using sqlite::Statement;

constexpr std::size_t kLongestVectorText = 2'000;
constexpr std::int64_t kLargestMatrix = std::int64_t{1} << 30;  // bytes

// What a model is to understand of an entity. Not where it stands, so that what moves keeps its
// vector.
std::string text_of(const Row& row) {
  std::string text = fmt::format("{} {}{}\n{}\n{}", row.text(1), row.text(3), row.text(4),
                                 searchable_text(row.text(2)), row.text(5));
  return std::string(utf8_prefix(text, kLongestVectorText));
}

// ?1: after which id, ?2: of which type, or NULL.
constexpr const char* kWithoutVector =
    "FROM entity e WHERE e.id > ?1 AND (?2 IS NULL OR e.type = ?2) AND NOT EXISTS (SELECT 1 FROM "
    "meaning m WHERE m.entity_id = e.id)";

}  // namespace

Result<VectorTable> VectorTable::open(const std::filesystem::path& file) {
  auto connection = TRY(IndexDatabase::connect(file));
  TRY(sqlite::execute(connection.get(), "PRAGMA synchronous = NORMAL"));
  return VectorTable(std::move(connection));
}

Result<std::int64_t> VectorTable::number(const char* sql) {
  auto statement = TRY(Statement::prepare(connection_.get(), sql));
  std::int64_t value = 0;
  TRY(statement.query([&](const Row& row) -> Result<void> {
    value = row.integer(0);
    return {};
  }));
  return value;
}

Result<std::int64_t> VectorTable::generation() {
  return number("SELECT value FROM fact WHERE name = 'generation'");
}

Result<std::optional<VectorTable::Origin>> VectorTable::origin() {
  auto statement = TRY(Statement::prepare(
      connection_.get(),
      "SELECT m.value, d.value FROM fact m JOIN fact d ON d.name = 'dimensions' WHERE m.name = "
      "'embeddings'"));
  std::optional<Origin> found;
  TRY(statement.query([&](const Row& row) -> Result<void> {
    found = Origin{row.text(0), static_cast<std::size_t>(row.integer(1))};
    return {};
  }));
  return found;
}

Result<void> VectorTable::restart(const Origin& origin) {
  return together([&]() -> Result<void> {
    TRY(sqlite::execute(connection_.get(),
                        "DELETE FROM meaning; DELETE FROM vector; UPDATE fact SET "
                        "value = value + 1 WHERE name = 'generation';"));
    auto put =
        TRY(Statement::prepare(connection_.get(),
                               "INSERT OR REPLACE INTO fact (name, value) VALUES ('embeddings', "
                               "?1), ('dimensions', ?2)"));
    return put.run(origin.model, std::to_string(origin.dimensions));
  });
}

Result<std::vector<VectorTable::Text>> VectorTable::without_vector(
    const std::optional<std::string>& type, std::int64_t after_id, std::size_t limit) {
  auto statement = TRY(Statement::prepare(
      connection_.get(),
      fmt::format("SELECT e.id, e.type, e.name, e.qualified_name, e.signature, e.documentation {} "
                  "ORDER BY e.id LIMIT ?3",
                  kWithoutVector)));
  std::vector<Text> texts;
  auto done = statement.query(
      [&](const Row& row) -> Result<void> {
        std::string text = text_of(row);
        std::string hash = blob_hash(text);
        texts.push_back({row.integer(0), std::move(text), std::move(hash)});
        return {};
      },
      after_id, type, static_cast<std::int64_t>(limit));
  TRY(done);
  return texts;
}

Result<std::int64_t> VectorTable::count_without_vector(const std::optional<std::string>& type) {
  auto statement =
      TRY(Statement::prepare(connection_.get(), fmt::format("SELECT count(*) {}", kWithoutVector)));
  std::int64_t value = 0;
  auto done = statement.query(
      [&](const Row& row) -> Result<void> {
        value = row.integer(0);
        return {};
      },
      std::int64_t{0}, type);
  TRY(done);
  return value;
}

Result<std::vector<VectorTable::Text>> VectorTable::assign(const std::vector<NewVector>& vectors,
                                                           std::vector<Text> texts) {
  std::vector<Text> left;
  auto put = TRY(Statement::prepare(
      connection_.get(), "INSERT OR IGNORE INTO vector (hash, direction) VALUES (?1, ?2)"));
  auto find = TRY(Statement::prepare(connection_.get(), "SELECT id FROM vector WHERE hash = ?1"));
  // An entity may have gone meanwhile.
  auto give =
      TRY(Statement::prepare(connection_.get(),
                             "INSERT OR REPLACE INTO meaning (entity_id, vector_id) SELECT id, "
                             "?2 FROM entity WHERE id = ?1"));
  auto done = together([&]() -> Result<void> {
    for (const NewVector& vector : vectors) {
      TRY(put.run(vector.hash, std::as_bytes(std::span(vector.direction))));
    }
    bool has_given = false;
    for (Text& text : texts) {
      std::optional<std::int64_t> vector_id;
      auto given = find.query(
          [&](const Row& row) -> Result<void> {
            vector_id = row.integer(0);
            return {};
          },
          text.hash);
      if (given && vector_id) given = give.run(text.entity_id, *vector_id);
      if (!given) return given;
      has_given = has_given || vector_id;
      if (!vector_id) left.push_back(std::move(text));
    }
    if (!has_given) return {};
    return sqlite::execute(connection_.get(),
                           "UPDATE fact SET value = value + 1 WHERE name = 'generation'");
  });
  TRY(done);
  return left;
}

Result<VectorMatrix> VectorTable::load() {
  const auto from = TRY(origin());
  const std::size_t dimensions = from ? from->dimensions : 0;
  const auto rows = TRY(number("SELECT count(*) FROM meaning"));
  if (dimensions > kMostDimensions ||
      rows * static_cast<std::int64_t>(dimensions) > kLargestMatrix) {
    return fail(ErrorCode::limit_reached,
                fmt::format("{} vectors of {} dimensions are more than fit into memory ({} MB)",
                            rows, dimensions, kLargestMatrix >> 20));
  }
  VectorMatrix matrix(dimensions);
  matrix.reserve(static_cast<std::size_t>(rows));
  auto statement = TRY(Statement::prepare(
      connection_.get(),
      "SELECT m.entity_id, e.type, v.direction FROM meaning m JOIN entity e ON e.id = m.entity_id "
      "JOIN vector v ON v.id = m.vector_id"));
  auto done = statement.query([&](const Row& row) -> Result<void> {
    const auto bytes = row.blob(2);
    if (bytes.size() != dimensions) return {};
    matrix.add(row.integer(0), row.text(1),
               {reinterpret_cast<const std::int8_t*>(bytes.data()), bytes.size()});
    return {};
  });
  TRY(done);
  return matrix;
}

Result<void> VectorTable::tidy() {
  const auto all = TRY(number("SELECT count(*) FROM vector"));
  const auto used = TRY(number("SELECT count(DISTINCT vector_id) FROM meaning"));
  if (all <= 2 * used) return {};
  return together([&] {
    return sqlite::execute(connection_.get(),
                           "DELETE FROM vector WHERE id NOT IN (SELECT vector_id FROM meaning)");
  });
}

}  // namespace wright::entities
