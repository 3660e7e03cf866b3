// Tokens of servers, kept between processes in one file that only its owner may read. Several
// processes may use it: whoever changes it holds a lock (on a file beside it, .lock) meanwhile, and
// writes it whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "mcp/authorization.h"

namespace wright::mcp_client {

// What is needed to use a server, and to get a new token when this one is refused.
struct KeptToken {
  mcp::Grant grant = {};
  std::string resource = {};  // what the token is for
  std::string issuer = {};
  std::string token_endpoint = {};
  mcp::OAuthClient client = {};
  std::string redirect_uri = {};  // that the client was registered with; empty: any
};

// By the servers' addresses. From any thread.
class TokenFile {
 public:
  // Empty: they are kept in this process alone.
  explicit TokenFile(std::filesystem::path file) : file_(std::move(file)) {}

  Result<std::optional<KeptToken>> find(std::string_view server);
  // Reads, lets `change` look and decide, and writes, while no other process does. Absent: nothing
  // is kept any more.
  using Change =
      std::function<Result<std::optional<KeptToken>>(const std::optional<KeptToken>& kept)>;
  Result<void> change(std::string_view server, const Change& change);

 private:
  Result<JsonObject> read();
  Result<void> write(const JsonObject& all);

  const std::filesystem::path file_;
  std::mutex mutex_;
  JsonObject in_memory_;  // where there is no file
};

}  // namespace wright::mcp_client
