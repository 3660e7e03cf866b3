#include "providers/event_decoder.h"

#include <algorithm>

#include "providers/schema_dialect.h"
#include "wright/tool.h"

namespace wright::providers {

Error what_is_missing(const Endpoint& endpoint, const ResponseBody& body) {
  const std::string_view strange = body.strange_kind();
  if (strange.empty()) return cut_answer(endpoint, "before it was complete");
  Error error = not_an_answer(endpoint, strange, read_vendor_error(body.beginning()).message);
  // A web page will be one again; broken JSON may be an accident.
  return strange == kBrokenJson ? error : as_final(std::move(error));
}

Result<void> with_vendor(Result<void> fed, const Endpoint& endpoint) {
  if (fed || !fed.error().detail.is_null()) return fed;
  return std::unexpected(endless_answer(endpoint, kLargestAnswer));
}

// A tool whose name is allowed has the same on the wire. All names of the conversation are gone
// through only for the others.
std::string_view CallRestorer::own_name(std::string_view name,
                                        std::optional<ToolNames>& names) const {
  const bool is_own =
      std::ranges::any_of(request_.tools, [&](const Tool& tool) { return tool.spec.name == name; });
  if (is_own && is_allowed_tool_name(name, rule_)) return name;
  if (!names) names.emplace(request_, rule_);
  return names->from_wire(name);
}

void CallRestorer::restore(Response& response) const {
  std::optional<ToolNames> names;
  for (Part& part : response.content) {
    auto* call = std::get_if<ToolCall>(&part);
    if (call == nullptr) continue;
    if (const auto own = own_name(call->name, names); own != call->name) {
      call->name = std::string(own);
    }
    if (!is_strict_) continue;
    const auto tool = std::ranges::find_if(
        request_.tools, [&](const Tool& each) { return each.spec.name == call->name; });
    if (tool == request_.tools.end()) continue;
    call->arguments = without_added_nulls(std::move(call->arguments), tool->spec.parameters);
  }
}

}  // namespace wright::providers
