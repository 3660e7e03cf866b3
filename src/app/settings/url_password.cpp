#include "app/settings/url_password.h"

#include <fmt/format.h>

namespace wright::app {

std::string_view password_in(std::string_view url) {
  const std::size_t start = url.find("://");
  if (start == std::string_view::npos) return {};
  const std::string_view rest = url.substr(start + 3);
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  const std::size_t at = authority.rfind('@');
  const std::size_t colon = authority.find(':');
  if (at == std::string_view::npos || colon >= at) return {};
  return authority.substr(colon + 1, at - colon - 1);
}

std::string without_password(std::string_view url) {
  const std::string_view password = password_in(url);
  if (password.empty()) return std::string(url);
  const auto start = static_cast<std::size_t>(password.data() - url.data());
  return fmt::format("{}…{}", url.substr(0, start), url.substr(start + password.size()));
}

}  // namespace wright::app
