// Decides whether a call may run: rules by the tool's name, and a person where they say so.
#include <fmt/format.h>
#include <boost/json/object.hpp>

#include <utility>

#include "interceptors/glob.h"
#include "tools/preview.h"
#include "wright/interceptors.h"

namespace wright::intercept {

namespace {

class PermissionCheck {
 public:
  explicit PermissionCheck(PermissionOptions options) : options_(std::move(options)) {}

  Result<Json> operator()(const ToolCall& call, Context& context, const Next& next) const {
    Permission permission = by_rules(call.name);
    // Nobody is asked about what cannot run.
    if (permission == Permission::ask && context.unusable) return next(call, context);
    if (permission == Permission::ask) {
      const auto answer = options_.ask ? options_.ask(call, context) : std::nullopt;
      if (!answer || *answer == Permission::ask) {
        if (auto approved = require_approval(context, tools::approval_question(call, context),
                                             {"tool:" + call.name});
            !approved) {
          return std::unexpected(std::move(approved).error());
        }
        return next(call, context);
      }
      permission = *answer;
      if (permission == Permission::deny) {
        return fail(ErrorCode::permission_denied,
                    fmt::format("A person refused this call of {}. Do not repeat it", call.name));
      }
    }
    if (permission == Permission::allow) return next(call, context);
    return fail(ErrorCode::permission_denied,
                fmt::format("The tool {} is not allowed here. Do not call it again", call.name));
  }

 private:
  Permission by_rules(std::string_view name) const {
    for (const PermissionRule& rule : options_.rules) {
      if (matches_glob(rule.tool, name)) return rule.permission;
    }
    return options_.otherwise;
  }

  PermissionOptions options_;
};

}  // namespace

Interceptor permission(PermissionOptions options) {
  return PermissionCheck(std::move(options));
}

}  // namespace wright::intercept
