// aggregate_entities: counts, sums, averages and extremes, of all or by groups.
#include <fmt/format.h>

#include <utility>

#include "core/counted.h"
#include "core/iso_time.h"
#include "core/try.h"
#include "entities/entity_tool_list.h"
#include "tools/output/output_budget.h"
#include "tools/sqlite/reader_rows.h"

namespace wright::entities {

enum class Operation : std::uint8_t { COUNT, AVG, SUM, MIN, MAX };
WRIGHT_ENUM(Operation, COUNT, AVG, SUM, MIN, MAX)

struct AggregateArguments {
  std::string entity_type;
  Operation operation = Operation::COUNT;
  std::optional<std::string> field;
  std::optional<std::string> group_by;
  std::vector<Condition> conditions;
  int limit = 100;
};
WRIGHT_DESCRIBE(AggregateArguments,
                WRIGHT_FIELD(entity_type, "Which entities: class, function, any, a table, …"),
                WRIGHT_FIELD(operation, "What to compute"),
                WRIGHT_FIELD(field, "Of which field; needed for all but COUNT"),
                WRIGHT_FIELD(group_by, "A field: one figure for each of its values"),
                WRIGHT_FIELD(conditions, "All of these must hold").max_items(50).with_default(),
                WRIGHT_FIELD(limit, "How many groups to show at most, the largest first")
                    .at_least(1)
                    .at_most(1000)
                    .with_default())

namespace {

constexpr std::size_t kLongestGroup = 300;

// A column of a database holds whatever was put into it. What is no number counts for nothing: SQL
// would take it for 0.
std::string number_in(const EntityField& field) {
  return field.is_indexed ? field.sql : fmt::format("entity_number({})", field.sql);
}

Result<std::string> figure_of(const EntityType& type, const AggregateArguments& given) {
  if (!given.field) {
    if (given.operation == Operation::COUNT) return "count(*)";
    return fail(ErrorCode::invalid_argument,
                "Missing required parameter: field (needed with AVG, SUM, MIN and MAX)");
  }
  const auto field = TRY(find_field(type, *given.field));
  const bool is_computed = given.operation == Operation::AVG || given.operation == Operation::SUM;
  if (is_computed && field->is_indexed && field->kind != FieldKind::number) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("The field {} is a {}; AVG and SUM need a number", field->name,
                            to_string(field->kind)));
  }
  switch (given.operation) {
    case Operation::COUNT: return fmt::format("count({})", field->sql);
    case Operation::AVG: return fmt::format("avg({})", number_in(*field));
    // Not sum(), which fails when whole numbers become too large.
    case Operation::SUM:
      return fmt::format("CASE WHEN abs(total({0})) < 9e15 THEN sum({0}) ELSE total({0}) END",
                         number_in(*field));
    case Operation::MIN: return fmt::format("min({})", field->sql);
    case Operation::MAX: break;
  }
  return fmt::format("max({})", field->sql);
}

Json shown(const EntityField* field, Json value) {
  const bool is_own_time =
      field != nullptr && field->kind == FieldKind::datetime && field->is_indexed;
  if (is_own_time && value.is_int64()) return Json(IsoTime(value.get_int64()).text());
  return value;
}

// Of AVG and SUM: how many values are none that count.
Result<void> note_what_is_no_number(EntitySession& session, const EntityFilter& filter,
                                    const EntityField& field, JsonObject& answer) {
  Sql sql{fmt::format("SELECT count({}) - count({}) ", field.sql, number_in(field))};
  std::int64_t others = 0;
  TRY(session.query(sql.add(filter.sql()), [&](const sqlite::Row& row) -> Result<void> {
    others = row.integer(0);
    return {};
  }));
  if (others > 0) {
    answer["note"] = fmt::format("{} of {} no number and counted for nothing",
                                 counted(others, "value", "values"),
                                 field.name + (others == 1 ? " is" : " are"));
  }
  return {};
}

Result<JsonObject> aggregate(EntitySession& session, const EntityType& type,
                             const AggregateArguments& given) {
  EntityFilter filter(type);
  TRY(filter.add(given.conditions));
  const auto figure = TRY(figure_of(type, given));
  const EntityField* group = nullptr;
  if (given.group_by) {
    group = TRY(find_field(type, *given.group_by));
  }
  // The figure of a time is a time, its count is not.
  const EntityField* shown_as = given.field && given.operation != Operation::COUNT
                                    ? *find_field(type, *given.field)
                                    : nullptr;
  JsonObject answer{{"entity_type", type.name}, {"operation", encode(given.operation)}};
  if (given.field) answer["field"] = *given.field;
  const bool is_computed = given.operation == Operation::AVG || given.operation == Operation::SUM;
  if (is_computed && !shown_as->is_indexed) {
    TRY(note_what_is_no_number(session, filter, *shown_as, answer));
  }
  const bool is_plain_count = given.operation == Operation::COUNT && !given.field;
  const auto tally = is_plain_count ? filter.tally(group) : std::nullopt;
  constexpr std::string_view kTallied = "coalesce(sum(entities), 0)";
  Sql sql{fmt::format("SELECT {}, {}, {} ", tally ? kTallied : figure,
                      tally ? kTallied : "count(*)", group == nullptr ? "NULL" : group->sql)};
  sql.add(tally ? *tally : filter.sql());
  if (group == nullptr) {
    TRY(session.query(sql, [&](const sqlite::Row& row) -> Result<void> {
      answer["value"] = shown(shown_as, tools::cell(row, 0, kLongestGroup));
      answer["count"] = row.integer(1);
      return {};
    }));
    return answer;
  }
  sql.add(" GROUP BY ").add(group->sql).add(" ORDER BY 1 DESC, 3 LIMIT ");
  sql.value(std::int64_t{given.limit} + 1);
  JsonArray groups;
  tools::OutputBudget budget;
  bool has_more = false;
  auto done = session.query(sql, [&](const sqlite::Row& row) -> Result<void> {
    JsonObject made{{"group", shown(group, tools::cell(row, 2, kLongestGroup))},
                    {"value", shown(shown_as, tools::cell(row, 0, kLongestGroup))},
                    {"count", row.integer(1)}};
    const bool fits = std::ssize(groups) < given.limit && budget.take(to_text(made).size() + 2);
    if (fits) groups.push_back(std::move(made));
    has_more = has_more || !fits;
    return {};
  });
  TRY(done);
  answer["group_by"] = group->name;
  answer["groups"] = std::move(groups);
  answer["truncated"] = has_more;
  answer["limit"] = given.limit;
  return answer;
}

}  // namespace

Tool aggregate_entities_tool(SharedSource source) {
  return tool(
      "aggregate_entities",
      "Counts entities, or computes the sum, average, least or greatest of a field, of all that "
      "match or for each value of group_by. How many functions are there per language?",
      [source = std::move(source)](const AggregateArguments& arguments,
                                   const Context& context) -> Result<Json> {
        return with_type(*source, arguments.entity_type, context.stop,
                         [&](EntitySession& session, const EntityType& type) {
                           return aggregate(session, type, arguments);
                         });
      },
      entity_tool_options());
}

}  // namespace wright::entities
