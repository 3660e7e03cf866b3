// What a server gives a client to keep while a person is asked, and gets back with the answers. The
// client may be anybody: what comes back is trusted only when this key signed it, for this caller,
// for this very request, and not too long ago. What is in it nobody else can read: what a tool
// needs to go on with is shown to nobody.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "mcp/json_rpc.h"

namespace wright::mcp {

// Whom and what a state is for.
struct StateScope {
  std::string_view principal = {};  // who asks; empty where nobody has to say
  std::string_view method = {};
  const JsonObject* params = nullptr;  // its name, uri and arguments count
};

inline constexpr std::int64_t kStateLifetimeMs = std::int64_t{24} * 60 * 60 * 1000;

std::string seal(std::string_view key, const JsonObject& state, const StateScope& scope,
                 std::int64_t now_ms);
// Refuses what was changed, is for something else, or is too old.
Result<JsonObject> unseal(std::string_view key, std::string_view sealed, const StateScope& scope,
                          std::int64_t now_ms);

}  // namespace wright::mcp
