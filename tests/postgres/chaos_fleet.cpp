#include "postgres/chaos_fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <fstream>
#include <thread>

#include "faults/process.h"
#include "postgres/chaos_agents.h"
#include "runtime/event_writer.h"
#include "wright/postgres.h"

namespace wright::faults {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLook{50};
constexpr std::size_t kRoom = 4;            // sessions of a worker at a time
constexpr unsigned kLongestLife = 60 * 30;  // seconds of a process, whatever happens

Result<std::unique_ptr<Store>> open_there(const Surroundings& around, std::string_view name) {
  return open_postgres_store(fmt::format("{}&application_name={}", around.place, name),
                             {.schema = around.schema, .connections = 3});
}

std::atomic<bool> is_to_end = false;

// What a front door does in one round. Whatever fails now is tried again in the next.
class Door {
 public:
  Door(const Surroundings& around, int number, std::ofstream& seen)
      : around_(around), number_(number), seen_(seen) {}

  void look(Store& store) {
    if (const auto waits = store.get_waits({.status = WaitStatus::open})) {
      for (const StoredWait& wait : *waits) {
        const auto answered =
            answer_wait(store, wait.id, Json("yes"), fmt::format("door {}", number_));
        if (answered) around_.ledger.add(fmt::format("answered {}", wait.id));
      }
    }
    if (const auto doomed = store.list_sessions(
            {.agent_name = kDoomed, .status = SessionStatus::running, .limit = 20})) {
      for (const Session& session : *doomed) {
        if (!session.cancel_reason) (void)store.request_cancel(session.id, "It was doomed");
      }
    }
    follow(store);
  }

  // Whether there may be more.
  bool follow(Store& store) {
    const auto events = store.get_events({.after = last_});
    if (!events) return true;
    for (const StoredEvent& event : *events) {
      seen_ << event.sequence << '\n';
      last_ = event.sequence;
    }
    seen_.flush();
    return !events->empty();
  }

 private:
  const Surroundings& around_;
  const int number_;
  std::ofstream& seen_;
  EventSequence last_ = 0;
};

}  // namespace

void work_until_killed(const Surroundings& around) {
  Moments moments(Moments::kNever);
  const Agents agents = make_agents(around.ledger, moments);
  while (true) {
    const auto store = open_there(around, kWorkerName);
    if (!store) {
      std::this_thread::sleep_for(kLook);
      continue;
    }
    runtime::EventWriter events(**store);
    const auto runtime =
        Runtime::open({.store = store->get(),
                       .workers = 1,
                       .tool_threads = 4,
                       .lease_time = kChaosLease,
                       .grace = milliseconds(200),
                       .agents = [&](const Session& session) -> Result<AgentPointer> {
                         const auto found = agents.find(session.agent_name);
                         if (found != agents.end()) return found->second;
                         return fail(ErrorCode::not_found, "Nobody has this agent");
                       },
                       .observer = events.observer()});
    if (!runtime) continue;
    while (true) {
      const std::size_t running = (*runtime)->running();
      if (running < kRoom) {
        // What fails now because the server is away is tried again.
        (void)(*runtime)->resume_abandoned(kRoom - running);
        (void)(*runtime)->claim(kRoom - running);
      }
      std::this_thread::sleep_for(kLook);
    }
  }
}

std::filesystem::path file_of_door(const Surroundings& around, int number) {
  return around.folder / fmt::format("door_{}", number);
}

int keep_door(const Surroundings& around, int number) {
  std::signal(SIGTERM, [](int) { is_to_end = true; });
  std::ofstream seen(file_of_door(around, number));
  Door door(around, number, seen);
  while (true) {
    const auto store = open_there(around, "chaos_door");
    if (!store) {
      std::this_thread::sleep_for(kLook);
      continue;
    }
    while (!is_to_end) {
      door.look(**store);
      std::this_thread::sleep_for(kLook);
    }
    while (door.follow(**store)) {
    }
    return 0;
  }
}

void Fleet::end() {
  for (const Worker& worker : workers_) {
    ::kill(worker.process, SIGKILL);
    ::waitpid(worker.process, nullptr, 0);
  }
  workers_.clear();
}

void Fleet::start_worker() {
  ++started_;
  workers_.push_back({in_child([this] {
    ::alarm(kLongestLife);
    work_until_killed(around_);
    return 0;
  })});
}

std::size_t Fleet::stopped() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      workers_, [](const Worker& worker) { return worker.stopped_until.has_value(); }));
}

void Fleet::replace(std::size_t which) {
  ::kill(workers_[which].process, SIGKILL);
  ::waitpid(workers_[which].process, nullptr, 0);
  workers_.erase(workers_.begin() + static_cast<std::ptrdiff_t>(which));
  start_worker();
}

void Fleet::stop(std::size_t which, milliseconds time) {
  Worker& worker = workers_[which];
  if (worker.stopped_until) return;
  ::kill(worker.process, SIGSTOP);
  worker.stopped_until = std::chrono::steady_clock::now() + time;
}

void Fleet::continue_those_that_are_due() {
  const Time now = std::chrono::steady_clock::now();
  for (Worker& worker : workers_) {
    if (!worker.stopped_until || *worker.stopped_until > now) continue;
    ::kill(worker.process, SIGCONT);
    worker.stopped_until.reset();
  }
}

void Fleet::continue_all() {
  for (Worker& worker : workers_) {
    ::kill(worker.process, SIGCONT);
    worker.stopped_until.reset();
  }
}

}  // namespace wright::faults
