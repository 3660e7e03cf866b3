#include "mcp_server/request_span.h"

#include <boost/json/object.hpp>

#include "wright/json.h"

namespace wright::mcp_server {
namespace {

// Clients write these, and may write anything.
std::string short_text(const JsonObject& object, std::string_view key) {
  constexpr std::size_t kLongest = 200;
  const JsonString* text = mcp::string_in(object, key);
  return text == nullptr ? std::string()
                         : std::string(utf8_prefix(std::string_view(*text), kLongest));
}

std::string whole_text(const JsonObject& object, std::string_view key) {
  constexpr std::size_t kLongest = 512;
  const JsonString* text = mcp::string_in(object, key);
  return text == nullptr || text->size() > kLongest ? std::string() : std::string(*text);
}

}  // namespace

TracedRequest traced_request(const mcp::Request& request) {
  constexpr std::size_t kLongestMethod = 100;
  TracedRequest traced{.method = std::string(utf8_prefix(request.method, kLongestMethod))};
  if (const JsonString* word = request.id.if_string()) {
    traced.id = utf8_prefix(std::string_view(*word), kLongestMethod);
  } else if (!request.id.is_null()) {
    traced.id = to_text(request.id);
  }
  if (request.method == "tools/call") {
    traced.tool = short_text(request.params, "name");
    const Json* arguments = request.params.if_contains("arguments");
    if (arguments != nullptr) traced.arguments = to_text(*arguments);
  }
  if (request.method == "prompts/get") traced.prompt = short_text(request.params, "name");
  if (request.method.starts_with("resources/")) traced.uri = short_text(request.params, "uri");
  if (const JsonObject* meta = mcp::object_in(request.params, "_meta")) {
    traced.asked_by = {whole_text(*meta, "traceparent"), whole_text(*meta, "tracestate")};
  }
  return traced;
}

}  // namespace wright::mcp_server
