// What the official conformance suite asks of a client: `conformance_client URL`, with the scenario
// in MCP_CONFORMANCE_SCENARIO. Makes the calls that MCP_CONFORMANCE_CONTEXT lists; without any,
// calls every tool of the server once, with arguments made from its schema. Where it has to log in,
// it follows the authorization server's redirection as a browser would.
#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstdlib>

#include "mcp/elicitation.h"
#include "mcp_client/connection.h"
#include "mcp_client/http_channel.h"
#include "mcp_client/server_tools.h"
#include "net/whole_response.h"

namespace {

using namespace wright;

// A small value of the type that a schema wants.
Json value_for(const JsonObject& schema) {
  if (const Json* choices = schema.if_contains("enum")) return choices->at(0);
  const std::string type = mcp::text_in(schema, "type");
  if (type == "integer" || type == "number") return 5;
  if (type == "boolean") return true;
  if (type == "array") return JsonArray{};
  if (type != "object") return "test";
  JsonObject object;
  if (const JsonObject* properties = mcp::object_in(schema, "properties")) {
    for (const auto& [name, property] : *properties) {
      if (property.is_object()) object[name] = value_for(property.get_object());
    }
  }
  return object;
}

// One call to its end; questions are answered with the form's defaults.
Result<JsonObject> called(mcp_client::Connection& connection, const Tool& tool,
                          const std::string& name, const Json& arguments) {
  JsonObject params{{"name", name}, {"arguments", arguments}};
  const auto repeated =
      mcp::header_parameters(tool.spec.parameters).value_or(std::vector<mcp::HeaderParameter>{});
  auto call = connection.begin("tools/call", params, {}, repeated);
  if (!call) return std::unexpected(call.error());
  const auto accepted = [](const JsonObject& form) {
    return mcp::defaults_of(form).value_or(JsonObject{{"action", "decline"}});
  };
  while (true) {
    auto reached = connection.wait(*call, {.timeout = std::chrono::seconds(20)});
    if (!reached) return std::unexpected(reached.error());
    if (auto* result = std::get_if<JsonObject>(&*reached)) return std::move(*result);
    if (const auto* asked = std::get_if<mcp_client::Asked>(&*reached)) {
      connection.answer(*call, asked->id, accepted(asked->params));
      continue;
    }
    if (const auto* needs = std::get_if<mcp::InputRequired>(&*reached)) {
      JsonObject responses;
      for (const auto& [key, request] : needs->requests) responses[key] = accepted(request.params);
      JsonObject again = params;
      again["inputResponses"] = std::move(responses);
      if (needs->state) again["requestState"] = *needs->state;
      call = connection.begin("tools/call", again, {}, repeated);
      if (!call) return std::unexpected(call.error());
      continue;
    }
    const auto* problem = std::get_if<mcp::Problem>(&*reached);
    return fail(ErrorCode::tool_failed, problem != nullptr ? problem->message : "lost");
  }
}

constexpr std::string_view kClientDocument = "https://conformance-test.local/client-metadata.json";

std::shared_ptr<mcp_client::Authorizer> authorizer_for(const std::string& url,
                                                       const JsonObject& context) {
  const auto client = std::make_shared<net::HttpClient>();
  mcp_client::AuthorizerOptions options{
      .name = "suite", .url = url, .metadata_document = std::string(kClientDocument)};
  if (const std::string id = mcp::text_in(context, "client_id"); !id.empty()) {
    options.client = {id, mcp::text_in(context, "client_secret"), ""};
  }
  options.browser = {"http://127.0.0.1:3000/callback",
                     [client](const std::string& address, const std::string&,
                              const std::stop_token& stop) -> Result<std::string> {
                       HttpRequest request{.url = address};
                       request.method = "GET";
                       const auto response = net::ask_and_wait(
                           *client, std::move(request), {},
                           [](const HttpResponseHead&) { return std::size_t{1} << 16; }, stop);
                       if (!response) return std::unexpected(response.error());
                       const std::string to(find_header(response->head.headers, "Location"));
                       const std::size_t query = to.find('?');
                       if (query == std::string::npos) {
                         return fail(ErrorCode::protocol, "nobody is sent back");
                       }
                       return to.substr(query + 1);
                     }};
  return std::make_shared<mcp_client::Authorizer>(std::move(options),
                                                  std::make_shared<net::HttpClient>());
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) return 2;
  const char* version = std::getenv("MCP_CONFORMANCE_PROTOCOL_VERSION");
  const bool is_modern = version != nullptr && std::string_view(version) == mcp::kModernVersion;
  const char* text = std::getenv("MCP_CONFORMANCE_CONTEXT");
  const Json context = parse_json(text != nullptr ? text : "{}").value_or(Json(JsonObject()));
  const JsonObject none;
  const JsonObject& told = context.is_object() ? context.get_object() : none;
  const std::string url = words[count - 1];
  const auto client = std::make_shared<net::HttpClient>();
  const mcp_client::ServerAddress address{.url = url, .authorizer = authorizer_for(url, told)};
  const auto connection = std::make_shared<mcp_client::Connection>(mcp_client::ConnectionOptions{
      .name = "suite",
      .client = {.self = {"wright-conformance", "", "1.0.0"},
                 .capabilities = {{"elicitation",
                                   JsonObject{{"form", JsonObject{{"applyDefaults", true}}}}}},
                 .revisions = is_modern ? mcp::ClientOptions::Revisions::modern
                                        : mcp::ClientOptions::Revisions::legacy},
      .make = [address, client](std::shared_ptr<mcp_client::ChannelListener> listener)
          -> Result<std::unique_ptr<mcp_client::Channel>> {
        return mcp_client::open_address(address, client, std::move(listener));
      }});
  const auto tools = mcp_client::server_tools(connection, {.name = "s"});
  if (!tools) {
    fmt::print(stderr, "{}\n", tools.error().message);
    return 1;
  }
  const auto call = [&](const Tool& tool, const Json& arguments) {
    const auto result = called(*connection, tool, tool.spec.name.substr(3), arguments);
    fmt::print("{}: {}\n", tool.spec.name, result ? to_text(*result) : result.error().message);
  };
  const Json* listed = told.if_contains("toolCalls");
  if (listed != nullptr && listed->is_array()) {
    for (const Json& each : listed->get_array()) {
      const std::string name = "s__" + mcp::text_in(each.as_object(), "name");
      const Tool* tool = find_tool(tools->tools, name);
      if (tool != nullptr) call(*tool, each.at("arguments"));
    }
    return 0;
  }
  for (const Tool& tool : tools->tools) {
    Json arguments = value_for(tool.spec.parameters.as_object());
    // One that wants to see what became of the schema of another.
    if (arguments.is_object() && arguments.get_object().contains("schema")) {
      arguments.get_object()["schema"] = tools->tools.front().spec.parameters;
    }
    call(tool, arguments);
  }
  return 0;
}
