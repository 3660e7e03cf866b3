#include "state.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <fstream>
#include <sstream>

namespace wright::cli {

std::string content_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

void change(const std::filesystem::path& database, const char* sql) {
  sqlite3* connection = nullptr;
  ASSERT_EQ(sqlite3_open(database.c_str(), &connection), SQLITE_OK);
  char* problem = nullptr;
  EXPECT_EQ(sqlite3_exec(connection, sql, nullptr, nullptr, &problem), SQLITE_OK) << problem;
  sqlite3_free(problem);
  sqlite3_close(connection);
}

}  // namespace wright::cli
