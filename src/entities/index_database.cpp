#include "entities/index_database.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "core/text.h"
#include "core/try.h"
#include "entities/identifier_words.h"
#include "entities/index_schema.h"
#include "sqlite/error.h"
#include "wright/json.h"

namespace wright::entities {

using sqlite::Connection;
using sqlite::Row;
using sqlite::Statement;

struct IndexDatabase::Statements {
  Statement find_file;
  Statement put_file;
  Statement touch_file;
  Statement remove_file;
  Statement committed;
  Statement add_entity;
  Statement add_words;
  Statement entities_of_file;
  Statement remove_words;
  Statement remove_meanings;
  Statement remove_entities;
};

namespace {

constexpr std::chrono::milliseconds kPatienceWithLocks{
    30'000};  // with another program that builds the index

std::string hex_byte(char c) {
  return fmt::format("%{:02X}", static_cast<unsigned char>(c));
}

// What of a text goes into the index of words, the same whether it is added or removed.
struct Words {
  std::string name;
  std::string signature;
  std::string documentation;
  std::string path;
  std::string type;
};

Words words_of(std::string_view name, std::string_view signature, std::string_view documentation,
               std::string_view path, std::string_view type) {
  return {searchable_text(name), searchable_text(signature), searchable_text(documentation),
          searchable_text(path), searchable_text(type)};
}

// Commas between the outermost round brackets, which are no part of a type's own.
int parameter_count(std::string_view signature) {
  int depth = 0;
  int count = 0;
  bool is_blank = true;
  for (const char c : signature) {
    if (c == ')' || c == ']' || c == '}' || c == '>') --depth;
    if (depth == 0 && c == ')') break;
    if (depth == 1 && c == ',') ++count;
    if (depth > 0 && c != ' ') is_blank = false;
    if (c == '(' || c == '[' || c == '{' || c == '<') ++depth;
  }
  return is_blank || signature == "(void)" ? 0 : count + 1;
}

Result<std::int64_t> integer_of(sqlite3* connection, const char* sql) {
  auto statement = TRY(Statement::prepare(connection, sql));
  std::int64_t value = 0;
  TRY(statement.query([&](const Row& row) -> Result<void> {
    value = row.integer(0);
    return {};
  }));
  return value;
}

// The names in private code are private, too: a new folder and the file are their owner's alone,
// and SQLite gives its side files the mode of the file. mknod() and not open(): closing a
// descriptor would drop the locks of other connections. A folder that is there keeps its mode, as
// it may be anybody's.
Result<void> make_private(const std::filesystem::path& file) {
  const std::filesystem::path folder = file.parent_path();
  std::error_code problem;
  if (folder.has_parent_path()) {
    std::filesystem::create_directories(folder.parent_path(), problem);
  }
  if (!problem && ::mkdir(folder.c_str(), S_IRWXU) != 0 && !std::filesystem::is_directory(folder)) {
    problem = std::error_code(errno, std::generic_category());
  }
  if (problem) {
    return fail(sqlite::code_of_errno(problem.value()),
                to_valid_utf8(fmt::format("Cannot create the folder {} for the index: {}",
                                          folder.string(), problem.message())));
  }
  constexpr mode_t kOwnerOnly = S_IRUSR | S_IWUSR;
  if (::mknod(file.c_str(), S_IFREG | kOwnerOnly, 0) == 0 || errno != EEXIST) return {};
  for (const char* ending : {"", "-wal", "-shm"}) {
    const std::string name = file.native() + ending;
    struct stat status {};
    const bool is_ours = ::lstat(name.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
                         status.st_uid == ::geteuid();
    if (is_ours && (status.st_mode & (S_IRWXG | S_IRWXO)) != 0) ::chmod(name.c_str(), kOwnerOnly);
  }
  return {};
}

Result<void> finish_indexes(sqlite3* connection) {
  auto done = sqlite::execute(connection, kIndexIndexes);
  if (done) done = EntityTotals::count_all_methods(connection);
  if (done) done = sqlite::execute(connection, kMethodCountIndex);
  if (done) done = sqlite::execute(connection, kIndexStatistics);  // they go with their indexes
  if (done) done = sqlite::execute(connection, "DELETE FROM fact WHERE name = 'unfinished'");
  return done;
}

// With the tables of this version; nothing when the file is of another one.
Result<std::optional<Connection>> opened_as_is(const std::filesystem::path& file) {
  auto connection = TRY(IndexDatabase::connect(file));
  sqlite3* handle = connection.get();
  for (const char* setting :
       {"PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL", "PRAGMA cache_size = -65536",
        "PRAGMA temp_store = MEMORY", "BEGIN IMMEDIATE"}) {
    TRY(sqlite::execute(handle, setting));
  }
  const auto version = TRY(integer_of(handle, "PRAGMA user_version"));
  if (version != 0 && version != kIndexVersion) return std::optional<Connection>();
  const std::string mark = fmt::format("PRAGMA user_version = {}", kIndexVersion);
  const bool is_new = version == 0;
  for (const char* step : {is_new ? kIndexTables : "", mark.c_str()}) {
    TRY(sqlite::execute(handle, step));
  }
  // Where somebody was killed while reading everything.
  const auto unfinished =
      TRY(integer_of(handle, "SELECT count(*) FROM fact WHERE name = 'unfinished'"));
  if (unfinished != 0 || is_new) {
    TRY(finish_indexes(handle));
  }
  TRY(sqlite::execute(handle, "COMMIT"));
  return std::optional<Connection>(std::move(connection));
}

}  // namespace

bool is_damage(const Error& error) {
  const Json* code = error.find("sqlite_code");
  if (code == nullptr || !code->is_int64()) return false;
  const auto primary = code->get_int64() & 0xFF;
  // SQLITE_ERROR: a table is missing, or is another than ours.
  return primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB || primary == SQLITE_ERROR;
}

std::string path_key(std::string_view path) {
  const bool is_text = is_valid_utf8(path);
  std::string key;
  for (const char c : path) {
    const bool is_escaped = c == '%' || (!is_text && static_cast<unsigned char>(c) >= 0x80);
    key += is_escaped ? hex_byte(c) : std::string(1, c);
  }
  return key;
}

std::string path_of_key(std::string_view key) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'A' + 10; };
  std::string path;
  for (std::size_t i = 0; i < key.size(); ++i) {
    if (key[i] == '%' && i + 2 < key.size()) {
      path += static_cast<char>(digit(key[i + 1]) * 16 + digit(key[i + 2]));
      i += 2;
    } else {
      path += key[i];
    }
  }
  return path;
}

IndexDatabase::IndexDatabase(Connection connection, std::unique_ptr<Statements> statements,
                             EntityTotals totals)
    : connection_(std::move(connection)),
      statements_(std::move(statements)),
      totals_(std::move(totals)) {}
IndexDatabase::IndexDatabase(IndexDatabase&&) noexcept = default;
IndexDatabase& IndexDatabase::operator=(IndexDatabase&&) noexcept = default;
IndexDatabase::~IndexDatabase() = default;

void IndexDatabase::discard(const std::filesystem::path& file) {
  std::error_code ignored;
  for (const char* ending : {"", "-wal", "-shm", "-journal"}) {
    std::filesystem::remove(file.native() + ending, ignored);
  }
}

Result<Connection> IndexDatabase::connect(const std::filesystem::path& file) {
  auto [connection, code] = sqlite::open(file.native(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  if (code != SQLITE_OK) return std::unexpected(sqlite::error_of(connection.get(), code));
  sqlite3_busy_timeout(connection.get(), static_cast<int>(kPatienceWithLocks.count()));
  return std::move(connection);
}

Result<IndexDatabase> IndexDatabase::open(const std::filesystem::path& file) {
  TRY(make_private(file));
  auto connection = opened_as_is(file);
  const bool is_useless = connection ? !connection->has_value() : is_damage(connection.error());
  if (is_useless) {
    connection = std::optional<Connection>();  // closed before its file goes
    discard(file);
    TRY(make_private(file));
    connection = opened_as_is(file);
  }
  if (!connection) return std::unexpected(std::move(connection).error());
  if (!*connection) return fail(ErrorCode::storage, "The index cannot be rebuilt");
  sqlite3* handle = (*connection)->get();

  Error failed;
  const auto prepared = [&](const char* sql) -> std::optional<Statement> {
    auto made = Statement::prepare(handle, sql, sqlite::Lifetime::kept);
    if (made) return std::move(*made);
    failed = std::move(made).error();
    return std::nullopt;
  };
  auto find_file = prepared("SELECT id FROM file WHERE key = ?1");
  auto put_file = prepared(
      "INSERT INTO file (key, hash, size, modified_ns, is_settled, last_modified, changed_ns, "
      "number, entities) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (key) DO UPDATE "
      "SET hash = ?2, size = ?3, modified_ns = ?4, is_settled = ?5, last_modified = ?6, "
      "changed_ns = ?7, number = ?8, entities = ?9 RETURNING id");
  auto touch_file = prepared(
      "UPDATE file SET size = ?2, modified_ns = ?3, is_settled = ?4, changed_ns = ?5, "
      "number = ?6 WHERE key = ?1");
  auto remove_file = prepared("DELETE FROM file WHERE key = ?1");
  auto committed = prepared(
      "SELECT committed_ms FROM committed WHERE key = ?1 AND hash = ?2 AND committed_ms >= 0");
  auto add_entity = prepared(
      "INSERT INTO entity (file_id, type, name, qualified_name, file, start_line, end_line, "
      "line_count, language, signature, last_modified, visibility, parent, parent_is_here, kind, "
      "documentation, parameters) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, "
      "?14, ?15, "
      "?16, ?17)");
  auto add_words = prepared(
      "INSERT INTO words (rowid, name, signature, documentation, path, type) "
      "VALUES (last_insert_rowid(), ?1, ?2, ?3, ?4, ?5)");
  auto entities_of_file = prepared(
      "SELECT id, name, signature, documentation, file, type, language, visibility, "
      "qualified_name, parent FROM entity WHERE file_id = ?1");
  auto remove_words = prepared(
      "INSERT INTO words (words, rowid, name, signature, documentation, path, type) "
      "VALUES ('delete', ?1, ?2, ?3, ?4, ?5, ?6)");
  auto remove_meanings =
      prepared("DELETE FROM meaning WHERE entity_id IN (SELECT id FROM entity WHERE file_id = ?1)");
  auto remove_entities = prepared("DELETE FROM entity WHERE file_id = ?1");
  if (!find_file || !put_file || !touch_file || !remove_file || !committed || !add_entity ||
      !add_words || !entities_of_file || !remove_words || !remove_meanings || !remove_entities) {
    return std::unexpected(std::move(failed));
  }
  auto totals = TRY(EntityTotals::prepare(handle));
  auto statements = std::make_unique<Statements>(
      Statements{std::move(*find_file), std::move(*put_file), std::move(*touch_file),
                 std::move(*remove_file), std::move(*committed), std::move(*add_entity),
                 std::move(*add_words), std::move(*entities_of_file), std::move(*remove_words),
                 std::move(*remove_meanings), std::move(*remove_entities)});
  return IndexDatabase(std::move(**connection), std::move(statements), std::move(totals));
}

Result<std::map<std::string, IndexedFile>> IndexDatabase::files() {
  auto statement = TRY(Statement::prepare(
      connection_.get(),
      "SELECT key, hash, size, modified_ns, is_settled, changed_ns, number FROM file"));
  std::map<std::string, IndexedFile> files;
  TRY(statement.query([&](const Row& row) -> Result<void> {
    files.emplace(path_of_key(row.text(0)), IndexedFile{.hash = row.text(1),
                                                        .size = row.integer(2),
                                                        .modified_ns = row.integer(3),
                                                        .changed_ns = row.integer(5),
                                                        .number = row.integer(6),
                                                        .is_settled = row.integer(4) != 0});
    return {};
  }));
  return files;
}

Result<std::string> IndexDatabase::head() {
  auto statement =
      TRY(Statement::prepare(connection_.get(), "SELECT value FROM fact WHERE name = 'head'"));
  std::string head;
  TRY(statement.query([&](const Row& row) -> Result<void> {
    head = row.text(0);
    return {};
  }));
  return head;
}

Result<void> IndexDatabase::begin() {
  return sqlite::execute(connection_.get(), "BEGIN IMMEDIATE");
}

Result<void> IndexDatabase::write_totals() {
  if (!totals_.has_changes()) return {};
  auto done = totals_.write(methods_);
  if (done && methods_ == EntityTotals::Methods::later) {
    done = sqlite::execute(connection_.get(),
                           "INSERT OR IGNORE INTO fact (name, value) VALUES ('unfinished', 'yes')");
  }
  if (!done) return done;
  return sqlite::execute(connection_.get(),
                         "UPDATE fact SET value = value + 1 WHERE name = 'generation'");
}

Result<void> IndexDatabase::end(Result<void> done) {
  if (done) done = write_totals();
  if (done) done = sqlite::execute(connection_.get(), "COMMIT");
  totals_.forget();
  if (!done && sqlite3_get_autocommit(connection_.get()) == 0) {
    (void)sqlite::execute(connection_.get(), "ROLLBACK");
  }
  return done;
}

Result<std::int64_t> IndexDatabase::last_modified(const CodeFile& file) {
  std::int64_t time_ms = file.modified_ns / 1'000'000;
  auto done = statements_->committed.query(
      [&](const Row& row) -> Result<void> {
        time_ms = row.integer(0);
        return {};
      },
      path_key(file.path), file.hash);
  TRY(done);
  return time_ms;
}

Result<void> IndexDatabase::remove_entities(std::int64_t file_id) {
  struct Row {
    std::int64_t id;
    Words words;
  };
  std::vector<Row> rows;
  auto done = statements_->entities_of_file.query(
      [&](const sqlite::Row& row) -> Result<void> {
        rows.push_back({row.integer(0),
                        words_of(row.text(1), row.text(2), row.text(3), row.text(4), row.text(5))});
        totals_.removed({.type = row.text(5),
                         .language = row.text(6),
                         .visibility = row.text(7),
                         .qualified_name = row.text(8),
                         .parent = row.text(9)});
        return {};
      },
      file_id);
  for (const Row& row : rows) {
    if (!done) return done;
    done = statements_->remove_words.run(row.id, row.words.name, row.words.signature,
                                         row.words.documentation, row.words.path, row.words.type);
  }
  if (done) done = statements_->remove_meanings.run(file_id);
  if (!done) return done;
  return statements_->remove_entities.run(file_id);
}

Result<void> IndexDatabase::add_entity(std::int64_t file_id, const CodeFile& file,
                                       const CodeEntity& entity, std::int64_t last_modified) {
  const std::string path = to_valid_utf8(file.path);
  TRY(statements_->add_entity.run(
      file_id, entity.type, entity.name, entity.qualified_name, path, entity.start_line,
      entity.end_line,
      entity.type == "file" ? file.line_count : entity.end_line - entity.start_line + 1,
      unless_empty(entity.language), unless_empty(entity.signature), last_modified,
      unless_empty(entity.visibility), unless_empty(entity.parent), entity.parent_is_here ? 1 : 0,
      entity.kind, unless_empty(entity.documentation), parameter_count(entity.signature)));
  totals_.added({.type = entity.type,
                 .language = entity.language,
                 .visibility = entity.visibility,
                 .qualified_name = entity.qualified_name,
                 .parent = entity.parent});
  const Words words =
      words_of(entity.name, entity.signature, entity.documentation, path, entity.type);
  return statements_->add_words.run(words.name, words.signature, words.documentation, words.path,
                                    words.type);
}

Result<void> IndexDatabase::put_file(const CodeFile& file, Settled settled) {
  const auto time_ms = TRY(last_modified(file));
  std::int64_t id = 0;
  auto done = statements_->put_file.query(
      [&](const Row& row) -> Result<void> {
        id = row.integer(0);
        return {};
      },
      path_key(file.path), file.hash, file.size, file.modified_ns, settled == Settled::yes ? 1 : 0,
      time_ms, file.changed_ns, file.number, std::ssize(file.entities));
  if (done) done = remove_entities(id);
  for (const CodeEntity& entity : file.entities) {
    if (!done) return done;
    done = add_entity(id, file, entity, time_ms);
  }
  return done;
}

Result<void> IndexDatabase::touch_file(const CodeFile& file, Settled settled) {
  return statements_->touch_file.run(path_key(file.path), file.size, file.modified_ns,
                                     settled == Settled::yes ? 1 : 0, file.changed_ns, file.number);
}

Result<void> IndexDatabase::remove_file(const std::string& path) {
  const std::string key = path_key(path);
  std::optional<std::int64_t> id;
  auto done = statements_->find_file.query(
      [&](const Row& row) -> Result<void> {
        id = row.integer(0);
        return {};
      },
      key);
  if (done && id) done = remove_entities(*id);
  return done ? statements_->remove_file.run(key) : done;
}

// Where the time of a file's last change is another than its entities have.
Result<void> IndexDatabase::refresh_times() {
  return sqlite::execute(connection_.get(), R"sql(
CREATE TEMP TABLE IF NOT EXISTS moved (id INTEGER PRIMARY KEY, time INTEGER NOT NULL);
DELETE FROM moved;
INSERT INTO moved SELECT id, time FROM (
  SELECT f.id AS id, f.last_modified AS known,
    CASE WHEN c.hash = f.hash AND c.committed_ms >= 0 THEN c.committed_ms
      ELSE f.modified_ns / 1000000 END AS time
  FROM file f LEFT JOIN committed c ON c.key = f.key) WHERE known <> time;
UPDATE entity SET last_modified = (SELECT time FROM moved WHERE moved.id = file_id)
  WHERE file_id IN (SELECT id FROM moved);
UPDATE file SET last_modified = (SELECT time FROM moved WHERE moved.id = file.id)
  WHERE id IN (SELECT id FROM moved);
)sql");
}

Result<void> IndexDatabase::set_history(const std::string& head,
                                        const GitHistory::Changes& changes) {
  return together([&]() -> Result<void> {
    sqlite3* handle = connection_.get();
    auto done =
        sqlite::execute(handle,
                        "CREATE TEMP TABLE IF NOT EXISTS committed_before (key TEXT PRIMARY "
                        "KEY, committed_ms INTEGER) WITHOUT ROWID; "
                        "DELETE FROM committed_before; "
                        "INSERT INTO committed_before SELECT key, committed_ms FROM committed; "
                        "DELETE FROM committed;");
    if (!done) return done;
    auto put = TRY(Statement::prepare(
        handle,
        "INSERT INTO committed (key, hash, committed_ms) VALUES (?1, ?2, CASE WHEN ?3 >= 0 THEN ?3 "
        "ELSE coalesce((SELECT committed_ms FROM committed_before WHERE key = ?1), -1) END)"));
    for (const auto& [path, file] : changes.files) {
      const bool is_unknown = file.committed_ms < 0 && changes.is_complete;
      if (is_unknown) continue;
      if (done = put.run(path_key(path), file.hash, file.committed_ms); !done) return done;
    }
    auto remember = TRY(Statement::prepare(
        handle, "INSERT OR REPLACE INTO fact (name, value) VALUES ('head', ?1)"));
    if (done = remember.run(head); !done) return done;
    return refresh_times();
  });
}

Result<void> IndexDatabase::forget_history() {
  return together([&]() -> Result<void> {
    auto done = sqlite::execute(connection_.get(),
                                "DELETE FROM committed; DELETE FROM fact WHERE name = 'head';");
    return done ? refresh_times() : done;
  });
}

Result<void> IndexDatabase::drop_indexes() {
  methods_ = EntityTotals::Methods::later;
  return together([&] {
    return sqlite::execute(
        connection_.get(),
        fmt::format("INSERT OR IGNORE INTO fact (name, value) VALUES ('unfinished', 'yes');{}",
                    kDropIndexIndexes)
            .c_str());
  });
}

Result<void> IndexDatabase::make_indexes() {
  methods_ = EntityTotals::Methods::where_changed;
  return together([&] { return finish_indexes(connection_.get()); });
}

}  // namespace wright::entities
