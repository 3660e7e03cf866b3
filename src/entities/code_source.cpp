// Entities of a code base: the index is brought up to date, then opened for reading.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/try.h"
#include "entities/code_index.h"
#include "entities/code_relations.h"
#include "entities/code_schema.h"
#include "entities/entity_source.h"
#include "entities/meaning_search.h"
#include "entities/rank_fusion.h"
#include "entities/word_search.h"

namespace wright::entities {
namespace {

constexpr std::size_t kCandidates = 50;  // of each ranking, where there are two

class CodeSource : public EntitySource {
 public:
  explicit CodeSource(std::shared_ptr<CodeIndex> index) : index_(std::move(index)) {
    const CodeIndexOptions& options = index_->options();
    if (options.embeddings.model.is_set()) {
      meanings_.emplace(options.embeddings, options.on_progress);
    }
  }

  Result<EntitySession> open(const std::stop_token& stop) override {
    const auto updated = TRY(index_->refresh(stop));
    const auto path = TRY(tools::resolve_database(index_->file(), {}));
    auto connection = TRY(EntitySession::connect(path, SqliteReaderOptions{}, stop));
    if (install_word_function(connection.handle()) != SQLITE_OK) {
      return fail(ErrorCode::unsupported, "This build of SQLite has no full-text search (FTS5)");
    }
    auto schema = TRY(code_schema(connection, updated.has_history));
    schema.incomplete = tools::missing_note(updated.unread);
    return EntitySession(std::move(connection), std::move(schema));
  }

  Result<JsonObject> similar(EntitySession& session, const SimilarityQuery& question,
                             const std::stop_token& stop) override {
    const auto type = TRY(find_type(session.schema(), question.entity_type));
    const std::vector<std::string> words = search_words(session, question.query);
    if (words.empty()) {
      return fail(ErrorCode::invalid_argument, "The query has no words to look for");
    }
    const std::size_t wanted = meanings_ ? std::max(kCandidates, question.top_k) : question.top_k;
    auto by_words = TRY(best_by_words(session, *type, words, wanted));
    MeaningSearch::Found by_meaning;
    if (meanings_) {
      by_meaning = TRY(meanings_->nearest(index_->file(), type->is, question.query, wanted, stop));
    }
    const bool has_meaning = !by_meaning.nearest.empty();
    auto best = has_meaning ? fused(by_words, by_meaning.nearest) : std::move(by_words);
    keep_best(best, question);
    auto entities = TRY(described(session, *type, best, by_meaning.nearest));
    const std::size_t count = entities.size();
    JsonObject answer{
        {"entity_type", type->name},
        {"query", question.query},
        {"entities", std::move(entities)},
        {"count", count},
        {"ranking", has_meaning ? fmt::format("words of names, signatures, comments and paths, "
                                              "and meaning ({}), merged by their ranks; the "
                                              "best has the score 1",
                                              meanings_->model())
                                : "words of names, signatures, comments and paths; the best has "
                                  "the score 1"}};
    if (!by_meaning.note.empty()) answer["note"] = by_meaning.note;
    return answer;
  }

  Result<JsonObject> related(EntitySession& session, const RelationQuery& question,
                             const std::stop_token& stop) override {
    return code_relations(session, index_->workspace(), question, stop);
  }

 private:
  // Scores become those beside the best.
  static void keep_best(std::vector<RankedEntity>& ranked, const SimilarityQuery& question) {
    const double best = ranked.empty() ? 0 : ranked.front().score;
    for (RankedEntity& each : ranked) each.score = best > 0 ? each.score / best : 1;
    std::erase_if(ranked, [&](const auto& each) { return each.score < question.min_score; });
    if (ranked.size() > question.top_k) ranked.resize(question.top_k);
  }

  static Result<JsonArray> described(EntitySession& session, const EntityType& type,
                                     const std::vector<RankedEntity>& ranked,
                                     const std::vector<RankedEntity>& nearest) {
    if (ranked.empty()) return JsonArray();
    std::vector<Json> found(ranked.size());
    Sql sql{
        fmt::format("SELECT id, {} FROM entity WHERE id IN (", EntitySession::columns_of(type))};
    for (const RankedEntity& each : ranked) {
      if (&each != ranked.data()) sql.add(", ");
      sql.value(each.id);
    }
    auto done = session.query(sql.add(")"), [&](const sqlite::Row& row) -> Result<void> {
      const auto place = std::ranges::find(ranked, row.integer(0), &RankedEntity::id);
      JsonObject entity{{"score", rounded(place->score)}};
      const auto near = std::ranges::find(nearest, place->id, &RankedEntity::id);
      if (near != nearest.end()) entity["similarity"] = rounded(near->score);
      for (auto& [key, value] : session.entity(type, row, 1)) entity[key] = std::move(value);
      found[static_cast<std::size_t>(place - ranked.begin())] = std::move(entity);
      return {};
    });
    TRY(done);
    // Vectors are read beside the session, which may not know the newest entities yet.
    std::erase_if(found, [](const Json& entity) { return entity.is_null(); });
    return JsonArray(found.begin(), found.end());
  }

  static double rounded(double score) { return std::round(score * 1000) / 1000; }

  std::shared_ptr<CodeIndex> index_;
  std::optional<MeaningSearch> meanings_;
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
