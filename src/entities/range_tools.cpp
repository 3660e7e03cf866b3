// number_range_search and datetime_range_search.
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "core/enum_names.h"
#include "core/iso_time.h"
#include "core/try.h"
#include "entities/calendar.h"
#include "entities/entity_tool_list.h"

namespace wright::entities {

enum class NumberOperator : std::uint8_t {
  equal,
  gt,
  gte,
  lt,
  lte,
  between,
  approximately,
  rounded_equal,
};
WRIGHT_ENUM(NumberOperator, equal, gt, gte, lt, lte, between, approximately, rounded_equal)

struct NumberRangeArguments {
  std::string entity_type;
  std::string field;
  NumberOperator comparison = NumberOperator::equal;
  double value = 0;
  std::optional<double> upper_value;
  std::optional<double> tolerance;
  std::optional<double> round_to;
  int limit = 10;
};
WRIGHT_DESCRIBE(
    NumberRangeArguments,
    WRIGHT_FIELD(entity_type, "Which entities: class, function, file, a table, …"),
    WRIGHT_FIELD(field, "The number to look at: line_count, price, …"),
    ::wright::field("operator", &Self::comparison, "How to compare it with value"),
    WRIGHT_FIELD(value, "The number, or the lower end of between"),
    WRIGHT_FIELD(upper_value, "The upper end of between, itself included"),
    WRIGHT_FIELD(tolerance,
                 "With approximately: how far off it may be; a tenth of value when "
                 "absent")
        .at_least(0),
    WRIGHT_FIELD(round_to,
                 "With rounded_equal: both are rounded to multiples of this; 1 when "
                 "absent"),
    WRIGHT_FIELD(limit, "How many entities to show at most").at_least(1).at_most(50).with_default())

enum class DatetimeMode : std::uint8_t { before, after, between, relative };
WRIGHT_ENUM(DatetimeMode, before, after, between, relative)

struct DatetimeRangeArguments {
  std::string entity_type;
  std::string field;
  DatetimeMode mode = DatetimeMode::relative;
  std::optional<std::string> datetime;
  std::optional<std::string> start_datetime;
  std::optional<std::string> end_datetime;
  std::optional<Period> relative_period;
  std::optional<Precision> precision;
  int limit = 10;
};
WRIGHT_DESCRIBE(
    DatetimeRangeArguments,
    WRIGHT_FIELD(entity_type, "Which entities: file, class, function, a table, …"),
    WRIGHT_FIELD(field, "The time to look at: last_modified, created_at, …"),
    WRIGHT_FIELD(mode,
                 "before or after datetime; between start_datetime and end_datetime; "
                 "relative: within relative_period up to now"),
    WRIGHT_FIELD(datetime, "With before and after: ISO 8601, UTC unless it says so"),
    WRIGHT_FIELD(start_datetime, "With between: the first moment"),
    WRIGHT_FIELD(end_datetime, "With between: the last moment"),
    WRIGHT_FIELD(relative_period, "With relative: how far back"),
    WRIGHT_FIELD(precision,
                 "Compare whole days, months, … instead of exact times: between two "
                 "days includes all of the second one"),
    WRIGHT_FIELD(limit, "How many entities to show at most").at_least(1).at_most(50).with_default())

namespace {

std::unexpected<Error> missing(std::string_view parameter, std::string_view when) {
  return fail(ErrorCode::invalid_argument,
              fmt::format("Missing required parameter: {} (needed with {})", parameter, when));
}

// Whole numbers as such, so that an index on integers serves.
SqlValue number(double value) {
  constexpr double kExact = 9e15;
  if (std::trunc(value) == value && std::abs(value) < kExact)
    return static_cast<std::int64_t>(value);
  return value;
}

// Refuses a number that the operator does not look at: who gives it means another operator.
Result<void> check_belongs(const std::optional<double>& number, std::string_view parameter,
                           NumberOperator comparison, NumberOperator its_own) {
  if (!number || comparison == its_own) return {};
  return fail(
      ErrorCode::invalid_argument,
      fmt::format("{} belongs to the operator {}; {} does not look at it: leave it out, or "
                  "use {}",
                  parameter, enum_name(its_own), enum_name(comparison), enum_name(its_own)));
}

Result<Sql> number_condition(const EntityField& field, const NumberRangeArguments& given) {
  TRY(check_belongs(given.upper_value, "upper_value", given.comparison, NumberOperator::between));
  TRY(check_belongs(given.tolerance, "tolerance", given.comparison, NumberOperator::approximately));
  TRY(check_belongs(given.round_to, "round_to", given.comparison, NumberOperator::rounded_equal));
  Sql made;
  // A text is greater than every number to SQLite; here it is no number.
  if (!field.is_indexed || field.kind != FieldKind::number) {
    made.add("typeof(").add(field.sql).add(") IN ('integer', 'real') AND ");
  }
  made.add(field.sql);
  switch (given.comparison) {
    case NumberOperator::equal: return made.add(" = ").value(number(given.value));
    case NumberOperator::gt: return made.add(" > ").value(number(given.value));
    case NumberOperator::gte: return made.add(" >= ").value(number(given.value));
    case NumberOperator::lt: return made.add(" < ").value(number(given.value));
    case NumberOperator::lte: return made.add(" <= ").value(number(given.value));
    case NumberOperator::between:
      if (!given.upper_value) return missing("upper_value", "operator between");
      if (*given.upper_value < given.value) {
        return fail(ErrorCode::invalid_argument, "upper_value is below value: nothing is between");
      }
      made.add(" BETWEEN ").value(number(given.value)).add(" AND ");
      return made.value(number(*given.upper_value));
    case NumberOperator::approximately: {
      const double tolerance = given.tolerance.value_or(std::abs(given.value) / 10);
      made.add(" BETWEEN ").value(number(given.value - tolerance)).add(" AND ");
      return made.value(number(given.value + tolerance));
    }
    case NumberOperator::rounded_equal: break;
  }
  const double unit = given.round_to.value_or(1);
  if (!(unit > 0) || !std::isfinite(unit)) {
    return fail(ErrorCode::invalid_argument, "round_to must be greater than 0");
  }
  if (!std::isfinite(given.value / unit)) {
    return fail(ErrorCode::invalid_argument,
                "round_to is too small for so large a value: every number would be equal to it");
  }
  made.add(" IS NOT NULL AND round(").add(field.sql).add(" / ").value(unit).add(") = round(");
  return made.value(given.value).add(" / ").value(unit).add(")");
}

// The largest first where large ones are asked for, the nearest first where near ones are.
Sql number_order(const EntityField& field, const NumberRangeArguments& given) {
  Sql order;
  switch (given.comparison) {
    case NumberOperator::lt:
    case NumberOperator::lte: return order.add(field.sql).add(" ASC");
    case NumberOperator::approximately:
    case NumberOperator::rounded_equal:
      return order.add("abs(").add(field.sql).add(" - ").value(given.value).add(")");
    default: break;
  }
  return order.add(field.sql).add(" DESC");
}

// Half open: from is part of it, until is not.
struct TimeRange {
  std::optional<std::int64_t> from = {};
  std::optional<std::int64_t> until = {};
};

Result<std::int64_t> time_in(const std::optional<std::string>& text, std::string_view parameter,
                             std::string_view when) {
  if (!text) return missing(parameter, when);
  if (const auto time = parse_time(*text)) return *time;
  return fail(ErrorCode::invalid_argument,
              fmt::format("'{}' is no time; write {} like 2025-03-01 or 2025-03-01T12:30:00Z",
                          utf8_prefix(*text, 100), parameter));
}

// With a precision both sides are rounded down before they are compared.
Result<TimeRange> range_of(const DatetimeRangeArguments& given, std::int64_t now) {
  const auto floor = [&](std::int64_t time) {
    return given.precision ? floor_to(*given.precision, time) : time;
  };
  const auto next = [&](std::int64_t time) {
    return given.precision ? next_of(*given.precision, time) : time + 1;
  };
  switch (given.mode) {
    case DatetimeMode::before: {
      const auto time = TRY(time_in(given.datetime, "datetime", "mode before"));
      return TimeRange{.until = floor(time)};
    }
    case DatetimeMode::after: {
      const auto time = TRY(time_in(given.datetime, "datetime", "mode after"));
      return TimeRange{.from = next(time)};
    }
    case DatetimeMode::between: {
      const auto from = TRY(time_in(given.start_datetime, "start_datetime", "mode between"));
      const auto until = TRY(time_in(given.end_datetime, "end_datetime", "mode between"));
      if (until < from) {
        return fail(ErrorCode::invalid_argument,
                    "end_datetime is before start_datetime: nothing is between");
      }
      return TimeRange{floor(from), next(until)};
    }
    case DatetimeMode::relative: break;
  }
  if (!given.relative_period) return missing("relative_period", "mode relative");
  return TimeRange{floor(start_of(*given.relative_period, now)), now + 1};
}

Sql time_condition(const EntityField& field, const TimeRange& range) {
  const std::string time = time_sql(field);
  Sql made;
  if (range.from) made.add(time).add(" >= ").value(*range.from);
  if (range.from && range.until) made.add(" AND ");
  if (range.until) made.add(time).add(" < ").value(*range.until);
  return made;
}

std::unexpected<Error> wrong_kind(const EntityType& type, const EntityField& field,
                                  FieldKind kind) {
  std::vector<std::string_view> names;
  for (const EntityField& each : type.fields) {
    if (each.kind == kind || each.kind == FieldKind::any) names.push_back(each.name);
  }
  return fail(ErrorCode::invalid_argument,
              fmt::format("The field {} of '{}' is a {}, not a {}; {}", field.name, type.name,
                          to_string(field.kind), to_string(kind),
                          names.empty() ? std::string("it has none")
                                        : "such fields are: " + nearest_first(field.name, names)));
}

// A column of a database holds whatever was put into it.
Result<bool> holds_a_number(EntitySession& session, const EntityType& type,
                            const EntityField& field) {
  Sql is_number;
  is_number.add("typeof(").add(field.sql).add(") IN ('integer', 'real')");
  EntityFilter filter(type);
  filter.add(field, is_number);
  const auto count = TRY(session.count(filter));
  return count > 0;
}

}  // namespace

Tool number_range_search_tool(SharedSource source) {
  return tool(
      "number_range_search",
      "Finds entities by a number: more than 200 lines, a price between 10 and 20, about 100. "
      "Sorted by that number.",
      [source = std::move(source)](const NumberRangeArguments& arguments,
                                   const Context& context) -> Result<Json> {
        return with_type(
            *source, arguments.entity_type, context.stop,
            [&](EntitySession& session, const EntityType& type) -> Result<JsonObject> {
              const auto field = TRY(find_field(type, arguments.field));
              const bool is_never_a_number = field->is_indexed && field->kind != FieldKind::number;
              if (is_never_a_number) return wrong_kind(type, *field, FieldKind::number);
              auto condition = TRY(number_condition(*field, arguments));
              EntityFilter filter(type);
              filter.add(*field, condition);
              auto answer =
                  TRY(session.entities(filter, {number_order(*field, arguments),
                                                static_cast<std::size_t>(arguments.limit)}));
              if (field->kind == FieldKind::text && answer.at("total") == Json(0)) {
                const bool has_numbers = TRY(holds_a_number(session, type, *field));
                if (!has_numbers) return wrong_kind(type, *field, FieldKind::number);
              }
              return answer;
            });
      },
      entity_tool_options());
}

Tool datetime_range_search_tool(SharedSource source, EntityClock clock) {
  return tool(
      "datetime_range_search",
      "Finds entities by a time: changed in the last week, before a day, between two days. The "
      "latest come first.",
      [source = std::move(source), clock = std::move(clock)](
          const DatetimeRangeArguments& arguments, const Context& context) -> Result<Json> {
        return with_type(
            *source, arguments.entity_type, context.stop,
            [&](EntitySession& session, const EntityType& type) -> Result<JsonObject> {
              const auto field = TRY(find_field(type, arguments.field));
              const bool is_never_a_time = field->is_indexed && field->kind != FieldKind::datetime;
              if (is_never_a_time) return wrong_kind(type, *field, FieldKind::datetime);
              const auto range = TRY(range_of(arguments, clock()));
              EntityFilter filter(type);
              filter.add(*field, time_condition(*field, range));
              Sql order{time_sql(*field)};
              auto answer = TRY(session.entities(
                  filter, {order.add(" DESC"), static_cast<std::size_t>(arguments.limit)}));
              if (range.from) answer["from"] = IsoTime(*range.from).text();
              if (range.until) answer["until"] = IsoTime(*range.until).text();
              return answer;
            });
      },
      entity_tool_options());
}

}  // namespace wright::entities
