// Requests as values: paths, queries and what is encoded in them.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "http_message/request.h"

namespace wright::http {
namespace {

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      decoded += text[at];
      continue;
    }
    if (at + 2 >= text.size()) return std::nullopt;
    const int high = hex_value(text[at + 1]);
    const int low = hex_value(text[at + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    decoded += static_cast<char>(high * 16 + low);
    at += 2;
  }
  return decoded;
}

std::optional<std::string> Request::parameter(std::string_view name) const {
  std::string_view rest = query;
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    const std::size_t equals = pair.find('=');
    const auto key = percent_decoded(pair.substr(0, equals));
    if (!key || *key != name) continue;
    std::string value(equals == std::string_view::npos ? std::string_view()
                                                       : pair.substr(equals + 1));
    for (char& c : value) c = c == '+' ? ' ' : c;
    return percent_decoded(value);
  }
  return std::nullopt;
}

}  // namespace wright::http
