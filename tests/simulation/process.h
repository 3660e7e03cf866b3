// A simulated worker process: registered in the store, it starts, claims, resumes, cancels and
// answers sessions, and drives them with the real driver. It imitates what the runtime and its
// registration do with threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/exclusive_gate.h"
#include "runtime/load_tree.h"
#include "runtime/tree_driver.h"
#include "simulation/event_queue.h"
#include "simulation/sim_host.h"

namespace wright::simulation {

class World;

class Process : public std::enable_shared_from_this<Process> {
 public:
  Process(World& world, OwnerId owner);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Registers, and looks around from then on.
  void begin();

  // --- what people ask of it ---
  void start(std::int64_t number);
  void send(SessionId id, std::int64_t number);
  void cancel(SessionId id);
  void answer(WaitId id, const Json& answer);

  // --- what happens to it ---
  void drain();
  void kill();
  void sleep_until(std::int64_t time) { asleep_until_ = time; }
  std::int64_t asleep_until() const { return asleep_until_; }

  OwnerId owner() const { return owner_; }
  RunnerId runner() const { return runner_.value_or(0); }
  bool is_dead() const { return is_dead_; }
  bool takes_work() const { return !is_dead_ && !is_draining_ && runner_; }
  std::shared_ptr<runtime::TreeDriver> driver_of(SessionId root) const;
  bool is_idle() const { return driven_.empty() && !is_loading_; }

  // --- for its host ---
  // Whether it is this very moment that loads a session, and not one that came in between.
  bool is_loading_here() const;
  void write(Batch batch, std::function<void(Result<BatchIds>)> done);
  Result<BatchIds> write_now(const Batch& batch);
  bool is_lease_certain(std::int64_t since) const;
  void release(SessionId session, int epoch);

 private:
  struct Driven {
    std::shared_ptr<runtime::TreeDriver> driver = {};
    SessionId root = 0;  // 0: it has none yet
  };
  using DrivenPointer = std::shared_ptr<Driven>;
  // While it is there, the host writes at once, and others go on in between.
  class Loading;

  void look();
  void poll();
  void claim();
  void take_what_needs_a_driver();
  void go_on_with_what_was_said();
  void release_what_nobody_drives();
  void bury_the_dead();
  void leave();

  bool is_certain() const;
  bool renew();
  void renewed(std::int64_t asked_at);
  void apply(const std::shared_ptr<const Batch>& batch,
             const std::function<void(Result<BatchIds>)>& done, int tried);
  void reply(std::function<void(Result<BatchIds>)> done, Result<BatchIds> result);

  session::TreeOptions tree_options() const;
  void resume(runtime::ResumeRequest request);
  void drive(session::SessionTree tree, SessionId root, const std::vector<CancelWish>& cancelled);
  void ended(const DrivenPointer& driven, const runtime::Ending& ending);
  bool drives(SessionId id) const;

  World& world_;
  const OwnerId owner_;
  SimHost host_;
  runtime::ExclusiveGate gate_;
  std::vector<DrivenPointer> driven_;
  std::optional<RunnerId> runner_;
  std::int64_t certain_until_ = 0;
  std::int64_t certain_since_ = 0;
  std::vector<Write> to_release_;
  std::int64_t last_write_ = 0;
  std::int64_t asleep_until_ = 0;
  bool is_loading_ = false;
  int loading_depth_ = 0;
  bool is_draining_ = false;
  bool is_dead_ = false;
};

}  // namespace wright::simulation
