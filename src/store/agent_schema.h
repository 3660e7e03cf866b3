// The agent tables as SQL, and how to recognise what a database already has. Reads only.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "wright/error.h"

struct sqlite3;

namespace wright::store {

// Create the first three tables as they are in this version, their indexes and the table that holds
// the version.
extern const char* const kCreateSessions;
extern const char* const kCreateMessagesAndCalls;
// Creates the tables that came with kFirstVersionWithWaits.
extern const char* const kCreateWaitTables;
// Added to them by version 5.
extern const char* const kAddCovers;
// Added by version 6, beside what the first three tables have.
extern const char* const kAddQueuesAndEvents;
// Added to the sessions by version 7.
extern const char* const kAddLabels;
// Creates the table that came with kFirstVersionWithRecords.
extern const char* const kCreateRecords;
extern const char* const kAddOwnersOfRecords;
// Added by version 9.
extern const char* const kAddTenantsAndPaces;
// Added to the waits by version 10.
extern const char* const kAddWaitStates;
// Creates the indexes that figures are read from, where they are not there. They need no version:
// a Wright that does not know them keeps them up to date, as SQLite does with every index.
extern const char* const kIndexFigures;

inline constexpr std::array<std::string_view, 3> kAgentTables{"agent_sessions", "agent_messages",
                                                              "agent_tool_calls"};
inline constexpr int kFirstVersionWithWaits = 3;
inline constexpr int kFirstVersionWithQueues = 6;
inline constexpr int kFirstVersionWithRecords = 8;
inline constexpr int kFirstVersionWithTenants = 9;
inline constexpr int kFirstVersionWithOwnedRecords = 10;
// With the version that each came with.
inline constexpr std::array<std::pair<std::string_view, int>, 8> kLaterTables{
    std::pair{"agent_waits", kFirstVersionWithWaits},
    std::pair{"agent_runners", kFirstVersionWithWaits},
    std::pair{"agent_queues", kFirstVersionWithQueues},
    std::pair{"agent_events", kFirstVersionWithQueues},
    std::pair{"agent_records", kFirstVersionWithRecords},
    std::pair{"agent_lines", kFirstVersionWithTenants},
    std::pair{"agent_paces", kFirstVersionWithTenants},
    std::pair{"agent_slots", kFirstVersionWithTenants}};

struct SchemaState {
  enum class Kind : std::uint8_t {
    none,         // no agent tables
    unversioned,  // the three tables as they were before they carried a version
    versioned,
  };
  Kind kind = Kind::none;
  int version = 0;                  // Kind::versioned
  bool is_unfinished_copy = false;  // see unfinished_copy.h
  bool has_indexes_of_figures = false;
};

// Fails when the tables are of a newer Wright, incomplete, or another program's tables of the same
// names. Looks at one state of the database, however many others write to it.
Result<SchemaState> agent_schema_state(sqlite3* connection);

// Whether the first three tables are there, which every version has.
Result<bool> has_agent_tables(sqlite3* connection);

}  // namespace wright::store
