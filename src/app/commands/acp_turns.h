// The prompts of one session of an editor, in the order in which they came. One of them runs; one
// that comes meanwhile is said to it. When the model has read that, the turn is the later prompt's:
// the earlier one is answered as ended, and the later one when the run ends. Each is answered once.
// Decides, and runs nothing. Thread-safe.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "wright/json.h"

namespace wright::app {

class AcpTurns {
 public:
  using Answer = std::function<void(const Result<JsonObject>& result)>;

  struct Prompt {
    explicit Prompt(Answer to_whom) : answer(std::move(to_whom)) {}
    std::stop_source stop;
    const Answer answer;
  };
  using Turn = std::shared_ptr<Prompt>;

  // A prompt that has come: it can be cancelled from now on.
  Turn add(Answer answer);
  void cancel_all();
  // Once; what comes later is dropped.
  void answer(const Turn& turn, const Result<JsonObject>& result);

  // What a prompt would say to one that runs. Without a function it waits until nothing runs.
  struct Speech {
    std::string text = {};
    // ErrorCode::unavailable: not now, perhaps in a moment.
    std::function<Result<void>()> say = {};
  };
  enum class Entered : std::uint8_t {
    runs,       // it is to run now, and to end() then
    spoken,     // it is said to what runs, or was refused: it is answered by others, or already
    cancelled,  // it is over before it began
  };
  // Blocks until it is this prompt's turn.
  Entered enter(const Turn& turn, const Speech& speech);

  bool is_running() const;
  // Of what runs: asked to end by whoever has the turn.
  std::stop_token stop() const;
  // The model reads these words now.
  void taken(std::string_view text);

  struct Ended {
    Turn owner = {};                 // who has the turn by now
    std::vector<Turn> unheard = {};  // who spoke, and was not read
  };
  Ended end();

 private:
  struct Spoken {
    Turn turn;
    std::string text;
  };
  using Link = std::stop_callback<std::function<void()>>;
  struct Running {
    Turn owner;
    std::stop_source stop = {};
    std::deque<Spoken> spoken = {};
    int saying = 0;                   // who are in the middle of it
    std::unique_ptr<Link> link = {};  // from the owner's stop to this one
  };

  static std::unique_ptr<Link> link_of(const Turn& owner, const std::stop_source& stop);

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::set<Turn> open_;    // not answered yet
  std::deque<Turn> line_;  // neither run nor said yet
  std::shared_ptr<Running> running_;
};

}  // namespace wright::app
