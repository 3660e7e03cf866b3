// Where threads that have nothing to do can wait for what comes from outside, and see to it: an
// event loop, seen by those who know nothing of sockets. It has a thread of its own for as long as
// nobody takes it. Whoever takes it lets its own threads wait there, so that what arrives goes on
// in the thread that brought it; and promises that one of them is soon there again.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

namespace wright {

class WaitingPlace {
 public:
  enum class Wait : std::uint8_t { no, until_something_happens };

  virtual ~WaitingPlace() = default;

  // Whether it is the caller's from now on, until release(). Refused while it is another's.
  virtual bool take() = 0;
  // It has its own thread again. Does not wait for one that is in attend().
  virtual void release() = 0;
  // For one thread of the taker at a time: sees to what has happened, or waits for something and
  // sees to that. False when the place is gone.
  virtual bool attend(Wait wait) = 0;
  // From any thread: who waits in attend(), or is about to, comes back.
  virtual void call() = 0;

  // The one whose own thread calls this; null in any other thread.
  static const std::shared_ptr<WaitingPlace>& of_this_thread() { return own(); }

 protected:
  static void set_of_this_thread(std::shared_ptr<WaitingPlace> place) { own() = std::move(place); }

 private:
  static std::shared_ptr<WaitingPlace>& own() {
    thread_local std::shared_ptr<WaitingPlace> place;
    return place;
  }
};

}  // namespace wright
