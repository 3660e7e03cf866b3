#include "tools/sqlite/reader_connection.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>

#include "core/percent.h"
#include "core/try.h"
#include "tools/workspace/beneath.h"
#include "wright/json.h"

namespace wright::tools {
namespace {

constexpr std::size_t kLongestSql = 100'000;
// SQLite makes about 200,000 in a second, and in that second it does not listen.
constexpr double kMostQueriesInStatement = 10'000;
constexpr double kMostQueriesInViews = 100'000;
constexpr int kDeepestQuery = 150;

std::string shown(std::string_view path) {
  return to_valid_utf8(fmt::format("'{}'", path));
}

std::unexpected<Error> cannot_open(int problem, const std::filesystem::path& path,
                                   const std::filesystem::path& base) {
  const std::string name = shown(path.native());
  switch (problem) {
    case ENOENT:
    case ENOTDIR: return fail(ErrorCode::not_found, fmt::format("There is no database {}", name));
    case EXDEV:
      return fail(ErrorCode::permission_denied,
                  fmt::format("The database {} lies outside of {}", name, shown(base.native())));
    case EACCES:
    case EPERM:
      return fail(ErrorCode::permission_denied,
                  fmt::format("The system refuses to open the database {}", name));
    case ELOOP:
      return fail(ErrorCode::permission_denied,
                  fmt::format("The path {} goes through links that cannot be followed", name));
    default:
      return fail(ErrorCode::storage, fmt::format("The database {} cannot be opened: {}", name,
                                                  std::generic_category().message(problem)));
  }
}

// Only a name for the file, O_PATH: closing an open file would drop every lock that this process
// holds on it through other connections.
std::expected<FileDescriptor, int> find_beneath(const std::filesystem::path& base,
                                                const std::filesystem::path& path) {
  std::error_code problem;
  const auto root = std::filesystem::canonical(base, problem);
  if (problem) return std::unexpected(problem.value());
  const FileDescriptor folder(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open()) return std::unexpected(errno);
  auto inside = path.lexically_normal();
  if (inside.is_absolute()) inside = inside.lexically_relative(root);
  if (inside.empty() || *inside.begin() == "..") return std::unexpected(EXDEV);
  return open_beneath(folder.get(), inside.native(), O_PATH, Links::follow,
                      available_resolver(folder.get()));
}

std::expected<FileDescriptor, int> find(const std::filesystem::path& path) {
  FileDescriptor file(::open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!file.is_open()) return std::unexpected(errno);
  return file;
}

std::string told_by(sqlite3* database) {
  return to_valid_utf8(sqlite3_errmsg(database));
}

}  // namespace

Result<std::string> resolve_database(const std::filesystem::path& path,
                                     const std::filesystem::path& base) {
  if (path.empty() || path.native().contains('\0')) {
    return fail(ErrorCode::invalid_argument,
                "The path of the database is empty or contains a NUL byte");
  }
  const auto found = base.empty() ? find(path) : find_beneath(base, path);
  if (!found) return cannot_open(found.error(), path, base);
  struct stat status {};
  if (::fstat(found->get(), &status) != 0) return cannot_open(errno, path, base);
  if (!S_ISREG(status.st_mode)) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} is {}, not a database file", shown(path.native()),
                            S_ISDIR(status.st_mode) ? "a folder" : "a pipe, socket or device"));
  }
  std::error_code problem;
  const auto real =
      std::filesystem::read_symlink(fmt::format("/proc/self/fd/{}", found->get()), problem);
  if (problem) return cannot_open(problem.value(), path, base);
  return real.native();
}

Result<ReadOnlyDatabase> ReadOnlyDatabase::open(const std::string& path,
                                                const SqliteReaderOptions& options,
                                                std::stop_token stop) {
  const bool is_immutable = options.sharing == DatabaseSharing::immutable;
  const std::string name =
      is_immutable ? fmt::format("file:{}?immutable=1", percent_encoded(path, "/")) : path;
  // Links were followed when the path was resolved; one that is there now is somebody's trick.
  int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOFOLLOW;
  if (is_immutable) flags |= SQLITE_OPEN_URI;
  sqlite::Opened opened = sqlite::open(name, flags);
  auto guard = std::make_unique<SqliteGuard>(
      SqliteGuard::Limits{SqliteGuard::Clock::now() + options.deadline, options.memory_limit},
      std::move(stop));
  ReadOnlyDatabase made(std::move(guard), std::move(opened.connection));
  if (opened.code != SQLITE_OK) return made.explained(opened.code);
  const int installed = made.guard().install(made.handle());
  if (installed != SQLITE_OK) return made.explained(installed);
  TRY(made.measure_views());
  return made;
}

Result<void> ReadOnlyDatabase::measure_views() {
  auto views = TRY(parse("SELECT name, sql FROM sqlite_schema WHERE type = 'view'"));
  TRY(for_each_row(views.statement.get(), [&](const sqlite::Row& row) -> Result<void> {
    expansion_.add_view(row.text(0), row.text(1));
    return {};
  }));
  endless_views_ =
      expansion_.views_beyond({kMostQueriesInStatement, kDeepestQuery}, kMostQueriesInViews);
  guard_->keep_from_expanding(endless_views_);
  return {};
}

std::string ReadOnlyDatabase::note_on_endless_views() const {
  constexpr std::size_t kMostNamed = 5;
  if (endless_views_.empty()) return {};
  std::vector<std::string> names;
  for (const std::string& name : endless_views_) {
    if (names.size() < kMostNamed) names.push_back(shown(utf8_prefix(name, 100)));
  }
  return fmt::format("{} {} for views of views without end and cannot be read: {}{}",
                     endless_views_.size() == 1 ? std::string("One view")
                                                : fmt::format("{} views", endless_views_.size()),
                     endless_views_.size() == 1 ? "stands" : "stand", fmt::join(names, ", "),
                     endless_views_.size() > names.size() ? ", …" : "");
}

void ReadOnlyDatabase::set_double_quotes(DoubleQuotes meaning) {
  sqlite3_db_config(database_.get(), SQLITE_DBCONFIG_DQS_DML,
                    meaning == DoubleQuotes::names_or_texts ? 1 : 0, nullptr);
}

Result<ReadOnlyDatabase::Parsed> ReadOnlyDatabase::parse(const char* sql) {
  guard_->forget_refusal();
  while (*sql != '\0') {
    sqlite3_stmt* prepared = nullptr;
    const char* rest = nullptr;
    const int sqlite_code = sqlite3_prepare_v2(database_.get(), sql, -1, &prepared, &rest);
    sqlite::StatementHandle statement(prepared);
    if (sqlite_code != SQLITE_OK) return explained(sqlite_code);
    if (statement) return Parsed{std::move(statement), rest};
    sql = rest;
  }
  return Parsed{nullptr, sql};
}

Result<sqlite::StatementHandle> ReadOnlyDatabase::prepare(const std::string& sql) {
  if (sql.contains('\0')) {
    return fail(ErrorCode::invalid_argument, "The query contains a NUL character");
  }
  if (sql.size() > kLongestSql) {
    return fail(ErrorCode::limit_reached,
                fmt::format("The query is longer than {} bytes", kLongestSql));
  }
  const ExpandedSize size = expansion_.of(sql);
  if (size.queries > kMostQueriesInStatement || size.depth > kDeepestQuery) {
    return fail(ErrorCode::limit_reached,
                "The names in the query stand for queries in queries without end, each mention for "
                "one of its own; name fewer of them (WITH, views), or mention each once");
  }
  auto first = TRY(parse(sql.c_str()));
  if (!first.statement) {
    return fail(ErrorCode::invalid_argument, "The query is empty; write one SELECT");
  }
  // What follows is looked at only to find out whether it is a statement.
  const auto second = parse(first.rest);
  if (!second || second->statement) {
    return fail(ErrorCode::invalid_argument,
                "Only one statement is allowed, and text follows it; send each in a call of its "
                "own");
  }
  if (sqlite3_stmt_readonly(first.statement.get()) == 0) {
    return fail(
        ErrorCode::permission_denied,
        "A statement that writes (CREATE TABLE, VACUUM, INSERT) is not allowed: sqlite_reader only "
        "reads. Write one SELECT");
  }
  return std::move(first.statement);
}

Result<ReadOnlyDatabase::Stepped> ReadOnlyDatabase::step(sqlite3_stmt* statement) {
  const int sqlite_code = sqlite3_step(statement);
  if (sqlite_code == SQLITE_ROW) return Stepped::row;
  if (sqlite_code == SQLITE_DONE) return Stepped::done;
  return explained(sqlite_code);
}

std::unexpected<Error> ReadOnlyDatabase::explained(int sqlite_code) {
  if (auto reason = guard_->take_reason()) return std::unexpected(std::move(*reason));
  const std::string told = told_by(database_.get());
  if (sqlite_code == SQLITE_READONLY_ROLLBACK || sqlite_code == SQLITE_BUSY_RECOVERY) {
    return fail(ErrorCode::unavailable,
                "A write to the database was interrupted and must be undone or finished first: "
                "open it once with the program that it belongs to, or with sqlite3");
  }
  switch (sqlite_code & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return fail(ErrorCode::unavailable,
                  "The database is locked by another program; try again when it has finished");
    case SQLITE_NOTADB:
      return fail(ErrorCode::storage, "The file is not a SQLite database, or it is encrypted");
    case SQLITE_CORRUPT:
      return fail(
          ErrorCode::storage,
          fmt::format("The database is damaged ({}); other tables may still be readable", told));
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
      return fail(ErrorCode::storage,
                  fmt::format("The database cannot be opened: {}. One with a write-ahead log needs "
                              "a writable folder, or must be opened as immutable",
                              told));
    case SQLITE_PERM:
    case SQLITE_AUTH: return fail(ErrorCode::permission_denied, fmt::format("Refused: {}", told));
    case SQLITE_IOERR:
      return fail(ErrorCode::storage, fmt::format("Reading the database failed: {}", told));
    case SQLITE_TOOBIG:
      return fail(ErrorCode::limit_reached,
                  fmt::format("Too large: {}. A value may have at most 16 MB; length(x) works for "
                              "any",
                              told));
    case SQLITE_NOMEM: return fail(ErrorCode::limit_reached, "SQLite ran out of memory");
    case SQLITE_INTERRUPT: return fail(ErrorCode::cancelled, "The query was interrupted");
    default: return fail(ErrorCode::invalid_argument, fmt::format("SQLite says: {}", told));
  }
}

}  // namespace wright::tools
