#include "runtime/waits.h"

namespace wright::runtime {
namespace {

const Json* member(const Json& json, std::string_view key) {
  const JsonObject* object = json.if_object();
  return object != nullptr ? object->if_contains(key) : nullptr;
}

}  // namespace

std::string_view kind_of(const Json& shown) {
  const Json* kind = member(shown, "kind");
  return kind != nullptr && kind->is_string() ? std::string_view(kind->get_string()) : "";
}

WaitKind wait_kind(const Json& shown) {
  const std::string_view kind = kind_of(shown);
  if (kind == "approval") return WaitKind::approval;
  return kind == "result" ? WaitKind::result : WaitKind::question;
}

std::optional<std::int64_t> seconds_to_wait(const Json& shown) {
  const Json* seconds = member(shown, "timeout_secs");
  if (seconds == nullptr || !seconds->is_int64() || seconds->get_int64() <= 0) return std::nullopt;
  return seconds->get_int64();
}

Result<WaitAnswers> answers_of(WaitKind kind, const Json& answer) {
  if (kind != WaitKind::approval) return WaitAnswers{.answer = answer};
  const Json* decision = member(answer, "decision");
  if (decision == nullptr || !decision->is_string()) {
    return fail(ErrorCode::invalid_argument,
                R"(An approval is an object: {"decision": "once", "session", "refuse" or "never", )"
                R"("reason": "…"})");
  }
  const auto known = decision_from(decision->get_string());
  if (!known) return std::unexpected(known.error());
  Approval approval{.decision = *known};
  const Json* reason = member(answer, "reason");
  if (reason != nullptr && reason->is_string()) approval.reason = reason->get_string();
  return WaitAnswers{.approval = std::move(approval)};
}

void remember_decision(RunMemory& memory, const Json& shown, const WaitAnswers& answers) {
  if (!answers.approval) return;
  const Decision decision = answers.approval->decision;
  if (decision != Decision::session && decision != Decision::never) return;
  const Json* kinds = member(shown, "kinds");
  if (kinds == nullptr || !kinds->is_array()) return;
  for (const Json& kind : kinds->get_array()) {
    if (kind.is_string()) memory.decide(kind.get_string(), decision);
  }
}

}  // namespace wright::runtime
