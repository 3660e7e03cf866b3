#include "entities/entity_schema.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/enum_names.h"
#include "core/nearest.h"
#include "wright/json.h"

namespace wright::entities {

WRIGHT_ENUM(FieldKind, text, number, datetime, any)

namespace {

bool is_same_name(std::string_view left, std::string_view right) {
  const auto lowered = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return std::ranges::equal(left, right, {}, lowered, lowered);
}

}  // namespace

std::string_view to_string(FieldKind kind) {
  return enum_name(kind);
}

std::string nearest_first(std::string_view typed, std::vector<std::string_view> names) {
  constexpr std::size_t kMost = 40;
  if (const auto best = nearest(typed, names)) {
    const auto found = std::ranges::find(names, *best);
    std::rotate(names.begin(), found, found + 1);
  }
  const std::size_t shown = std::min(kMost, names.size());
  std::string text = fmt::format(
      "{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (shown < names.size()) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

Result<const EntityType*> find_type(const EntitySchema& schema, std::string_view name) {
  for (const EntityType& type : schema.types) {
    if (type.name == name) return &type;
  }
  for (const EntityType& type : schema.types) {
    if (is_same_name(type.name, name)) return &type;
  }
  std::vector<std::string_view> names;
  names.reserve(schema.types.size());
  for (const EntityType& type : schema.types) names.push_back(type.name);
  return fail(ErrorCode::not_found,
              to_valid_utf8(fmt::format("There is no entity type '{}'; there {}: {}", name,
                                        names.size() == 1 ? "is" : "are",
                                        names.empty() ? "none" : nearest_first(name, names))));
}

Result<const EntityField*> find_field(const EntityType& type, std::string_view name) {
  for (const EntityField& field : type.fields) {
    if (field.name == name) return &field;
  }
  for (const EntityField& field : type.fields) {
    if (is_same_name(field.name, name)) return &field;
  }
  std::vector<std::string_view> names;
  names.reserve(type.fields.size());
  for (const EntityField& field : type.fields) names.push_back(field.name);
  return fail(ErrorCode::not_found,
              to_valid_utf8(fmt::format("'{}' has no field '{}'; its fields are: {}", type.name,
                                        name, nearest_first(name, names))));
}

std::string quoted_name(std::string_view name) {
  std::string made = "\"";
  for (const char c : name) {
    if (c == '"') made += '"';
    made += c;
  }
  return made + '"';
}

}  // namespace wright::entities
