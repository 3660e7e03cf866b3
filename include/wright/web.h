// fetch_url and web_search: lets a model read the public web, and nothing behind it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "wright/tool.h"

namespace wright {

// What may be fetched, and how much of it.
//
// Without `allow`, only addresses of the public internet: not the machine itself, its network, or a
// cloud's metadata. That is checked on the address of every connection, so that neither a name that
// resolves to such an address, nor an odd spelling, nor a redirection leads there.
//
// `allow` and `deny` hold hosts ("intranet.example": it and what is below; "*.intranet.example":
// what is below), addresses ("10.0.0.7") and networks ("10.0.0.0/8", "fd00::/8"); all but networks
// may end in ":8080".
struct WebAccessOptions {
  std::vector<std::string> allow = {};            // whatever the address and the port
  std::vector<std::string> deny = {};             // wins over everything else
  std::vector<std::uint16_t> ports = {80, 443};   // of others; none: every port
  std::chrono::milliseconds timeout{30'000};      // of one call, redirections included
  std::size_t max_bytes = std::size_t{5} << 20U;  // of one page, unpacked
  std::string ca_file = {};                       // empty: the system's
  // Empty: pages are fetched directly. Through a proxy, it is the proxy that resolves names, and so
  // the proxy that must keep private addresses apart.
  std::string proxy = {};
  std::string user_agent = "wright";
};

// The tool `fetch_url`. Refused when an entry of `allow` or `deny` means nothing.
Result<Tool> fetch_url_tool(WebAccessOptions options);

// Where web_search asks: an endpoint that answers as SearXNG does to ?q=…&format=json.
struct WebSearchOptions {
  std::string endpoint = {};                 // without one, every call fails and says why
  std::string key = {};                      // sent with every question, and nowhere else
  std::string key_header = "Authorization";  // there it is sent as "Bearer …", elsewhere as it is
  std::chrono::milliseconds timeout{20'000};
  std::string ca_file = {};
  std::string user_agent = "wright";
};

// The tool `web_search`. Refused when the endpoint is no http or https URL.
Result<Tool> web_search_tool(WebSearchOptions options);

}  // namespace wright
