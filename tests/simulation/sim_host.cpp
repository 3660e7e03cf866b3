#include "simulation/sim_host.h"

#include <utility>

#include "simulation/process.h"
#include "simulation/world.h"

namespace wright::simulation {

void SimHost::run_soon(Task task) {
  world_.at(world_.now() + world_.faults().below(3), process_.owner(), std::move(task));
}

// The task runs at one moment; what it takes passes before `after` follows.
runtime::Host::Ticket SimHost::run_blocking(Task task, Task after) {
  const Ticket ticket = ++last_;
  blocking_[ticket] = {.task = std::move(task), .after = std::move(after)};
  std::int64_t wait = world_.faults().below(3);
  if (world_.happens(Feature::slow_thread, 200)) wait = world_.faults().between(100, 20'000);
  world_.at(world_.now() + wait, process_.owner(), [this, ticket] { begin(ticket); });
  return ticket;
}

void SimHost::begin(Ticket ticket) {
  const auto found = blocking_.find(ticket);
  if (found == blocking_.end()) return;
  Blocking& blocking = found->second;
  world_.tool_time() = {};
  running_ = &blocking;
  std::exchange(blocking.task, {})();
  running_ = nullptr;
  const ToolTime time = world_.tool_time();
  if (time.hangs) {
    world_.reach("a tool never returned");
    return;
  }
  blocking.end =
      world_.at(world_.now() + time.lasts, process_.owner(), [this, ticket] { end(ticket); });
  if (!time.heeds_stop) return;
  const auto hurry = [this, event = blocking.end] { world_.hurry(event); };
  blocking.stop = std::make_unique<StopCallback>(time.stop, hurry);
}

void SimHost::end(Ticket ticket) {
  auto found = blocking_.extract(ticket);
  if (!found) return;
  Blocking& blocking = found.mapped();
  for (const Timer& timer : blocking.cancelled) cancel(timer);
  if (blocking.after) blocking.after();
}

void SimHost::give_up(Ticket ticket) {
  blocking_.erase(ticket);
}

void SimHost::write(Batch batch, Written done) {
  if (process_.is_loading_here()) return done(process_.write_now(batch));
  process_.write(std::move(batch), [told = std::make_shared<Written>(std::move(done))](
                                       Result<BatchIds> ids) { (*told)(std::move(ids)); });
}

void SimHost::ask(const Model& model, const Request& request, ModelCall call, ModelDone done) {
  const std::uint64_t id = ++last_;
  Asked& asked = asked_[id];
  asked.response = model.complete(request, call);
  asked.done = std::move(done);
  asked.end = world_.at(world_.now() + world_.faults().between(1, 300), process_.owner(),
                        [this, id] { answer(id); });
  asked.stop = std::make_unique<StopCallback>(call.stop, [this, id] {
    const auto found = asked_.find(id);
    if (found == asked_.end()) return;
    found->second.response = fail(ErrorCode::cancelled, "It was stopped");
    world_.hurry(found->second.end);
  });
}

void SimHost::answer(std::uint64_t id) {
  auto found = asked_.extract(id);
  if (found) found.mapped().done(std::move(found.mapped().response));
}

std::int64_t SimHost::clock() const {
  return world_.wall();
}

runtime::Host::Time SimHost::now() const {
  return Time(std::chrono::milliseconds(world_.now()));
}

std::int64_t SimHost::boot_clock() const {
  return world_.now();
}

bool SimHost::is_lease_certain(std::int64_t since) const {
  return process_.is_lease_certain(since);
}

void SimHost::release(SessionId session, int epoch) {
  process_.release(session, epoch);
}

runtime::Host::Timer SimHost::run_at(Time time, Task task) {
  const std::int64_t at =
      std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
  if (world_.has(Plant::lost_timer)) return {};
  return {time, world_.at(at, process_.owner(), std::move(task))};
}

void SimHost::cancel(const Timer& timer) {
  if (running_ != nullptr) {
    running_->cancelled.push_back(timer);
  } else {
    world_.forget(timer.number);
  }
}

void SimHost::clear() {
  blocking_.clear();
  asked_.clear();
}

}  // namespace wright::simulation
