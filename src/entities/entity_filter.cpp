#include "entities/entity_filter.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "core/nearest.h"
#include "core/try.h"
#include "entities/calendar.h"
#include "entities/sql_functions.h"

namespace wright::entities {
namespace {

constexpr auto kOperators =
    std::to_array<std::string_view>({"=", "!=", ">", ">=", "<", "<=", "CONTAINS", "STARTS WITH",
                                     "ENDS WITH", "REGEX", "GLOB", "IN"});
constexpr std::size_t kMostValues = 500;
// What a query of many pieces may hold.
constexpr std::size_t kMostPieces = 50;
constexpr std::size_t kLongestPieces = 50'000;
constexpr std::size_t kMostPieceValues = 5'000;
constexpr std::size_t kLongestPattern = 1000;

std::string upper(std::string_view text) {
  std::string made;
  for (const char c : text) {
    made += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c == '_' ? ' ' : c;
  }
  return made;
}

std::unexpected<Error> wrong_value(const EntityField& field, const Json& value) {
  return fail(ErrorCode::invalid_argument,
              fmt::format("The field {} is a {}; {} cannot be compared with it", field.name,
                          to_string(field.kind), utf8_prefix(to_text(value), 200)));
}

std::optional<SqlValue> as_number(const Json& value) {
  if (value.is_int64()) return value.get_int64();
  if (value.is_uint64()) return static_cast<double>(value.get_uint64());
  if (value.is_double()) return value.get_double();
  if (value.is_bool()) return std::int64_t{value.get_bool() ? 1 : 0};
  if (!value.is_string()) return std::nullopt;
  const std::string_view text = value.get_string();
  double number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// A value as the field keeps it.
Result<SqlValue> comparable(const EntityField& field, const Json& value) {
  if (value.is_null()) return SqlValue(nullptr);
  if (value.is_array() || value.is_object()) return wrong_value(field, value);
  if (field.kind == FieldKind::datetime) {
    if (value.is_string()) {
      const auto time = parse_time(value.get_string());
      if (!time) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("'{}' is no time; write it like 2025-03-01 or 2025-03-01T12:30:00Z",
                                utf8_prefix(value.get_string(), 100)));
      }
      return SqlValue(*time);
    }
    const auto number = as_number(value);
    if (!number) return wrong_value(field, value);
    return SqlValue(time_of_number(std::holds_alternative<double>(*number)
                                       ? std::get<double>(*number)
                                       : static_cast<double>(std::get<std::int64_t>(*number))));
  }
  if (field.kind == FieldKind::number) {
    const auto number = as_number(value);
    if (!number) return wrong_value(field, value);
    return *number;
  }
  if (value.is_string()) return SqlValue(std::string(value.get_string()));
  if (field.kind == FieldKind::text) return SqlValue(to_text(value));
  return *as_number(value);
}

std::string operand(const EntityField& field) {
  return field.kind == FieldKind::datetime ? time_sql(field) : field.sql;
}

Result<Sql> comparison(const EntityField& field, std::string_view sign, const Json& value) {
  auto with = TRY(comparable(field, value));
  // What has no value is not equal to any value.
  const std::string_view sql = sign == "=" ? "IS" : sign == "!=" ? "IS NOT" : sign;
  if (std::holds_alternative<std::nullptr_t>(with) && sql == sign) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("null can only be compared by = and !=, not by {}", sign));
  }
  Sql made{operand(field)};
  made.add(" ").add(sql).add(" ").value(std::move(with));
  return made;
}

// The smallest text that is greater than all that start with `prefix`; nothing when there is none.
std::optional<std::string> after_prefix(std::string prefix) {
  while (!prefix.empty() && static_cast<unsigned char>(prefix.back()) >= 0xF4) prefix.pop_back();
  if (prefix.empty()) return std::nullopt;
  prefix.back() = static_cast<char>(static_cast<unsigned char>(prefix.back()) + 1);
  return prefix;
}

std::string like_pattern(std::string_view text) {
  std::string made;
  for (const char c : text) {
    if (c == '%' || c == '_' || c == '\\') made += '\\';
    made += c;
  }
  return made;
}

Sql minded_condition(const EntityField& field, TextMode mode, const std::string& pattern) {
  Sql made;
  switch (mode) {
    case TextMode::contains:
      return made.add("instr(").add(field.sql).add(", ").value(pattern).add(") > 0");
    case TextMode::starts_with:
      made.add("substr(").add(field.sql).add(", 1, length(").value(pattern).add(")) = ");
      made.value(pattern);
      // The same once more, in a form that an index serves. Bytes stay whole characters here, or
      // the bound would be no UTF-8.
      if (const auto end = after_prefix(pattern); field.is_indexed && end && is_valid_utf8(*end)) {
        made.add(" AND ").add(field.sql).add(" >= ").value(pattern);
        made.add(" AND ").add(field.sql).add(" < ").value(*end);
      }
      return made;
    case TextMode::ends_with:
      if (pattern.empty()) return made.add(field.sql).add(" IS NOT NULL");
      made.add("substr(").add(field.sql).add(", -length(").value(pattern).add(")) = ");
      return made.value(pattern);
    case TextMode::exact:
    case TextMode::regex: break;
  }
  return made.add(field.sql).add(" = ").value(pattern);
}

// SQLite folds letters of ASCII alone.
Sql folded_condition(const EntityField& field, TextMode mode, std::string_view pattern) {
  const bool is_bound_before = mode == TextMode::starts_with || mode == TextMode::exact;
  const bool is_bound_behind = mode == TextMode::ends_with || mode == TextMode::exact;
  const std::string regex =
      fmt::format("(?i){}{}{}", is_bound_before ? "\\A" : "",
                  re2::RE2::QuoteMeta(re2::StringPiece(pattern.data(), pattern.size())),
                  is_bound_behind ? "\\z" : "");
  Sql made;
  return made.add("entity_regex(").value(regex).add(", ").add(field.sql).add(")");
}

Result<Sql> matching_condition(const EntityField& field, TextMode mode, const std::string& pattern,
                               Case letter_case) {
  if (pattern.size() > kLongestPattern) {
    return fail(ErrorCode::limit_reached,
                fmt::format("The pattern is longer than {} bytes", kLongestPattern));
  }
  if (field.kind == FieldKind::datetime && field.is_indexed) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("The field {} is a time; use datetime_range_search", field.name));
  }
  if (mode == TextMode::regex) {
    TRY(check_regex(pattern));
    const std::string regex = letter_case == Case::ignored ? "(?i)" + pattern : pattern;
    Sql made;
    return made.add("entity_regex(").value(regex).add(", ").add(field.sql).add(")");
  }
  if (letter_case == Case::minded) return minded_condition(field, mode, pattern);
  if (std::ranges::any_of(pattern, [](char c) { return static_cast<unsigned char>(c) >= 0x80; })) {
    return folded_condition(field, mode, pattern);
  }
  if (mode == TextMode::contains) {
    Sql made;
    std::string needle = pattern;
    std::ranges::transform(needle, needle.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    made.add("entity_contains(").add(field.sql).add(", ").value(std::move(needle));
    return made.add(")");
  }
  const std::string like = like_pattern(pattern);
  const std::string_view before = mode == TextMode::ends_with ? "%" : "";
  const std::string_view after = mode == TextMode::starts_with ? "%" : "";
  Sql made;
  made.add(field.sql).add(" LIKE ").value(fmt::format("{}{}{}", before, like, after));
  return made.add(" ESCAPE '\\'");
}

}  // namespace

std::span<const std::string_view> condition_operators() {
  return kOperators;
}

std::string time_sql(const EntityField& field) {
  return field.is_indexed ? field.sql : fmt::format("entity_time({})", field.sql);
}

Result<Sql> text_condition(const EntityField& field, TextMode mode, const std::string& pattern,
                           Case letter_case) {
  auto made = matching_condition(field, mode, pattern, letter_case);
  const bool is_by_start = mode == TextMode::exact || mode == TextMode::starts_with;
  if (made) made->is_slow = !(is_by_start && letter_case == Case::minded);
  return made;
}

Result<Sql> membership_condition(const EntityField& field, std::span<const Json> values,
                                 Membership membership) {
  if (values.size() > kMostValues) {
    return fail(ErrorCode::limit_reached, fmt::format("More than {} values", kMostValues));
  }
  const std::string column = operand(field);
  bool has_null = false;
  Sql list;
  for (const Json& value : values) {
    auto with = TRY(comparable(field, value));
    if (std::holds_alternative<std::nullptr_t>(with)) {
      has_null = true;
      continue;
    }
    if (!list.text.empty()) list.add(", ");
    list.value(std::move(with));
  }
  const bool wants_null = has_null == (membership == Membership::one_of);
  Sql made;
  made.add("(").add(column).add(membership == Membership::one_of ? " IN (" : " NOT IN (");
  made.add(list).add(wants_null ? ") OR " : ") AND ").add(column);
  return made.add(wants_null ? " IS NULL)" : " IS NOT NULL)");
}

EntityFilter::EntityFilter(const EntityType& type) : type_(&type) {}

void EntityFilter::add(const EntityField& field, const Sql& condition) {
  conditions_.push_back(condition);
  fields_.push_back(field.name);
}

Result<void> EntityFilter::add(std::span<const Condition> conditions) {
  for (const Condition& condition : conditions) {
    TRY(add(condition));
  }
  return {};
}

Result<void> EntityFilter::add(const Condition& condition) {
  const auto field = TRY(find_field(*type_, condition.field));
  const std::string sign = upper(condition.comparison);
  const Json& value = condition.value;
  const auto text = [&]() -> std::string {
    return value.is_string() ? std::string(value.get_string()) : to_text(value);
  };
  Result<Sql> made = [&]() -> Result<Sql> {
    if (std::ranges::find(kOperators, sign) < kOperators.begin() + 6) {
      return comparison(*field, sign, value);
    }
    if (sign == "CONTAINS") {
      return text_condition(*field, TextMode::contains, text(), Case::minded);
    }
    if (sign == "STARTS WITH") {
      return text_condition(*field, TextMode::starts_with, text(), Case::minded);
    }
    if (sign == "ENDS WITH") {
      return text_condition(*field, TextMode::ends_with, text(), Case::minded);
    }
    if (sign == "REGEX") return text_condition(*field, TextMode::regex, text(), Case::minded);
    if (sign == "GLOB") {
      if (text().size() > kLongestPattern) {
        return fail(ErrorCode::limit_reached,
                    fmt::format("The pattern is longer than {} bytes", kLongestPattern));
      }
      Sql glob;
      glob.is_slow = true;
      return glob.add(field->sql).add(" GLOB ").value(text());
    }
    if (sign == "IN") {
      const Json list = value.is_array() ? value : Json(JsonArray{value});
      return membership_condition(*field, list.get_array(), Membership::one_of);
    }
    return fail(ErrorCode::invalid_argument,
                fmt::format("There is no operator '{}'; there are: {}",
                            utf8_prefix(condition.comparison, 50), fmt::join(kOperators, ", ")));
  }();
  if (!made) return std::unexpected(std::move(made).error());
  add(*field, *made);
  return {};
}

bool EntityFilter::is_slow() const {
  return std::ranges::any_of(conditions_, &Sql::is_slow);
}

Sql EntityFilter::from(std::string_view table, const Sql& type_condition) const {
  Sql made{fmt::format("FROM {}", table)};
  std::string_view joined_by = " WHERE ";
  const auto add = [&](const Sql& condition) {
    made.add(joined_by).add("(").add(condition).add(")");
    joined_by = " AND ";
  };
  if (!type_condition.text.empty()) add(type_condition);
  for (const Sql& condition : conditions_) add(condition);
  return made;
}

Sql EntityFilter::sql() const {
  Sql is;
  if (type_->is) {
    is.add("type = ").value(*type_->is);
  } else if (!type_->members.empty()) {
    // All of them, said in a way that lets an index by type serve.
    for (const std::string& member : type_->members) {
      is.add(is.text.empty() ? "type IN (" : ", ").value(member);
    }
    is.add(")");
  }
  return from(type_->table, is);
}

std::vector<Sql> EntityFilter::pieces() const {
  const Sql whole = sql();
  const std::size_t count = type_->members.size();
  const bool is_long =
      count * whole.text.size() > kLongestPieces || count * whole.values.size() > kMostPieceValues;
  if (count == 0 || count > kMostPieces || is_long) return {whole};
  std::vector<Sql> made;
  for (const std::string& member : type_->members) {
    Sql is{"type = "};
    made.push_back(from(type_->table, is.value(member)));
  }
  return made;
}

std::optional<Sql> EntityFilter::tally(const EntityField* group) const {
  const auto tells = [&](const Tally& tally) {
    const auto has = [&](std::string_view field) {
      return std::ranges::find(tally.fields, field) != tally.fields.end();
    };
    return std::ranges::all_of(fields_, has) && (group == nullptr || has(group->name)) &&
           (!type_->is || has("type"));
  };
  const auto found = std::ranges::find_if(type_->tallies, tells);
  if (found == type_->tallies.end()) return std::nullopt;
  Sql is;
  if (type_->is) is.add("type = ").value(*type_->is);
  return from(found->table, is);
}

}  // namespace wright::entities
