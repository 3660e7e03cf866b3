// Combines what the model said with what happened. The record decides which tools were used; where
// the model says otherwise, both are shown.
#pragma once

#include <vector>

#include "feedback/findings.h"
#include "wright/feedback.h"

namespace wright::feedback {

struct Merged {
  ToolFeedback feedback = {};
  std::vector<Contradiction> contradictions = {};
};

// `said` may be empty; of several reports the later one's rating counts.
Merged merge(const Evidence& evidence, const std::vector<ReadFeedback>& said,
             const ToolFeedbackOptions& options);

}  // namespace wright::feedback
