#include "app/commands/acp_mode.h"

#include <fmt/format.h>
#include <boost/json/object.hpp>

#include <algorithm>

#include "core/try.h"
#include "wright/driver.h"

namespace wright::app {
namespace {

constexpr const char* kModeRecord = "acp_mode";

// What cannot reach its tool does nothing either.
bool only_reads(const Invocation& invocation) {
  if (invocation.unusable != nullptr) return true;
  if (invocation.tool.spec.options.effect == Effect::read) return true;
  return invocation.tool.only_reads && invocation.tool.only_reads(invocation.arguments);
}

}  // namespace

Result<void> AcpMode::use(std::string_view name, Store& store, const std::string& session) {
  if (name != kCodeMode && name != kPlanMode) {
    return fail(ErrorCode::invalid_argument, fmt::format("there is no mode '{}'", name));
  }
  // What is stricter holds before anything can fail.
  if (name == kPlanMode) is_plan_->store(true);
  const std::vector<Write> writes = [&] {
    std::vector<Write> made{RemoveRecords{.kind = kModeRecord, .key = session}};
    if (name == kPlanMode) {
      made.emplace_back(
          PutRecord{.kind = kModeRecord, .key = session, .value = Json(std::string(name))});
    }
    return made;
  }();
  TRY(store.apply(writes));
  is_plan_->store(name == kPlanMode);
  return {};
}

void AcpMode::recall(Store& store, const std::string& session) {
  const auto records = store.get_records({.kind = kModeRecord, .key = session, .limit = 1});
  is_plan_->store(!records || !records->empty());
}

void AcpMode::guard(Agent& agent) const {
  const Interceptor interceptor = [is_plan = is_plan_](const Invocation& invocation,
                                                       const Context& context,
                                                       const Next& next) -> Result<ToolReply> {
    if (!is_plan->load() || only_reads(invocation)) return next(invocation, context);
    return fail(ErrorCode::permission_denied,
                "The person has chosen the mode Plan, in which nothing is changed: read, and say "
                "what you would do. They can switch to Code");
  };
  agent.interceptors.insert(agent.interceptors.begin(), interceptor);
  agent.interceptors.push_back(interceptor);
}

std::string editor_id_of(const Session& session) {
  const JsonObject* config = session.config.if_object();
  const Json* id = config != nullptr ? config->if_contains("acp_session") : nullptr;
  return id != nullptr && id->is_string() && !id->get_string().empty()
             ? std::string(id->get_string())
             : std::to_string(session.id);
}

void forget_records_of(Store& store, const Session& session) {
  (void)recall_messages(store, session.id);
  const std::string id = editor_id_of(session);
  // A copy of a session has the same id: Plan stays as long as one of them is there.
  const auto records = store.get_records({.kind = kModeRecord, .key = id, .limit = 1});
  if (!records || records->empty()) return;
  const auto others = store.list_sessions({.is_root = true, .limit = kNoLimit});
  const bool is_last = others && std::ranges::none_of(*others, [&](const Session& other) {
                         return editor_id_of(other) == id;
                       });
  if (is_last) (void)store.apply_one(RemoveRecords{.kind = kModeRecord, .key = id});
}

}  // namespace wright::app
