// The words for permissions in files, flags and lists.
#pragma once

#include <optional>
#include <string_view>

#include "wright/interceptors.h"

namespace wright {

inline std::string_view permission_word(intercept::Permission permission) {
  switch (permission) {
    case intercept::Permission::allow: return "allow";
    case intercept::Permission::deny: return "deny";
    case intercept::Permission::ask: break;
  }
  return "ask";
}

inline std::optional<intercept::Permission> permission_named(std::string_view word) {
  using intercept::Permission;
  for (const Permission each : {Permission::allow, Permission::deny, Permission::ask}) {
    if (permission_word(each) == word) return each;
  }
  return std::nullopt;
}

}  // namespace wright
