// The revisions of MCP, and the words that both sides need. The older ones begin with a handshake
// (`initialize`); in the newest one every request stands alone and says in `_meta` what it needs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "mcp/json_rpc.h"
#include "wright/schema.h"

namespace wright::mcp {

enum class Era : std::uint8_t {
  legacy,  // with a handshake
  modern,  // without
};

inline constexpr std::string_view kModernVersion = "2026-07-28";
inline constexpr std::string_view kNewestLegacyVersion = "2025-11-25";
inline constexpr std::string_view kBatchVersion = "2025-03-26";  // also what HTTP means by silence
inline constexpr std::array<std::string_view, 4> kLegacyVersions{"2025-11-25", "2025-06-18",
                                                                 "2025-03-26", "2024-11-05"};
bool is_legacy_version(std::string_view version);

// Keys of `_meta`.
namespace meta {
inline constexpr std::string_view kVersion = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view kClientInfo = "io.modelcontextprotocol/clientInfo";
inline constexpr std::string_view kClientCapabilities =
    "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view kServerInfo = "io.modelcontextprotocol/serverInfo";
inline constexpr std::string_view kLogLevel = "io.modelcontextprotocol/logLevel";
inline constexpr std::string_view kSubscription = "io.modelcontextprotocol/subscriptionId";
inline constexpr std::string_view kProgressToken = "progressToken";
}  // namespace meta

// As syslog has them, least important first.
enum class LoggingLevel : std::uint8_t {
  debug,
  info,
  notice,
  warning,
  error,
  critical,
  alert,
  emergency,
};
WRIGHT_ENUM(LoggingLevel, debug, info, notice, warning, error, critical, alert, emergency)

// What the program at the other end, or we, are called.
struct Peer {
  std::string name = {};
  std::string title = {};
  std::string version = {};
};
JsonObject to_json(const Peer& peer);
Peer peer_from(const JsonObject& object);

// How far a call is. It only rises.
struct Progress {
  double progress = 0;
  std::optional<double> total = {};
  std::string message = {};
};

// What changed, for those who listen.
enum class Change : std::uint8_t { tools, prompts, resources };
std::string_view notification_of(Change change);

}  // namespace wright::mcp
