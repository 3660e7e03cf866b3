// The simulated world: one clock, one queue of events, a store, processes that live and die, and
// people. One seed gives one history.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/tree_driver.h"
#include "simulation/event_queue.h"
#include "simulation/options.h"
#include "simulation/process.h"
#include "simulation/random.h"
#include "simulation/sim_store.h"
#include "simulation/watch.h"
#include "simulation/workload.h"

namespace wright::simulation {

// What is part of the history and not worth telling.
inline constexpr std::string_view kRoutine = "routine";

using Reached = std::map<std::string_view, std::int64_t>;

// What became of a history.
struct Report {
  std::optional<Violation> violation = {};
  std::uint64_t hash = 0;  // of everything that happened
  std::int64_t steps = 0;
  std::int64_t sessions = 0;
  Reached reached = {};
  std::vector<std::string> story = {};  // the last lines, when it was asked for
};

enum class Story : std::uint8_t { untold, told };

Report simulate(const Options& options, Story story = Story::untold);

// How long the tool that runs now takes; the tool says it.
struct ToolTime {
  std::int64_t lasts = 0;
  bool hangs = false;
  bool heeds_stop = false;
  std::stop_token stop = {};
};

class World {
 public:
  World(const Options& options, Story story);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  Report run();

  const Options& options() const { return options_; }
  bool has(Plant plant) const { return options_.plant == plant; }
  Random& faults() { return faults_; }
  // By its weight, at most `most` in a thousand; never once the world is healed.
  bool happens(Feature feature, int most);

  std::int64_t now() const { return now_; }  // milliseconds; also what boot clocks show
  std::int64_t wall() const { return now_ + wall_ahead_; }
  EventQueue::EventId at(std::int64_t time, OwnerId owner, EventQueue::Task task);
  void hurry(EventQueue::EventId event);
  void forget(EventQueue::EventId event) { queue_.cancel(event); }
  void forget_all_of(OwnerId owner) { queue_.remove_all_of(owner); }
  std::int64_t store_delay();

  // What happens inside of what happens; 1 where nothing is nested.
  int depth() const { return depth_; }
  // While a process loads a session, others go on.
  void others_go_on();
  // How often the machine has crashed: what was before has no consequences after.
  int era() const { return era_; }
  bool is_actor_dead() const;
  RunnerId acting_runner() const;
  bool is_alive(RunnerId runner) const;
  ToolTime& tool_time() { return tool_time_; }

  SimStore& store() { return store_; }
  Watch& watch() { return watch_; }
  Workload& workload() { return workload_; }

  void note(std::string_view what, std::int64_t first = 0, std::int64_t second = 0);
  void reach(std::string_view state) { ++reached_[state]; }
  void broken(Violation violation);
  void watch_driver(const std::shared_ptr<runtime::TreeDriver>& driver) {
    drivers_.push_back(driver);
  }
  bool ignores(WaitId wait) const;
  // A crash until then loses what was written last.
  void unsafe_until(std::int64_t time) { unsafe_until_ = time; }

 private:
  using ProcessPointer = std::shared_ptr<Process>;

  void step();
  void start_process();
  void plan_sessions();
  void enqueue(std::int64_t number);
  void start_session(std::int64_t number);
  void trouble();
  void people();
  void answer_somebody();
  void cancel_somebody();
  void send_to_somebody();
  void steer_somebody();
  void kill_one();
  void crash();
  void heal();
  void check_leaks();
  std::vector<ProcessPointer> alive();
  Process* find(OwnerId owner) const;

  const Options options_;
  const Story story_;
  Random faults_;
  Random workload_random_;
  EventQueue queue_;
  std::int64_t now_ = 1'000'000;
  std::int64_t wall_ahead_ = 1'700'000'000'000;
  std::int64_t unsafe_until_ = 0;
  bool is_healed_ = false;
  int depth_ = 0;
  int era_ = 0;
  std::int64_t last_said_ = 0;
  OwnerId actor_ = kWorld;
  OwnerId last_owner_ = kWorld;
  ToolTime tool_time_;
  Report report_;
  Reached reached_;
  Watch watch_;
  Workload workload_;
  SimStore store_;
  std::vector<ProcessPointer> processes_;
  std::vector<std::weak_ptr<runtime::TreeDriver>> drivers_;
};

}  // namespace wright::simulation
