#include "providers/reasoning_effort.h"

namespace wright::providers {

std::string_view effort_level(ReasoningEffort effort) {
  switch (effort) {
    case ReasoningEffort::none:
    case ReasoningEffort::low: return "low";
    case ReasoningEffort::medium: return "medium";
    case ReasoningEffort::high: return "high";
  }
  return "high";
}

}  // namespace wright::providers
