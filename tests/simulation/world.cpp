#include "simulation/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace wright::simulation {
namespace {

// How long nothing may begin or end before everything has.
constexpr std::int64_t kMostHealingTime = 600'000;
constexpr std::int64_t kMostSteps = 400'000;
constexpr int kMostNested = 3;
constexpr std::size_t kStoryLines = 400;

}  // namespace

Report simulate(const Options& options, Story story) {
  return World(options, story).run();
}

World::World(const Options& options, Story story)
    : options_(options),
      story_(story),
      faults_(mixed({options.seed, mixed("faults")})),
      workload_random_(mixed({options.seed, mixed("workload")})),
      watch_(*this),
      workload_(*this),
      store_(*this) {}

World::~World() {
  for (const ProcessPointer& process : processes_) process->kill();
}

// --- time --------------------------------------------------------------------------------------

EventQueue::EventId World::at(std::int64_t time, OwnerId owner, EventQueue::Task task) {
  return queue_.push(std::max(time, now_), faults_.next(), owner, std::move(task));
}

void World::hurry(EventQueue::EventId event) {
  queue_.move(event, now_ + faults_.below(20), faults_.next());
}

std::int64_t World::store_delay() {
  if (happens(Feature::slow_store, 100)) return faults_.between(50, 8'000);
  return faults_.below(6);
}

bool World::happens(Feature feature, int most) {
  const int weight = options_.weight(feature);
  if (is_healed_ || weight == 0) return false;
  if (!faults_.chance(weight * most / 100)) return false;
  ++reached_[to_string(feature)];
  return true;
}

void World::step() {
  auto event = queue_.pop();
  if (!event) return;
  now_ = std::max(now_, event->at);
  const Process* process = find(event->owner);
  if (process != nullptr && process->asleep_until() > now_) {
    const std::int64_t wakes = process->asleep_until();
    queue_.push_again(wakes, faults_.next(), std::move(*event));
    return;
  }
  ++report_.steps;
  note(kRoutine, event->owner);
  const OwnerId before = std::exchange(actor_, event->owner);
  ++depth_;
  event->task();
  --depth_;
  actor_ = before;
}

void World::others_go_on() {
  const Process* process = find(actor_);
  if (process == nullptr || !process->is_loading_here() || depth_ > kMostNested) return;
  if (!happens(Feature::interleave, 500)) return;
  const std::int64_t until = now_ + faults_.below(faults_.chance(100) ? 8'000 : 50);
  std::int64_t most = faults_.between(1, 60);
  while (most-- > 0 && now_ < until && !report_.violation) step();
}

Process* World::find(OwnerId owner) const {
  if (owner == kWorld) return nullptr;
  const auto found =
      std::ranges::find(processes_, owner, [](const auto& each) { return each->owner(); });
  return found == processes_.end() ? nullptr : found->get();
}

bool World::is_actor_dead() const {
  const Process* process = find(actor_);
  return process != nullptr && process->is_dead();
}

RunnerId World::acting_runner() const {
  const Process* process = find(actor_);
  return process != nullptr ? process->runner() : 0;
}

bool World::is_alive(RunnerId runner) const {
  return std::ranges::any_of(processes_, [&](const ProcessPointer& each) {
    return !each->is_dead() && each->runner() == runner;
  });
}

std::vector<std::shared_ptr<Process>> World::alive() {
  std::vector<ProcessPointer> found;
  for (const ProcessPointer& each : processes_) {
    if (each->takes_work()) found.push_back(each);
  }
  return found;
}

// --- what is told of it ------------------------------------------------------------------------

void World::note(std::string_view what, std::int64_t first, std::int64_t second) {
  report_.hash = mixed({report_.hash, mixed(what), static_cast<std::uint64_t>(now_),
                        static_cast<std::uint64_t>(actor_), static_cast<std::uint64_t>(first),
                        static_cast<std::uint64_t>(second)});
  if (story_ == Story::untold || what == kRoutine) return;
  if (report_.story.size() >= kStoryLines) report_.story.erase(report_.story.begin());
  report_.story.push_back(fmt::format("{:>7} ms  process {:<3} {} {} {}", now_ - 1'000'000, actor_,
                                      what, first, second));
}

void World::broken(Violation violation) {
  note(violation.rule);
  if (!report_.violation) report_.violation = std::move(violation);
}

bool World::ignores(WaitId wait) const {
  Random random(mixed({options_.seed, static_cast<std::uint64_t>(wait), mixed("ignored")}));
  return random.chance(options_.weight(Feature::no_answer) * 5);
}

// --- a history ---------------------------------------------------------------------------------

Report World::run() {
  const std::int64_t faults_end = now_ + options_.length_ms;
  for (int i = 0; i < options_.processes; ++i) start_process();
  plan_sessions();
  at(now_ + 1, kWorld, [this] { people(); });
  at(now_ + 1, kWorld, [this] { trouble(); });
  while (now_ < faults_end && !report_.violation) step();
  heal();
  std::int64_t end = now_ + kMostHealingTime;
  std::int64_t look = now_;
  std::int64_t progress = watch_.progress();
  std::string left = "nothing was looked at";
  while (!report_.violation && report_.steps < kMostSteps) {
    if (now_ >= end) {
      if (std::exchange(progress, watch_.progress()) == progress) break;
      end = now_ + kMostHealingTime;
    }
    step();
    if (now_ < look) continue;
    look = now_ + 2'000;
    const bool is_idle = std::ranges::all_of(
        processes_, [](const ProcessPointer& each) { return each->is_dead() || each->is_idle(); });
    left = is_idle ? watch_.unsettled() : "something is driven";
    if (left.empty()) break;
  }
  if (!report_.violation && !left.empty()) broken({"every session ends or waits", left});
  if (!report_.violation) watch_.check_end();
  check_leaks();
  report_.reached = reached_;
  if (const auto all = store_.truth().list_sessions({.limit = kNoLimit})) {
    report_.sessions = static_cast<std::int64_t>(all->size());
  }
  return std::move(report_);
}

// Nothing goes wrong any more: what is left has to come to an end.
void World::heal() {
  is_healed_ = true;
  note("healed");
  for (const ProcessPointer& process : processes_) process->sleep_until(0);
  if (alive().empty()) start_process();
}

void World::start_process() {
  const auto process = std::make_shared<Process>(*this, ++last_owner_);
  processes_.push_back(process);
  at(now_ + faults_.below(50), process->owner(), [process = process.get()] { process->begin(); });
}

void World::plan_sessions() {
  for (int i = 0; i < options_.sessions; ++i) {
    const std::int64_t number = i + 1;
    const bool is_queued = workload_random_.chance(options_.weight(Feature::queue) * 8);
    const std::int64_t time = now_ + workload_random_.below(options_.length_ms / 2);
    at(time, kWorld, [this, number, is_queued] {
      if (is_queued) {
        enqueue(number);
      } else {
        start_session(number);
      }
    });
  }
}

void World::enqueue(std::int64_t number) {
  const auto agent = workload_.root_agent(number);
  (void)store_.create_session(
      {.agent_name = agent->name, .user_prompt = Workload::prompt_of(number), .is_queued = true});
}

void World::start_session(std::int64_t number) {
  const auto processes = alive();
  if (processes.empty()) {
    at(now_ + 500, kWorld, [this, number] { start_session(number); });
    return;
  }
  const auto process = faults_.one_of(processes);
  at(now_, process->owner(), [process, number] { process->start(number); });
}

void World::check_leaks() {
  for (const ProcessPointer& process : processes_) process->kill();
  processes_.clear();
  while (queue_.pop()) {
  }
  const auto left =
      std::ranges::count_if(drivers_, [](const auto& each) { return !each.expired(); });
  if (left > 0) broken({"nothing is left behind", fmt::format("{} drivers still live", left)});
}

}  // namespace wright::simulation
