// For tests of sqlite_reader: a real database file made by SQL, and a way to read it as a model
// does.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "core/try.h"
#include "tools/temporary_folder_testing.h"
#include "wright/testing.h"
#include "wright/tools.h"

namespace wright::tools {

class DatabaseFile {
 public:
  explicit DatabaseFile(const std::string& sql = "", std::string_view name = "test.db")
      : path_(folder_ / name) {
    execute(sql);
  }

  const std::filesystem::path& path() const { return path_; }
  const TemporaryFolder& folder() const { return folder_; }

  void execute(const std::string& sql) const {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &database), SQLITE_OK);
    char* problem = nullptr;
    const int code = sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &problem);
    EXPECT_EQ(code, SQLITE_OK) << (problem == nullptr ? "" : problem);
    sqlite3_free(problem);
    sqlite3_close(database);
  }

  SqliteReaderOptions options() const {
    SqliteReaderOptions made;
    made.databases = {{.name = "main", .path = path_}};
    return made;
  }

  Result<Json> call(JsonObject arguments) const { return call(options(), std::move(arguments)); }
  static Result<Json> call(const SqliteReaderOptions& options, JsonObject arguments,
                           std::stop_token stop = {}) {
    const auto tool = TRY(sqlite_reader_tool(options));
    Context context;
    context.stop = std::move(stop);
    return testing::answer_of(tool, tool.rewrite(std::move(arguments)), context);
  }

  // The answer to a query, or "code: message".
  Json query(std::string_view sql) const { return shown(call({{"query", sql}})); }
  Json reflect(std::string_view target, std::string_view table = {}) const {
    JsonObject arguments{{"mode", "reflect"}, {"target", target}};
    if (!table.empty()) arguments["table_name"] = table;
    return shown(call(std::move(arguments)));
  }

  // The rows of a query as JSON text, or "code: message".
  std::string rows(std::string_view sql) const { return rows_of(query(sql)); }
  static std::string rows_of(const Json& answer) {
    return answer.is_string() ? std::string(answer.get_string()) : to_text(answer.at("rows"));
  }

  static Json shown(const Result<Json>& answer) {
    if (answer) return *answer;
    return Json(fmt::format("{}: {}", to_string(answer.error().code), answer.error().message));
  }

 private:
  TemporaryFolder folder_;
  std::filesystem::path path_;
};

}  // namespace wright::tools
