// The write-ahead log of a database, written in few large pieces instead of many small ones.
#pragma once

namespace wright::sqlite {

// The name of a file system for sqlite3_open_v2(): the default one, but for the log. SQLite writes
// every page of a transaction with two calls of the system; here they are held until the page that
// ends the transaction comes, and go to the file with it. Nothing of a transaction counts before that
// page, so that neither others nor a crash see a difference, and what cannot be written is an error of
// the same transaction.
const char* gathering_log();

}  // namespace wright::sqlite
