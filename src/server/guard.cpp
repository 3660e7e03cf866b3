#include "server/guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/text.h"
#include "core/try.h"
#include "server/same_user.h"

namespace wright::server {
namespace {

std::string_view bearer_of(const http::Request& request) {
  const std::string_view value = request.header("Authorization");
  constexpr std::string_view kBearer = "bearer ";
  if (value.size() > kBearer.size() && lower(value.substr(0, kBearer.size())) == kBearer) {
    return value.substr(kBearer.size());
  }
  return request.header("x-api-key");
}

// A browser says so; other programs do not.
bool is_from_page(const http::Request& request) {
  return !request.header("Origin").empty() || !request.header("Sec-Fetch-Site").empty();
}

// A host that means this machine, seen from it: "localhost:7411".
bool is_name_of_this_machine(std::string_view host) {
  if (host.starts_with("[::1]")) return host.size() == 5 || host[5] == ':';
  host = host.substr(0, host.find(':'));
  if (host == "localhost") return true;
  return host.starts_with("127.") && host.find_first_not_of("0123456789.") == host.npos;
}

// A proxy says so, as a rule. What it sends may come from anybody.
bool is_from_proxy(const http::Request& request) {
  constexpr std::string_view kOfProxies[] = {"Forwarded", "Via", "X-Real-IP", "CF-Connecting-IP"};
  return std::ranges::any_of(request.headers, [&](const HttpHeader& header) {
    const std::string name = lower(header.name);
    return name.starts_with("x-forwarded-") ||
           std::ranges::any_of(kOfProxies, [&](auto of_proxy) { return name == lower(of_proxy); });
  });
}

// Who sends one of these twice wants two readers to see two things.
bool has_twice(const http::Request& request, std::string_view name) {
  return std::ranges::count_if(request.headers, [&](const HttpHeader& header) {
           return lower(header.name) == lower(name);
         }) > 1;
}

}  // namespace

Guard::Guard(GuardOptions options, Tokens& tokens) : options_(std::move(options)), tokens_(tokens) {
  for (std::string& host : options_.hosts) host = lower(host);
}

Result<void> Guard::check_place(const http::Request& request) const {
  for (const std::string_view name : {"Origin", "Sec-Fetch-Site", "Authorization", "X-Api-Key"}) {
    if (!has_twice(request, name)) continue;
    return fail(ErrorCode::invalid_argument, fmt::format("{} is there twice", name));
  }
  const std::string host = lower(request.header("Host"));
  const bool is_ours = std::ranges::find(options_.hosts, host) != options_.hosts.end();
  if (!is_ours) {
    return fail(ErrorCode::permission_denied,
                "The Host header does not name this server: use the address that `wright serve` "
                "printed, or name the host with --host");
  }
  if (const std::string origin = lower(request.header("Origin")); !origin.empty()) {
    if (origin != "http://" + host && origin != "https://" + host) {
      return fail(ErrorCode::permission_denied, "Pages of other origins may not use this server");
    }
  }
  const std::string_view site = request.header("Sec-Fetch-Site");
  const bool is_reading = request.method == "GET" || request.method == "HEAD";
  if (!site.empty() && site != "same-origin" && !(site == "none" && is_reading)) {
    return fail(ErrorCode::permission_denied, "Pages of other sites may not use this server");
  }
  return {};
}

bool is_still_admitted(const Caller& caller) {
  return !caller.is_admitted || caller.is_admitted();
}

Error no_longer_admitted() {
  return {ErrorCode::authentication, "This token is not known here any more"};
}

Result<Caller> Guard::admit(const http::Request& request, Access access) {
  // Who looks after processes asks by an address that nobody has told us.
  const bool is_probe = access == Access::probe && !is_from_page(request);
  if (!is_probe) TRY(check_place(request));
  if (access != Access::known) return Caller{.name = "anybody"};
  if (const std::string_view token = bearer_of(request); !token.empty()) {
    if (const auto known = tokens_.find(token)) {
      return Caller{fmt::format("token {}", known->name), known->scopes, known->tenant,
                    [&tokens = tokens_, known = *known] { return tokens.is_still(known); }};
    }
    // Vendors' programs must send some key; where none is needed, any will do.
    const bool is_a_token = token.starts_with("wright_");
    if (is_a_token || !request.is_from_machine) {
      return fail(ErrorCode::authentication, "This token is not known here");
    }
  }
  if (options_.trusts_same_user && request.is_from_machine && !is_from_page(request) &&
      is_name_of_this_machine(lower(request.header("Host"))) && !is_from_proxy(request)) {
    const bool is_same =
        options_.is_same_user ? options_.is_same_user(request) : is_of_same_user(request);
    if (is_same) return Caller{.name = "this machine", .scopes = {Scope::admin}};
  }
  return fail(ErrorCode::authentication,
              "A token is needed: `wright token add NAME --scope read` makes one; send it as "
              "Authorization: Bearer TOKEN");
}

bool is_local_address(std::string_view address) {
  return address.starts_with("unix:") || address.starts_with("127.") ||
         address.starts_with("[::1]:");
}

std::vector<std::string> hosts_of(const std::vector<std::string>& addresses) {
  std::vector<std::string> hosts;
  for (const std::string& address : addresses) {
    if (address.starts_with("unix:")) {
      hosts.emplace_back("localhost");
      continue;
    }
    const std::size_t colon = address.rfind(':');
    const std::string port = address.substr(colon);
    std::vector<std::string> names{lower(address.substr(0, colon))};
    if (is_local_address(address)) names.emplace_back("localhost");
    if (address.starts_with("0.0.0.0:") || address.starts_with("[::]:")) {
      names.insert(names.end(), {"localhost", "127.0.0.1", "[::1]"});
    }
    for (const std::string& name : names) {
      hosts.push_back(name + port);
      // Programs leave out the port that goes without saying.
      if (port == ":80" || port == ":443") hosts.push_back(name);
    }
  }
  return hosts;
}

}  // namespace wright::server
