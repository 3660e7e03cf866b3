#include "core/json_schema/findings.h"

#include <fmt/format.h>

#include <array>

namespace wright::json_schema {

using detail::Path;

void Findings::add(const Path& path, std::string_view keyword, std::string message) {
  if (!is_full()) list_.push_back({path.text(), std::string(keyword), std::move(message)});
}

void Findings::add_all(std::vector<Violation> others) {
  for (Violation& other : others) {
    if (!is_full()) list_.push_back(std::move(other));
  }
}

bool report(Findings* findings, const Path& path, std::string_view keyword, std::string_view what) {
  if (findings == nullptr) return false;
  const std::string text = path.text();
  findings->add(path, keyword,
                text.empty() ? fmt::format("The arguments {}", what)
                             : fmt::format("Parameter {} {}", text, what));
  return false;
}

std::string type_names(TypeSet types) {
  static constexpr std::array kNames{
      std::pair{kString, "a string"}, std::pair{kInteger, "an integer"},
      std::pair{kNumber, "a number"}, std::pair{kBoolean, "a boolean"},
      std::pair{kArray, "an array"},  std::pair{kObject, "an object"},
      std::pair{kNull, "null"}};
  std::vector<std::string_view> names;
  for (const auto& [bit, name] : kNames) {
    if ((types & bit) != 0) names.emplace_back(name);
  }
  if (names.size() < 2) return names.empty() ? "nothing" : std::string(names[0]);
  const std::string_view last = names.back();
  names.pop_back();
  return fmt::format("{} or {}", fmt::join(names, ", "), last);
}

}  // namespace wright::json_schema
