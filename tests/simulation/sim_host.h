// The host of one simulated process: what a driver asks of threads, timers, models and the store
// becomes events of the world.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "runtime/host.h"
#include "simulation/event_queue.h"

namespace wright::simulation {

class Process;
class World;

class SimHost final : public runtime::Host {
 public:
  SimHost(World& world, Process& process) : world_(world), process_(process) {}

  void run_soon(Task task) override;
  Ticket run_blocking(Task task, Task after) override;
  void give_up(Ticket ticket) override;
  void write(Batch batch, Written done) override;
  bool has_store() const override { return true; }
  void ask(const Model& model, const Request& request, ModelCall call, ModelDone done) override;
  std::int64_t clock() const override;
  Time now() const override;
  std::int64_t boot_clock() const override;
  bool is_lease_certain(std::int64_t since) const override;
  void release(SessionId session, int epoch) override;
  void look_for_undriven() override {}  // the process does so with every poll
  Timer run_at(Time time, Task task) override;
  void cancel(const Timer& timer) override;

  // The process has died: nothing of this goes on.
  void clear();

 private:
  using StopCallback = std::stop_callback<std::function<void()>>;
  struct Blocking {
    Task task = {};
    Task after = {};
    EventQueue::EventId end = 0;
    std::vector<Timer> cancelled = {};  // by the task, which in truth takes a while
    std::unique_ptr<StopCallback> stop = {};
  };
  struct Asked {
    ModelDone done = {};
    Result<Response> response = {};
    EventQueue::EventId end = 0;
    std::unique_ptr<StopCallback> stop = {};
  };

  void begin(Ticket ticket);
  void end(Ticket ticket);
  void answer(std::uint64_t id);

  World& world_;
  Process& process_;
  std::map<Ticket, Blocking> blocking_;
  std::map<std::uint64_t, Asked> asked_;
  std::uint64_t last_ = 0;
  Blocking* running_ = nullptr;  // whose task runs now
};

}  // namespace wright::simulation
