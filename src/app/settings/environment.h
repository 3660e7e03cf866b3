// The environment as a value, so that everything that depends on it can be tested.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace wright::app {

class Environment {
 public:
  using Variables = std::map<std::string, std::string, std::less<>>;

  Environment() = default;
  explicit Environment(Variables variables) : variables_(std::move(variables)) {}

  // Whether empty or not; absent when the variable is not set.
  std::optional<std::string> find(std::string_view name) const;
  // Absent also when the variable is set to nothing.
  std::optional<std::string> find_non_empty(std::string_view name) const;
  const Variables& all() const { return variables_; }

 private:
  Variables variables_;
};

// That of this process. Without HOME, the home folder of the user database stands in.
Environment process_environment();

}  // namespace wright::app
