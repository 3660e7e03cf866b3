// Decides whether a call may run: by rules on the tool's name, and by asking a person where a rule
// says so.
#include <fmt/format.h>
#include <boost/json/object.hpp>

#include <algorithm>
#include <utility>

#include "core/call_preview.h"
#include "core/text.h"
#include "interceptors/glob.h"
#include "wright/interceptors.h"

namespace wright::intercept {

namespace {

class PermissionCheck {
 public:
  explicit PermissionCheck(PermissionOptions options) : options_(std::move(options)) {}

  Result<ToolReply> operator()(const Invocation& invocation, const Context& context,
                               const Next& next) const {
    const std::string& name = invocation.call.name;
    Permission permission = by_rules(invocation);
    // No one is asked about a call that cannot run.
    if (permission == Permission::ask && invocation.unusable != nullptr) {
      return next(invocation, context);
    }
    if (permission == Permission::ask) {
      const auto answer = options_.ask ? options_.ask(invocation, context) : std::nullopt;
      if (!answer || *answer == Permission::ask) {
        auto instead = unless_approved(context, name, approval_question(invocation),
                                       {approval_kind(invocation)});
        return instead ? std::move(*instead) : next(invocation, context);
      }
      permission = *answer;
      if (permission == Permission::deny) {
        return refused_by_person(
            fmt::format("A person refused this call of {}. Do not repeat it", name));
      }
    }
    if (permission == Permission::allow) return next(invocation, context);
    return fail(ErrorCode::permission_denied,
                fmt::format("The tool {} is not allowed here. Do not call it again", name));
  }

 private:
  Permission by_rules(const Invocation& invocation) const {
    for (const PermissionRule& rule : options_.rules) {
      if (applies(rule, invocation.tool.spec)) return rule.permission;
    }
    return options_.otherwise;
  }

  // A rule applies to the tool, whatever name it is called by. What allows must name it: by a
  // pattern only its own name is meant, not another name that happens to fit.
  static bool applies(const PermissionRule& rule, const ToolSpec& spec) {
    if (matches_glob(rule.tool, spec.name)) return true;
    const bool is_allowing = rule.permission == Permission::allow;
    // What forbids or asks is not lost to a capital letter.
    if (!is_allowing && matches_glob(lower(rule.tool), lower(spec.name))) return true;
    return std::ranges::any_of(spec.aliases, [&](const std::string& alias) {
      return rule.tool == alias || (!is_allowing && matches_glob(lower(rule.tool), lower(alias)));
    });
  }

  PermissionOptions options_;
};

}  // namespace

Interceptor permission(PermissionOptions options) {
  return PermissionCheck(std::move(options));
}

}  // namespace wright::intercept
