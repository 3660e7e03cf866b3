#include "app/settings/rule_flags.h"

#include <fmt/format.h>

#include <string>

#include "app/settings/config_keys.h"
#include "core/permission_names.h"
#include "core/try.h"

namespace wright::app {
namespace {

struct GivenRule {
  std::string name;
  intercept::Permission permission;
};

Result<GivenRule> rule_in(std::string_view assignment, std::string_view section) {
  const std::string_view rest = assignment.substr(section.size() + 1);
  const std::size_t equals = rest.rfind('=');
  const std::string_view word = equals == std::string_view::npos ? "" : rest.substr(equals + 1);
  const auto permission = enum_named<Permission>(word);
  if (!permission) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("--set {}: must end in =allow, =deny or =ask", assignment));
  }
  if (equals == 0) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("--set {}: nothing stands between '{}.' and the last '='", assignment,
                            section));
  }
  return GivenRule{std::string(rest.substr(0, equals)), *permission};
}

bool is_in(std::string_view assignment, std::string_view section) {
  return assignment.starts_with(section) && assignment.substr(section.size()).starts_with('.');
}

}  // namespace

Result<RuleFlag> RuleFlags::take(std::string_view assignment) {
  const std::string commands = fmt::format("{}.{}", kBash, kRules);
  if (is_in(assignment, kPermissions)) {
    auto rule = TRY(rule_in(assignment, kPermissions));
    permissions_.push_back({std::move(rule.name), rule.permission});
    return RuleFlag::taken;
  }
  if (is_in(assignment, commands)) {
    auto rule = TRY(rule_in(assignment, commands));
    CommandRule made{std::move(rule.name), rule.permission};
    if (const auto compiled = CommandRules::make({made}); !compiled) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("--set {}: {}", assignment, compiled.error().message));
    }
    commands_.push_back(std::move(made));
    return RuleFlag::taken;
  }
  return RuleFlag::none;
}

}  // namespace wright::app
