// Entities of a SQLite database: tables and views are the types, columns the fields, foreign keys
// the relationships.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/try.h"
#include "entities/entity_source.h"
#include "entities/identifier_words.h"
#include "entities/word_ranking.h"
#include "tools/sqlite/reader_rows.h"

namespace wright::entities {
namespace {

constexpr std::size_t kMostTypes = 500;
constexpr std::size_t kLongestText = 2'000;

bool contains_word(std::string_view text, std::string_view word) {
  std::string upper(text);
  std::ranges::transform(upper, upper.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return upper.contains(word);
}

// What a declared type promises. SQLite keeps anything in any column all the same.
FieldKind kind_of(std::string_view declared) {
  if (contains_word(declared, "DATE") || contains_word(declared, "TIME"))
    return FieldKind::datetime;
  if (contains_word(declared, "INT") || contains_word(declared, "REAL") ||
      contains_word(declared, "FLOA") || contains_word(declared, "DOUB") ||
      contains_word(declared, "NUM") || contains_word(declared, "DEC") ||
      contains_word(declared, "BOOL")) {
    return FieldKind::number;
  }
  if (contains_word(declared, "CHAR") || contains_word(declared, "TEXT") ||
      contains_word(declared, "CLOB")) {
    return FieldKind::text;
  }
  return FieldKind::any;
}

struct ForeignKey {
  std::string table;
  std::vector<std::string> columns;
  std::string other_table;
  std::vector<std::string> other_columns;  // as many; empty names mean the primary key

  std::string name() const { return fmt::format("{}.{}", table, fmt::join(columns, "+")); }
};

std::string text_of(const sqlite::Row& row, int column) {
  const Json value = tools::cell(row, column, kLongestText);
  return value.is_string() ? std::string(value.get_string()) : std::string();
}

class DatabaseSource : public EntitySource {
 public:
  explicit DatabaseSource(SqliteReaderOptions options) : options_(std::move(options)) {}

  Result<EntitySession> open(const std::stop_token& stop) override {
    if (options_.databases.empty()) {
      return fail(ErrorCode::not_found,
                  "No database was given to these tools; whoever starts them must name one");
    }
    const auto path = TRY(tools::resolve_database(options_.databases.front().path, options_.base));
    auto connection = TRY(EntitySession::connect(path, options_, stop));
    EntitySession session(std::move(connection), {});
    auto schema = TRY(read_schema(session));
    return EntitySession(std::move(session), std::move(schema));
  }

  Result<JsonObject> similar(EntitySession& session, const SimilarityQuery& question,
                             const std::stop_token&) override {
    const auto type = TRY(find_type(session.schema(), question.entity_type));
    WordRanking ranking(identifier_words(question.query));
    if (ranking.is_empty()) {
      return fail(ErrorCode::invalid_argument, "The query has no words to look for");
    }
    Sql sql{fmt::format("SELECT {} ", EntitySession::columns_of(*type))};
    auto done = session.query(
        sql.add(EntityFilter(*type).sql()), [&](const sqlite::Row& row) -> Result<void> {
          std::string text;
          for (int i = 0; i < row.columns(); ++i) {
            if (row.is_text(i)) text += text_of(row, i) + ' ';
          }
          return ranking.add(text, [&] { return session.entity(*type, row); });
        });
    TRY(done);
    JsonArray entities = std::move(ranking).best(question.top_k, question.min_score);
    const std::size_t count = entities.size();
    return JsonObject{{"entity_type", type->name},
                      {"query", question.query},
                      {"entities", std::move(entities)},
                      {"count", count},
                      {"ranking", "words of the text columns (bm25); the best has the score 1"}};
  }

  Result<JsonObject> related(EntitySession& session, const RelationQuery& question,
                             const std::stop_token&) override {
    TRY(check_relationship(session.schema(), question.relationship_type));
    auto keys = TRY(foreign_keys(session));
    const auto key = std::ranges::find_if(
        keys, [&](const ForeignKey& each) { return each.name() == question.relationship_type; });
    if (key == keys.end()) return fail(ErrorCode::not_found, "That foreign key is gone");
    return follow(session, *key, question);
  }

 private:
  static Result<EntitySchema> read_schema(EntitySession& session) {
    EntitySchema schema;
    auto done = session.query(
        {"SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'view') AND substr(name, 1, "
         "7) <> 'sqlite_' ORDER BY name"},
        [&](const sqlite::Row& row) -> Result<void> {
          const std::string name = text_of(row, 0);
          if (name.empty() || schema.types.size() == kMostTypes) return {};
          schema.types.push_back(
              {.name = name, .description = text_of(row, 1), .table = "main." + quoted_name(name)});
          return {};
        });
    TRY(done);
    for (EntityType& type : schema.types) {
      Sql columns{"SELECT name, type, pk FROM pragma_table_xinfo("};
      columns.value(type.name).add(") WHERE hidden <> 1 ORDER BY cid");
      std::string keys;
      // A view over a table that is gone has no columns that anybody could tell.
      (void)session.query(columns, [&](const sqlite::Row& row) -> Result<void> {
        const std::string name = text_of(row, 0);
        const std::string declared = text_of(row, 1);
        type.fields.push_back({.name = name,
                               .kind = kind_of(declared),
                               .description = declared,
                               .sql = quoted_name(name)});
        type.fields.back().is_key = row.integer(2) != 0;
        if (!type.fields.back().is_key) return {};
        keys += (keys.empty() ? "" : ", ") + quoted_name(name);
        return {};
      });
      type.tie_order = keys;
    }
    std::erase_if(schema.types, [](const EntityType& type) { return type.fields.empty(); });
    schema.incomplete = session.database().note_on_endless_views();
    auto keys = TRY(foreign_keys(session));
    for (const ForeignKey& key : keys) {
      schema.relationships.push_back(
          {key.name(), fmt::format("from {} to the {} that its {} names", key.table,
                                   key.other_table, fmt::join(key.columns, ", "))});
    }
    return schema;
  }

  static Result<std::vector<ForeignKey>> foreign_keys(EntitySession& session) {
    std::vector<ForeignKey> keys;
    std::int64_t last_id = -1;
    auto done = session.query(
        {"SELECT m.name, f.id, f.\"from\", f.\"table\", f.\"to\" FROM sqlite_schema m, "
         "pragma_foreign_key_list(m.name) f WHERE m.type = 'table' ORDER BY m.name, f.id, f.seq"},
        [&](const sqlite::Row& row) -> Result<void> {
          const std::string table = text_of(row, 0);
          const std::int64_t id = row.integer(1);
          if (keys.empty() || keys.back().table != table || id != last_id) {
            keys.push_back({.table = table,
                            .columns = {},
                            .other_table = text_of(row, 3),
                            .other_columns = {}});
          }
          last_id = id;
          keys.back().columns.push_back(text_of(row, 2));
          keys.back().other_columns.push_back(text_of(row, 4));
          return {};
        });
    TRY(done);
    return keys;
  }

  // "a.x = b.y AND …", of names that the schema has.
  static Result<std::string> join_of(const ForeignKey& key, const EntityType& from,
                                     const EntityType& to) {
    std::vector<std::string> primary;
    for (const EntityField& field : to.fields) {
      if (field.is_key) primary.push_back(field.name);
    }
    std::string text;
    for (std::size_t i = 0; i < key.columns.size(); ++i) {
      const std::string& other = key.other_columns[i];
      const std::string name = !other.empty() ? other : i < primary.size() ? primary[i] : "";
      const auto left = find_field(from, key.columns[i]);
      const auto right = find_field(to, name);
      if (!left || !right) return fail(ErrorCode::not_found, "That foreign key leads nowhere");
      text += fmt::format("{}one.{} = other.{}", text.empty() ? "" : " AND ", (*left)->sql,
                          (*right)->sql);
    }
    return text;
  }

  static Result<JsonObject> follow(EntitySession& session, const ForeignKey& key,
                                   const RelationQuery& question) {
    const auto from = TRY(find_type(session.schema(), key.table));
    const auto to = TRY(find_type(session.schema(), key.other_table));
    const auto start = TRY(find_type(session.schema(), question.start_entity_type));
    if (start != from && start != to) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("The relationship {} is between {} and {}, not of {}", key.name(),
                              key.table, key.other_table, question.start_entity_type));
    }
    const auto join = TRY(join_of(key, *from, *to));
    const bool goes_out = start == from && question.direction != RelationDirection::incoming;
    EntityFilter filter(*start);
    TRY(filter.add(question.start_conditions));
    // The start is filtered by itself, so that its fields need no other name.
    const auto all_of = [](std::string_view alias, const EntityType& type) {
      std::string text;
      for (const EntityField& field : type.fields) {
        text += fmt::format("{}{}.{}", text.empty() ? "" : ", ", alias, field.sql);
      }
      return text;
    };
    Sql starts{"(SELECT * "};
    starts.add(filter.sql()).add(")");
    Sql sql{fmt::format("SELECT {}, {} FROM ", all_of("one", *from), all_of("other", *to))};
    const Sql whole_from{from->table};
    const Sql whole_to{to->table};
    sql.add(goes_out ? starts : whole_from).add(" one JOIN ");
    sql.add(goes_out ? whole_to : starts).add(" other ON ").add(join).add(" LIMIT ");
    sql.value(static_cast<std::int64_t>(question.limit + 1));
    JsonArray relations;
    bool has_more = false;
    auto done = session.query(sql, [&](const sqlite::Row& row) -> Result<void> {
      if (relations.size() == question.limit) {
        has_more = true;
        return {};
      }
      const int first_of_other = static_cast<int>(from->fields.size());
      relations.push_back(JsonObject{{"from", session.entity(*from, row)},
                                     {"relationship", key.name()},
                                     {"to", session.entity(*to, row, first_of_other)}});
      return {};
    });
    TRY(done);
    const std::size_t count = relations.size();
    return JsonObject{{"relationship_type", key.name()},
                      {"direction", encode(question.direction)},
                      {"relations", std::move(relations)},
                      {"count", count},
                      {"truncated", has_more},
                      {"limit", question.limit}};
  }

  SqliteReaderOptions options_;
};

}  // namespace

std::unique_ptr<EntitySource> database_entity_source(SqliteReaderOptions options) {
  return std::make_unique<DatabaseSource>(std::move(options));
}

}  // namespace wright::entities
