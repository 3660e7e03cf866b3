// The tools that Wright ships.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wright/model.h"
#include "wright/people.h"
#include "wright/sandbox.h"
#include "wright/tool.h"

namespace wright {

// sqlite_reader: lets a model look into SQLite databases that the program chose, and change
// nothing.

// A database file under the name by which a model may choose it.
struct NamedDatabase {
  std::string name = "main";
  std::filesystem::path path = {};
};

enum class DatabaseSharing : std::uint8_t {
  locked,     // others may write meanwhile: take read locks and read their write-ahead log
  immutable,  // nobody writes: no locks, no side files, also on a read-only file system
};

struct SqliteReaderOptions {
  // With one, the model is not asked which. With none, every call fails and says why.
  std::vector<NamedDatabase> databases = {};
  // When set, relative paths start here, and no database outside of it is opened, whatever its path
  // looks like and whatever links to where.
  std::filesystem::path base = {};
  DatabaseSharing sharing = DatabaseSharing::locked;
  std::chrono::milliseconds deadline{10'000};          // of one call
  std::size_t memory_limit = std::size_t{256} << 20U;  // bytes that one query may need to think
};

// The tool `sqlite_reader`. Files are opened again for each call, so they need not exist yet.
// Refused when two databases have one name, or one has none.
Result<Tool> sqlite_reader_tool(SqliteReaderOptions options);

// list_files, read_file, grep, write_file and apply_patch.

// What the file tools may touch. No path leaves these folders, whatever it looks like and whatever
// links to where.
struct FileAccess {
  std::filesystem::path base = {};                   // read; relative paths start here
  std::vector<std::filesystem::path> readable = {};  // read; named by absolute paths
  std::vector<std::filesystem::path> writable = {};  // written and read; relative ones are below
                                                     // the base, "." is the base itself
  // Files and folders that are not there for the tools, and cannot be made; except for folders of
  // `readable` that lie in them.
  std::vector<std::filesystem::path> hidden = {};
  // The same lists as those of SandboxPolicy: what looks as if it were not there, and what may be
  // read but not written. `.git` is never written, whatever stands here.
  std::vector<std::string> unreadable = {};
  std::vector<std::string> protected_paths = {".git", ".wright"};
};

// list_files, read_file and grep. Refused when a folder of `access` is not a readable folder.
Result<std::vector<Tool>> file_tools(const FileAccess& access);

// The same for one folder.
Result<std::vector<Tool>> file_tools(const std::filesystem::path& base);

struct BashOptions {
  std::filesystem::path base;           // where commands run; it may always be read
  std::vector<CommandRule> rules = {};  // without rules, nothing may run
  SandboxPolicy policy = {};
  // Asks a person who is there; an empty answer (or no function) lets the run wait until somebody
  // has answered.
  std::function<std::optional<intercept::Permission>(const CommandDecision&, const Context&)> ask =
      {};
  // What a command prints, as it comes, in the thread of the call.
  std::function<void(const Context&, OutputStream, std::string_view)> on_output = {};
};

// bash: judges every command of a line by the rules, then runs it in a sandbox. Refused when `base`
// is not a readable folder, or when a rule is malformed.
Result<Tool> bash_tool(BashOptions options);

// write_file and apply_patch. They write below the writable folders only, and never into a `.git`
// or what else is protected; refused when there are none.
Result<std::vector<Tool>> editing_tools(const FileAccess& access);

// Where output goes that is too long for the model. Put `folder` among FileAccess::readable too, so
// that read_file can page it.
struct SpillOptions {
  std::filesystem::path folder = {};                   // made when it is missing
  std::chrono::hours max_age{24 * 7};                  // older files go
  std::uint64_t max_bytes = std::uint64_t{256} << 20;  // of all files; then the oldest go
};

// For Agent::spill. Refused when the folder cannot be used.
Result<Spill> spill_output(SpillOptions options);

// fetch_url and web_search: lets a model read the public web, and nothing behind it.

// What may be fetched, and how much of it.
//
// Without `allow`, only addresses of the public internet: not the machine itself, its network, or a
// cloud's metadata. That is checked on the address of every connection, so that neither a name that
// resolves to such an address, nor an odd spelling, nor a redirection leads there.
//
// `allow` and `deny` hold hosts ("intranet.example": it and what is below; "*.intranet.example":
// what is below), addresses ("10.0.0.7") and networks ("10.0.0.0/8", "fd00::/8"); all but networks
// may end in ":8080".
struct WebAccessOptions {
  std::vector<std::string> allow = {};            // whatever the address and the port
  std::vector<std::string> deny = {};             // wins over everything else
  std::vector<std::uint16_t> ports = {80, 443};   // of others; none: every port
  std::chrono::milliseconds timeout{30'000};      // of one call, redirections included
  std::size_t max_bytes = std::size_t{5} << 20U;  // of one page, unpacked
  std::string ca_file = {};                       // empty: the system's
  // Empty: pages are fetched directly. Through a proxy, it is the proxy that resolves names, and so
  // the proxy that must keep private addresses apart.
  std::string proxy = {};
  std::string user_agent = "wright";
};

// The tool `fetch_url`. Refused when an entry of `allow` or `deny` means nothing.
Result<Tool> fetch_url_tool(WebAccessOptions options);

// Where web_search asks: an endpoint that answers as SearXNG does to ?q=…&format=json.
struct WebSearchOptions {
  std::string endpoint = {};                 // without one, every call fails and says why
  std::string key = {};                      // sent with every question, and nowhere else
  std::string key_header = "Authorization";  // there it is sent as "Bearer …", elsewhere as it is
  std::chrono::milliseconds timeout{20'000};
  std::string ca_file = {};
  std::string user_agent = "wright";
};

// The tool `web_search`. Refused when the endpoint is no http or https URL.
Result<Tool> web_search_tool(WebSearchOptions options);

// The tool `ask_user`. A call answers with a Waiting: the run waits for a person, who is shown the
// questions (questions_from() in people.h reads them).
Tool ask_user_tool();

// Who answers in place of a person who is asked. An answer that breaks the rules of its question is
// told to the model as a failure; passwords are kept from it.
using AskUserExecutor = std::function<Result<AskUserResponse>(const AskUserRequest& request)>;

// The same tool, which never waits: the executor answers at once.
Tool ask_user_tool(AskUserExecutor executor);

// Tools that search by what things are: the classes and functions of a code base, the rows of a
// SQLite database. query_entities, number_range_search, datetime_range_search, text_pattern_search,
// enum_filter_search, aggregate_entities, get_schema, describe_entity, explore_relationships and
// semantic_search. All of them read.

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
