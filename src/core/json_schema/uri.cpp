#include "core/json_schema/uri.h"

#include <algorithm>
#include <cctype>

namespace wright::json_schema {
namespace {

struct Uri {
  std::string_view scheme;     // "http"
  std::string_view authority;  // "example.com"
  std::string_view path;
  std::string_view query;     // with its '?'
  std::string_view fragment;  // with its '#'
  bool has_authority = false;
};

std::string_view take_until(std::string_view& rest, std::string_view stops) {
  const std::size_t end = std::min(rest.find_first_of(stops), rest.size());
  const std::string_view taken = rest.substr(0, end);
  rest.remove_prefix(end);
  return taken;
}

std::string_view scheme_of(std::string_view text) {
  if (text.empty() || std::isalpha(static_cast<unsigned char>(text.front())) == 0) return {};
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ':') return text.substr(0, i);
    const bool is_allowed = std::isalnum(static_cast<unsigned char>(text[i])) != 0 ||
                            text[i] == '+' || text[i] == '-' || text[i] == '.';
    if (!is_allowed) return {};
  }
  return {};
}

Uri parse(std::string_view text) {
  Uri uri;
  uri.scheme = scheme_of(text);
  if (!uri.scheme.empty()) text.remove_prefix(uri.scheme.size() + 1);
  if (text.starts_with("//")) {
    text.remove_prefix(2);
    uri.has_authority = true;
    uri.authority = take_until(text, "/?#");
  }
  uri.path = take_until(text, "?#");
  uri.query = take_until(text, "#");
  uri.fragment = text;
  return uri;
}

std::string without_dots(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    if (path.starts_with("../")) {
      path.remove_prefix(3);
    } else if (path.starts_with("./")) {
      path.remove_prefix(2);
    } else if (path.starts_with("/./") || path == "/.") {
      path = path == "/." ? std::string_view("/") : path.substr(2);
    } else if (path.starts_with("/../") || path == "/..") {
      path = path == "/.." ? std::string_view("/") : path.substr(3);
      out.erase(std::min(out.rfind('/'), out.size()));
    } else if (path == "." || path == "..") {
      break;
    } else {
      const std::size_t end = std::min(path.find('/', 1), path.size());
      out += path.substr(0, end);
      path.remove_prefix(end);
    }
  }
  return out;
}

std::string joined(std::string_view scheme, const Uri& authority, const std::string& path,
                   std::string_view query, std::string_view fragment) {
  std::string out;
  if (!scheme.empty()) out.append(scheme).append(":");
  if (authority.has_authority) out.append("//").append(authority.authority);
  return out.append(path).append(query).append(fragment);
}

}  // namespace

std::string resolve_uri(std::string_view base_text, std::string_view reference_text) {
  const Uri reference = parse(reference_text);
  if (!reference.scheme.empty() || base_text.empty()) return std::string(reference_text);
  const Uri base = parse(base_text);
  if (reference.has_authority) {
    return joined(base.scheme, reference, without_dots(reference.path), reference.query,
                  reference.fragment);
  }
  if (reference.path.empty()) {
    return joined(base.scheme, base, std::string(base.path),
                  reference.query.empty() ? base.query : reference.query, reference.fragment);
  }
  std::string path(reference.path);
  if (!path.starts_with('/')) {
    if (base.has_authority && base.path.empty()) {
      path = "/" + path;
    } else {
      path.insert(0, base.path.substr(0, base.path.rfind('/') + 1));
    }
  }
  return joined(base.scheme, base, without_dots(path), reference.query, reference.fragment);
}

std::pair<std::string_view, std::string_view> split_fragment(std::string_view uri) {
  const std::size_t hash = uri.find('#');
  if (hash == std::string_view::npos) return {uri, {}};
  return {uri.substr(0, hash), uri.substr(hash + 1)};
}

}  // namespace wright::json_schema
