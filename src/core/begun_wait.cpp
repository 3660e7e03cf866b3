#include "core/begun_wait.h"

#include <utility>

#include "core/json_members.h"
#include "wright/schema.h"

namespace wright {

bool waits_in_the_middle(const Json& state) {
  const Json* mark = member(state, kHasBegun);
  return mark != nullptr && mark->is_bool() && mark->get_bool();
}

WaitAnswers declined(WaitKind kind, std::string why) {
  if (kind == WaitKind::approval) return {.approval = Approval{Decision::refuse, std::move(why)}};
  return {.answer = encode(AskUserResponse{.completed = false, .message = std::move(why)})};
}

}  // namespace wright
