#include "server/tenant_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/try.h"

namespace wright::server {
namespace {

constexpr std::array<std::pair<std::string_view, TenantRule>, 32> kTenantRules{{
    {"/api/v1/agents", TenantRule::shared},
    {"/api/v1/agents/{name}", TenantRule::shared},
    {"/api/v1/tools", TenantRule::shared},
    {"/api/v1/models", TenantRule::shared},
    {"/api/v1/openapi.json", TenantRule::shared},
    {"/v1/models", TenantRule::shared},
    {"/v1/models/{id}", TenantRule::shared},
    {"/metrics", TenantRule::refused},
    {"/api/v1/stats", TenantRule::restricted},
    {"/api/v1/stats/samples", TenantRule::restricted},
    {"/api/v1/stats/history", TenantRule::restricted},
    {"/api/v1/stats/series", TenantRule::restricted},
    {"/api/v1/feedback", TenantRule::restricted},
    {"/api/v1/runners", TenantRule::restricted},
    {"/api/v1/sessions", TenantRule::restricted},
    {"/api/v1/sessions/{id}", TenantRule::session},
    {"/api/v1/sessions/{id}/messages", TenantRule::session},
    {"/api/v1/sessions/{id}/calls", TenantRule::session},
    {"/api/v1/sessions/{id}/calls/{call}", TenantRule::session},
    {"/api/v1/sessions/{id}/export", TenantRule::session},
    {"/api/v1/sessions/{id}/cancel", TenantRule::session},
    {"/api/v1/sessions/{id}/fork", TenantRule::session},
    {"/api/v1/sessions/{id}/resume", TenantRule::session},
    {"/api/v1/sessions/{id}/replay", TenantRule::session},
    {"/api/v1/sessions/{id}/turns/{turn}", TenantRule::session},
    {"/api/v1/sessions/{id}/waits", TenantRule::session},
    {"/api/v1/sessions/{id}/events", TenantRule::session},
    {"/api/v1/waits", TenantRule::restricted},
    {"/api/v1/waits/{id}", TenantRule::wait},
    {"/api/v1/waits/{id}/answer", TenantRule::wait},
    {"/api/v1/events", TenantRule::restricted},
    {"/v1/{protocol}", TenantRule::restricted},
}};

// The endpoints of vendors' protocols are alike.
std::string_view listed_as(std::string_view pattern) {
  const bool is_protocol = pattern == "/v1/chat/completions" ||
                           pattern.starts_with("/v1/responses") ||
                           pattern.starts_with("/v1/messages");
  return is_protocol ? "/v1/{protocol}" : pattern;
}

}  // namespace

TenantRule tenant_rule_of(const Route& route) {
  if (route.access != Access::known) return TenantRule::shared;
  const auto* found = std::ranges::find(kTenantRules, listed_as(route.pattern),
                                        &std::pair<std::string_view, TenantRule>::first);
  return found == kTenantRules.end() ? TenantRule::refused : found->second;
}

Result<Session> session_for(Store& store, SessionId id, const std::optional<std::string>& tenant) {
  auto session = TRY(store.get_session(id));
  if (!tenant || session.tenant == *tenant) return session;
  return fail(ErrorCode::not_found, fmt::format("There is no session {}", id));
}

Result<void> check_tenant(Store& store, const Route& route, const Call& call) {
  if (!call.caller.tenant) return {};
  switch (tenant_rule_of(route)) {
    case TenantRule::shared:
    case TenantRule::restricted: return {};
    case TenantRule::refused: break;
    case TenantRule::session: {
      const SessionId id = TRY(call.number());
      TRY(session_for(store, id, call.caller.tenant));
      return {};
    }
    case TenantRule::wait: {
      const WaitId id = TRY(call.number());
      const StoredWait wait = TRY(store.get_wait(id));
      if (session_for(store, wait.session_id, call.caller.tenant)) return {};
      return fail(ErrorCode::not_found, fmt::format("There is no wait {}", id));
    }
  }
  return fail(ErrorCode::permission_denied,
              "This tells of all tenants, and this token is for one of them");
}

}  // namespace wright::server
