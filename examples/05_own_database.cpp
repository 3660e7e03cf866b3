// Wright's tables inside your program's own SQLite database: your connection, your tables, and
// one file to back up. The migrations leave everything that is yours alone.
#include <sqlite3.h>
#include <wright/migrations.h>

#include <iostream>
#include <memory>

using Connection = std::unique_ptr<sqlite3, decltype(&sqlite3_close)>;

Connection open(const char* path) {
  sqlite3* connection = nullptr;
  sqlite3_open(path, &connection);
  return {connection, &sqlite3_close};
}

bool run_sql(const Connection& connection, const char* sql) {
  return sqlite3_exec(connection.get(), sql, nullptr, nullptr, nullptr) == SQLITE_OK;
}

void print_tables(const Connection& connection) {
  const auto print = [](void*, int, char** row, char**) {
    std::cout << "table " << row[0] << '\n';
    return 0;
  };
  sqlite3_exec(connection.get(),
               "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' "
               "ORDER BY name",
               print, nullptr, nullptr);
}

wright::Result<void> add_agent_tables(const Connection& connection) {
  const auto before = wright::has_agent_schema(connection.get());
  if (!before) return std::unexpected(before.error());
  std::cout << "agent tables before: " << (*before ? "yes" : "no") << '\n';
  const auto migrated = wright::run_agent_migrations(connection.get());
  if (!migrated) return migrated;
  const auto after = wright::has_agent_schema(connection.get());
  if (!after) return std::unexpected(after.error());
  std::cout << "agent tables after: " << (*after ? "yes" : "no") << '\n';
  return {};
}

int main() {
  const Connection connection = open(":memory:");
  if (!run_sql(connection, "CREATE TABLE invoices (id INTEGER PRIMARY KEY, total INTEGER)")) {
    std::cerr << sqlite3_errmsg(connection.get()) << '\n';
    return 1;
  }
  const auto added = add_agent_tables(connection);
  if (!added) {
    std::cerr << added.error().message << '\n';
    return 1;
  }
  print_tables(connection);
}
