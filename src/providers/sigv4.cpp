#include "providers/sigv4.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "core/hex.h"
#include "core/percent.h"
#include "core/text.h"
#include "providers/digest.h"

namespace wright::providers {
namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";

struct UrlParts {
  std::string_view host;
  std::string_view path;
  std::string_view query;
};

UrlParts parts_of(std::string_view url) {
  UrlParts parts;
  url.remove_prefix(std::min(url.size(), url.find("://") == std::string_view::npos
                                             ? std::size_t{0}
                                             : url.find("://") + 3));
  const std::size_t end_of_host = std::min(url.find_first_of("/?"), url.size());
  parts.host = url.substr(0, end_of_host);
  url.remove_prefix(end_of_host);
  const std::size_t question = std::min(url.find('?'), url.size());
  parts.path = url.substr(0, question);
  if (question < url.size()) parts.query = url.substr(question + 1);
  return parts;
}

std::string canonical_path(std::string_view path) {
  std::string written;
  for (const char c : path.empty() ? std::string_view("/") : path) {
    if (c == '/') {
      written += c;
    } else {
      written += percent_encoded(std::string_view(&c, 1));
    }
  }
  return written;
}

std::string canonical_query(std::string_view query) {
  std::vector<std::string> pairs;
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const std::string_view value = equals < pair.size() ? pair.substr(equals + 1) : "";
    pairs.push_back(percent_encoded(percent_decoded(pair.substr(0, equals))) + '=' +
                    percent_encoded(percent_decoded(value)));
  }
  std::ranges::sort(pairs);
  std::string written;
  for (const std::string& pair : pairs) written += (written.empty() ? "" : "&") + pair;
  return written;
}

// Without white space around it, and with one space for several.
std::string canonical_value(std::string_view value) {
  std::string written;
  bool is_after_space = false;
  for (const char c : value) {
    if (c == ' ' || c == '\t') {
      is_after_space = true;
      continue;
    }
    if (is_after_space && !written.empty()) written += ' ';
    is_after_space = false;
    written += c;
  }
  return written;
}

std::map<std::string, std::string> canonical_headers(const HttpRequest& request) {
  std::map<std::string, std::string> headers;
  const auto add = [&](std::string_view name, std::string_view value) {
    auto [entry, is_new] = headers.emplace(lower(name), canonical_value(value));
    if (!is_new) entry->second += ',' + canonical_value(value);
  };
  for (const HttpHeader& header : request.headers) {
    if (lower(header.name) != "authorization") add(header.name, header.value);
  }
  if (!headers.contains("host")) add("host", parts_of(request.url).host);
  return headers;
}

std::string signed_names(const HttpRequest& request) {
  std::string names;
  for (const auto& [name, value] : canonical_headers(request)) {
    names += (names.empty() ? "" : ";") + name;
  }
  return names;
}

}  // namespace

std::string canonical_request(const HttpRequest& request) {
  const UrlParts url = parts_of(request.url);
  std::string text = fmt::format("{}\n{}\n{}\n", request.method, canonical_path(url.path),
                                 canonical_query(url.query));
  for (const auto& [name, value] : canonical_headers(request)) {
    text += fmt::format("{}:{}\n", name, value);
  }
  return text + fmt::format("\n{}\n{}", signed_names(request), hex_of(sha256(request.body)));
}

HttpRequest signed_for_aws(HttpRequest request, const AwsKeys& keys, const AwsScope& scope,
                           Moment now) {
  const std::string time =
      fmt::format("{:%Y%m%dT%H%M%SZ}", fmt::gmtime(now.time_since_epoch().count()));
  const std::string day = time.substr(0, 8);
  std::erase_if(request.headers, [](const HttpHeader& header) {
    const std::string name = lower(header.name);
    return name == "authorization" || name == "x-amz-date" || name == "x-amz-security-token";
  });
  request.headers.push_back({"x-amz-date", time});
  if (!keys.session_token.empty()) {
    request.headers.push_back({"x-amz-security-token", keys.session_token, true});
  }
  const std::string place = fmt::format("{}/{}/{}/aws4_request", day, scope.region, scope.service);
  const std::string to_sign = fmt::format("{}\n{}\n{}\n{}", kAlgorithm, time, place,
                                          hex_of(sha256(canonical_request(request))));
  std::string key = "AWS4" + keys.secret_access_key;
  for (const std::string_view step :
       {std::string_view(day), std::string_view(scope.region), std::string_view(scope.service),
        std::string_view("aws4_request")}) {
    key = hmac_sha256(key, step);
  }
  request.headers.push_back({"authorization",
                             fmt::format("{} Credential={}/{}, SignedHeaders={}, Signature={}",
                                         kAlgorithm, keys.access_key_id, place,
                                         signed_names(request), hex_of(hmac_sha256(key, to_sign))),
                             true});
  return request;
}

}  // namespace wright::providers
