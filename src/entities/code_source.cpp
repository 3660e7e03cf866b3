// Entities of a code base: the index is brought up to date, then opened for reading.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "entities/code_index.h"
#include "entities/code_relations.h"
#include "entities/code_schema.h"
#include "entities/entity_source.h"
#include "entities/identifier_words.h"

namespace wright::entities {
namespace {

// A query for the index of words: any of the words, each as it is. It is a value like any other.
std::string words_query(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += " OR ";
    text += '"' + word + '"';
  }
  return text;
}

class CodeSource : public EntitySource {
 public:
  explicit CodeSource(std::shared_ptr<CodeIndex> index) : index_(std::move(index)) {}

  Result<EntitySession> open(const std::stop_token& stop) override {
    const auto updated = index_->refresh(stop);
    if (!updated) return std::unexpected(updated.error());
    const auto path = tools::resolve_database(index_->file(), {});
    if (!path) return std::unexpected(path.error());
    auto connection = EntitySession::connect(*path, SqliteReaderOptions{}, stop);
    if (!connection) return std::unexpected(std::move(connection).error());
    auto schema = code_schema(*connection, updated->has_history);
    if (!schema) return std::unexpected(std::move(schema).error());
    return EntitySession(std::move(*connection), std::move(*schema));
  }

  Result<JsonObject> similar(EntitySession& session, const SimilarityQuestion& question) override {
    const auto type = find_type(session.schema(), question.entity_type);
    if (!type) return std::unexpected(type.error());
    const std::vector<std::string> words = identifier_words(question.query);
    if (words.empty()) {
      return fail(ErrorCode::invalid_argument, "The query has no words to look for");
    }
    // What is in a name counts more than what is in a comment, and that more than the path.
    Sql sql{
        fmt::format("SELECT -found.score, {} FROM (SELECT rowid AS id, bm25(words, 10.0, 3.0, "
                    "4.0, 2.0) AS score FROM words WHERE words MATCH ",
                    EntitySession::columns_of(**type))};
    sql.value(words_query(words)).add(") found JOIN entity ON entity.id = found.id");
    if ((*type)->is) sql.add(" WHERE type = ").value(*(*type)->is);
    sql.add(" ORDER BY found.score, ").add((*type)->tie_order).add(" LIMIT ");
    sql.value(static_cast<std::int64_t>(question.top_k));
    JsonArray entities;
    double best = 0;
    auto done = session.query(sql, [&](sqlite3_stmt* row) -> Result<void> {
      const double score = sqlite3_column_double(row, 0);
      best = std::max(best, score);
      const double relative = best > 0 ? score / best : 1;
      if (relative < question.min_score) return {};
      JsonObject made{{"score", std::round(relative * 1000) / 1000}};
      for (auto& [key, value] : session.entity(**type, row, 1)) made[key] = std::move(value);
      entities.push_back(std::move(made));
      return {};
    });
    if (!done) return std::unexpected(std::move(done).error());
    const std::size_t count = entities.size();
    return JsonObject{{"entity_type", (*type)->name},
                      {"query", question.query},
                      {"entities", std::move(entities)},
                      {"count", count},
                      {"ranking",
                       "words of names, signatures, comments and paths (bm25); the best "
                       "has the score 1"}};
  }

  Result<JsonObject> related(EntitySession& session, const RelationQuestion& question,
                             const std::stop_token& stop) override {
    return code_relations(session, index_->workspace(), question, stop);
  }

 private:
  std::shared_ptr<CodeIndex> index_;
};

}  // namespace

std::unique_ptr<EntitySource> code_entity_source(std::shared_ptr<CodeIndex> index) {
  return std::make_unique<CodeSource>(std::move(index));
}

Result<void> check_relationship(const EntitySchema& schema, std::string_view name) {
  std::vector<std::string_view> names;
  for (const Relationship& relationship : schema.relationships) {
    if (relationship.name == name) return {};
    names.push_back(relationship.name);
  }
  return fail(ErrorCode::not_found,
              fmt::format("There is no relationship '{}'; there {}: {}", utf8_prefix(name, 100),
                          names.size() == 1 ? "is" : "are", nearest_first(name, names)));
}

}  // namespace wright::entities
