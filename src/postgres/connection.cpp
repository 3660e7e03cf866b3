#include "postgres/connection.h"

#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <thread>
#include <utility>

#include "core/text.h"
#include "core/try.h"
#include "postgres/connecting.h"
#include "postgres/errors.h"
#include "postgres/place.h"

namespace wright::postgres {
namespace {

struct ClearResult {
  void operator()(PGresult* result) const { PQclear(result); }
};
using ResultHandle = std::unique_ptr<PGresult, ClearResult>;

int milliseconds_until(Deadline deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      deadline - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
}

bool is_over(Deadline deadline) {
  return std::chrono::steady_clock::now() >= deadline;
}

// False when the time is over.
bool wait_for(int descriptor, short events, Deadline deadline) {
  while (true) {
    pollfd waited{.fd = descriptor, .events = events, .revents = 0};
    const int ready = ::poll(&waited, 1, milliseconds_until(deadline));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
    if (is_over(deadline)) return false;
  }
}

// For the transaction in which it is sent. A shorter one that somebody has set for the user or the
// database stays.
Request limit_of_time(Deadline deadline) {
  static const Sql kLimit(
      "SELECT set_config('statement_timeout', CASE WHEN "
      "current_setting('statement_timeout')::interval BETWEEN interval '1 microsecond' "
      "AND $1::bigint * interval '1 millisecond' THEN current_setting('statement_timeout') "
      "ELSE $1::bigint::text END, true)");
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      deadline - std::chrono::steady_clock::now());
  constexpr std::int64_t kLongestAnswer = 1000;  // until the refusal is here
  const std::int64_t spared = std::min(left.count() / 10, kLongestAnswer);
  constexpr std::int64_t kMost = 24 * 3600 * 1000;
  return {&kLimit, values_of(std::clamp<std::int64_t>(left.count() - spared, 1, kMost))};
}

}  // namespace

void Connection::Close::operator()(pg_conn* connection) const {
  PQfinish(connection);
}

namespace {

// What to do about a connection that was refused, as far as libpq tells.
std::string_view advice_for(PGconn* connection, std::string_view message) {
  if (PQconnectionNeedsPassword(connection) == 1) {
    return ". Put the password into ~/.pgpass, or into PGPASSWORD";
  }
  if (PQconnectionUsedPassword(connection) == 1 && message.contains("authentication")) {
    return ". Check the user and the password: those of the address count before PGPASSWORD, and "
           "that before ~/.pgpass";
  }
  if (message.contains("database \"") && message.contains("does not exist")) {
    return ". Create it first, with createdb";
  }
  if (message.contains("too many clients") || message.contains("remaining connection slots")) {
    return ". Raise max_connections, use a pooler, or give each process fewer (?connections=2)";
  }
  return "";
}

}  // namespace

Result<Connection> Connection::open(const std::string& place, Logger logger) {
  TRY(check_place(place));
  auto kept = std::make_unique<const Logger>(std::move(logger));
  pg_conn* const begun = connect(place, *kept);
  Connection connection(begun, std::move(kept));
  if (connection.connection_ == nullptr) {
    return fail(ErrorCode::unavailable,
                "PostgreSQL is reached through libpq, which cannot be used: install libpq.so.5 (on "
                "Debian the package libpq5)");
  }
  PGconn* const raw = connection.connection_.get();
  if (PQstatus(raw) != CONNECTION_OK) {
    // It is still under way where nobody has answered; libpq has said by now who that is.
    const bool is_late = PQstatus(raw) != CONNECTION_BAD;
    const std::string said =
        std::string(trimmed(PQerrorMessage(raw))) + (is_late ? " timeout expired" : "");
    const std::string why = without_passwords(why_not_connected(said), place);
    const auto open_file = open_password_file(place);
    const std::string advice =
        open_file && PQconnectionNeedsPassword(raw) == 1
            ? fmt::format(". {0} is not used, since others may read it: chmod 600 {0}", *open_file)
            : std::string(advice_for(raw, why));
    return fail(ErrorCode::unavailable,
                fmt::format("Cannot connect to PostgreSQL: {}{}", why, advice));
  }
  constexpr int kNonBlocking = 1;
  if (PQsetnonblocking(raw, kNonBlocking) != 0 || PQenterPipelineMode(raw) != 1) {
    return fail(ErrorCode::internal, std::string(trimmed(PQerrorMessage(raw))));
  }
  return connection;
}

bool Connection::is_open() const {
  return connection_ != nullptr && PQstatus(connection_.get()) == CONNECTION_OK;
}

int Connection::server_version() const {
  return PQserverVersion(connection_.get());
}

int Connection::process() const {
  return PQbackendPID(connection_.get());
}

// What the server is told takes a connection of its own, which may last: a thread waits for it, and
// for nothing of anybody else.
void Connection::give_up() {
  const std::shared_ptr<PGconn> given_up(connection_.release(), PQfinish);
  const std::shared_ptr<PGcancel> cancel(PQgetCancel(given_up.get()), PQfreeCancel);
  if (!cancel) return;
  try {
    std::thread([given_up, cancel] {
      std::array<char, 256> ignored{};
      PQcancel(cancel.get(), ignored.data(), static_cast<int>(ignored.size()));
    }).detach();
  } catch (const std::system_error&) {  // no thread: its timeout ends it
  }
}

Outcome Connection::lost(Outcome outcome) {
  outcome.kind = Outcome::Kind::lost;
  if (connection_ != nullptr && outcome.message.empty()) {
    outcome.message = to_valid_utf8(std::string(trimmed(PQerrorMessage(connection_.get()))));
  }
  if (outcome.message.empty()) outcome.message = "The server did not answer in time";
  if (is_open()) give_up();
  connection_.reset();  // whatever still comes belongs to nobody
  prepared_.clear();
  return outcome;
}

bool Connection::send(std::span<const Request* const> requests, Preparing preparing) {
  PGconn* const raw = connection_.get();
  constexpr int kTextResult = 0;
  being_prepared_.clear();
  std::vector<const char*> values;
  for (const Request* const given : requests) {
    const Request& request = *given;
    values.clear();
    for (const auto& value : request.values) values.push_back(value ? value->c_str() : nullptr);
    const auto count = static_cast<int>(values.size());
    const Sql& sql = *request.sql;
    const bool is_kept = preparing == Preparing::kept;
    if (is_kept && !prepared_.contains(sql.name) &&
        std::ranges::none_of(being_prepared_, [&](const Sql* other) {
          return other != nullptr && other->name == sql.name;
        })) {
      if (PQsendPrepare(raw, sql.name.c_str(), sql.text.c_str(), 0, nullptr) != 1) return false;
      being_prepared_.push_back(&sql);
    }
    const int sent = is_kept ? PQsendQueryPrepared(raw, sql.name.c_str(), count, values.data(),
                                                   nullptr, nullptr, kTextResult)
                             : PQsendQueryParams(raw, sql.text.c_str(), count, nullptr,
                                                 values.data(), nullptr, nullptr, kTextResult);
    if (sent != 1) return false;
    being_prepared_.push_back(nullptr);
  }
  return PQpipelineSync(raw) == 1;
}

// The server may stop reading until somebody reads what it says, so both are done at once.
bool Connection::flush(Deadline deadline) {
  PGconn* const raw = connection_.get();
  while (true) {
    const int left = PQflush(raw);
    if (left <= 0) return left == 0;
    if (!wait_for(PQsocket(raw), POLLIN | POLLOUT, deadline)) return false;
    if (PQconsumeInput(raw) != 1) return false;
  }
}

bool Connection::wait_for_result(Deadline deadline) {
  PGconn* const raw = connection_.get();
  while (PQisBusy(raw) == 1) {
    if (!wait_for(PQsocket(raw), POLLIN, deadline) || PQconsumeInput(raw) != 1) return false;
  }
  return true;
}

bool Connection::read_result(Deadline deadline, pg_result** result) {
  *result = nullptr;
  if (!wait_for_result(deadline)) return false;
  *result = PQgetResult(connection_.get());
  // libpq goes on giving results of a connection that is gone.
  return PQstatus(connection_.get()) == CONNECTION_OK;
}

void Connection::note_failure(const pg_result* result, std::size_t index, Outcome& outcome) {
  if (outcome.kind != Outcome::Kind::done) return;
  outcome.kind = Outcome::Kind::failed;
  outcome.index = index;
  const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  outcome.state = state == nullptr ? "" : state;
  const char* message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  outcome.message = to_valid_utf8(message == nullptr ? "" : message);
}

Outcome Connection::exchange(std::span<const Request> requests, Deadline deadline,
                             Preparing preparing) {
  Outcome outcome{.index = requests.size()};
  row_error_ = {};
  if (!is_open()) return lost(outcome);
  std::vector<const Request*> all;
  const Request limit = limit_of_time(deadline);
  // A transaction that is open has its limit, and one that has failed takes nothing but its end.
  const bool is_limited = PQtransactionStatus(connection_.get()) == PQTRANS_IDLE;
  if (is_limited) all.push_back(&limit);
  for (const Request& request : requests) all.push_back(&request);
  if (!send(all, preparing) || !flush(deadline)) return lost(outcome);
  std::size_t at = 0;
  for (const Sql* prepared : being_prepared_) {
    const Request& request = *all[at];
    const std::size_t index = !is_limited ? at : at == 0 ? requests.size() : at - 1;
    while (true) {
      PGresult* raw = nullptr;
      const bool is_alive = read_result(deadline, &raw);
      const ResultHandle result(raw);
      if (!is_alive) {
        if (result) note_failure(result.get(), index, outcome);
        return lost(outcome);
      }
      if (!result) break;
      const ExecStatusType status = PQresultStatus(result.get());
      if (status == PGRES_FATAL_ERROR) {
        note_failure(result.get(), index, outcome);
      } else if (status == PGRES_COMMAND_OK && prepared != nullptr) {
        prepared_.insert(prepared->name);
      } else if (status == PGRES_TUPLES_OK && request.on_row) {
        for (int row = 0; row < PQntuples(result.get()) && row_error_; ++row) {
          outcome.has_told_rows = true;
          row_error_ = request.on_row(Row(result.get(), row));
        }
      }
    }
    if (prepared == nullptr) ++at;
  }
  outcome.has_all_rows = outcome.kind == Outcome::Kind::done;
  PGresult* raw = nullptr;
  const bool is_alive = read_result(deadline, &raw);
  const ResultHandle end(raw);
  if (!is_alive || PQresultStatus(end.get()) != PGRES_PIPELINE_SYNC) {
    // What the server refuses instead of committing, it has undone.
    const bool is_refused = is_alive && PQresultStatus(end.get()) == PGRES_FATAL_ERROR;
    if (is_refused) note_failure(end.get(), requests.size(), outcome);
    return lost(outcome);
  }
  return outcome;
}

bool Connection::wait_for_notification(Deadline deadline, int wake_descriptor) {
  PGconn* const raw = connection_.get();
  while (is_open() && !is_over(deadline)) {
    std::array<pollfd, 2> waited{
        pollfd{.fd = PQsocket(raw), .events = POLLIN, .revents = 0},
        pollfd{.fd = wake_descriptor, .events = POLLIN, .revents = 0},
    };
    const int ready = ::poll(waited.data(), waited.size(), milliseconds_until(deadline));
    if (ready < 0 && errno != EINTR) return false;
    if (waited[1].revents != 0) return false;
    if (waited[0].revents == 0) continue;
    if (PQconsumeInput(raw) != 1) {
      connection_.reset();
      return false;
    }
    bool is_notified = false;
    while (PGnotify* told = PQnotifies(raw)) {
      PQfreemem(told);
      is_notified = true;
    }
    if (is_notified) return true;
  }
  return false;
}

}  // namespace wright::postgres
