#include "tools/web/web_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/try.h"

namespace wright::tools {
namespace {

constexpr int kMostPort = 65'535;

const sockaddr& plain(const sockaddr_storage& address) {
  return reinterpret_cast<const sockaddr&>(address);  // NOLINT: how sockets spell inheritance
}

bool is_host(std::string_view text) {
  return !text.empty() && text.size() <= 253 && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
  });
}

std::unexpected<Error> denied(const net::WebUrl& url) {
  return fail(ErrorCode::permission_denied,
              fmt::format("{} may not be fetched: the settings deny it ([web] deny)", url.host));
}

}  // namespace

Result<WebAccess::Rule> WebAccess::Rule::from(std::string_view text) {
  const auto refused = [&] {
    return fail(ErrorCode::invalid_argument,
                fmt::format("'{}' is neither a host (intranet.example, *.intranet.example, "
                            "localhost:8080) nor an address or a network (10.0.0.0/8)",
                            text));
  };
  Rule rule;
  rule.range = net::AddressRange::from(text);
  if (rule.range) return rule;
  std::string_view host = text;
  const std::size_t colon = text.rfind(':');
  if (colon != std::string_view::npos) {
    const std::string_view digits = text.substr(colon + 1);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), rule.port);
    const bool is_number = error == std::errc() && end == digits.data() + digits.size();
    if (!is_number || rule.port < 1 || rule.port > kMostPort) return refused();
    host = text.substr(0, colon);
  }
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (const auto address = net::address_from(host)) {
    rule.range = net::AddressRange::from(host);
    return rule;
  }
  if (host.starts_with("*.")) {
    rule.is_below_only = true;
    host.remove_prefix(2);
  }
  rule.host = std::string(host);
  std::ranges::transform(rule.host, rule.host.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  if (rule.host.ends_with('.')) rule.host.pop_back();
  if (!is_host(rule.host)) return refused();
  return rule;
}

bool WebAccess::Rule::fits(const net::WebUrl& url) const {
  if (port != 0 && port != url.port) return false;
  if (range) {
    const auto address = net::address_from(url.host);
    return address && range->contains(plain(*address));
  }
  return (!is_below_only && url.host == host) || url.host.ends_with("." + host);
}

bool WebAccess::Rule::fits(const net::WebUrl& url, const sockaddr& address) const {
  if (port != 0 && port != url.port) return false;
  return range ? range->contains(address) : fits(url);
}

Result<std::vector<WebAccess::Rule>> WebAccess::rules_from(const std::vector<std::string>& texts,
                                                           std::string_view name) {
  std::vector<Rule> rules;
  for (const std::string& text : texts) {
    auto rule = Rule::from(text);
    if (!rule) {
      return fail(rule.error().code, fmt::format("web.{}: {}", name, rule.error().message));
    }
    rules.push_back(std::move(*rule));
  }
  return rules;
}

Result<WebAccess> WebAccess::make(const WebAccessOptions& options) {
  auto allow = TRY(rules_from(options.allow, "allow"));
  auto deny = TRY(rules_from(options.deny, "deny"));
  WebAccess access;
  access.allow_ = std::move(allow);
  access.deny_ = std::move(deny);
  access.ports_ = options.ports;
  return access;
}

Result<void> WebAccess::check(const net::WebUrl& url) const {
  if (std::ranges::any_of(deny_, [&](const Rule& rule) { return rule.fits(url); })) {
    return denied(url);
  }
  return {};
}

Result<void> WebAccess::check(const net::WebUrl& url, const sockaddr& address) const {
  const auto fits = [&](const Rule& rule) { return rule.fits(url, address); };
  if (std::ranges::any_of(deny_, fits)) return denied(url);
  if (std::ranges::any_of(allow_, fits)) return {};
  if (!net::is_public_address(address)) {
    return fail(ErrorCode::permission_denied,
                fmt::format("{} leads to {}, which is not an address of the public internet. "
                            "Only whoever set up this tool can allow it ([web] allow)",
                            url.host, net::address_text(address)));
  }
  return check_port(url);
}

Result<void> WebAccess::check_without_address(const net::WebUrl& url) const {
  TRY(check(url));
  if (const auto address = net::address_from(url.host)) return check(url, plain(*address));
  if (std::ranges::any_of(allow_, [&](const Rule& rule) { return rule.fits(url); })) return {};
  return check_port(url);
}

Result<void> WebAccess::check_port(const net::WebUrl& url) const {
  if (ports_.empty() || std::ranges::find(ports_, url.port) != ports_.end()) return {};
  return fail(ErrorCode::permission_denied,
              fmt::format("Port {} of {} may not be asked, only {} ([web] ports)", url.port,
                          url.host, fmt::join(ports_, ", ")));
}

}  // namespace wright::tools
