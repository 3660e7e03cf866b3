// The trace lines of a run in the log, at debug level, from what its driver tells.
#pragma once

#include <string>

#include "wright/agent.h"
#include "wright/events.h"
#include "wright/log.h"

namespace wright::app {

class TraceLog {
 public:
  TraceLog() = default;  // writes nothing
  TraceLog(Logger logger, const Agent& agent)
      : logger_(std::move(logger)), agent_(agent.name), tools_(agent.tools.size()) {}

  void observe(const Event& event) const;

 private:
  Logger logger_;
  std::string agent_;
  std::size_t tools_ = 0;
};

}  // namespace wright::app
