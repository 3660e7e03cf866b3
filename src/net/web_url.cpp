#include "net/web_url.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>

#include "core/try.h"

namespace wright::net {
namespace {

constexpr std::size_t kLongestUrl = 16 * 1024;
constexpr std::size_t kShown = 200;

struct CloseUrl {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
using UrlHandle = std::unique_ptr<CURLU, CloseUrl>;

struct FreePart {
  void operator()(char* part) const { curl_free(part); }
};

std::optional<std::string> part_of(CURLU* url, CURLUPart part, unsigned flags) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, flags) != CURLUE_OK) return std::nullopt;
  const std::unique_ptr<char, FreePart> owner(text);
  return std::string(text);
}

std::string shown(std::string_view text) {
  if (text.size() <= kShown) return std::string(text);
  return std::string(text.substr(0, kShown)) + "…";
}

std::unexpected<Error> refused(std::string_view text, std::string_view why) {
  return fail(ErrorCode::invalid_argument,
              fmt::format("'{}' cannot be fetched: {}", shown(text), why));
}

std::unexpected<Error> refused(std::string_view text, CURLUcode code) {
  switch (code) {
    case CURLUE_UNSUPPORTED_SCHEME:
    case CURLUE_BAD_SCHEME: return refused(text, "only http:// and https:// are");
    case CURLUE_USER_NOT_ALLOWED:  // without the URL, which holds a secret
      return fail(ErrorCode::invalid_argument, "Names and passwords in a URL are not allowed");
    default: return refused(text, curl_url_strerror(code));
  }
}

// Characters that do not belong in a URL and that some parser would drop or take for its end.
bool has_odd_characters(std::string_view text) {
  return std::ranges::any_of(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F || c == '\\'; });
}

Result<UrlHandle> parsed(UrlHandle url, std::string_view text) {
  if (url == nullptr) {
    return fail(
        ErrorCode::unavailable,
        "URLs are read by libcurl, which cannot be used: install libcurl.so.4 (on Debian the "
        "package libcurl4)");
  }
  if (text.size() > kLongestUrl) {
    return refused(text, fmt::format("it has {} characters", text.size()));
  }
  if (has_odd_characters(text)) return refused(text, "it contains control characters or '\\'");
  const std::string terminated(text);
  const CURLUcode code = curl_url_set(url.get(), CURLUPART_URL, terminated.c_str(),
                                      CURLU_DISALLOW_USER | CURLU_URLENCODE);
  if (code != CURLUE_OK) return refused(text, code);
  (void)curl_url_set(url.get(), CURLUPART_FRAGMENT, nullptr, 0);
  return url;
}

Result<WebUrl> value_of(CURLU* url, std::string_view text) {
  WebUrl made;
  made.scheme = part_of(url, CURLUPART_SCHEME, 0).value_or("");
  if (made.scheme != "http" && made.scheme != "https") {
    return refused(text, CURLUE_UNSUPPORTED_SCHEME);
  }
  if (part_of(url, CURLUPART_USER, 0)) return refused(text, CURLUE_USER_NOT_ALLOWED);
  auto whole = part_of(url, CURLUPART_URL, 0);
  auto host = part_of(url, CURLUPART_HOST, 0);
  const auto port = part_of(url, CURLUPART_PORT, CURLU_DEFAULT_PORT);
  if (!whole || !host || !port) return refused(text, "it does not name a host");
  // How libcurl reads others depends on the locale.
  if (std::ranges::any_of(*host, [](char c) { return static_cast<unsigned char>(c) >= 0x80; })) {
    return refused(text, "write its host in ASCII, as xn--…");
  }
  made.text = std::move(*whole);
  std::ranges::transform(*host, host->begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  if (host->starts_with('[') && host->ends_with(']')) *host = host->substr(1, host->size() - 2);
  while (host->ends_with('.')) host->pop_back();
  if (host->empty()) return refused(text, "it does not name a host");
  made.host = std::move(*host);
  std::from_chars(port->data(), port->data() + port->size(), made.port);
  return made;
}

}  // namespace

Result<WebUrl> web_url_from(std::string_view text) {
  const auto url = TRY(parsed(UrlHandle(curl_url()), text));
  return value_of(url.get(), text);
}

Result<WebUrl> resolved(const WebUrl& base, std::string_view reference) {
  auto from = TRY(parsed(UrlHandle(curl_url()), base.text));
  const auto url = TRY(parsed(std::move(from), reference));
  return value_of(url.get(), reference);
}

Result<WebUrl> with_query(const WebUrl& url, std::string_view name, std::string_view value) {
  const auto made = TRY(parsed(UrlHandle(curl_url()), url.text));
  // A NUL would end the value for libcurl.
  std::string pair = fmt::format("{}={}", name, value);
  std::ranges::replace(pair, '\0', ' ');
  const CURLUcode code =
      curl_url_set(made.get(), CURLUPART_QUERY, pair.c_str(), CURLU_APPENDQUERY | CURLU_URLENCODE);
  if (code != CURLUE_OK) return refused(url.text, code);
  return value_of(made.get(), url.text);
}

}  // namespace wright::net
