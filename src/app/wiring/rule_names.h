// Finds rules of [permissions] that can never hold, because nothing has the name: a slip of the
// hand there takes a guard away without a word.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "wright/interceptors.h"
#include "wright/tool.h"

namespace wright::app {

// The names that a rule may mean.
class RuleNames {
 public:
  // Those of every tool that Wright has, whether these settings turn it on or not.
  RuleNames();

  void add(std::span<const Tool> tools);
  // An agent that others may call as a tool.
  void add_agent(std::string_view name);

  // A sentence for each rule that means none of them. Patterns are left alone, and so is what has
  // "__" as tools of MCP servers do, which are known later.
  std::vector<std::string> notes_about(std::span<const intercept::PermissionRule> rules) const;

 private:
  bool has(const intercept::PermissionRule& rule) const;

  std::vector<std::string> names_;
};

}  // namespace wright::app
