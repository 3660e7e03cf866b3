// The world around the sessions of a driver: threads, a clock, and who writes to the store. A
// session says what is to be done; a host says where and when.
#pragma once

#include <chrono>
#include <cstdint>

#include "core/timer_queue.h"
#include "wright/model.h"
#include "wright/store.h"

namespace wright::runtime {

class Host {
 public:
  using Task = TimerQueue::Task;
  using Written = Callback<void(Result<BatchIds>)>;
  using Time = std::chrono::steady_clock::time_point;
  using Timer = TimerQueue::Timer;
  using Ticket = std::uint64_t;

  virtual ~Host() = default;

  // For what is short and never blocks.
  virtual void run_soon(Task task) = 0;
  // For what may take long: tools, and models that block. `after`, which may be empty, follows in
  // the same thread, is short and never blocks.
  virtual Ticket run_blocking(Task task, Task after) = 0;
  // Nobody waits for this task any more: it is not begun, or, when it runs, holds up no other and
  // its `after` does not follow.
  virtual void give_up(Ticket ticket) = 0;
  // `done` is called once, in any thread, perhaps before this returns. Batches are written in the
  // order in which one thread hands them in.
  virtual void write(Batch batch, Written done) = 0;
  // Whether there is anything to write to.
  virtual bool has_store() const = 0;
  // The callbacks of `call` and `done` run where the host wants them; the request stays as it is
  // until `done` is called, and its tools as long as `done` is kept.
  virtual void ask(const Model& model, const Request& request, ModelCall call, ModelDone done) = 0;

  // Milliseconds since 1970.
  virtual std::int64_t clock() const { return system_clock_ms(); }
  virtual Time now() const { return std::chrono::steady_clock::now(); }
  // Milliseconds, also while the machine slept.
  virtual std::int64_t boot_clock() const { return boot_clock_ms(); }
  // Whether a session that was this process's own at that moment, by boot_clock(), certainly is so
  // still. A process that has slept since, or could not renew its registration, cannot know
  // before it has asked the store.
  virtual bool is_lease_certain(std::int64_t since) const = 0;
  // This session is not driven here any more, whatever the store says of it: others may have it.
  virtual void release(SessionId session, int epoch) = 0;
  // A session may have been created or taken here that nobody knows of, because the store failed.
  virtual void look_for_undriven() = 0;

  virtual Timer run_at(Time time, Task task) = 0;
  virtual void cancel(const Timer& timer) = 0;  // it may be running already

  // Around a wait for something that this host may have to do itself. The thread may be one of the
  // host's own: others do its work meanwhile.
  class Waiting {
   public:
    explicit Waiting(Host& host) : host_(host) { host_.begin_waiting(); }
    ~Waiting() { host_.end_waiting(); }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

   private:
    Host& host_;
  };

 private:
  virtual void begin_waiting() {}
  virtual void end_waiting() {}
};

}  // namespace wright::runtime
