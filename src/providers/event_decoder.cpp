#include "providers/event_decoder.h"

#include "providers/schema_dialect.h"
#include "wright/tool.h"

namespace wright::providers {

CallRestorer::CallRestorer(const Endpoint& endpoint, const Request& request, ToolNameRule rule)
    : names_(request, rule) {
  if (!endpoint.model.quirks.strict_schemas) return;
  for (const Tool& tool : request.tools) {
    strict_schemas_.emplace(tool.spec.name, tool.spec.parameters);
  }
}

void CallRestorer::restore(Response& response) const {
  for (Part& part : response.content) {
    auto* call = std::get_if<ToolCall>(&part);
    if (call == nullptr) continue;
    call->name = names_.from_wire(call->name);
    const auto schema = strict_schemas_.find(call->name);
    if (schema == strict_schemas_.end()) continue;
    call->arguments = without_added_nulls(std::move(call->arguments), schema->second);
  }
}

}  // namespace wright::providers
