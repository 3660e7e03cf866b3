// What the tests of this folder share: values that are quick to write, and to compare.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "core/temporary_folder_testing.h"
#include "store/sqlite_names.h"
#include "store/sqlite_open.h"
#include "wright/store.h"

namespace wright::store {

// The value of a result that the test relies on; its error becomes the test's failure.
template <class T>
T value_of(Result<T> result) {
  if (!result) {
    ADD_FAILURE() << result.error().message;
    return T();
  }
  return std::move(*result);
}

inline void expect_ok(const Result<void>& result) {
  EXPECT_TRUE(result.has_value()) << (result ? std::string() : result.error().message);
}

template <class T>
ErrorCode code_of(const Result<T>& result) {
  EXPECT_FALSE(result.has_value()) << "expected an error";
  return result ? ErrorCode::internal : result.error().code;
}

// One text a row, columns joined by '|', from a connection of the test's own.
inline std::vector<std::string> rows_of(sqlite3* connection, std::string_view sql) {
  std::vector<std::string> rows;
  auto statement = Statement::prepare(connection, sql);
  if (!statement) {
    ADD_FAILURE() << statement.error().message;
    return rows;
  }
  const int columns = [&] {
    sqlite3_stmt* counted = nullptr;
    sqlite3_prepare_v2(connection, sql.data(), static_cast<int>(sql.size()), &counted, nullptr);
    const int count = sqlite3_column_count(counted);
    sqlite3_finalize(counted);
    return count;
  }();
  expect_ok(statement->query([&](const Row& row) -> Result<void> {
    std::string line;
    for (int column = 0; column < columns; ++column) {
      if (column > 0) line += '|';
      line += row.is_null(column) ? std::string("NULL") : row.text(column);
    }
    rows.push_back(std::move(line));
    return {};
  }));
  return rows;
}

// A plain connection, as another program would have it.
inline Connection connect_plainly(const std::filesystem::path& path) {
  sqlite3* connection = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &connection), SQLITE_OK);
  return Connection(connection);
}

inline NewSession session_named(std::string agent_name, std::string prompt = "Do it") {
  return {.agent_name = std::move(agent_name),
          .provider = "offline",
          .model = "planner",
          .user_prompt = std::move(prompt)};
}

inline Result<BatchIds> apply_one(Store& store, Write write) {
  const std::array writes{std::move(write)};
  return store.apply(writes);
}

}  // namespace wright::store
