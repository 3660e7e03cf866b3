#include "providers/base_url.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/text.h"
#include "core/try.h"

namespace wright::providers {
namespace {

constexpr std::array<std::string_view, 4> kCallPaths{"/chat/completions", "/responses", "/messages",
                                                     "/chat"};

std::string_view without_slashes_at_end(std::string_view url) {
  while (url.ends_with('/')) url.remove_suffix(1);
  return url;
}

bool is_lower_or_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z');
}

// "/v1", "/v1beta", "/v4".
bool ends_with_version(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view segment = path.substr(slash + 1);
  return segment.size() >= 2 && segment[0] == 'v' && is_digit(segment[1]) &&
         std::ranges::all_of(segment, is_lower_or_digit);
}

std::string_view scheme_of(std::string_view url) {
  for (const std::string_view scheme : {"https://", "http://"}) {
    if (url.starts_with(scheme)) return scheme;
  }
  return {};
}

std::string problem_with(std::string_view url) {
  const std::string_view scheme = scheme_of(url);
  if (scheme.empty()) return "must start with https:// or http://";
  const std::string_view rest = url.substr(scheme.size());
  const std::string_view host = rest.substr(0, rest.find('/'));
  if (host.empty() || host.starts_with(':')) return "names no host";
  if (host.contains('@')) {
    return "must not hold a user name or a password; set the vendor's key instead";
  }
  const bool has_odd_character =
      std::ranges::any_of(url, [](unsigned char c) { return c <= ' ' || c >= 0x7F; });
  if (has_odd_character) return "holds a character that no URL may have";
  if (url.find_first_of("?#") != std::string_view::npos) {
    return "must end before the '?' or '#': the rest is not part of the address";
  }
  return {};
}

// The port of "host:port", with its colon; empty where there is none.
std::string_view port_of(std::string_view address) {
  const std::size_t colon = address.rfind(':');
  if (colon == std::string_view::npos || address.find(']', colon) != std::string_view::npos) {
    return {};
  }
  // An IPv6 address without brackets has colons of its own.
  const bool is_bare_ipv6 = !address.starts_with('[') && address.find(':') != colon;
  return is_bare_ipv6 ? std::string_view() : address.substr(colon);
}

}  // namespace

std::string url_of_ollama_host(std::string_view host) {
  constexpr std::string_view kBlanks = " \t\r\n\"'";
  host = trimmed(host, kBlanks);
  const std::string_view scheme = scheme_of(host);
  // What has another scheme is refused as it is.
  if (scheme.empty() && host.contains("://")) return std::string(host);
  std::string_view address = host.substr(scheme.size());
  const std::size_t slash = std::min(address.find('/'), address.size());
  const std::string_view path = without_slashes_at_end(address.substr(slash));
  address = address.substr(0, slash);
  const std::string_view port = port_of(address);
  std::string name(address.substr(0, address.size() - port.size()));
  if (name.empty() || name == "0.0.0.0") name = "127.0.0.1";
  if (name == "::" || name == "[::]") name = "[::1]";
  if (name.contains(':') && !name.starts_with('[')) name = fmt::format("[{}]", name);
  const bool has_port = port.size() > 1;
  return fmt::format("{}{}{}{}", scheme.empty() ? "http://" : scheme, name,
                     has_port         ? port
                     : scheme.empty() ? std::string_view(":11434")
                                      : std::string_view(),
                     path);
}

Result<std::string> canonical_base_url(Protocol protocol, std::string_view url) {
  if (const std::string problem = problem_with(url); !problem.empty()) {
    return fail(ErrorCode::invalid_argument, problem);
  }
  const std::size_t host_at = scheme_of(url).size();
  std::string_view base = without_slashes_at_end(url);
  for (const std::string_view path : kCallPaths) {
    if (!base.ends_with(path)) continue;
    base = without_slashes_at_end(base.substr(0, base.size() - path.size()));
    break;
  }
  const std::size_t path_at = base.find('/', host_at);
  const std::string_view path = path_at == std::string_view::npos ? "" : base.substr(path_at);
  switch (protocol) {
    case Protocol::openai_chat:
    case Protocol::openai_responses: return std::string(base) + (path.empty() ? "/v1" : "");
    case Protocol::anthropic_messages:
      return std::string(base) + (ends_with_version(path) ? "" : "/v1");
    case Protocol::gemini_generate:
      if (path.ends_with("/models")) {
        return canonical_base_url(protocol, base.substr(0, base.rfind('/')));
      }
      return std::string(base) + (ends_with_version(path) ? "" : "/v1beta");
    case Protocol::ollama_chat:
      if (path.ends_with("/v1")) {
        return canonical_base_url(protocol, base.substr(0, base.rfind('/')));
      }
      return std::string(base) + (path.ends_with("/api") ? "" : "/api");
    case Protocol::bedrock_converse: break;
  }
  return std::string(base);
}

Result<std::string> canonical_base_url(Platform platform, Protocol protocol, std::string_view url) {
  if (platform == Platform::azure) {
    const std::string base = TRY(canonical_base_url(Protocol::bedrock_converse, url));
    const std::size_t path_at = base.find('/', scheme_of(base).size());
    const std::string path = path_at == std::string::npos ? "" : base.substr(path_at);
    if (path.empty()) return base + "/openai/v1";
    return path == "/openai" ? base + "/v1" : base;
  }
  if (platform == Platform::google && url.contains("/publishers/")) {
    return canonical_base_url(Protocol::bedrock_converse, url);
  }
  return canonical_base_url(protocol, url);
}

Result<std::string> filled_in(std::string_view url,
                              const std::function<std::string(const std::string&)>& value_of) {
  std::string filled;
  while (!url.empty()) {
    const std::size_t open = std::min(url.find('{'), url.size());
    filled += url.substr(0, open);
    url.remove_prefix(open);
    const std::size_t close = url.find('}');
    if (url.empty() || close == std::string_view::npos) break;
    const std::string name(url.substr(1, close - 1));
    const std::string value = value_of(name);
    if (value.empty()) return fail(ErrorCode::invalid_argument, name);
    const bool is_plain = std::ranges::all_of(value, [](char c) {
      return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' || c == '.' ||
             c == ':';
    });
    if (!is_plain) return fail(ErrorCode::invalid_argument, name);
    filled += value;
    url.remove_prefix(close + 1);
  }
  return filled + std::string(url);
}

}  // namespace wright::providers
