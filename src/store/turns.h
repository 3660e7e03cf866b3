// Whose turn it is in the queue: tenants take turns, and so do the agents of each. Knows nothing
// about any database; PostgreSQL says the same in one statement.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "wright/session.h"

namespace wright::store {

struct Waiting {
  SessionId id = 0;
  std::int64_t priority = 0;
};

// What is ready of one agent of one tenant.
struct Line {
  std::string tenant = {};
  std::string agent_name = {};
  std::int64_t served = 0;            // when it was last; the numbers rise, 0 is never
  std::int64_t tenant_served = 0;     // the same of its tenant
  std::deque<Waiting> sessions = {};  // in their order
};

struct Turn {
  SessionId id = 0;
  std::size_t line = 0;  // which of the lines
};

// Up to `most`, in the order in which they are served.
std::vector<Turn> turns_of(const std::vector<Line>& lines, std::size_t most);

}  // namespace wright::store
