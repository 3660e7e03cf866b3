#include "mcp/protocol.h"

#include <boost/json/object.hpp>

#include <algorithm>

namespace wright::mcp {

bool is_legacy_version(std::string_view version) {
  return std::ranges::find(kLegacyVersions, version) != kLegacyVersions.end();
}

JsonObject to_json(const Peer& peer) {
  JsonObject object{{"name", peer.name}, {"version", peer.version}};
  if (!peer.title.empty()) object["title"] = peer.title;
  return object;
}

Peer peer_from(const JsonObject& object) {
  return {text_in(object, "name"), text_in(object, "title"), text_in(object, "version")};
}

std::string_view notification_of(Change change) {
  switch (change) {
    case Change::tools: return "notifications/tools/list_changed";
    case Change::prompts: return "notifications/prompts/list_changed";
    case Change::resources: break;
  }
  return "notifications/resources/list_changed";
}

}  // namespace wright::mcp
