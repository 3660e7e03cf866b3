// The tools of wright/tools.h over their two sources.
#include <utility>

#include "core/firm_bounds.h"
#include "core/try.h"
#include "entities/code_index.h"
#include "entities/entity_tool_list.h"

namespace wright::entities {

ToolOptions entity_tool_options() {
  return {.effect = Effect::read, .timeout = std::chrono::minutes(10)};
}

Json with_notes(const EntitySession& session, JsonObject answer) {
  const std::string& incomplete = session.schema().incomplete;
  if (!incomplete.empty()) answer["incomplete"] = incomplete;
  return answer;
}

std::vector<Tool> entity_tools(SharedSource source, EntityClock clock) {
  std::vector<Tool> tools{query_entities_tool(source),
                          number_range_search_tool(source),
                          datetime_range_search_tool(source, std::move(clock)),
                          text_pattern_search_tool(source),
                          enum_filter_search_tool(source),
                          aggregate_entities_tool(source),
                          get_schema_tool(source),
                          describe_entity_tool(source),
                          explore_relationships_tool(source),
                          semantic_search_tool(std::move(source))};
  for (Tool& tool : tools) tool = with_firm_bounds(std::move(tool));
  return tools;
}

}  // namespace wright::entities

namespace wright {

Result<std::vector<Tool>> code_entity_tools(CodeIndexOptions options) {
  EntityClock clock = options.clock;
  auto index = TRY(entities::CodeIndex::make(std::move(options)));
  return entities::entity_tools(entities::code_entity_source(std::move(index)), std::move(clock));
}

Result<std::vector<Tool>> database_entity_tools(SqliteReaderOptions options, EntityClock clock) {
  return entities::entity_tools(entities::database_entity_source(std::move(options)),
                                std::move(clock));
}

}  // namespace wright
