// One connection to PostgreSQL, in pipeline mode. It may be used by one thread at a time. No call
// lasts longer than its deadline, and neither does what it asked the server for: every transaction
// begins by setting statement_timeout for itself (which a pooler hands on with the transaction), a
// little shorter than the deadline, so that the server refuses before anybody gives up; and whoever
// gives up asks the server to cancel.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>

#include "postgres/request.h"
#include "wright/error.h"
#include "wright/log.h"

struct pg_conn;
struct pg_result;

namespace wright::postgres {

using Deadline = std::chrono::steady_clock::time_point;

// What came of the requests that were sent together.
struct Outcome {
  enum class Kind : std::uint8_t {
    done,    // all of them; what they wrote is committed, unless a transaction was begun before
    failed,  // the server refused one of them and has undone all
    lost,    // the connection broke or the time was over: nobody knows
  };
  Kind kind = Kind::done;
  std::size_t index = 0;   // which request failed; the number of requests: none of them
  std::string state = {};  // five letters that say what failed, as PostgreSQL documents them
  std::string message = {};
  // Every row came, so whoever finds out that it was committed knows all that there is to know.
  bool has_all_rows = false;
  bool has_told_rows = false;  // of one of the requests, be it that another failed
  bool is_unprepared = false;  // it failed because of a kept statement, and can be tried again

  bool is_done() const { return kind == Kind::done; }
  bool has_state(std::string_view wanted) const { return kind == Kind::failed && state == wanted; }
};

// Whether statements are kept by the server, or sent as text every time: a pooler that hands
// connections from one transaction to the next may not know which it has.
enum class Preparing : std::uint8_t { kept, every_time };

class Connection {
 public:
  // `place` is an URI or a connection string of libpq; service files, TLS and the environment are
  // libpq's. What the server says at the side goes to the logger.
  static Result<Connection> open(const std::string& place, Logger logger = {});

  bool is_open() const;

  // Sends all of them in one go and reads what comes. Rows go to the requests' callbacks as they
  // come, also when a later request fails; the first error of a callback is in `row_error`.
  Outcome exchange(std::span<const Request> requests, Deadline deadline, Preparing preparing);
  Result<void> row_error() const { return row_error_; }

  // Waits until the server says something, and drops it; true when it was a notification. For
  // connections that listen.
  bool wait_for_notification(Deadline deadline, int wake_descriptor);

  int server_version() const;
  int process() const;  // of the server

 private:
  struct Close {
    void operator()(pg_conn* connection) const;
  };
  Connection(pg_conn* connection, std::unique_ptr<const Logger> logger)
      : logger_(std::move(logger)), connection_(connection) {}

  bool send(std::span<const Request* const> requests, Preparing preparing);
  bool flush(Deadline deadline);
  bool wait_for_result(Deadline deadline);
  bool read_result(Deadline deadline, pg_result** result);
  void note_failure(const pg_result* result, std::size_t index, Outcome& outcome);
  Outcome lost(Outcome outcome);
  void give_up();

  std::unique_ptr<const Logger> logger_;  // outlives the connection
  std::unique_ptr<pg_conn, Close> connection_;
  std::unordered_set<std::string> prepared_;  // by name
  std::vector<const Sql*> being_prepared_;    // in this exchange; null: the request itself
  Result<void> row_error_;
};

}  // namespace wright::postgres
