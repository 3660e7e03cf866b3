// The real programs on one PostgreSQL, under blows: `wright worker` and `wright serve` are killed,
// and workers stopped past their lease. Every session ends, none is begun twice, no command runs
// twice, none is said to have run that did not, and whoever follows events at one door after the
// other sees each of them once. What commands did is in a file.
//
// By day it is small; CHAOS_REAL=1 makes it long, CHAOS_SESSIONS and CHAOS_SEED as they say.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <thread>

#include "cli/process.h"
#include "cli/unix_socket.h"
#include "postgres/paying.h"
#include "postgres/cluster_testing.h"
#include "wright/postgres.h"

namespace wright::cli {
namespace {

using postgres::TestCluster;
using std::chrono::steady_clock;

int number_from(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

struct RealPlan {
  bool is_long = std::getenv("CHAOS_REAL") != nullptr;
  int sessions = number_from("CHAOS_SESSIONS", is_long ? 300 : 30);
  int workers = is_long ? 4 : 2;
  int blows = is_long ? 60 : 6;
  unsigned seed = static_cast<unsigned>(number_from("CHAOS_SEED", 1));
  std::chrono::seconds patience{120 + 2 * sessions};
};

// A connection to a door, which may be gone at any moment.
class ToDoor {
 public:
  explicit ToDoor(const std::filesystem::path& door)
      : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    std::strncpy(name.sun_path, door.c_str(), sizeof(name.sun_path) - 1);
    is_open_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&name), sizeof(name)) == 0;
    const timeval soon{.tv_sec = 0, .tv_usec = 100'000};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
  }
  ~ToDoor() { ::close(socket_); }
  ToDoor(const ToDoor&) = delete;
  ToDoor& operator=(const ToDoor&) = delete;

  bool is_open() const { return is_open_; }
  void say(const std::string& request) {
    is_open_ = is_open_ && ::send(socket_, request.data(), request.size(), MSG_NOSIGNAL) ==
                               static_cast<ssize_t>(request.size());
  }
  // Appends what comes within a moment.
  void hear(std::string& text) {
    std::array<char, 16384> buffer{};
    const ssize_t count = ::recv(socket_, buffer.data(), buffer.size(), 0);
    if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
    is_open_ = count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
  }

 private:
  int socket_;
  bool is_open_ = false;
};

class RealChaos : public ::testing::Test {
 protected:
  RealChaos() {
    home_.environment["WRIGHT_STORE"] =
        fmt::format("{}&schema={}", TestCluster::instance().url(), schema_);
    prepare_payer(home_, model_, "sleep 0.05");
  }

  std::unique_ptr<Process> start(const Arguments& arguments, std::string_view until) {
    auto process =
        std::make_unique<Process>(arguments, home_.environment, home_.project(), Streams::pipes);
    process->await(until);
    return process;
  }
  std::unique_ptr<Process> new_worker() {
    return start({"worker", "--poll", "200ms", "--lease", "2s", "--concurrency", "4"},
                 "Worker with room");
  }
  void open_door(std::size_t which) {
    const std::filesystem::path path = home_.path() / fmt::format("door{}", ++opened_);
    auto door = start({"serve", "--concurrency", "0", "--listen", "unix:" + path.string()},
                      "Listening on unix:");
    const std::lock_guard lock(mutex_);
    doors_.resize(std::max(doors_.size(), which + 1));
    doors_[which] = {std::move(door), path};
  }
  std::filesystem::path door(std::size_t which) {
    const std::lock_guard lock(mutex_);
    return doors_[which % doors_.size()].path;
  }

  bool is_begun(const std::string& prompt) {
    const auto sessions = store_->list_sessions({.limit = kNoLimit});
    return sessions &&
           std::ranges::find(*sessions, prompt, &Session::user_prompt) != sessions->end();
  }

  // At whichever door answers. A door that dies leaves open whether it took it; the key tells the
  // next one. Where even that was left open, one looks whether the session is there, as the answer
  // (409) says, and takes a new key if not.
  void begin_session(int number) {
    const std::string prompt = fmt::format("Pay {}", number);
    const std::string body =
        fmt::format(R"({{"agent":"payer","prompt":"{}","queue":{{}}}})", prompt);
    const auto until = steady_clock::now() + plan_.patience;
    int keys = 0;
    int unclear = 0;
    for (std::size_t i = static_cast<std::size_t>(number); steady_clock::now() < until; ++i) {
      ToDoor there(door(i));
      std::string answer;
      there.say(fmt::format(
          "POST /api/v1/sessions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
          "Idempotency-Key: pay-{}-{}\r\nContent-Type: application/json\r\nContent-Length: {}"
          "\r\n\r\n{}",
          number, keys, body.size(), body));
      while (there.is_open()) there.hear(answer);
      if (answer.starts_with("HTTP/1.1 201")) return;
      if (!answer.starts_with("HTTP/1.1 409")) continue;
      if (is_begun(prompt)) return;
      constexpr int kLooks = 100;
      if (++unclear % kLooks == 0) ++keys;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    ADD_FAILURE() << "no door takes session " << number;
  }

  // Follows from door to door until `is_over` and nothing is missing.
  void follow() {
    for (std::size_t i = 0; !is_over_; ++i) {
      ToDoor there(door(i));
      there.say(
          fmt::format("GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nAccept: "
                      "text/event-stream\r\nLast-Event-ID: {}\r\n\r\n",
                      seen_.empty() ? 0 : seen_.back()));
      std::string text;
      while (there.is_open() && !is_over_) {
        there.hear(text);
        take_events(text);
      }
    }
  }
  void take_events(std::string& text) {
    for (std::size_t end = 0; (end = text.find("\n\n")) != std::string::npos;) {
      const std::string event = text.substr(0, end);
      text.erase(0, end + 2);
      const std::size_t id = event.find("id: ");
      if (id == std::string::npos) continue;
      const std::lock_guard lock(mutex_);
      seen_.push_back(std::atoll(event.c_str() + id + 4));
    }
  }
  EventSequence last_seen() {
    const std::lock_guard lock(mutex_);
    return seen_.empty() ? 0 : seen_.back();
  }

  int ended() {
    const auto sessions = store_->list_sessions({.is_root = true, .limit = kNoLimit});
    if (!sessions) return 0;
    return static_cast<int>(std::ranges::count_if(
        *sessions, [](const Session& session) { return session.ended_at.has_value(); }));
  }
  bool await_ended(int count) {
    const auto until = steady_clock::now() + plan_.patience;
    while (ended() < count) {
      if (steady_clock::now() > until) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return true;
  }

  void deal_blow(int number) {
    const std::size_t which = random_() % workers_.size();
    if (number % 3 == 1) {
      const std::size_t closed = random_() % doors_.size();
      doors_[closed].process->send(SIGKILL);
      open_door(closed);
      return;
    }
    if (number % 3 == 2) {
      // Past its lease, while the others go on.
      workers_[which]->send(SIGSTOP);
      std::this_thread::sleep_for(std::chrono::milliseconds(2'500));
      workers_[which]->send(SIGCONT);
      return;
    }
    workers_[which]->send(SIGKILL);
    workers_[which] = new_worker();
  }

  std::vector<EventSequence> all_events() {
    std::vector<EventSequence> all;
    for (bool is_last = false; !is_last;) {
      const auto events = store_->get_events({.after = all.empty() ? 0 : all.back()});
      EXPECT_TRUE(events.has_value());
      if (!events) break;
      for (const StoredEvent& event : *events) all.push_back(event.sequence);
      is_last = events->empty();
    }
    return all;
  }
  struct Door {
    std::unique_ptr<Process> process;
    std::filesystem::path path;
  };
  const RealPlan plan_;
  const std::string schema_ = TestCluster::new_schema();
  PayingModel model_;
  Home home_;
  std::unique_ptr<Store> store_ =
      open_postgres_store(TestCluster::instance().url(), {.schema = schema_}).value();
  std::minstd_rand random_{plan_.seed};
  std::vector<std::unique_ptr<Process>> workers_;
  std::mutex mutex_;
  std::vector<Door> doors_;
  int opened_ = 0;
  std::vector<EventSequence> seen_;
  std::atomic<bool> is_over_ = false;
};

TEST_F(RealChaos, loses_nothing_and_does_nothing_twice) {
  for (std::size_t i = 0; i < 2; ++i) open_door(i);
  for (int i = 0; i < plan_.workers; ++i) workers_.push_back(new_worker());
  std::jthread follower([this] { follow(); });
  // However this ends, the follower does.
  const std::shared_ptr<void> over(nullptr, [this](void*) { is_over_ = true; });
  {
    const std::jthread customers([this] {
      for (int i = 0; i < plan_.sessions; ++i) begin_session(i);
    });
    for (int blow = 0; blow < plan_.blows; ++blow) {
      ASSERT_TRUE(await_ended(blow * plan_.sessions / (plan_.blows + 1))) << "blow " << blow;
      deal_blow(blow);
    }
  }
  EXPECT_TRUE(await_ended(plan_.sessions)) << ended() << " have ended";
  for (const auto& worker : workers_) worker->send(SIGTERM);
  for (const auto& worker : workers_) expect_ended_well(worker->finish());
  const std::vector<EventSequence> events = all_events();
  ASSERT_FALSE(events.empty());
  const auto until = steady_clock::now() + plan_.patience;
  while (last_seen() < events.back() && steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  is_over_ = true;
  follower.join();

  EXPECT_TRUE(seen_ == events) << "saw " << seen_.size() << " of " << events.size();
  const auto counts = ledger_of(home_);
  for (const auto& [line, count] : counts) EXPECT_EQ(count, 1) << line << " was repeated";
  const auto sessions = store_->list_sessions({.limit = kNoLimit}).value();
  EXPECT_EQ(sessions.size(), static_cast<std::size_t>(plan_.sessions)) << "none lost, none twice";
  std::size_t unknown = 0;
  int taken_over = 0;
  for (const Session& session : sessions) {
    SCOPED_TRACE(session.user_prompt);
    EXPECT_EQ(session.status, SessionStatus::completed) << session.error.value_or("");
    taken_over += std::max(0, session.lease_epoch - 1);
    const std::string number = session.user_prompt.substr(4);
    EXPECT_EQ(session.result, "Paid " + number);
    const auto calls = store_->get_tool_calls(session.id).value();
    EXPECT_EQ(calls.size(), 2U);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (calls[i].status == CallStatus::unknown) {
        ++unknown;
        continue;
      }
      EXPECT_EQ(calls[i].status, CallStatus::completed);
      EXPECT_TRUE(counts.contains(fmt::format("did {}-{}", number, i))) << "it is said to be done";
    }
  }
  fmt::print("{} sessions, {} blows, {} claims beyond the first, {} commands unknown, seed {}\n",
             plan_.sessions, plan_.blows, taken_over, unknown, plan_.seed);
}

}  // namespace
}  // namespace wright::cli
