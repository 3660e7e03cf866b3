#include "tools/web/web_content.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/text.h"
#include "core/try.h"
#include "tools/text/character_set.h"
#include "tools/web/html_text.h"
#include "wright/json.h"

namespace wright::tools {
namespace {

constexpr std::size_t kLookedAt = 8 * 1024;

constexpr auto kHtml = std::to_array<std::string_view>({"text/html", "application/xhtml+xml"});
constexpr auto kText = std::to_array<std::string_view>({"application/json",
                                                        "application/xml",
                                                        "application/javascript",
                                                        "application/ecmascript",
                                                        "application/x-javascript",
                                                        "application/yaml",
                                                        "application/x-yaml",
                                                        "application/toml",
                                                        "application/x-ndjson",
                                                        "application/jsonl",
                                                        "application/x-sh",
                                                        "application/sql",
                                                        "application/graphql",
                                                        "application/rtf",
                                                        "application/x-httpd-php",
                                                        "application/csv",
                                                        "application/x-www-form-urlencoded",
                                                        "application/pgp-signature",
                                                        "application/x-tex",
                                                        "application/x-subrip",
                                                        "image/svg+xml"});
constexpr auto kUnknown = std::to_array<std::string_view>(
    {"", "application/octet-stream", "binary/octet-stream", "application/unknown",
     "application/x-unknown-content-type", "unknown/unknown"});

constexpr std::string_view kBlanksAndQuotes = " \t\r\n\"";

// The charset of "text/html; charset=utf-8".
std::string declared_set(std::string_view content_type) {
  const std::string small = lower(content_type);
  constexpr std::string_view kName = "charset=";
  const std::size_t at = small.find(kName);
  if (at == std::string::npos) return {};
  const std::string_view value = std::string_view(small).substr(at + kName.size());
  return std::string(trimmed(value.substr(0, value.find(';')), kBlanksAndQuotes));
}

bool is_wide(std::string_view body, std::string_view character_set) {
  return body.starts_with("\xFF\xFE") || body.starts_with("\xFE\xFF") ||
         character_set.starts_with("utf-16");
}

bool looks_binary(std::string_view body, std::string_view character_set) {
  return !is_wide(body, character_set) &&
         body.substr(0, kLookedAt).find('\0') != std::string_view::npos;
}

bool looks_like_html(std::string_view body) {
  const std::string start = lower(body.substr(0, 512));
  const std::size_t at = start.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  const std::string_view begin = std::string_view(start).substr(std::min(at, start.size()));
  return begin.starts_with("<!doctype html") || begin.starts_with("<html") ||
         begin.starts_with("<head") || begin.starts_with("<body");
}

}  // namespace

std::string declared_media_type(std::string_view content_type) {
  return lower(trimmed(content_type.substr(0, content_type.find(';')), kBlanksAndQuotes));
}

ContentKind kind_of_content(std::string_view content_type) {
  const std::string type = declared_media_type(content_type);
  if (is_one_of(type, kHtml)) return ContentKind::html;
  if (is_one_of(type, kUnknown)) return ContentKind::unknown;
  const bool is_text = type.starts_with("text/") || type.ends_with("+json") ||
                       type.ends_with("+xml") || type.ends_with("+yaml") || is_one_of(type, kText);
  return is_text ? ContentKind::text : ContentKind::binary;
}

Result<ReadPage> read_page(std::string_view body, std::string_view content_type,
                           const net::WebUrl& url, PageFormat format) {
  ContentKind kind = kind_of_content(content_type);
  std::string character_set = declared_set(content_type);
  const bool is_unreadable = kind == ContentKind::unknown && !is_wide(body, character_set) &&
                             !is_valid_utf8(utf8_prefix(body, kLookedAt));
  if (kind == ContentKind::binary || looks_binary(body, character_set) || is_unreadable) {
    return fail(ErrorCode::unsupported, "it is not text");
  }
  if (kind == ContentKind::unknown && looks_like_html(body)) kind = ContentKind::html;
  if (kind == ContentKind::html && character_set.empty()) character_set = html_character_set(body);
  DecodedText decoded = decoded_text(body, character_set);
  if (kind != ContentKind::html || format == PageFormat::raw) {
    return ReadPage{{}, std::move(decoded.text), std::move(decoded.character_set)};
  }
  net::WebUrl base = url;
  HtmlOptions options{.style = format == PageFormat::text ? HtmlStyle::text : HtmlStyle::markdown,
                      .resolve = [&base](std::string_view href, LinkRole role) -> std::string {
                        auto target = net::resolved(base, href);
                        if (!target) return {};
                        if (role == LinkRole::base) base = *target;
                        return std::move(target->text);
                      }};
  auto page = TRY(read_html(decoded.text, options));
  return ReadPage{std::move(page.title), std::move(page.text), std::move(decoded.character_set),
                  page.is_cut};
}

}  // namespace wright::tools
