// A program with a database of its own lets Wright keep its sessions in the same file.
#include <sqlite3.h>
#include <wright/store.h>

#include <filesystem>
#include <iostream>
#include <memory>

namespace {

std::string say(const wright::Result<bool>& answer) {
  if (!answer) return answer.error().message;
  return *answer ? "yes" : "no";
}

int fail(const std::string& why) {
  std::cerr << why << '\n';
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::filesystem::path path =
      argc > 1 ? argv[1] : std::filesystem::temp_directory_path() / "wright_own_database.db";

  // The program's own connection and its own table, as they were before Wright came.
  sqlite3* opened = nullptr;
  const int code = sqlite3_open(path.c_str(), &opened);
  const std::unique_ptr<sqlite3, decltype(&sqlite3_close)> database(opened, sqlite3_close);
  if (code != SQLITE_OK) return fail(sqlite3_errmsg(opened));
  if (sqlite3_exec(opened,
                   "CREATE TABLE IF NOT EXISTS invoices (id INTEGER PRIMARY KEY, total INTEGER);"
                   "INSERT INTO invoices (total) VALUES (99)",
                   nullptr, nullptr, nullptr) != SQLITE_OK) {
    return fail(sqlite3_errmsg(opened));
  }

  std::cout << "agent tables before: " << say(wright::has_agent_schema(opened)) << '\n';
  if (const auto migrated = wright::run_agent_migrations(opened); !migrated) {
    return fail(migrated.error().message);
  }
  std::cout << "agent tables after:  " << say(wright::has_agent_schema(opened)) << '\n';

  // A store on the same file. The program may keep its own connection open beside it.
  const auto store = wright::open_sqlite_store(path);
  if (!store) return fail(store.error().message);
  const auto session = (*store)->create_session({.agent_name = "bookkeeper",
                                                 .provider = "offline",
                                                 .model = "offline",
                                                 .user_prompt = "Which invoices are open?"});
  if (!session) return fail(session.error().message);
  if (const auto done = (*store)->complete_session(*session, "Only the first one."); !done) {
    return fail(done.error().message);
  }

  // What Wright has written is plain SQL to the program.
  const auto print_row = [](void*, int, char** values, char**) {
    std::cout << "session " << values[0] << " (" << values[1] << "): " << values[2] << '\n';
    return 0;
  };
  if (sqlite3_exec(opened, "SELECT id, status, result FROM agent_sessions ORDER BY id DESC LIMIT 1",
                   print_row, nullptr, nullptr) != SQLITE_OK) {
    return fail(sqlite3_errmsg(opened));
  }
}
