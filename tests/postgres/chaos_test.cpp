// Workers on one PostgreSQL are killed, stopped past their lease and continued; the server crashes;
// connections are cut and held back. Every session comes to its end, no write is done twice, none
// is said to be done that was not, every wait is answered once, and whoever follows events sees
// them all. The tools leave evidence in a file that outlives all of them.
//
// CHAOS_SESSIONS, CHAOS_WORKERS, CHAOS_SECONDS (of blows) and CHAOS_SEED make it longer or another;
// see `make chaos`.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <thread>

#include "faults/evidence.h"
#include "faults/process.h"
#include "postgres/chaos_agents.h"
#include "postgres/chaos_fleet.h"
#include "postgres/rough_proxy.h"
#include "postgres/cluster_testing.h"
#include "store/store_testing.h"
#include "wright/postgres.h"

namespace wright::faults {
namespace {

using postgres::TestCluster;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

int from_environment(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

struct Plan {
  int sessions = from_environment("CHAOS_SESSIONS", 40);
  int workers = from_environment("CHAOS_WORKERS", 4);
  int doors = 2;
  std::chrono::seconds blows{from_environment("CHAOS_SECONDS", 6)};
  unsigned seed = static_cast<unsigned>(from_environment("CHAOS_SEED", 1));
  // Without blows, after them.
  std::chrono::seconds patience{60 + from_environment("CHAOS_SESSIONS", 40) / 2};
};

struct Blows {
  int kills = 0;
  int stops = 0;
  int crashes = 0;
};

std::string socket_in(const std::string& url) {
  return url.substr(url.find("host=") + 5) + "/.s.PGSQL.5432";
}

const char* agent_of(int number) {
  if (number % 5 == 2) return kAsker;
  return number % 20 == 8 ? kDoomed : kChief;
}

void queue_sessions(Store& store, int first, int last) {
  for (int i = first; i < last; ++i) {
    store::value_of(store.create_session({.agent_name = agent_of(i),
                                          .provider = "office",
                                          .model = "scripted",
                                          .user_prompt = std::string(kFirstMessage),
                                          .is_queued = true}));
  }
}

// Every kind of blow comes once at least; which, when and on whom is the seed's.
Blows deal_blows(const Plan& plan, Fleet& fleet, const RoughProxy& proxy, Store& store) {
  Blows blows;
  std::minstd_rand random(plan.seed);
  const auto began = steady_clock::now();
  int queued = plan.sessions / 2;
  queue_sessions(store, 0, queued);
  for (int number = 0; steady_clock::now() < began + plan.blows; ++number) {
    std::this_thread::sleep_for(milliseconds(50 + random() % 250));
    fleet.continue_those_that_are_due();
    const std::size_t which = random() % fleet.size();
    const unsigned kind =
        number < 3 ? static_cast<unsigned>(number) : static_cast<unsigned>(random() % 40);
    if (kind == 2) {
      TestCluster::instance().tell("immediate");
      ++blows.crashes;
    } else if (kind % 2 == 0 || fleet.stopped() > fleet.size() / 2) {
      fleet.replace(which);
      ++blows.kills;
    } else {
      fleet.stop(which, kChaosLease + milliseconds(500 + random() % 1000));
      ++blows.stops;
    }
    if (number % 8 == 3) proxy.be_rough();
    if (number % 16 == 15) proxy.be_calm();
    // The others come while it goes on.
    const int more = std::min(plan.sessions, queued + std::max(1, plan.sessions / 50));
    queue_sessions(store, queued, more);
    queued = more;
  }
  queue_sessions(store, queued, plan.sessions);
  proxy.be_calm();
  fleet.continue_all();
  return blows;
}

std::size_t not_ended(Store& store) {
  const auto sessions = store.list_sessions({.is_root = true, .limit = kNoLimit});
  if (!sessions) return 1;
  return static_cast<std::size_t>(std::ranges::count_if(
      *sessions, [](const Session& session) { return !session.ended_at.has_value(); }));
}

// What the workers sent last may still be under way: in the proxy, which holds pieces back and
// gives them to the server after their sender's death, or in the server.
void wait_for_last_words(TestCluster& cluster) {
  const std::string left =
      fmt::format("SELECT count(*) FROM pg_stat_activity WHERE application_name = '{}'", kWorkerName);
  const auto until = steady_clock::now() + std::chrono::seconds(60);
  while (cluster.run(left) != "0\n") {
    ASSERT_LT(steady_clock::now(), until) << "connections of dead workers stay";
    std::this_thread::sleep_for(milliseconds(20));
  }
}

void expect_ends(const Evidence& evidence, const Plan& plan) {
  std::size_t roots = 0;
  for (const auto& [id, one] : evidence.sessions) {
    SCOPED_TRACE(fmt::format("{} {}", one.session.agent_name, id));
    if (!one.session.parent_session_id) ++roots;
    const SessionStatus expected =
        one.session.agent_name == kDoomed ? SessionStatus::cancelled : SessionStatus::completed;
    EXPECT_EQ(one.session.status, expected) << one.session.error.value_or("");
    std::vector<Message> messages;
    for (const StoredMessage& stored : one.messages) messages.push_back(stored.message);
    const bool is_whole = expected == SessionStatus::completed;
    EXPECT_EQ(is_whole ? flaw_of(messages) : "", "");
    for (const StoredCall& call : one.calls) {
      const bool is_fine = call.status == CallStatus::completed ||
                           (call.status == CallStatus::unknown && call.tool_name == "pay") ||
                           expected == SessionStatus::cancelled;
      EXPECT_TRUE(is_fine) << call.tool_name << " " << to_string(call.status);
    }
  }
  EXPECT_EQ(roots, static_cast<std::size_t>(plan.sessions)) << "nothing is lost";
}

void expect_answered_once(Store& store, const Ledger& ledger) {
  std::map<std::string, int> answered;
  for (const std::string& line : ledger.lines()) {
    if (line.starts_with("answered ")) ++answered[line];
  }
  for (const auto& [line, times] : answered) EXPECT_EQ(times, 1) << line;
  for (const StoredWait& wait : store::value_of(store.get_waits({}))) {
    EXPECT_EQ(wait.status, WaitStatus::answered) << wait.id;
  }
}

void expect_all_events_seen(Store& store, const Surroundings& around, int door) {
  std::vector<EventSequence> all;
  for (bool is_over = false; !is_over;) {
    const auto events = store::value_of(store.get_events({.after = all.empty() ? 0 : all.back()}));
    for (const StoredEvent& event : events) all.push_back(event.sequence);
    is_over = events.empty();
  }
  std::vector<EventSequence> seen;
  std::ifstream file(file_of_door(around, door));
  for (EventSequence sequence = 0; file >> sequence;) seen.push_back(sequence);
  EXPECT_TRUE(seen == all) << "door " << door << " saw " << seen.size() << " of " << all.size();
  EXPECT_FALSE(all.empty());
}

TEST(Chaos, loses_nothing_and_does_nothing_twice) {
  const Plan plan;
  TestCluster& cluster = TestCluster::instance();
  ASSERT_FALSE(cluster.url().empty());
  const TemporaryFolder folder;
  const RoughProxy proxy(socket_in(cluster.url()), plan.seed, milliseconds(1'500));
  const Surroundings around{
      .place = fmt::format(
          "postgresql://wright@127.0.0.1:{}/postgres?sslmode=disable&gssencmode=disable",
          proxy.port()),
      .schema = TestCluster::new_schema(),
      .ledger = Ledger(folder / "ledger"),
      .folder = folder.path()};
  // By the straight way.
  const auto store = store::value_of(open_postgres_store(cluster.url(), {.schema = around.schema}));
  ASSERT_NE(store, nullptr);

  const auto began = steady_clock::now();
  Fleet fleet(around);
  for (int i = 0; i < plan.workers; ++i) fleet.start_worker();
  std::vector<pid_t> doors;
  for (int i = 0; i < plan.doors; ++i) {
    doors.push_back(in_child([&around, i] {
      ::alarm(60 * 30);
      return keep_door(around, i);
    }));
  }
  const Blows blows = deal_blows(plan, fleet, proxy, *store);
  const auto until = steady_clock::now() + plan.patience;
  while (not_ended(*store) > 0 && steady_clock::now() < until) {
    std::this_thread::sleep_for(milliseconds(100));
  }
  EXPECT_EQ(not_ended(*store), 0U) << "every session ends";
  const auto took = std::chrono::duration_cast<std::chrono::seconds>(steady_clock::now() - began);
  const int started = fleet.started();
  fleet.end();
  wait_for_last_words(cluster);
  for (const pid_t door : doors) {
    ::kill(door, SIGTERM);
    EXPECT_TRUE(succeeded(wait_for(door)));
  }

  const Evidence evidence = collect(*store);
  expect_ends(evidence, plan);
  expect_honest(evidence, around.ledger);
  expect_answered_once(*store, around.ledger);
  for (int i = 0; i < plan.doors; ++i) expect_all_events_seen(*store, around, i);
  std::size_t unknown = 0;
  std::size_t taken_over = 0;
  for (const auto& [id, one] : evidence.sessions) {
    taken_over += static_cast<std::size_t>(std::max(0, one.session.lease_epoch - 1));
    unknown += static_cast<std::size_t>(std::ranges::count(
        one.calls, CallStatus::unknown, [](const StoredCall& call) { return call.status; }));
  }
  fmt::print(
      "{} sessions ({} with specialists), {} workers in all, {} kills, {} stops, {} crashes "
      "of the server; {} claims beyond the first, {} writes unknown, {} s, seed {}\n",
      plan.sessions, evidence.sessions.size(), started, blows.kills, blows.stops, blows.crashes,
      taken_over, unknown, took.count(), plan.seed);
}

}  // namespace
}  // namespace wright::faults
