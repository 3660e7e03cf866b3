#include "postgres/hints.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>

#include "core/try.h"
#include "postgres/connection.h"
#include "postgres/errors.h"

namespace wright::postgres {
namespace {

constexpr auto kListenFor = std::chrono::seconds(60);
constexpr int kPauseMs = 5'000;  // before a connection that was lost is opened again

Result<void> say(Connection& connection, std::string_view word, const std::string& schema) {
  const Sql sql(fmt::format("{} \"wright_queue_{}\"", word, schema));
  const Request request{&sql};
  return all_done(connection.exchange({&request, 1}, std::chrono::steady_clock::now() + kPatience,
                                      Preparing::every_time));
}

}  // namespace

Result<void> send_hint(const std::string& place, const std::string& schema) {
  auto connection = TRY(Connection::open(place));
  return say(connection, "NOTIFY", schema);
}

HintListener::HintListener(std::string place, std::string schema, std::function<void()> on_hint)
    : place_(std::move(place)),
      schema_(std::move(schema)),
      on_hint_(std::move(on_hint)),
      ended_(::eventfd(0, EFD_CLOEXEC)),
      thread_([this] { listen(); }) {}

HintListener::~HintListener() {
  const std::uint64_t one = 1;
  (void)!::write(ended_, &one, sizeof one);
  thread_.join();
  ::close(ended_);
}

void HintListener::listen() {
  const auto is_over = [this](int milliseconds) {
    pollfd ended{.fd = ended_, .events = POLLIN, .revents = 0};
    return ::poll(&ended, 1, milliseconds) > 0;
  };
  while (!is_over(0)) {
    auto connection = Connection::open(place_);
    if (connection && say(*connection, "LISTEN", schema_)) {
      while (connection->is_open() && !is_over(0)) {
        const auto until = std::chrono::steady_clock::now() + kListenFor;
        if (connection->wait_for_notification(until, ended_)) on_hint_();
      }
    }
    if (is_over(kPauseMs)) return;
  }
}

}  // namespace wright::postgres
