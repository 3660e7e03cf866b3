#include "entities/whole_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "entities/entity_types.h"
#include "wright/json.h"

namespace wright::entities {
namespace {

constexpr std::size_t kLongestWholeName = 300;

bool is_beyond_ascii(char c) {
  return static_cast<unsigned char>(c) >= 0x80;
}

bool is_name_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

struct Place {
  std::size_t begin;
  std::size_t end;
};

Place widened(std::string_view line, Place place) {
  const auto belongs = [](char c) { return is_name_letter(c) || is_beyond_ascii(c); };
  while (place.begin > 0 && belongs(line[place.begin - 1])) --place.begin;
  while (place.end < line.size() && belongs(line[place.end])) ++place.end;
  return place;
}

// The name that was cut; nothing when the name stands in the line as it is, or not at all.
std::optional<std::string> whole_name(std::string_view name, std::string_view line) {
  if (name.empty() || std::ranges::none_of(line, is_beyond_ascii)) return std::nullopt;
  std::optional<std::string> found;
  for (std::size_t at = line.find(name); at != std::string_view::npos;
       at = line.find(name, at + 1)) {
    const Place place{at, at + name.size()};
    const bool is_inside = (at > 0 && is_name_letter(line[at - 1])) ||
                           (place.end < line.size() && is_name_letter(line[place.end]));
    if (is_inside) continue;
    const Place wide = widened(line, place);
    if (wide.begin == place.begin && wide.end == place.end) return std::nullopt;
    if (!found) found = line.substr(wide.begin, wide.end - wide.begin);
  }
  if (found) *found = utf8_prefix(*found, kLongestWholeName);
  return found;
}

struct Renamed {
  std::string before;  // qualified
  std::string after;
  int start_line = 0;
  int end_line = 0;
};

// Of several that were cut to the same, the one around the line; otherwise the first.
const Renamed* scope_at(const std::vector<Renamed>& renamed, std::string_view name, int line) {
  const Renamed* found = nullptr;
  for (const Renamed& each : renamed) {
    if (each.before != name) continue;
    if (each.start_line <= line && line <= each.end_line) return &each;
    if (found == nullptr) found = &each;
  }
  return found;
}

}  // namespace

void make_names_whole(std::vector<CodeEntity>& entities, const SourceLines& lines) {
  std::vector<Renamed> renamed;
  for (CodeEntity& entity : entities) {
    const std::string before = entity.qualified_name;
    const Renamed* scope = scope_at(renamed, entity.parent, entity.start_line);
    if (scope != nullptr) entity.parent = scope->after;
    const auto name = whole_name(entity.name, lines.line(entity.start_line));
    if (name) entity.name = *name;
    if (scope == nullptr && !name) continue;
    entity.qualified_name =
        entity.parent.empty()
            ? entity.name
            : fmt::format("{}{}{}", entity.parent, scope_separator(entity.language), entity.name);
    renamed.push_back({before, entity.qualified_name, entity.start_line, entity.end_line});
  }
}

}  // namespace wright::entities
