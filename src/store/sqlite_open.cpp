#include "store/sqlite_open.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <system_error>

#include "core/try.h"
#include "sqlite/gathered_log.h"
#include "store/agent_schema.h"
#include "store/sqlite_names.h"
#include "store/unfinished_copy.h"
#include "wright/store.h"

namespace wright::store {
namespace {

constexpr std::string_view kInMemory = ":memory:";

Result<void> create_folder_of(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.parent_path();
  if (folder.empty()) return {};
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error) return {};
  return fail(code_of_errno(error.value()),
              fmt::format("Cannot create the folder {} for the database: {}",
                          to_valid_utf8(folder.string()), error.message()));
}

// Leaves an existing file as it is. A transcript is private, so a new file is readable by its owner
// alone; SQLite gives its side files the same mode. mknod() and not open(): closing a descriptor
// would drop the locks of every other connection that this process has to the file.
Result<void> create_private_file(const std::filesystem::path& path) {
  if (::mknod(path.c_str(), S_IFREG | S_IRUSR | S_IWUSR, 0) == 0 || errno == EEXIST) return {};
  const std::error_code error(errno, std::generic_category());
  return fail(code_of_errno(error.value()),
              fmt::format("Cannot create the database {}: {}", to_valid_utf8(path.string()),
                          error.message()));
}

// SQLite may be built to read names that begin with "file:" as URIs; an absolute path never does.
Result<std::filesystem::path> absolute_path(const std::filesystem::path& path) {
  if (path.empty() || path.native().contains('\0')) {
    return fail(ErrorCode::invalid_argument,
                "The path of the database is empty or contains a NUL byte");
  }
  std::error_code error;
  auto absolute = std::filesystem::absolute(path, error);
  if (!error) return absolute;
  return fail(code_of_errno(error.value()),
              fmt::format("Cannot find the folder that {} is relative to: {}",
                          to_valid_utf8(path.string()), error.message()));
}

// SQLite says only that it cannot open such a file. Its own limit is for the name of the journal,
// too, without links.
Result<void> check_length(const std::filesystem::path& path) {
  constexpr std::string_view kLongestEnding = "-journal";
  const sqlite3_vfs* system = sqlite3_vfs_find(nullptr);
  if (system == nullptr) return {};
  const auto most = static_cast<std::size_t>(system->mxPathname) - kLongestEnding.size();
  std::error_code error;
  const auto whole = std::filesystem::weakly_canonical(path, error);
  const std::size_t length = (error ? path : whole).native().size();
  if (length <= most) return {};
  return fail(ErrorCode::invalid_argument,
              fmt::format("The path of the database is too long: it has {} bytes, and SQLite opens "
                          "none with more than {}. Choose a shorter one instead of {}",
                          length, most, to_valid_utf8(path.string())));
}

// A new database where the link leads would be one beside that of a disk that is not there today.
Result<void> check_link(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error)) return {};
  const auto found = std::filesystem::status(path, error).type();
  const bool is_circle = error == std::errc::too_many_symbolic_link_levels;
  if (found != std::filesystem::file_type::not_found && !is_circle) return {};
  const auto target = std::filesystem::read_symlink(path, error);
  return fail(ErrorCode::storage,
              fmt::format("{} is a link to {}, where no file is. Create that file, which may be "
                          "empty, or choose another path for the database",
                          to_valid_utf8(path.string()), to_valid_utf8(target.string())));
}

Result<void> prepare_file(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::is_directory(status)) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("{} is a folder; give the path of a database file, for example {}",
                    to_valid_utf8(path.string()), to_valid_utf8((path / "wright.db").string())));
  }
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} is not a regular file; choose another path for the database",
                            to_valid_utf8(path.string())));
  }
  TRY(check_link(path));
  TRY(check_length(path));
  TRY(create_folder_of(path));
  return create_private_file(path);
}

Result<Connection> connect(const std::filesystem::path& path) {
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE |
              SQLITE_OPEN_PRIVATECACHE;
  if (path == kInMemory) flags |= SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY;
  sqlite3* opened = nullptr;
  const int sqlite_code =
      sqlite3_open_v2(path.c_str(), &opened, flags, sqlite::gathering_log());
  Connection connection(opened);
  if (sqlite_code == SQLITE_OK) return connection;
  Error error = error_of(opened, sqlite_code);
  // A connection that never opened does not know its path.
  error.message = fmt::format("Cannot open the database {}: {}", to_valid_utf8(path.string()),
                              sqlite3_errmsg(opened));
  return std::unexpected(std::move(error));
}

// Two processes that open a new file at once may both want to switch it; SQLite then answers busy
// at once, without waiting for its busy timeout.
Result<void> switch_to_wal(sqlite3* connection, std::chrono::milliseconds busy_timeout) {
  constexpr int kPauseMs = 5;
  const auto deadline = std::chrono::steady_clock::now() + busy_timeout;
  while (true) {
    auto switched = execute(connection, "PRAGMA journal_mode = WAL");
    if (switched || switched.error().code != ErrorCode::unavailable ||
        std::chrono::steady_clock::now() >= deadline) {
      return switched;
    }
    sqlite3_sleep(kPauseMs);
  }
}

// Who opens it: those who work with sessions, or who only copies them.
enum class Use : std::uint8_t { sessions, copying };

Result<void> set_up(sqlite3* connection, const SqliteOptions& options, Use use) {
  const auto timeout_ms = std::clamp<std::chrono::milliseconds::rep>(
      options.busy_timeout.count(), 0, std::numeric_limits<int>::max());
  sqlite3_busy_timeout(connection, static_cast<int>(timeout_ms));
  if (sqlite3_db_readonly(connection, "main") == 1) {
    return std::unexpected(error_of(connection, SQLITE_READONLY));
  }
  // Reading comes first: what is not ours to write is found out before the journal mode changes it.
  const auto state = TRY(agent_schema_state(connection));
  const bool is_unfinished = state.is_unfinished_copy;
  if (is_unfinished && use != Use::copying) {
    return std::unexpected(unfinished_copy(name_of(connection)));
  }
  TRY(switch_to_wal(connection, options.busy_timeout));
  const char* synchronous = options.durability == Durability::full ? "PRAGMA synchronous = FULL"
                                                                   : "PRAGMA synchronous = NORMAL";
  TRY(execute(connection, synchronous));
  if (is_unfinished) {
    TRY(check_version_of_copy(name_of(connection), state.version, kAgentSchemaVersion));
    TRY(execute(connection, "PRAGMA foreign_keys = ON"));
  } else {
    TRY(run_agent_migrations(connection));
  }
  // Pages of the log that are written back at once: what changes with every turn is among them only
  // once. A fourth of that is SQLite's own number.
  constexpr int kPagesOfLog = 4'000;
  sqlite3_wal_autocheckpoint(connection, kPagesOfLog);
  // A list of words that a column may hold is built anew for every statement that writes it, and
  // costs more than the writing. Our words come from enums; for other programs the checks hold.
  return execute(connection, "PRAGMA ignore_check_constraints = ON");
}

}  // namespace

Result<Connection> open_for_reading(sqlite3* connection) {
  const char* path = sqlite3_db_filename(connection, "main");
  if (path == nullptr || *path == '\0' || !check_file(connection)) return Connection();
  sqlite3* opened = nullptr;
  const int sqlite_code = sqlite3_open_v2(
      path, &opened,
      SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_PRIVATECACHE,
      nullptr);
  Connection reading(opened);
  if (sqlite_code != SQLITE_OK) return std::unexpected(error_of(opened, sqlite_code));
  constexpr int kPatienceMs = 10'000;
  sqlite3_busy_timeout(opened, kPatienceMs);
  return reading;
}

namespace {

Result<Connection> open_for(Use use, const std::filesystem::path& path,
                            const SqliteOptions& options) {
  Result<std::filesystem::path> name = path;
  if (path != kInMemory) {
    name = absolute_path(path);
    if (!name) return std::unexpected(std::move(name).error());
    TRY(prepare_file(*name));
  }
  auto connection = TRY(connect(*name));
  TRY(set_up(connection.get(), options, use));
  return connection;
}

}  // namespace

Result<Connection> open_database(const std::filesystem::path& path, const SqliteOptions& options) {
  return open_for(Use::sessions, path, options);
}

Result<Connection> open_for_copying(const std::filesystem::path& path) {
  return open_for(Use::copying, path, {});
}

Result<bool> is_unfinished_copy(const std::filesystem::path& path) {
  std::error_code error;
  if (path == kInMemory || !std::filesystem::is_regular_file(path, error)) return false;
  const auto name = TRY(absolute_path(path));
  const auto connection = TRY(connect(name));
  const auto state = agent_schema_state(connection.get());
  return state && state->is_unfinished_copy;  // whoever opens it says what else is wrong
}

Result<void> check_is_ours(const std::filesystem::path& path) {
  std::error_code error;
  if (path == kInMemory || !std::filesystem::is_regular_file(path, error)) return {};
  const auto name = TRY(absolute_path(path));
  const auto connection = connect(name);
  if (!connection) return {};  // whoever opens it says what is wrong
  const auto is_ours = has_agent_schema(connection->get());
  if (!is_ours || *is_ours) return {};
  auto tables = Statement::prepare(connection->get(),
                                   "SELECT count(*) FROM sqlite_schema WHERE name NOT LIKE "
                                   "'sqlite\\_%' ESCAPE '\\'");
  if (!tables) return {};
  std::int64_t count = 0;
  const auto counted = tables->query([&](const Row& row) -> Result<void> {
    count = row.integer(0);
    return {};
  });
  if (!counted || count == 0) return {};
  return fail(ErrorCode::invalid_argument,
              fmt::format("{} is a database of another program: it has tables, and none of them is "
                          "Wright's. Choose another file for sessions",
                          to_valid_utf8(path.string())));
}

Result<void> check_file(sqlite3* connection) {
  int has_moved = 0;
  const int sqlite_code =
      sqlite3_file_control(connection, "main", SQLITE_FCNTL_HAS_MOVED, &has_moved);
  if (sqlite_code != SQLITE_OK || has_moved == 0) return {};
  return fail(ErrorCode::storage,
              fmt::format("{} was deleted or replaced while it was in use. What is written now "
                          "would be lost: start the program again",
                          name_of(connection)));
}

}  // namespace wright::store
