// Where the office of a test keeps its books: a store and a ledger that are made anew, copied and
// looked at when whoever worked there was killed.
#pragma once

#include <memory>
#include <string>

#include "faults/office.h"

namespace wright::faults {

struct Office {
  std::string place;
  Ledger ledger;
};

class Offices {
 public:
  virtual ~Offices() = default;

  // An empty one; what had this name before is gone.
  virtual Office open(const std::string& name) = 0;
  virtual Office copy(const Office& original, const std::string& name) = 0;
  // Returns when nothing is written any more for a process that has ended.
  virtual void settle(const Office& office) = 0;
};

enum class Keeping : std::uint8_t { sqlite, postgres };

// In `folder`, and, for PostgreSQL, in databases of the cluster of the tests. Makes the tables
// once: what is killed is a session, not a migration.
std::unique_ptr<Offices> make_offices(Keeping keeping, const std::filesystem::path& folder);

}  // namespace wright::faults
