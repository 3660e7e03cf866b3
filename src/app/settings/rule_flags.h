// Rules that --set gives: permissions.TOOL=WORD and bash.rules.PATTERN=WORD.
#pragma once

#include <string_view>
#include <vector>

#include "wright/interceptors.h"
#include "wright/sandbox.h"

namespace wright::app {

enum class RuleFlag { taken, none };

// In the order in which they were given: the first that fits counts.
class RuleFlags {
 public:
  // Adds what the assignment says, if it is about a rule. A pattern may contain an equals sign.
  Result<RuleFlag> take(std::string_view assignment);

  const std::vector<intercept::PermissionRule>& permissions() const { return permissions_; }
  const std::vector<CommandRule>& commands() const { return commands_; }

 private:
  std::vector<intercept::PermissionRule> permissions_;
  std::vector<CommandRule> commands_;
};

}  // namespace wright::app
