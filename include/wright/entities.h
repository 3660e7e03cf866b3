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

#include "wright/embeddings.h"
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

// How semantic_search finds by what texts mean, beside the words in them. The texts (names,
// signatures and comments) go to the model, and their vectors are kept in the index.
struct EmbeddingOptions {
  EmbeddingModel model = {};  // not set: by words alone
  // For making vectors that are missing; what is left waits for the next question.
  std::chrono::milliseconds time_at_a_question{60'000};
  // During which a model that failed is not asked again.
  std::chrono::milliseconds pause_after_failure{30'000};
  std::int64_t most_entities = 500'000;  // of more, none is embedded
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
  EmbeddingOptions embeddings = {};
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
