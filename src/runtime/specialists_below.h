// The specialists that answer calls of one session. Each is expected, at work, or parked: it waits
// for a person, and rests until something arrives for it. Used by the thread that works on the
// session.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "wright/run.h"

namespace wright::runtime {

class SessionDriver;

class SpecialistsBelow {
 public:
  using Driver = std::shared_ptr<SessionDriver>;

  void expect(const std::string& call_id);
  // Those that were expected will not come.
  void expect_no_more();
  void begins(const std::string& call_id, Driver driver);
  void parks(const std::string& call_id, std::vector<PersonWait> waits);
  void ends(const std::string& call_id);
  // It is at work from now on. Null unless it was parked.
  Driver unpark(const std::string& call_id);

  // Somebody is at work, or expected to be.
  bool is_any_under_way() const;
  std::vector<Driver> at_work() const;
  std::vector<std::string> parked() const;  // their calls
  // What the specialist waits for that answers this call. Null unless it is parked.
  const std::vector<PersonWait>* waits_of(const std::string& call_id) const;

 private:
  enum class State { expected, at_work, parked };
  struct Specialist {
    State state = State::expected;
    Driver driver = {};
    std::vector<PersonWait> waits = {};
  };
  std::map<std::string, Specialist> by_call_;
};

}  // namespace wright::runtime
