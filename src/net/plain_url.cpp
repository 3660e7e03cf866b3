#include "net/plain_url.h"

#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

#include "core/text.h"
#include "net/address.h"

namespace wright::net {
namespace {

constexpr std::string_view kScheme = "http://";
constexpr std::string_view kLocalhost = "localhost";

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// Of a path or query that goes out as it is: nothing is escaped, nor does it look as if it were.
bool is_usual_in_target(char c) {
  return is_letter_or_digit(c) || std::string_view("-._~/?=&:,+@!$*;").contains(c);
}

// Nothing where a digit is missing, too many, or a leading zero.
std::optional<std::uint16_t> port_from(std::string_view text) {
  std::uint16_t port = 0;
  if (text.empty() || text.starts_with('0')) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return port;
}

bool is_usual_host(std::string_view host, bool is_in_brackets) {
  if (host == kLocalhost) return !is_in_brackets;
  const auto address = address_from(host);
  if (!address || (address->ss_family == AF_INET6) != is_in_brackets) return false;
  return address_text(reinterpret_cast<const sockaddr&>(*address)) == host;
}

sockaddr_storage with_port(std::string_view address_spelled_out, std::uint16_t port) {
  sockaddr_storage address = address_from(address_spelled_out).value_or(sockaddr_storage{});
  if (address.ss_family == AF_INET6) {
    reinterpret_cast<sockaddr_in6&>(address).sin6_port = htons(port);
  } else {
    reinterpret_cast<sockaddr_in&>(address).sin_port = htons(port);
  }
  return address;
}

// The same variables that libcurl looks at.
bool has_proxy_in_environment() {
  return std::ranges::any_of(std::array{"http_proxy", "all_proxy", "ALL_PROXY"},
                             [](const char* name) {
                               const char* value = std::getenv(name);
                               return value != nullptr && *value != '\0';
                             });
}

// An empty header is a request to libcurl not to send it.
bool is_usual_header(const HttpHeader& header) {
  const auto is_usual_in_name = [](char c) {
    return is_letter_or_digit(c) || c == '-' || c == '_';
  };
  return !header.name.empty() && std::ranges::all_of(header.name, is_usual_in_name) &&
         !trimmed(header.value).empty();
}

}  // namespace

std::vector<sockaddr_storage> PlainUrl::addresses() const {
  if (host == kLocalhost) return {with_port("::1", port), with_port("127.0.0.1", port)};
  return {with_port(host, port)};
}

std::optional<PlainUrl> plain_url_from(std::string_view url) {
  if (!url.starts_with(kScheme)) return std::nullopt;
  url.remove_prefix(kScheme.size());
  const std::size_t slash = url.find('/');
  PlainUrl made;
  made.target = slash == std::string_view::npos ? std::string_view("/") : url.substr(slash);
  made.authority = url.substr(0, slash);
  std::string_view rest = made.authority;
  const bool is_in_brackets = rest.starts_with('[');
  if (is_in_brackets) {
    const std::size_t end = rest.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    made.host = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
  } else {
    made.host = rest.substr(0, rest.find(':'));
    rest.remove_prefix(made.host.size());
  }
  if (!rest.empty()) {
    const auto port = rest.starts_with(':') ? port_from(rest.substr(1)) : std::nullopt;
    if (!port || *port == 80) return std::nullopt;  // a usual port is not named
    made.port = *port;
  }
  if (!is_usual_host(made.host, is_in_brackets)) return std::nullopt;
  // "/./" and "/../" are folded by readers of URLs.
  if (!std::ranges::all_of(made.target, is_usual_in_target) || made.target.contains("/.")) {
    return std::nullopt;
  }
  return made;
}

bool is_plain_request(const HttpRequest& request, const HttpClient::Options& options) {
  constexpr std::array<std::string_view, 5> kMethods = {"POST", "GET", "PUT", "PATCH", "DELETE"};
  // What they say is decided below.
  constexpr std::array<std::string_view, 7> kOwnHeaders = {
      "host", "connection", "content-length", "transfer-encoding", "expect", "te", "upgrade"};
  if (options.compression == Compression::accepted) return false;
  if (options.proxy ? !options.proxy->empty() : has_proxy_in_environment()) return false;
  return std::ranges::find(kMethods, request.method) != kMethods.end() &&
         std::ranges::all_of(request.headers, is_usual_header) &&
         std::ranges::all_of(kOwnHeaders, [&](std::string_view name) {
           return find_header(request.headers, name).empty();
         });
}

}  // namespace wright::net
