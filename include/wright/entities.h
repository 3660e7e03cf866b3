// Tools that search by what things are: the classes and functions of a code base, the rows of a
// SQLite database. query_entities, number_range_search, datetime_range_search, text_pattern_search,
// enum_filter_search, aggregate_entities, get_schema, describe_entity, explore_relationships and
// semantic_search. All of them read.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

#include "wright/sandbox.h"
#include "wright/sqlite_reader.h"
#include "wright/tool.h"

namespace wright {

// Says what time it is, in milliseconds since 1970: "the last week" ends then.
using EntityClock = std::function<std::int64_t()>;
std::int64_t system_time_ms();

struct IndexProgress {
  std::string_view what;  // "Reading files"
  std::int64_t done = 0;
  std::int64_t total = 0;  // the last report has done == total
};

struct CodeIndexOptions {
  std::filesystem::path base = {};
  // Where the index is kept, a file for each base. Made when it is missing; it may be deleted at
  // any time.
  std::filesystem::path folder = {};
  // How universal-ctags and git run; they may read the base and its repository, and write nothing.
  SandboxPolicy policy = {};
  // Called in the thread of the call that needs the index, while it is built.
  std::function<void(const IndexProgress&)> on_progress = {};
  EntityClock clock = system_time_ms;
  // How long an index that was compared with the files counts as current.
  std::chrono::milliseconds recheck_after{1'000};
};

// Over the files, classes, functions, … below the base. The index is built when a call first needs
// it, and afterwards brought up to date by what changed. Refused when the base is not a readable
// folder, or no folder for the index is given.
Result<std::vector<Tool>> code_entity_tools(CodeIndexOptions options);

// Over the tables of the first of the databases: a table or view is an entity type, its columns
// are the fields. With `databases` empty, every call fails and says why.
Result<std::vector<Tool>> database_entity_tools(SqliteReaderOptions options,
                                                EntityClock clock = system_time_ms);

}  // namespace wright
