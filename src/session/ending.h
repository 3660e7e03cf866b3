// How a session stopped being driven.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wright/feedback.h"
#include "wright/run.h"
#include "wright/session.h"

namespace wright::session {

struct Ending {
  enum class Kind : std::uint8_t {
    completed,
    failed,
    cancelled,
    waiting,    // it needs a person
    suspended,  // it was told to stop here; whoever resumes it goes on
    lost,       // somebody else drives it, or the store failed: it stays as it is stored
  };
  Kind kind = Kind::completed;
  std::string text = {};               // the answer, or the best one so far
  Error error = {};                    // failed, cancelled and lost
  std::vector<PersonWait> waits = {};  // waiting
  SessionId session_id = 0;
  int lease_epoch = 0;
  int iterations = 0;
  Usage usage = {};
  std::optional<FeedbackReport> feedback = {};  // in debug mode
};

}  // namespace wright::session
