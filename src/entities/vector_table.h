// The vectors in the file of an index: which entities have none yet, and those that there are. It
// writes nothing but vectors. Keys and addresses of whoever makes them are not known here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "entities/vector_matrix.h"
#include "sqlite/connection.h"
#include "sqlite/statement.h"
#include "sqlite/transaction.h"

namespace wright::entities {

class VectorTable {
 public:
  // Of an index that is there, and was made by IndexDatabase.
  static Result<VectorTable> open(const std::filesystem::path& file);

  // Another number after each change of entities or vectors.
  Result<std::int64_t> generation();

  // Which model the vectors are of, and how many dimensions they have.
  struct Origin {
    std::string model;
    std::size_t dimensions = 0;
    bool operator==(const Origin&) const = default;
  };
  Result<std::optional<Origin>> origin();
  // Forgets all vectors; those to come are of this origin.
  Result<void> restart(const Origin& origin);

  // What is to be embedded for an entity.
  struct Text {
    std::int64_t entity_id = 0;
    std::string text = {};
    std::string hash = {};
  };
  // Entities without a vector, of one type if that is given, by ascending ids.
  Result<std::vector<Text>> without_vector(const std::optional<std::string>& type,
                                           std::int64_t after_id, std::size_t limit);
  Result<std::int64_t> count_without_vector(const std::optional<std::string>& type);

  struct NewVector {
    std::string hash;
    Direction8 direction;
  };
  // Adds the vectors, and gives each of the entities that of its text where there is one. Returns
  // the texts that still have none.
  Result<std::vector<Text>> assign(const std::vector<NewVector>& vectors, std::vector<Text> texts);

  // Refused when it would not fit into memory.
  Result<VectorMatrix> load();

  // Vectors that no entity has any more go when there are more of them than of the others.
  Result<void> tidy();

 private:
  explicit VectorTable(sqlite::Connection connection) : connection_(std::move(connection)) {}

  Result<std::int64_t> number(const char* sql);
  // What `change` does is there as a whole, or not at all.
  template <class Change>
  Result<void> together(Change change) {
    auto done = sqlite::execute(connection_.get(), "BEGIN IMMEDIATE");
    if (!done) return done;
    const sqlite::RollbackGuard guard(connection_.get());
    done = change();
    return done ? sqlite::execute(connection_.get(), "COMMIT") : done;
  }

  sqlite::Connection connection_;
};

}  // namespace wright::entities
