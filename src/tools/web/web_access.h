// What fetch_url may reach: hosts, addresses and ports. Decides; opens nothing and resolves no
// names.
#pragma once

#include <sys/socket.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/address.h"
#include "net/web_url.h"
#include "wright/tools.h"

namespace wright::tools {

class WebAccess {
 public:
  static Result<WebAccess> make(const WebAccessOptions& options);

  // Before anything is asked: whether the host is denied by its name.
  Result<void> check(const net::WebUrl& url) const;

  // Before a connection: whether this URL may be asked at this address.
  Result<void> check(const net::WebUrl& url, const sockaddr& address) const;

  // For one who cannot know the address, because a proxy resolves the name.
  Result<void> check_without_address(const net::WebUrl& url) const;

 private:
  // A host or a range of addresses, and perhaps a port.
  struct Rule {
    std::string host = {};
    bool is_below_only = false;
    std::optional<net::AddressRange> range = {};
    int port = 0;  // 0: every port

    static Result<Rule> from(std::string_view text);
    bool fits(const net::WebUrl& url) const;
    bool fits(const net::WebUrl& url, const sockaddr& address) const;
  };

  static Result<std::vector<Rule>> rules_from(const std::vector<std::string>& texts,
                                              std::string_view name);
  Result<void> check_port(const net::WebUrl& url) const;

  std::vector<Rule> allow_;
  std::vector<Rule> deny_;
  std::vector<std::uint16_t> ports_;
};

}  // namespace wright::tools
