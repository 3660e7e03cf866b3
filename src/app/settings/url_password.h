// Passwords that stand in a URL, as a proxy's may: http://name:password@host.
#pragma once

#include <string>
#include <string_view>

namespace wright::app {

// The password in a URL; empty without one.
std::string_view password_in(std::string_view url);

// The URL with "…" in its place; any other text as it is.
std::string without_password(std::string_view url);

}  // namespace wright::app
