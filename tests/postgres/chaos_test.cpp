// Workers on one PostgreSQL are killed, stopped past their lease and continued, and the server
// crashes. Every session comes to its end, no write is done twice, and none is said to be done that
// was not. The tools leave evidence in a file that outlives all of them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <random>
#include <thread>

#include "faults/evidence.h"
#include "faults/process.h"
#include "postgres/test_cluster.h"
#include "store/testing.h"
#include "wright/postgres.h"

namespace wright::faults {
namespace {

using postgres::TestCluster;
using std::chrono::milliseconds;
using store::value_of;

constexpr milliseconds kLease{2'000};
constexpr int kWorkers = 3;

int from_environment(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

class Fleet {
 public:
  Fleet(std::string schema, const Ledger& ledger) : schema_(std::move(schema)), ledger_(ledger) {}
  ~Fleet() {
    for (const pid_t worker : workers_) end(worker);
  }

  void start_one() {
    workers_.push_back(in_child([this] { return work(); }));
  }
  std::size_t size() const { return workers_.size(); }
  void kill_one(std::size_t which) {
    end(workers_[which]);
    workers_.erase(workers_.begin() + static_cast<std::ptrdiff_t>(which));
  }
  void send(std::size_t which, int signal) const { ::kill(workers_[which], signal); }

 private:
  static void end(pid_t worker) {
    ::kill(worker, SIGKILL);
    ::waitpid(worker, nullptr, 0);
  }

  // A worker never ends by itself, and dies with the test.
  int work() const {
    ::alarm(0);
    Moments moments(Moments::kNever);
    const AgentPointer chief = make_chief(ledger_, moments);
    while (true) {
      const auto store = open_postgres_store(TestCluster::instance().url(), {.schema = schema_});
      if (!store) {
        std::this_thread::sleep_for(milliseconds(50));
        continue;
      }
      const auto runtime =
          Runtime::open({.store = store->get(),
                         .workers = 1,
                         .tool_threads = 2,
                         .lease_time = kLease,
                         .agents = [&](const Session&) -> Result<AgentPointer> { return chief; }});
      if (!runtime) continue;
      while (true) {
        constexpr std::size_t kRoom = 4;
        if ((*runtime)->running() < kRoom) {
          // What fails now because the server is away is tried again.
          (void)(*runtime)->resume_abandoned(kRoom);
          (void)(*runtime)->claim(kRoom);
        }
        std::this_thread::sleep_for(milliseconds(50));
      }
    }
  }

  const std::string schema_;
  const Ledger& ledger_;
  std::vector<pid_t> workers_;
};

struct Counted {
  std::size_t completed = 0;
  std::size_t ended = 0;
  std::size_t all = 0;
};

Counted count(Store& store) {
  Counted counted;
  for (const Session& session :
       value_of(store.list_sessions({.is_root = true, .limit = kNoLimit}))) {
    ++counted.all;
    counted.completed += session.status == SessionStatus::completed ? 1 : 0;
    counted.ended += session.ended_at ? 1 : 0;
  }
  return counted;
}

TEST(Chaos, loses_nothing_and_does_nothing_twice) {
  const int sessions = from_environment("CHAOS_SESSIONS", 12);
  const int blows = from_environment("CHAOS_BLOWS", 8);
  const auto seed = static_cast<unsigned>(from_environment("CHAOS_SEED", 1));
  RecordProperty("seed", static_cast<int>(seed));
  TestCluster& cluster = TestCluster::instance();
  ASSERT_FALSE(cluster.url().empty());
  const store::TemporaryFolder folder;
  const Ledger ledger(folder / "ledger");
  const std::string schema = TestCluster::new_schema();
  const auto store = value_of(open_postgres_store(cluster.url(), {.schema = schema}));
  ASSERT_NE(store, nullptr);

  Fleet fleet(schema, ledger);
  for (int i = 0; i < kWorkers; ++i) fleet.start_one();
  for (int i = 0; i < sessions; ++i) {
    value_of(store->create_session({.agent_name = "chief",
                                    .provider = "office",
                                    .model = "scripted",
                                    .user_prompt = std::string(kFirstMessage),
                                    .is_queued = true}));
  }
  std::minstd_rand random(seed);
  for (int blow = 0; blow < blows; ++blow) {
    std::this_thread::sleep_for(milliseconds(100 + random() % 300));
    const std::size_t which = random() % fleet.size();
    switch (blow % 4) {
      case 0:
      case 2:
        fleet.kill_one(which);
        fleet.start_one();
        break;
      case 1:
        // Long enough for others to take over; then it goes on where it was.
        fleet.send(which, SIGSTOP);
        std::this_thread::sleep_for(kLease + milliseconds(500));
        fleet.send(which, SIGCONT);
        break;
      default: cluster.tell("immediate"); break;
    }
  }
  const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(5);
  Counted counted;
  while (std::chrono::steady_clock::now() < until) {
    counted = count(*store);
    if (counted.ended == counted.all) break;
    std::this_thread::sleep_for(milliseconds(100));
  }
  EXPECT_EQ(counted.all, static_cast<std::size_t>(sessions)) << "nothing is lost";
  EXPECT_EQ(counted.completed, counted.all) << "every session ends";
  const Evidence evidence = collect(*store);
  expect_honest(evidence, ledger);
  for (const auto& [id, one] : evidence.sessions) {
    std::vector<Message> messages;
    for (const StoredMessage& stored : one.messages) messages.push_back(stored.message);
    EXPECT_EQ(flaw_of(messages), "") << id;
  }
}

}  // namespace
}  // namespace wright::faults
