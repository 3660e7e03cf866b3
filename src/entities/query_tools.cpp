// query_entities, text_pattern_search and enum_filter_search.
#include <utility>

#include "entities/entity_tool_list.h"

#include "core/try.h"

namespace wright::entities {

struct OrderBy {
  std::string field;
  Direction direction = Direction::ASC;
};
WRIGHT_DESCRIBE(OrderBy, WRIGHT_FIELD(field, "Field to sort by"),
                WRIGHT_FIELD(direction, "ASC or DESC").with_default())

struct QueryEntitiesArguments {
  std::string entity_type;
  std::vector<Condition> conditions;
  int limit = 10;
  std::optional<OrderBy> order_by;
};
WRIGHT_DESCRIBE(
    QueryEntitiesArguments,
    WRIGHT_FIELD(entity_type, "Which entities: class, function, file, a table, …"),
    WRIGHT_FIELD(conditions, "All of these must hold").max_items(50).with_default(),
    WRIGHT_FIELD(limit, "How many entities to show at most").at_least(1).at_most(50).with_default(),
    WRIGHT_FIELD(order_by, "What comes first"))

struct TextPatternArguments {
  std::string entity_type;
  std::string field;
  std::string pattern;
  TextMode mode = TextMode::contains;
  bool case_sensitive = false;
  int limit = 10;
};
WRIGHT_DESCRIBE(
    TextPatternArguments,
    WRIGHT_FIELD(entity_type, "Which entities: class, function, file, a table, …"),
    WRIGHT_FIELD(field, "The text field to look at, often name"),
    WRIGHT_FIELD(pattern, "What to look for; RE2 syntax with mode regex")
        .min_length(1)
        .max_length(1000),
    WRIGHT_FIELD(mode, "How the pattern must match").with_default(),
    WRIGHT_FIELD(case_sensitive, "Whether Parse and parse differ").with_default(),
    WRIGHT_FIELD(limit, "How many entities to show at most").at_least(1).at_most(50).with_default())

struct EnumFilterArguments {
  std::string entity_type;
  std::string field;
  std::vector<Json> values;
  bool exclude = false;
  int limit = 10;
};
WRIGHT_DESCRIBE(
    EnumFilterArguments,
    WRIGHT_FIELD(entity_type, "Which entities: class, function, file, a table, …"),
    WRIGHT_FIELD(field, "The field to look at: language, visibility, status, …"),
    WRIGHT_FIELD(values, "The values that are wanted").min_items(1).max_items(200),
    WRIGHT_FIELD(exclude, "Everything but those values").with_default(),
    WRIGHT_FIELD(limit, "How many entities to show at most").at_least(1).at_most(50).with_default())

namespace {

Result<std::optional<Sql>> order_of(const EntityType& type, const std::optional<OrderBy>& wanted) {
  if (!wanted) return std::optional<Sql>();
  const auto field = TRY(find_field(type, wanted->field));
  Sql order{field->sql};
  return std::optional(order.add(wanted->direction == Direction::DESC ? " DESC" : " ASC"));
}

}  // namespace

Tool query_entities_tool(SharedSource source) {
  return tool(
      "query_entities",
      "Finds entities (classes, functions, files, rows of a table, …) by conditions on their "
      "fields, sorted. get_schema tells the types and fields. `total` counts all that match.",
      [source = std::move(source)](const QueryEntitiesArguments& arguments,
                                   const Context& context) -> Result<Json> {
        return with_type(*source, arguments.entity_type, context.stop,
                         [&](EntitySession& session, const EntityType& type) -> Result<JsonObject> {
                           EntityFilter filter(type);
                           TRY(filter.add(arguments.conditions));
                           auto order = TRY(order_of(type, arguments.order_by));
                           return session.entities(
                               filter,
                               {std::move(order), static_cast<std::size_t>(arguments.limit)});
                         });
      },
      entity_tool_options());
}

Tool text_pattern_search_tool(SharedSource source) {
  return tool(
      "text_pattern_search",
      "Finds entities whose text field contains, starts with, ends with, is or matches (a regular "
      "expression) a pattern. Upper and lower case are the same unless case_sensitive.",
      [source = std::move(source)](const TextPatternArguments& arguments,
                                   const Context& context) -> Result<Json> {
        return with_type(
            *source, arguments.entity_type, context.stop,
            [&](EntitySession& session, const EntityType& type) -> Result<JsonObject> {
              const auto field = TRY(find_field(type, arguments.field));
              auto condition =
                  TRY(text_condition(*field, arguments.mode, arguments.pattern,
                                     arguments.case_sensitive ? Case::minded : Case::ignored));
              EntityFilter filter(type);
              filter.add(*field, condition);
              return session.entities(filter,
                                      {Sql{field->sql}, static_cast<std::size_t>(arguments.limit)});
            });
      },
      entity_tool_options());
}

Tool enum_filter_search_tool(SharedSource source) {
  return tool(
      "enum_filter_search",
      "Finds entities whose field has one of the given values, or, with exclude, none of them.",
      [source = std::move(source)](const EnumFilterArguments& arguments,
                                   const Context& context) -> Result<Json> {
        return with_type(*source, arguments.entity_type, context.stop,
                         [&](EntitySession& session, const EntityType& type) -> Result<JsonObject> {
                           const auto field = TRY(find_field(type, arguments.field));
                           auto condition = TRY(membership_condition(
                               *field, arguments.values,
                               arguments.exclude ? Membership::none_of : Membership::one_of));
                           EntityFilter filter(type);
                           filter.add(*field, condition);
                           return session.entities(
                               filter, {.limit = static_cast<std::size_t>(arguments.limit)});
                         });
      },
      entity_tool_options());
}

}  // namespace wright::entities
