#include "postgres/connecting.h"

#include <arpa/inet.h>
#include <libpq-fe.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace wright::postgres {
namespace {

struct FreeParameters {
  void operator()(PQconninfoOption* parameters) const { PQconninfoFree(parameters); }
};
using Parameters = std::unique_ptr<PQconninfoOption, FreeParameters>;

std::string parameter_in(const Parameters& parameters, std::string_view name) {
  for (const PQconninfoOption* each = parameters.get(); each != nullptr && each->keyword != nullptr;
       ++each) {
    if (name == each->keyword) return each->val == nullptr ? std::string() : each->val;
  }
  return {};
}

void log_notice(void* logger, const PGresult* notice) {
  const char* severity = PQresultErrorField(notice, PG_DIAG_SEVERITY_NONLOCALIZED);
  const char* text = PQresultErrorField(notice, PG_DIAG_MESSAGE_PRIMARY);
  const bool is_warning = severity == nullptr || std::string_view(severity) == "WARNING";
  static_cast<const Logger*>(logger)->log(
      is_warning ? LogLevel::warning : LogLevel::debug, "PostgreSQL says something",
      {{"notice", std::string_view(text == nullptr ? PQresultErrorMessage(notice) : text)}});
}

// What stands before `dbname` is a default that the place may override.
class Wanted {
 public:
  explicit Wanted(const std::string& place) {
    values_ = {"5", "10", "5", "3", "wright", place.c_str(), "UTF8", nullptr, nullptr};
    // A file in no folder: that one would not be used, and libpq would say so to standard error.
    if (!open_password_file(place)) return;
    names_[kPasswordFile] = "passfile";
    values_[kPasswordFile] = "/dev/null/none";
  }
  PGconn* start() const { return PQconnectStartParams(names_.data(), values_.data(), kExpand); }
  PGconn* connect() const { return PQconnectdbParams(names_.data(), values_.data(), kExpand); }

 private:
  static constexpr int kExpand = 1;  // `dbname` is a place
  static constexpr std::size_t kPasswordFile = 7;
  std::array<const char*, 9> names_{"connect_timeout",
                                    "keepalives_idle",
                                    "keepalives_interval",
                                    "keepalives_count",
                                    "fallback_application_name",
                                    "dbname",
                                    "client_encoding",
                                    nullptr,
                                    nullptr};
  std::array<const char*, 9> values_{};
};

using Moment = std::chrono::steady_clock::time_point;

// As long as libpq would give it.
Moment end_of_patience(const Parameters& parameters) {
  const std::string text = parameter_in(parameters, "connect_timeout");
  int seconds = 0;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (seconds <= 0) return Moment::max();
  return std::chrono::steady_clock::now() + std::chrono::seconds(std::max(seconds, 2));
}

std::string host_in(const Parameters& parameters) {
  const std::string address = parameter_in(parameters, "hostaddr");
  return address.empty() ? parameter_in(parameters, "host") : address;
}

// A list means several servers, and a name may stand for several addresses: libpq alone can leave
// one that does not answer for the next.
bool is_list(const Parameters& parameters) {
  return host_in(parameters).contains(',');
}
bool is_address(const Parameters& parameters) {
  const std::string host = host_in(parameters);
  std::array<unsigned char, sizeof(in6_addr)> address{};
  return host.empty() || host.starts_with('/') || host.starts_with('@') || host == "localhost" ||
         ::inet_pton(AF_INET, host.c_str(), address.data()) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), address.data()) == 1;
}

// False when the time is over.
bool has_come_far_enough(PGconn* connection, Moment until) {
  PostgresPollingStatusType state = PGRES_POLLING_WRITING;
  while (state != PGRES_POLLING_OK && state != PGRES_POLLING_FAILED) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        until - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd waited{.fd = PQsocket(connection),
                  .events = static_cast<short>(state == PGRES_POLLING_READING ? POLLIN : POLLOUT),
                  .revents = 0};
    const int ready =
        ::poll(&waited, 1, static_cast<int>(std::clamp<std::int64_t>(left.count(), 1, 60'000)));
    if (ready < 0 && errno != EINTR) return true;
    if (ready > 0) state = PQconnectPoll(connection);
  }
  return true;
}

}  // namespace

pg_conn* connect(const std::string& place, const Logger& logger) {
  const Wanted wanted(place);
  // libpq does not write to it.
  void* const told = const_cast<Logger*>(&logger);
  PGconn* connection = wanted.start();
  if (connection == nullptr || PQstatus(connection) == CONNECTION_BAD) return connection;
  PQsetNoticeReceiver(connection, log_notice, told);
  const Parameters parameters(PQconninfo(connection));
  if (!is_list(parameters) &&
      (has_come_far_enough(connection, end_of_patience(parameters)) || is_address(parameters))) {
    return connection;
  }
  PQfinish(connection);
  connection = wanted.connect();
  if (connection != nullptr) PQsetNoticeReceiver(connection, log_notice, told);
  return connection;
}

std::optional<std::string> open_password_file(const std::string& place) {
  std::string file;
  char* problem = nullptr;
  const Parameters said(PQconninfoParse(place.c_str(), &problem));
  PQfreemem(problem);
  file = parameter_in(said, "passfile");
  if (file.empty()) file = parameter_in(Parameters(PQconndefaults()), "passfile");
  if (file.empty()) {
    const char* home = std::getenv("HOME");  // as libpq does
    if (home == nullptr || *home == '\0') return std::nullopt;
    file = std::string(home) + "/.pgpass";
  }
  struct stat found {};
  if (::stat(file.c_str(), &found) != 0) return std::nullopt;
  const bool is_used = S_ISREG(found.st_mode) && (found.st_mode & (S_IRWXG | S_IRWXO)) == 0;
  return is_used ? std::nullopt : std::optional(file);
}

}  // namespace wright::postgres
