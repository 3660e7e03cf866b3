#include "session/waits.h"

#include "core/json_members.h"
#include "core/try.h"

namespace wright::session {

Result<WaitAnswers> answers_of(WaitKind kind, const Json& answer) {
  if (kind != WaitKind::approval) return WaitAnswers{.answer = answer};
  const Json* decision = member(answer, "decision");
  if (decision == nullptr || !decision->is_string()) {
    return fail(ErrorCode::invalid_argument,
                R"(An approval is an object: {"decision": "once", "session", "refuse" or "never", )"
                R"("reason": "…"})");
  }
  const auto known = TRY(decision_from(decision->get_string()));
  Approval approval{.decision = known};
  const Json* reason = member(answer, "reason");
  if (reason != nullptr && reason->is_string()) approval.reason = reason->get_string();
  return WaitAnswers{.approval = std::move(approval)};
}

void remember_decision(RunMemory& memory, std::span<const std::string> covers,
                       const WaitAnswers& answers) {
  if (!answers.approval) return;
  const Decision decision = answers.approval->decision;
  if (decision != Decision::session && decision != Decision::never) return;
  for (const std::string& kind : covers) memory.decide(kind, decision);
}

}  // namespace wright::session
