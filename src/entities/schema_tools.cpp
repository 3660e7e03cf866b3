// get_schema and describe_entity: what there is to be asked about.
#include <algorithm>
#include <utility>

#include "core/try.h"
#include "entities/entity_tool_list.h"
#include "tools/output/output_budget.h"
#include "tools/sqlite/reader_rows.h"

namespace wright::entities {

struct GetSchemaArguments {
  bool include_tips = true;
};
WRIGHT_DESCRIBE(GetSchemaArguments,
                WRIGHT_FIELD(include_tips, "How to ask, in a few sentences").with_default())

struct DescribeEntityArguments {
  std::string entity_name;
};
WRIGHT_DESCRIBE(DescribeEntityArguments, WRIGHT_FIELD(entity_name, "Name of the entity type"))

namespace {

constexpr std::size_t kExamples = 3;

JsonArray relationships_of(const EntitySchema& schema) {
  JsonArray made;
  for (const Relationship& each : schema.relationships) {
    made.push_back(JsonObject{{"name", each.name}, {"description", each.description}});
  }
  return made;
}

JsonObject fields_of(const EntityType& type) {
  JsonObject made;
  for (const EntityField& field : type.fields) made[field.name] = to_string(field.kind);
  return made;
}

JsonArray tips() {
  return {
      "query_entities with order_by answers \"the largest\", number_range_search \"more "
      "than\", datetime_range_search \"in the last week\", text_pattern_search \"starts "
      "with\".",
      "aggregate_entities with group_by answers \"how many per\"; do not count entities by "
      "listing them.",
      "`total` says how many match; a result that is truncated shows only some of them.",
      "semantic_search finds by words when the exact name is not known; "
      "explore_relationships goes from an entity to those it belongs to."};
}

Result<Json> get_schema(EntitySource& source, const GetSchemaArguments& arguments,
                        const std::stop_token& stop) {
  auto session = TRY(source.open(stop));
  const EntitySchema& schema = session.schema();
  tools::OutputBudget budget;
  JsonArray types;
  std::size_t left_out = 0;
  // Types of one table share their fields; they are told once.
  JsonObject shared;
  for (const EntityType& type : schema.types) {
    JsonObject made{{"name", type.name}, {"description", type.description}};
    if (!type.row.empty()) {
      const auto count = TRY(session.count(EntityFilter(type)));
      made["count"] = count;
    }
    JsonObject fields = fields_of(type);
    if (!type.is) {
      made["fields"] = std::move(fields);
    } else if (shared.empty()) {
      shared = std::move(fields);
      shared.erase("method_count");
    }
    if (budget.take(to_text(made).size() + 2)) {
      types.push_back(std::move(made));
    } else {
      ++left_out;
    }
  }
  JsonObject answer{{"entity_types", std::move(types)}};
  if (!shared.empty()) answer["fields_of_all"] = std::move(shared);
  answer["relationships"] = relationships_of(schema);
  if (!schema.notes.empty()) {
    JsonArray notes;
    for (const std::string& note : schema.notes) notes.emplace_back(note);
    answer["notes"] = std::move(notes);
  }
  if (left_out > 0) answer["left_out"] = left_out;
  if (arguments.include_tips) answer["tips"] = tips();
  return with_notes(session, std::move(answer));
}

// A few values that a field has, so that nobody has to guess their form.
Result<JsonArray> examples_of(EntitySession& session, const EntityType& type,
                              const EntityField& field) {
  JsonArray made;
  EntityFilter filter(type);
  Sql present{field.sql};
  filter.add(field, present.add(" IS NOT NULL"));
  Sql sql{"SELECT DISTINCT value FROM (SELECT " + field.sql + " AS value "};
  sql.add(filter.sql()).add(" LIMIT 200) LIMIT ").value(static_cast<std::int64_t>(kExamples));
  TRY(session.query(sql, [&](const sqlite::Row& row) -> Result<void> {
    made.push_back(tools::cell(row, 0, 80));
    return {};
  }));
  return made;
}

Result<JsonObject> describe(EntitySession& session, const EntityType& type) {
  const auto count = TRY(session.count(EntityFilter(type)));
  JsonArray fields;
  tools::OutputBudget budget;
  std::size_t left_out = 0;
  for (const EntityField& field : type.fields) {
    JsonObject made{
        {"name", field.name}, {"type", to_string(field.kind)}, {"description", field.description}};
    if (field.is_key) made["key"] = true;
    const bool is_readable = field.kind != FieldKind::datetime || !field.is_indexed;
    if (is_readable) {
      auto examples = TRY(examples_of(session, type, field));
      made["examples"] = std::move(examples);
    }
    if (budget.take(to_text(made).size() + 2)) {
      fields.push_back(std::move(made));
    } else {
      ++left_out;
    }
  }
  JsonArray operators;
  for (const std::string_view each : condition_operators()) operators.emplace_back(each);
  JsonObject answer{{"name", type.name},
                    {"description", type.description},
                    {"count", count},
                    {"fields", std::move(fields)},
                    {"operators", std::move(operators)},
                    {"relationships", relationships_of(session.schema())}};
  if (left_out > 0) answer["left_out"] = left_out;
  return answer;
}

}  // namespace

Tool get_schema_tool(SharedSource source) {
  return tool(
      "get_schema",
      "Tells which entity types there are, how many of each, their fields and how they belong "
      "together. Call it first when you do not know them.",
      [source = std::move(source)](const GetSchemaArguments& arguments, const Context& context)
          -> Result<Json> { return get_schema(*source, arguments, context.stop); },
      entity_tool_options());
}

Tool describe_entity_tool(SharedSource source) {
  return tool(
      "describe_entity",
      "Tells everything about one entity type: its fields with their types, meaning and examples "
      "of their values, and the operators for conditions on them.",
      [source = std::move(source)](const DescribeEntityArguments& arguments,
                                   const Context& context) -> Result<Json> {
        return with_type(*source, arguments.entity_name, context.stop, describe);
      },
      entity_tool_options());
}

}  // namespace wright::entities
