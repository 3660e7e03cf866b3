// The one place that reads the environment of the process.
#include "app/settings/environment.h"

#include <pwd.h>
#include <unistd.h>

#include <utility>

namespace wright::app {

std::optional<std::string> Environment::find(std::string_view name) const {
  const auto found = variables_.find(name);
  if (found == variables_.end()) return std::nullopt;
  return found->second;
}

std::optional<std::string> Environment::find_non_empty(std::string_view name) const {
  auto value = find(name);
  if (value && value->empty()) return std::nullopt;
  return value;
}

Environment process_environment() {
  Environment::Variables variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  if (const auto home = variables.find("HOME"); home == variables.end() || home->second.empty()) {
    const passwd* user = getpwuid(getuid());
    if (user != nullptr && user->pw_dir != nullptr) variables["HOME"] = user->pw_dir;
  }
  return Environment(std::move(variables));
}

}  // namespace wright::app
