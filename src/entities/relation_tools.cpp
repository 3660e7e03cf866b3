// explore_relationships and semantic_search.
#include <utility>

#include "entities/entity_tool_list.h"

#include "core/try.h"

namespace wright::entities {

struct ExploreArguments {
  std::string start_entity_type;
  std::vector<Condition> start_conditions;
  std::string relationship_type;
  RelationDirection direction = RelationDirection::outgoing;
  std::optional<std::string> target_entity_type;
  int limit = 10;
};
WRIGHT_DESCRIBE(
    ExploreArguments, WRIGHT_FIELD(start_entity_type, "Which entities to start from"),
    WRIGHT_FIELD(start_conditions, "All of these must hold for them").max_items(50).with_default(),
    WRIGHT_FIELD(relationship_type,
                 "contains, defines or references in code; a foreign key of a "
                 "database; get_schema lists them"),
    WRIGHT_FIELD(direction, "outgoing, incoming, or both").with_default(),
    WRIGHT_FIELD(target_entity_type, "Only relations with entities of this type"),
    WRIGHT_FIELD(limit, "How many relations to show at most")
        .at_least(1)
        .at_most(50)
        .with_default())

struct SemanticSearchArguments {
  std::string entity_type;
  std::string query;
  int top_k = 5;
  double min_score = 0;
};
WRIGHT_DESCRIBE(
    SemanticSearchArguments,
    WRIGHT_FIELD(entity_type, "Which entities: class, function, any, a table, …"),
    WRIGHT_FIELD(query, "What you are looking for, in a few words").min_length(1).max_length(1000),
    WRIGHT_FIELD(top_k, "How many entities to show at most").at_least(1).at_most(20).with_default(),
    WRIGHT_FIELD(min_score, "Leaves out what scores less; the best has 1")
        .at_least(0)
        .at_most(1)
        .with_default())

Tool explore_relationships_tool(SharedSource source) {
  return tool(
      "explore_relationships",
      "Goes from entities to those that they contain or refer to, or, incoming, that contain or "
      "refer to them: the methods of a class, the rows that a row belongs to.",
      [source = std::move(source)](const ExploreArguments& arguments,
                                   const Context& context) -> Result<Json> {
        auto session = TRY(source->open(context.stop));
        auto answer =
            source->related(session,
                            {.start_entity_type = arguments.start_entity_type,
                             .start_conditions = arguments.start_conditions,
                             .relationship_type = arguments.relationship_type,
                             .direction = arguments.direction,
                             .target_entity_type = arguments.target_entity_type.value_or(""),
                             .limit = static_cast<std::size_t>(arguments.limit)},
                            context.stop);
        if (!answer) return std::unexpected(std::move(answer).error());
        return with_notes(session, std::move(*answer));
      },
      entity_tool_options());
}

Tool semantic_search_tool(SharedSource source) {
  return tool(
      "semantic_search",
      "Finds entities by words instead of exact names: `parse request` finds parseHttpRequest and "
      "what its comment calls so. The best match comes first.",
      [source = std::move(source)](const SemanticSearchArguments& arguments,
                                   const Context& context) -> Result<Json> {
        auto session = TRY(source->open(context.stop));
        auto answer =
            TRY(source->similar(session,
                                {arguments.entity_type, arguments.query,
                                 static_cast<std::size_t>(arguments.top_k), arguments.min_score},
                                context.stop));
        return with_notes(session, std::move(answer));
      },
      entity_tool_options());
}

}  // namespace wright::entities
