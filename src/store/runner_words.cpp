#include "store/runner_words.h"

#include <fmt/format.h>

#include <array>

namespace wright::store {

std::string runner_in_words(std::string_view name) {
  constexpr auto kKeys =
      std::to_array<std::string_view>({"host=", " boot=", " space=", " pid=", " started="});
  std::array<std::string_view, kKeys.size()> values;
  std::string_view rest = name;
  for (std::size_t i = 0; i < kKeys.size(); ++i) {
    if (!rest.starts_with(kKeys[i])) return std::string(name);
    rest.remove_prefix(kKeys[i].size());
    values[i] = rest.substr(0, rest.find(' '));
    if (values[i].empty()) return std::string(name);
    rest.remove_prefix(values[i].size());
  }
  if (!rest.empty()) return std::string(name);
  return fmt::format("process {} on host {}", values[3], values[0]);
}

}  // namespace wright::store
