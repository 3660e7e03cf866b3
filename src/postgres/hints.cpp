#include "postgres/hints.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <optional>
#include <utility>

#include "core/try.h"
#include "postgres/connection.h"
#include "postgres/errors.h"

namespace wright::postgres {
namespace {

constexpr auto kListenFor = std::chrono::seconds(60);
constexpr auto kMoment = std::chrono::milliseconds(50);  // in which many hints become one
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

HintSender::HintSender(std::string place, std::string schema)
    : place_(std::move(place)), schema_(std::move(schema)), thread_([this] { work(); }) {}

HintSender::~HintSender() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void HintSender::send() {
  {
    const std::lock_guard lock(mutex_);
    if (is_wanted_) return;
    is_wanted_ = true;
  }
  changed_.notify_all();
}

// The first of a moment is sent at once. The last is sent even when it is over.
void HintSender::work() {
  std::optional<Connection> connection;
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return is_wanted_ || is_over_; });
    if (!is_wanted_) return;
    is_wanted_ = false;
    lock.unlock();
    // One that was kept may have been cut meanwhile.
    for (bool is_kept = connection.has_value(); true; is_kept = false) {
      if (!connection) {
        auto opened = Connection::open(place_);
        if (opened) connection.emplace(std::move(*opened));
      }
      const bool is_said = connection && say(*connection, "NOTIFY", schema_);
      if (!is_said) connection.reset();
      if (is_said || !is_kept) break;
    }
    lock.lock();
    changed_.wait_for(lock, kMoment, [this] { return is_over_; });
  }
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
