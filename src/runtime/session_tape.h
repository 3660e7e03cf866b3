// The record of one session as something that answers: the model's turns in their order, and what
// came of every call. It notices when it is asked something that was not asked then.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "runtime/replay_comparison.h"
#include "wright/message.h"

namespace wright::runtime {

class SessionTape {
 public:
  // Refers to both.
  SessionTape(const RecordedSession& recorded, const ReplayComparison& comparison);

  const RecordedSession& recorded() const { return recorded_; }

  // What the user said, message by message: the first one begins the session.
  std::vector<Message> said() const;

  // What the model answered to these messages.
  struct Answered {
    Response response;
    std::optional<Message> said = {};  // by the user, before the next turn
  };
  struct ModelFailedThen {  // or its end was not recorded
    std::string error;
  };
  struct RecordEnds {};  // nothing is known of what came then
  struct Differs {};     // what is asked was not asked then
  struct AskedAgain {};  // the session had ended here
  using TapeEntry = std::variant<Answered, ModelFailedThen, RecordEnds, Differs, AskedAgain>;
  TapeEntry next_answer(std::span<const Message> asked, AfterDifference after);

  // What the model was told of its last answer; absent where that one stood.
  std::optional<std::string> refusal_of_last_answer() const;

  const RecordedCall* find_call(std::string_view id) const;

  // The record of a specialist that nobody has taken yet: that of this name and message, or else
  // the one that comes nearest. Null when there is none.
  const RecordedSession* take_specialist(std::string_view name, const Message& message);

 private:
  struct Turn {
    std::size_t position;  // how many messages were there before it
    Response response;
  };
  struct Untaken {
    const RecordedSession* session;
    bool is_taken = false;
  };

  bool is_said_between(std::size_t position) const;
  std::optional<Message> said_after(std::size_t position) const;
  bool is_prefix(std::span<const Message> asked) const;
  TapeEntry after_last_turn(std::span<const Message> asked) const;

  const RecordedSession& recorded_;
  const ReplayComparison& comparison_;
  std::unordered_map<std::string_view, const RecordedCall*> calls_;
  std::vector<Turn> turns_;
  std::size_t next_ = 0;
  std::size_t compared_ = 0;  // messages that are known to be the same
  std::vector<Untaken> specialists_;
};

}  // namespace wright::runtime
