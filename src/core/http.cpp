#include "wright/http.h"

#include <algorithm>

namespace wright {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

std::string_view find_header(const std::vector<HttpHeader>& headers, std::string_view name) {
  const auto found = std::ranges::find_if(headers, [&](const HttpHeader& header) {
    return std::ranges::equal(header.name, name, {}, lower, lower);
  });
  return found == headers.end() ? std::string_view() : std::string_view(found->value);
}

}  // namespace wright
