// Plays a scenario with one driver over one store, and writes down what came of it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "scenarios/scenario.h"
#include "wright/testing.h"
#include "wright/wright.h"

namespace wright::scenarios {

enum class StoreKind : std::uint8_t { none, memory, sqlite, postgres };
enum class DriverKind : std::uint8_t { own_loop, blocking, concurrent };

class Stage {
 public:
  Stage(const Scenario& scenario, StoreKind store);

  // Without a store, a blocking run ends where a person is needed: nothing could be resumed.
  std::vector<std::string> play_blocking();
  std::vector<std::string> play_concurrent();
  // A driver as a user would write one, which also sends the run through text after every step. It
  // knows nothing of specialists.
  std::vector<std::string> play_own_loop();

  // What the sessions of specialists hold, in the order in which they began.
  std::vector<std::string> child_sessions();

  // What the store holds of the session can be replayed, also from a file, and by an agent of which
  // only the record is known; nothing differs.
  void expect_replay() const;

 private:
  std::vector<Tool> tools();
  Agent specialist(const std::string& name);
  void cancel(SessionId session);
  using GoOn = std::function<Result<RunResult>(const Continuation&, const std::vector<WaitId>&)>;
  std::vector<std::string> play_stored(SessionId id, Result<RunResult> answer, const GoOn& go_on);
  void add_stored(Protocol& protocol, SessionId id, const Result<RunResult>& answer);
  std::vector<std::string> remembered_protocol(const Result<RunResult>& answer) const;

  const Scenario scenario_;
  testing::ScriptedModel script_;
  std::map<std::string, testing::ScriptedModel> scripts_below_;
  std::unique_ptr<Store> store_;
  std::stop_source stop_;
  Runtime* runtime_ = nullptr;  // while it drives
  std::size_t shown_messages_ = 0;
  Agent agent_;
};

}  // namespace wright::scenarios
