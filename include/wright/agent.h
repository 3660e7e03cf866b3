// An agent is a value: who it is, which model it asks, which tools it may use, and its limits.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "wright/debug.h"
#include "wright/model.h"
#include "wright/tool.h"

namespace wright {

struct Limits {
  int max_iterations = 10;  // calls to the model for one user message
  bool operator==(const Limits&) const = default;
};

struct Agent {
  std::string name = "agent";
  std::string description = {};
  std::string instructions = {};
  Model model = {};
  std::vector<Tool> tools = {};
  std::vector<Interceptor> interceptors = {};  // outermost first
  Limits limits = {};
  Sampling sampling = {};
  std::optional<DebugOptions> debug = {};
};

// Refuses what could never run: no model, a tool without a printable name, two tools of one name,
// a limit below one.
Result<void> check(const Agent& agent);

}  // namespace wright
