// The one guard before every route: whom a request is for, which page it comes from, and who sends
// it. What no rule allows is refused.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "http_server/server.h"
#include "server/tokens.h"
#include "wright/error.h"

namespace wright::server {

struct Caller {
  std::string name = {};  // for records: "token ci", "this machine"
  Scopes scopes = {};
  // The one whose sessions the caller may see and begin; absent: all.
  std::optional<std::string> tenant = {};
  // For answers that go on for long: whether the caller would still be let in. Empty: always.
  std::function<bool()> is_admitted = {};
};

bool is_still_admitted(const Caller& caller);
Error no_longer_admitted();

struct GuardOptions {
  // Values of the Host header that are meant for this server: exactly these.
  std::vector<std::string> hosts = {};
  // Whether programs of the same user on this machine need no token: those that ask for it by a
  // name of this machine, through no proxy, and that no tool has started (same_user.h).
  bool trusts_same_user = true;
  // Who is at the other end; a test may put another in its place.
  std::function<bool(const http::Request&)> is_same_user = {};
};

// Who may reach a route.
enum class Access : std::uint8_t {
  probe,    // likewise, and whoever asks may call this server by any name: no page may
  anybody,  // it says nothing that is worth protecting
  known,    // callers with a scope
};

class Guard {
 public:
  // Refers to the tokens.
  Guard(GuardOptions options, Tokens& tokens);

  // The caller, or why not: ErrorCode::invalid_argument for a request that says two things,
  // ErrorCode::permission_denied for one that nobody may send,
  // ErrorCode::authentication where a token would help.
  Result<Caller> admit(const http::Request& request, Access access);

 private:
  Result<void> check_place(const http::Request& request) const;

  GuardOptions options_;
  Tokens& tokens_;
};

// The Host values of a server that listens there.
std::vector<std::string> hosts_of(const std::vector<std::string>& addresses);
// Whether an address can be reached from this machine alone.
bool is_local_address(std::string_view address);

}  // namespace wright::server
