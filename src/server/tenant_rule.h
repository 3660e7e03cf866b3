// What a caller whose token is for one tenant may reach: sessions of that tenant, and nothing of
// others. One table says it for every route; what is not in it is refused.
#pragma once

#include <cstdint>
#include <string_view>

#include "server/service.h"

namespace wright::server {

enum class TenantRule : std::uint8_t {
  refused,     // it tells of all tenants, or nobody has thought about it
  shared,      // it tells nothing of sessions
  session,     // the first number of the path is a session, which must be the tenant's
  wait,        // the first number of the path is a wait of such a session
  restricted,  // the route looks at the tenant's sessions only: see Call::tenant()
};

TenantRule tenant_rule_of(const Route& route);

// Whether the call of that tenant may go on to the route. What is of others is not there
// (ErrorCode::not_found), in the same words as what nobody has.
Result<void> check_tenant(Store& store, const Route& route, const Call& call);

// The session, where the caller may see it.
Result<Session> session_for(Store& store, SessionId id, const std::optional<std::string>& tenant);

}  // namespace wright::server
