// The single tools over a source of entities.
#pragma once

#include <memory>

#include "core/try.h"
#include "entities/entity_source.h"
#include "wright/tool.h"
#include "wright/tools.h"

namespace wright::entities {

// Tools are values that are copied, so the source belongs to all copies together.
using SharedSource = std::shared_ptr<EntitySource>;

// query_tools.cpp
Tool query_entities_tool(SharedSource source);
Tool text_pattern_search_tool(SharedSource source);
Tool enum_filter_search_tool(SharedSource source);

// range_tools.cpp
Tool number_range_search_tool(SharedSource source);
Tool datetime_range_search_tool(SharedSource source, EntityClock clock);

// aggregate_tool.cpp
Tool aggregate_entities_tool(SharedSource source);

// schema_tools.cpp
Tool get_schema_tool(SharedSource source);
Tool describe_entity_tool(SharedSource source);

// relation_tools.cpp
Tool explore_relationships_tool(SharedSource source);
Tool semantic_search_tool(SharedSource source);

// All of them.
std::vector<Tool> entity_tools(SharedSource source, EntityClock clock);

// How such a tool is run: it reads, and may have to build an index first.
ToolOptions entity_tool_options();

// An answer, and what is missing from it where the source could not read everything.
Json with_notes(const EntitySession& session, JsonObject answer);

// Opens the source and looks the type up; `then(session, type)` answers.
template <class Then>
Result<Json> with_type(EntitySource& source, const std::string& type_name,
                       const std::stop_token& stop, Then then) {
  auto session = TRY(source.open(stop));
  const auto type = TRY(find_type(session.schema(), type_name));
  auto answer = TRY(then(session, *type));
  return with_notes(session, std::move(answer));
}

}  // namespace wright::entities
