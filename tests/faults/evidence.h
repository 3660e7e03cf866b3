// What is in a database and in a ledger, and what must hold between them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "faults/office.h"

namespace wright::faults {

struct Evidence {
  struct One {
    Session session = {};
    std::vector<StoredMessage> messages = {};
    std::vector<StoredCall> calls = {};
  };
  std::map<SessionId, One> sessions = {};
  std::size_t runners = 0;
};

Evidence collect(Store& store);
// Opens the place and closes it again.
Evidence collect(const std::string& place);

// What `before` knows is in `after` as it was: every message, and every call that had come to an
// end. Failures are the test's.
void expect_kept(const Evidence& before, const Evidence& after);

// The office is done: all sessions completed, all transcripts valid; what read or is idempotent has
// its result; every write ran at most once, is said to be done only if it was, and otherwise is
// `unknown`, which only those may be that `interrupted` saw executing.
void expect_done(const Evidence& evidence, const Ledger& ledger,
                 const std::vector<Evidence>& interrupted);

// Of every write: it ran at most once, and is said to be done only if it was.
void expect_honest(const Evidence& evidence, const Ledger& ledger);

}  // namespace wright::faults
