// What many processes on one store cost, SQLite beside PostgreSQL: CPU and round trips of a turn,
// sessions, claims, permits and events in a second, and how long a dead worker's session waits.
// Starts a PostgreSQL of its own, which writes to disk as it should (fsync=on), and says at the end
// which statements took its time.
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "child.h"
#include "measure.h"
#include "store/forwarding_store.h"
#include "wright/postgres.h"
#include "wright/testing.h"
#include "wright/wright.h"

namespace wright::bench {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

double seconds_since(steady_clock::time_point began) {
  return std::chrono::duration<double>(steady_clock::now() - began).count();
}

template <class T>
T must(Result<T> result) {
  if (!result) give_up(result.error().message);
  return std::move(*result);
}

// --- where ---------------------------------------------------------------------------------------

// A store that several processes open. Each has tables of its own.
struct Place {
  std::string name;
  std::function<std::unique_ptr<Store>()> open;
  std::function<double()> server_cpu = [] { return 0.0; };  // seconds so far
  std::string url = {};                                     // of a PostgreSQL
};

// What psql says to these statements.
void run_psql(const std::string& url, const std::string& statements) {
  const std::string line =
      "psql -X -q -A -F '  ' -t '" + url + "' <<'END'\n" + statements + "\nEND";
  if (std::system(line.c_str()) != 0) give_up("psql failed");
}

Place sqlite_in(const Folder& folder) {
  const auto file = folder.database();
  return {"SQLite", [file] { return must(open_sqlite_store(file)); }};
}

// CPU of a process and of its children that have ended, in seconds; with those that live.
double cpu_of_family(pid_t parent) {
  double ticks = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "stat");
    std::string line;
    if (!std::getline(file, line)) continue;
    const std::size_t end = line.rfind(')');
    if (end == std::string::npos) continue;
    std::istringstream rest(line.substr(end + 2));
    std::vector<std::string> fields;
    for (std::string field; rest >> field;) fields.push_back(field);
    if (fields.size() < 15) continue;
    const bool is_parent = line.starts_with(std::to_string(parent) + " ");
    if (!is_parent && fields[1] != std::to_string(parent)) continue;
    ticks += std::stod(fields[11]) + std::stod(fields[12]);
    if (is_parent) ticks += std::stod(fields[13]) + std::stod(fields[14]);
  }
  return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

pid_t postmaster_in(const std::string& url) {
  std::ifstream file(url.substr(url.find("host=") + 5) + "/data/postmaster.pid");
  pid_t process = 0;
  file >> process;
  return process;
}

Place postgres_at(const std::string& url) {
  static int count = 0;
  const PostgresOptions options{.schema = fmt::format("bench_{}", ++count)};
  const pid_t server = postmaster_in(url);
  return {"PostgreSQL", [url, options] { return must(open_postgres_store(url, options)); },
          [server] { return cpu_of_family(server); }, url};
}

// --- what ----------------------------------------------------------------------------------------

AgentPointer agent_with_turns(int turns) {
  Agent agent{
      .name = "bench",
      .model = model_from("bench", "loop",
                          [=](const Request& request, const ModelCall&) -> Result<Response> {
                            const auto said = static_cast<int>(request.messages.size() - 1) / 2;
                            if (said >= turns) return testing::says("Done");
                            return testing::calls(
                                {testing::call("look", "{}", "call_" + std::to_string(said))});
                          }),
      .tools = {tool("look", "", [] { return std::string(600, 'x'); }, {.effect = Effect::read})}};
  agent.limits.max_iterations = turns + 1;
  agent.limits.max_repeats.reset();
  return std::make_shared<const Agent>(std::move(agent));
}

AgentPointer agent_that_lasts() {
  return std::make_shared<const Agent>(
      Agent{.name = "lasting",
            .model = model_from("bench", "lasting",
                                [](const Request&, const ModelCall&) -> Result<Response> {
                                  return testing::calls({testing::call("last")});
                                }),
            .tools = {tool("last", "",
                           [](const Context& context) {
                             std::mutex mutex;
                             std::condition_variable_any stopped;
                             std::unique_lock lock(mutex);
                             stopped.wait(lock, context.stop, [] { return false; });
                           },
                           {.effect = Effect::read})}});
}

void queue(Store& store, const char* agent, int count) {
  std::vector<Batch> batches(static_cast<std::size_t>(count),
                             {.create = NewSession{.agent_name = agent,
                                                   .provider = "bench",
                                                   .model = "loop",
                                                   .user_prompt = "Go",
                                                   .is_queued = true}});
  for (std::size_t i = 0; i < batches.size(); i += 200) {
    const std::size_t some = std::min<std::size_t>(200, batches.size() - i);
    for (auto& result : store.apply_all(std::span(batches).subspan(i, some)))
      must(std::move(result));
  }
}

// --- processes -----------------------------------------------------------------------------------

// Dies with this process, and after two minutes.
template <class Work>
pid_t in_process(Work work) {
  const pid_t child = ::fork();
  if (child < 0) give_up("no process");
  if (child > 0) return child;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::alarm(120);
  work();
  ::_exit(0);
}

void end(pid_t process) {
  ::kill(process, SIGKILL);
  ::waitpid(process, nullptr, 0);
}

[[noreturn]] void work(const Place& place, const AgentPointer& agent, milliseconds lease) {
  const auto store = place.open();
  const auto runtime = must(
      Runtime::open({.store = store.get(),
                     .workers = 1,
                     .tool_threads = 2,
                     .lease_time = lease,
                     .agents = [&](const Session&) -> Result<AgentPointer> { return agent; }}));
  constexpr std::size_t kRoom = 16;
  auto next_look = steady_clock::now();
  while (true) {
    if (steady_clock::now() >= next_look) {
      next_look = steady_clock::now() + lease / 10;
      (void)runtime->resume_abandoned(kRoom);
    }
    if (runtime->running() < kRoom) (void)runtime->claim(kRoom - runtime->running());
    std::this_thread::sleep_for(milliseconds(2));
  }
}

// --- measures ------------------------------------------------------------------------------------

class CountingStore final : public store::ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  std::vector<Result<BatchIds>> apply_all(std::span<const Batch> batches) override {
    ++trips;
    return ForwardingStore::apply_all(batches);
  }
  Result<Session> get_session(SessionId id) override {
    ++trips;
    return ForwardingStore::get_session(id);
  }
  Result<RunnerNews> get_news(RunnerId id) override {
    ++trips;
    return ForwardingStore::get_news(id);
  }
  std::atomic<int> trips = 0;
};

void measure_turns(const Place& place) {
  constexpr int kTurns = 10;
  const auto opened = place.open();
  CountingStore store(*opened);
  const AgentPointer agent = agent_with_turns(kTurns);
  must(run(store, *agent, "Go"));  // statements are prepared
  store.trips = 0;
  const double cpu = cpu_seconds();
  const double server = place.server_cpu();
  const auto began = steady_clock::now();
  int turns = 0;
  while (seconds_since(began) < 2) {
    must(run(store, *agent, "Go"));
    turns += kTurns;
  }
  fmt::print(
      "{:<11} turn          {:>8.0f} us, {:>5.0f} us of our CPU, {:>5.0f} us of the server's, "
      "{:.1f} round trips\n",
      place.name, seconds_since(began) * 1e6 / turns, (cpu_seconds() - cpu) * 1e6 / turns,
      (place.server_cpu() - server) * 1e6 / turns, static_cast<double>(store.trips) / turns);
}

void measure_sessions(const Place& place, int workers, int sessions) {
  constexpr int kTurns = 3;
  const auto store = place.open();
  queue(*store, "bench", sessions);
  const AgentPointer agent = agent_with_turns(kTurns);
  const double server = place.server_cpu();
  const auto began = steady_clock::now();
  std::vector<pid_t> processes;
  for (int i = 0; i < workers; ++i) {
    processes.push_back(in_process([&] { work(place, agent, milliseconds(10'000)); }));
  }
  const auto is_any = [&](SessionStatus status) {
    return !must(store->list_sessions({.status = status, .limit = 1})).empty();
  };
  while (is_any(SessionStatus::queued) || is_any(SessionStatus::running)) {
    std::this_thread::sleep_for(milliseconds(20));
    if (seconds_since(began) > 60) give_up("sessions do not end");
  }
  const double took = seconds_since(began);
  for (const pid_t process : processes) end(process);
  fmt::print(
      "{:<11} {} worker{}     {:>8.0f} sessions/s of {} turns, {:.0f} turns/s, {:.2f} cores of "
      "the server\n",
      place.name, workers, workers == 1 ? " " : "s", sessions / took, kTurns + 1,
      sessions * (kTurns + 1) / took, (place.server_cpu() - server) / took);
}

void measure_claims(const Place& place, int processes, int sessions, std::size_t at_once,
                    const char* beside = "") {
  const auto store = place.open();
  queue(*store, "bench", sessions);
  const auto began = steady_clock::now();
  std::vector<pid_t> started;
  for (int i = 0; i < processes; ++i) {
    started.push_back(in_process([&] {
      const auto own = place.open();
      const RunnerId runner = must(own->register_runner("bench", std::chrono::minutes(2)));
      while (!must(own->apply_one(Claim{.runner_id = runner, .most = at_once})).claimed.empty()) {
      }
    }));
  }
  for (const pid_t process : started) ::waitpid(process, nullptr, 0);
  fmt::print("{:<11} {} claimers    {:>8.0f} claims/s, {} at a time{}\n", place.name, processes,
             sessions / seconds_since(began), at_once, beside);
}

// Somebody keeps an old snapshot, so that nothing that is dead since can be removed.
void measure_claims_beside_reader(const Place& place) {
  Child reader({"/bin/sh", "-c", "exec psql -X -q -A -t '" + place.url + "'"});
  reader.write("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1;\n");
  (void)reader.read_line();
  measure_claims(place, 4, 4'000, 10, ", beside a transaction that stays open");
}

void measure_permits(const Place& place, int processes) {
  constexpr int kQuestions = 300;
  const auto store = place.open();
  const auto began = steady_clock::now();
  std::vector<pid_t> started;
  for (int i = 0; i < processes; ++i) {
    started.push_back(in_process([&] {
      const auto own = place.open();
      const RunnerId runner = must(own->register_runner("bench", std::chrono::minutes(2)));
      for (int j = 0; j < kQuestions; ++j) {
        must(own->apply_one(TakePermits{.runner_id = runner,
                                        .name = "bench",
                                        .requests_per_minute = 1'000'000,
                                        .concurrent_requests = 1'000,
                                        .requests = 10,
                                        .slots = 10}));
      }
    }));
  }
  for (const pid_t process : started) ::waitpid(process, nullptr, 0);
  fmt::print("{:<11} {} processes   {:>8.0f} questions/s for permits of one pace\n", place.name,
             processes, processes * kQuestions / seconds_since(began));
}

void measure_taking_over(const Place& place, int signal, const char* how) {
  constexpr milliseconds kLease{2'000};
  const auto store = place.open();
  const AgentPointer agent = agent_that_lasts();
  queue(*store, "lasting", 1);
  const auto session = [&] { return must(store->list_sessions({.is_root = true})).front(); };
  const pid_t first = in_process([&] { work(place, agent, kLease); });
  while (must(store->get_tool_calls(session().id)).empty()) {
    std::this_thread::sleep_for(milliseconds(5));
  }
  const int epoch = session().lease_epoch;
  const pid_t second = in_process([&] { work(place, agent, kLease); });
  std::this_thread::sleep_for(milliseconds(500));
  const auto began = steady_clock::now();
  ::kill(first, signal);
  while (session().lease_epoch == epoch && seconds_since(began) < 30) {
    if (signal == SIGKILL) ::waitpid(first, nullptr, WNOHANG);
    std::this_thread::sleep_for(milliseconds(5));
  }
  fmt::print("{:<11} taken over    {:>8.2f} s after a worker with a lease of 2 s was {}\n",
             place.name, seconds_since(began), how);
  end(first);
  end(second);
}

void measure_events(const Place& place) {
  constexpr int kEvents = 20'000;
  constexpr int kAtOnce = 50;
  const auto store = place.open();
  const SessionId id = must(store->create_session({.agent_name = "bench", .user_prompt = "Go"}));
  const auto began = steady_clock::now();
  const pid_t writer = in_process([&] {
    const auto own = place.open();
    AppendEvents write{.session_id = id};
    for (int i = 0; i < kAtOnce; ++i)
      write.events.push_back({"text_delta", {{"text", "Some words"}}});
    for (int i = 0; i < kEvents; i += kAtOnce) must(own->apply_one(write));
  });
  int seen = 0;
  for (EventSequence last = 0; seen < kEvents;) {
    const auto events = must(store->get_events({.after = last}));
    seen += static_cast<int>(events.size());
    if (!events.empty()) last = events.back().sequence;
    if (events.empty()) std::this_thread::sleep_for(milliseconds(1));
    if (seconds_since(began) > 60) give_up("events do not come");
  }
  ::waitpid(writer, nullptr, 0);
  fmt::print("{:<11} events        {:>8.0f} events/s from one process to another, {} a write\n",
             place.name, kEvents / seconds_since(began), kAtOnce);
}

void measure(const std::function<Place()>& next) {
  measure_turns(next());
  for (const int workers : {1, 2, 4, 8}) measure_sessions(next(), workers, 400);
  measure_claims(next(), 1, 2'000, 1);
  measure_claims(next(), 4, 4'000, 10);
  if (const Place place = next(); !place.url.empty()) measure_claims_beside_reader(place);
  measure_permits(next(), 4);
  measure_taking_over(next(), SIGKILL, "killed");
  measure_taking_over(next(), SIGSTOP, "stopped, as by a machine that is gone");
  measure_events(next());
}

}  // namespace
}  // namespace wright::bench

int main() {
  using namespace wright::bench;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  {
    std::vector<std::unique_ptr<Folder>> folders;
    measure([&] {
      folders.push_back(std::make_unique<Folder>());
      return sqlite_in(*folders.back());
    });
  }
  Child cluster({"/bin/bash", WRIGHT_CLUSTER_SCRIPT, "-c", "fsync=on", "-c", "full_page_writes=on",
                 "-c", "shared_preload_libraries=pg_stat_statements", "-c",
                 "pg_stat_statements.max=10000"});
  std::string url = cluster.read_line();
  if (url.ends_with('\n')) url.pop_back();
  run_psql(url, "CREATE EXTENSION pg_stat_statements");
  measure([&] { return postgres_at(url); });
  // Every measure has a schema of its own, and with it statements of its own.
  fmt::print("PostgreSQL  what took its time: calls, ms each, ms in all, the statement\n");
  run_psql(
      url,
      "SELECT sum(calls)::bigint, round((sum(total_exec_time) / sum(calls))::numeric, 3), "
      "round(sum(total_exec_time)::numeric), statement FROM (SELECT calls, total_exec_time, "
      "left(regexp_replace(regexp_replace(query, '\"bench_[0-9]+\"\\.', '', 'g'), '\\s+', ' ', "
      "'g'), 90) AS statement FROM pg_stat_statements) AS each GROUP BY statement "
      "ORDER BY sum(total_exec_time) DESC LIMIT 8");
  return 0;
}
