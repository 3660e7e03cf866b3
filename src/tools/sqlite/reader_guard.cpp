#include "tools/sqlite/reader_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "sqlite/memory.h"
#include "tools/sqlite/reader_functions.h"

namespace wright::tools {
namespace {

// Few, because one step can make a value of many megabytes.
constexpr int kStepsBetweenChecks = 100;
constexpr std::chrono::milliseconds kLongestWaitForLock{2'000};
constexpr int kPauseWhileBusyMs = 5;
constexpr int kMegabyte = 1'000'000;
constexpr int kLongestValue = 16 * kMegabyte;

struct ActionName {
  int action;
  std::string_view name;
};

constexpr auto kActionNames = std::to_array<ActionName>({
    {SQLITE_ALTER_TABLE, "ALTER TABLE"},
    {SQLITE_ANALYZE, "ANALYZE"},
    {SQLITE_ATTACH, "ATTACH"},
    {SQLITE_CREATE_INDEX, "CREATE INDEX"},
    {SQLITE_CREATE_TABLE, "CREATE TABLE"},
    {SQLITE_CREATE_TEMP_INDEX, "CREATE TEMP INDEX"},
    {SQLITE_CREATE_TEMP_TABLE, "CREATE TEMP TABLE"},
    {SQLITE_CREATE_TEMP_TRIGGER, "CREATE TEMP TRIGGER"},
    {SQLITE_CREATE_TEMP_VIEW, "CREATE TEMP VIEW"},
    {SQLITE_CREATE_TRIGGER, "CREATE TRIGGER"},
    {SQLITE_CREATE_VIEW, "CREATE VIEW"},
    {SQLITE_CREATE_VTABLE, "CREATE VIRTUAL TABLE"},
    {SQLITE_DELETE, "DELETE"},
    {SQLITE_DETACH, "DETACH"},
    {SQLITE_DROP_INDEX, "DROP INDEX"},
    {SQLITE_DROP_TABLE, "DROP TABLE"},
    {SQLITE_DROP_TEMP_INDEX, "DROP INDEX"},
    {SQLITE_DROP_TEMP_TABLE, "DROP TABLE"},
    {SQLITE_DROP_TEMP_TRIGGER, "DROP TRIGGER"},
    {SQLITE_DROP_TEMP_VIEW, "DROP VIEW"},
    {SQLITE_DROP_TRIGGER, "DROP TRIGGER"},
    {SQLITE_DROP_VIEW, "DROP VIEW"},
    {SQLITE_DROP_VTABLE, "DROP TABLE"},
    {SQLITE_INSERT, "INSERT"},
    {SQLITE_REINDEX, "REINDEX"},
    {SQLITE_SAVEPOINT, "SAVEPOINT"},
    {SQLITE_TRANSACTION, "A transaction (BEGIN, COMMIT, ROLLBACK)"},
    {SQLITE_UPDATE, "UPDATE"},
});

// PRAGMAs that take the name of something, or how many errors to show, and only tell.
constexpr auto kTellingPragmas = std::to_array<std::string_view>(
    {"collation_list", "compile_options", "data_version", "foreign_key_check", "foreign_key_list",
     "freelist_count", "function_list", "index_info", "index_list", "index_xinfo",
     "integrity_check", "module_list", "page_count", "pragma_list", "quick_check", "table_info",
     "table_list", "table_xinfo"});

// PRAGMAs that tell without an argument and set something with one.
// Not journal_mode: SQLite prepares even the question as a statement that writes.
constexpr auto kSettingPragmas =
    std::to_array<std::string_view>({"application_id", "auto_vacuum", "encoding", "foreign_keys",
                                     "page_size", "schema_version", "user_version"});

// Functions that reach beyond the database. Most are not even there in an ordinary build.
constexpr auto kRefusedFunctions =
    std::to_array<std::string_view>({"edit", "fts3_tokenizer", "fts5_rowid", "icu_load_collation",
                                     "load_extension", "readfile", "sqlite_log", "writefile"});

std::string lower_name(const char* text) {
  std::string made(text == nullptr ? "" : text);
  std::ranges::transform(made, made.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return made;
}

template <class Names>
bool contains(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// An R-tree prepares what it would need to write when it is first read. Whoever writes into its
// tables directly gets by here and is refused like CREATE TABLE.
bool is_kept_by_rtree(int action, const char* table) {
  if (action != SQLITE_INSERT && action != SQLITE_UPDATE && action != SQLITE_DELETE) return false;
  const std::string name = lower_name(table);
  return name.ends_with("_node") || name.ends_with("_rowid") || name.ends_with("_parent");
}

void set_limits(sqlite3* database) {
  sqlite3_limit(database, SQLITE_LIMIT_LENGTH, kLongestValue);
  sqlite3_limit(database, SQLITE_LIMIT_SQL_LENGTH, kMegabyte);  // views and tables have SQL, too
  sqlite3_limit(database, SQLITE_LIMIT_EXPR_DEPTH, 200);
  sqlite3_limit(database, SQLITE_LIMIT_COMPOUND_SELECT, 100);
  sqlite3_limit(database, SQLITE_LIMIT_VDBE_OP, kMegabyte);
  sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(database, SQLITE_LIMIT_TRIGGER_DEPTH, 1);
  sqlite3_limit(database, SQLITE_LIMIT_WORKER_THREADS, 0);
}

}  // namespace

SqliteGuard::SqliteGuard(Limits limits, std::stop_token stop)
    : limits_(limits), stop_(std::move(stop)), memory_before_(sqlite::memory_in_use()) {}

int SqliteGuard::install(sqlite3* database) {
  set_limits(database);
  sqlite3_progress_handler(database, kStepsBetweenChecks, on_progress, this);
  sqlite3_busy_handler(database, on_busy, this);
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, nullptr);
  if (const int code = install_bounded_functions(database, kLongestValue, *this);
      code != SQLITE_OK) {
    return code;
  }
  // In memory, what a query sorts is counted and bounded; in files it would fill the disk. No
  // memory maps: reading one fails by a signal when somebody shortens the file.
  constexpr const char* kSettings =
      "PRAGMA query_only = ON; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0; "
      "PRAGMA cell_size_check = ON; PRAGMA cache_size = -8000;";
  if (const int code = sqlite3_exec(database, kSettings, nullptr, nullptr, nullptr);
      code != SQLITE_OK) {
    return code;
  }
  return sqlite3_set_authorizer(database, authorize, this);
}

void SqliteGuard::keep_from_expanding(const std::vector<std::string>& views) {
  for (const std::string& name : views) views_not_to_expand_.insert(lower_name(name.c_str()));
}

bool SqliteGuard::would_expand(const std::string& pragma, const char* argument) const {
  if (views_not_to_expand_.empty()) return false;
  if (pragma == "table_list") return true;  // it wants to know the columns of every view
  return (pragma == "table_info" || pragma == "table_xinfo") &&
         views_not_to_expand_.contains(lower_name(argument));
}

void SqliteGuard::refuse(std::string message) {
  if (!refused_) refused_ = Error{ErrorCode::permission_denied, std::move(message), {}};
}

std::optional<Error> SqliteGuard::take_reason() {
  std::optional<Error> refused = std::exchange(refused_, std::nullopt);
  return ended_ ? std::exchange(ended_, std::nullopt) : std::move(refused);
}

int SqliteGuard::authorize(void* guard, int action, const char* first, const char* second,
                           const char*, const char*) {
  auto& self = *static_cast<SqliteGuard*>(guard);
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE: return SQLITE_OK;
    case SQLITE_FUNCTION: {
      const std::string name = lower_name(second);
      if (!contains(kRefusedFunctions, name)) return SQLITE_OK;
      self.refuse(
          fmt::format("The function {}() is not allowed: sqlite_reader reads the database "
                      "and nothing else",
                      name));
      return SQLITE_DENY;
    }
    case SQLITE_PRAGMA: {
      const std::string name = lower_name(first);
      const bool tells =
          contains(kTellingPragmas, name) || (second == nullptr && contains(kSettingPragmas, name));
      if (self.would_expand(name, second)) {
        self.refuse(fmt::format(
            "PRAGMA {} is not allowed here: it would make SQLite expand views of views "
            "without end; SELECT name, type, sql FROM sqlite_schema tells what there is",
            name));
        return SQLITE_DENY;
      }
      if (tells) return SQLITE_OK;
      self.refuse(
          contains(kSettingPragmas, name)
              ? fmt::format("PRAGMA {} is not allowed with a value: sqlite_reader changes nothing",
                            name)
              : fmt::format("PRAGMA {} is not allowed; these are: {}, {}", name,
                            fmt::join(kTellingPragmas, ", "), fmt::join(kSettingPragmas, ", ")));
      return SQLITE_DENY;
    }
    default: break;
  }
  if (is_kept_by_rtree(action, first)) return SQLITE_OK;
  // A virtual table declares its columns by a CREATE TABLE when it is first used. A statement that
  // is a CREATE TABLE itself gets by here, too; it writes, and is refused for that.
  const bool is_schema = first != nullptr && std::string_view(first) == "sqlite_master";
  const bool writes_row = action == SQLITE_INSERT || action == SQLITE_UPDATE;
  if (action == SQLITE_CREATE_TABLE || (writes_row && is_schema)) return SQLITE_OK;
  const auto found = std::ranges::find(kActionNames, action, &ActionName::action);
  std::string_view name = found == kActionNames.end() ? "This statement" : found->name;
  if (is_schema || (first != nullptr && std::string_view(first) == "sqlite_temp_master")) {
    name = "Changing the schema (CREATE, DROP, ALTER)";
  }
  self.refuse(fmt::format("{} is not allowed: sqlite_reader only reads. Write one SELECT", name));
  return SQLITE_DENY;
}

bool SqliteGuard::is_over() {
  if (ended_) return true;
  if (stop_.stop_requested()) {
    ended_ = Error{ErrorCode::cancelled, "The query was cancelled", {}};
  } else if (Clock::now() >= limits_.deadline) {
    ended_ = Error{ErrorCode::timeout,
                   "The query took too long and was ended; narrow it with WHERE or LIMIT, use an "
                   "indexed column, or look at fewer rows",
                   {}};
  } else if (sqlite::memory_in_use() - memory_before_ >
             static_cast<std::int64_t>(limits_.memory)) {
    ended_ = Error{ErrorCode::limit_reached,
                   fmt::format("The query needs more than {} MB of memory and was ended; sort, "
                               "group or join fewer rows",
                               limits_.memory >> 20U),
                   {}};
  }
  return ended_.has_value();
}

int SqliteGuard::on_progress(void* guard) {
  return static_cast<SqliteGuard*>(guard)->is_over() ? 1 : 0;
}

int SqliteGuard::on_busy(void* guard, int attempts) {
  auto& self = *static_cast<SqliteGuard*>(guard);
  const auto now = Clock::now();
  if (attempts == 0 || !self.busy_since_) self.busy_since_ = now;
  if (now - *self.busy_since_ > kLongestWaitForLock || now >= self.limits_.deadline ||
      self.stop_.stop_requested()) {
    return 0;
  }
  sqlite3_sleep(kPauseWhileBusyMs);
  return 1;
}

}  // namespace wright::tools
