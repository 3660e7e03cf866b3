#include "app/commands/machine.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/try.h"
#include "sqlite/connection.h"
#include "store/agent_schema.h"
#include "store/unfinished_copy.h"

namespace wright::app {
namespace {

Result<sqlite::Connection> open_database(const std::filesystem::path& path, int flags) {
  auto [connection, code] = sqlite::open(path.native(), flags);
  if (code != SQLITE_OK) {
    return fail(ErrorCode::storage, fmt::format("{}: {}", path.string(), sqlite3_errstr(code)));
  }
  return std::move(connection);
}

}  // namespace

std::string kernel_release() {
  utsname names{};
  if (uname(&names) != 0) return "unknown";
  return fmt::format("{} {}", names.sysname, names.release);
}

bool has_openat2() {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH;
  const long descriptor = syscall(SYS_openat2, AT_FDCWD, ".", &how, sizeof how);
  if (descriptor < 0) return false;
  close(static_cast<int>(descriptor));
  return true;
}

std::string sqlite_version() {
  return sqlite3_libversion();
}

Result<void> try_write_ahead_log(const std::filesystem::path& folder) {
  std::string place = (folder / ".wright-doctor-XXXXXX").string();
  if (mkdtemp(place.data()) == nullptr) {
    return fail(ErrorCode::permission_denied,
                fmt::format("cannot write to {}: {}", folder.string(), std::strerror(errno)));
  }
  Result<void> outcome;
  {
    const auto database = open_database(std::filesystem::path(place) / "try.db",
                                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    if (!database) {
      outcome = std::unexpected(database.error());
    } else {
      std::string mode;
      const auto keep = [](void* text, int, char** values, char**) {
        if (values[0] != nullptr) *static_cast<std::string*>(text) = values[0];
        return 0;
      };
      sqlite3_exec(database->get(), "PRAGMA journal_mode=WAL", keep, &mode, nullptr);
      const int code =
          sqlite3_exec(database->get(), "CREATE TABLE t(x)", nullptr, nullptr, nullptr);
      if (mode != "wal" || code != SQLITE_OK) {
        outcome = fail(ErrorCode::unsupported,
                       fmt::format("the file system of {} does not support it", folder.string()));
      }
    }
  }
  std::error_code ignored;
  std::filesystem::remove_all(place, ignored);
  return outcome;
}

Result<std::optional<int>> schema_version_of(const std::filesystem::path& path) {
  const auto database = TRY(open_database(path, SQLITE_OPEN_READONLY));
  sqlite3_busy_timeout(database.get(), 2000);
  const auto state = TRY(store::agent_schema_state(database.get()));
  if (state.kind == store::SchemaState::Kind::none) return std::nullopt;
  if (state.is_unfinished_copy) {
    return std::unexpected(store::unfinished_copy(to_valid_utf8(path.string())));
  }
  return state.version;
}

std::string ctags_version(const Variables& environment) {
  constexpr std::string_view kName = "Universal Ctags";
  const auto sandbox = Sandbox::prepare({.environment = environment});
  if (!sandbox) return {};
  const auto finished = sandbox->run({.arguments = {"ctags", "--version"}},
                                     {.timeout = std::chrono::seconds(10), .kept_bytes = 4096});
  if (!finished || finished->exit_code != 0 || !finished->output.head.starts_with(kName)) return {};
  return finished->output.head.substr(0, finished->output.head.find_first_of(",\n"));
}

std::filesystem::path nearest_existing_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::path at = std::filesystem::absolute(folder, error);
  while (!std::filesystem::exists(at, error) && at.has_relative_path()) at = at.parent_path();
  return at;
}

bool may_write_to(const std::filesystem::path& folder) {
  return access(folder.c_str(), W_OK | X_OK) == 0;
}

bool may_read_from(const std::filesystem::path& folder) {
  return access(folder.c_str(), R_OK | X_OK) == 0;
}

bool is_readable_by_others(const std::filesystem::path& file) {
  struct stat status {};
  return stat(file.c_str(), &status) == 0 && (status.st_mode & (S_IRGRP | S_IROTH)) != 0;
}

}  // namespace wright::app
