// What the next call of a model can take at most, from what the last one took.
#pragma once

#include <cstddef>
#include <cstdint>

#include "session/budget.h"
#include "wright/agent.h"
#include "wright/run.h"

namespace wright::session {

class CallEstimate {
 public:
  // The model has answered, and its answer is the last message of the run.
  void answered(const Run& run, const Usage& usage);
  // What came since, and an answer of full length.
  Spending of_next(const Agent& agent, const Run& run) const;

 private:
  std::size_t counted_messages_ = 0;  // by the last answer's usage
  std::int64_t counted_tokens_ = 0;
};

}  // namespace wright::session
