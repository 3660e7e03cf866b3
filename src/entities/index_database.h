// The SQLite file of an index: which files there are, as what they were read, and the entities in
// them. It is a cache: a file that is damaged or of another version is rebuilt. One writer at a
// time; others wait. Nothing is queried here (entity_session.h does that).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "entities/code_entity.h"
#include "entities/entity_totals.h"
#include "entities/git_history.h"
#include "sqlite/connection.h"
#include "sqlite/statement.h"

namespace wright::entities {

// What is known about a file that was read before.
struct IndexedFile {
  std::string hash = {};
  std::int64_t size = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;
  std::int64_t number = 0;
  bool is_settled = false;
};

// Whether an error says that the file of an index is of no use any more.
bool is_damage(const Error& error);

// Whether size and times of a file alone tell that it did not change. They do not while it is so
// fresh that another change would have the same time.
enum class Settled : std::uint8_t { no, yes };

// The key of a path in the database: the path itself, with bytes that are no UTF-8 as %XX.
std::string path_key(std::string_view path);
std::string path_of_key(std::string_view key);

class IndexDatabase {
 public:
  static Result<IndexDatabase> open(const std::filesystem::path& file);
  // Only the connection, for those who keep something beside the entities.
  static Result<sqlite::Connection> connect(const std::filesystem::path& file);
  // Removes the file with its side files.
  static void discard(const std::filesystem::path& file);

  IndexDatabase(IndexDatabase&&) noexcept;
  IndexDatabase& operator=(IndexDatabase&&) noexcept;
  ~IndexDatabase();

  Result<std::map<std::string, IndexedFile>> files();  // by path
  Result<std::string> head();  // the commit that the history is of, or empty

  // Runs `change` so that what it does is there as a whole, or not at all.
  template <class Change>
  Result<void> together(Change change) {
    auto done = begin();
    if (done) done = change();
    return end(std::move(done));
  }

  Result<void> put_file(const CodeFile& file, Settled settled);
  // The content is the one that is known; only the time of the file is another. The entities learn
  // of it by refresh_times().
  Result<void> touch_file(const CodeFile& file, Settled settled);
  Result<void> remove_file(const std::string& path);
  Result<void> refresh_times();

  // Takes over what git knows, for the files that are there and those to come.
  Result<void> set_history(const std::string& head, const GitHistory::Changes& changes);
  Result<void> forget_history();

  // While everything is read for the first time, structures for searching and the counting of
  // methods wait until the end.
  Result<void> drop_indexes();
  Result<void> make_indexes();

 private:
  struct Statements;
  IndexDatabase(sqlite::Connection connection, std::unique_ptr<Statements> statements,
                EntityTotals totals);

  Result<void> begin();
  Result<void> end(Result<void> done);
  Result<void> write_totals();
  Result<void> remove_entities(std::int64_t file_id);
  Result<void> add_entity(std::int64_t file_id, const CodeFile& file, const CodeEntity& entity,
                          std::int64_t last_modified);
  Result<std::int64_t> last_modified(const CodeFile& file);

  sqlite::Connection connection_;
  std::unique_ptr<Statements> statements_;  // go before the connection
  EntityTotals totals_;                     // as well
  EntityTotals::Methods methods_ = EntityTotals::Methods::where_changed;
};

}  // namespace wright::entities
