// A server with the tools, resources and prompts that the official conformance suite asks for, over
// our HTTP endpoint: `conformance_server` prints its address and serves until its input ends.
#include <fmt/format.h>
#include <unistd.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <chrono>
#include <cstdio>
#include <map>
#include <thread>

#include "conformance_tasks.h"
#include "http_server/server.h"
#include "mcp/content.h"
#include "mcp/http_headers.h"
#include "mcp_server/http_adapter.h"
#include "mcp_server/http_endpoint.h"

namespace {

using namespace wright;
using mcp::Finished;
using mcp::NeedsInput;
using mcp::Problem;
using mcp::Work;
using mcp::WorkOutcome;
using mcp_server::WorkControls;

constexpr std::string_view kPng =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg"
    "==";
constexpr std::string_view kWav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

JsonObject json(std::string_view text) {
  return parse_json(text).value().as_object();
}
JsonObject text_block(std::string_view text) {
  return {{"type", "text"}, {"text", text}};
}
JsonObject image_block() {
  return {{"type", "image"}, {"data", kPng}, {"mimeType", "image/png"}};
}
JsonObject resource_block(std::string_view uri, std::string_view text) {
  return {{"type", "resource"},
          {"resource", JsonObject{{"uri", uri}, {"mimeType", "text/plain"}, {"text", text}}}};
}
WorkOutcome content(JsonArray blocks) {
  return Finished{{{"content", std::move(blocks)}}};
}
WorkOutcome text(std::string_view words) {
  return content({text_block(words)});
}

// What was answered, as text; empty where nobody has yet.
std::string answer_to(const Work& work, std::string_view key) {
  const auto found = work.answers.find(key);
  if (found == work.answers.end()) return {};
  const auto* result = std::get_if<JsonObject>(&found->second);
  return result != nullptr ? to_text(*result) : std::get<Problem>(found->second).message;
}

NeedsInput::Request form(std::string key, std::string_view message, std::string_view schema) {
  return {std::move(key),
          "elicitation/create",
          {{"mode", "form"}, {"message", message}, {"requestedSchema", json(schema)}}};
}
NeedsInput::Request sampling(std::string key, std::string_view prompt) {
  return {std::move(key),
          "sampling/createMessage",
          {{"messages", JsonArray{JsonObject{{"role", "user"}, {"content", text_block(prompt)}}}},
           {"maxTokens", 100}}};
}
NeedsInput::Request roots(std::string key) {
  return {std::move(key), "roots/list", {}};
}

constexpr std::string_view kNameForm =
    R"({"type":"object","properties":{"name":{"type":"string"}},"required":["name"]})";

// Asks, and says what was answered.
WorkOutcome asked(const Work& work, NeedsInput needs) {
  std::string said;
  for (const NeedsInput::Request& request : needs.requests) {
    const std::string answer = answer_to(work, request.key);
    if (answer.empty()) return needs;
    said += answer;
  }
  return text(said);
}

using Call = WorkOutcome (*)(const Work& work, const WorkControls& controls);
struct FixtureTool {
  std::string_view schema;
  Call call;
};

constexpr std::string_view kNothing = R"({"type":"object"})";

WorkOutcome with_logging(const Work&, const WorkControls& controls) {
  for (const char* words :
       {"Tool execution started", "Tool processing data", "Tool execution completed"}) {
    if (controls.log) controls.log(mcp::LoggingLevel::info, words);
  }
  return text("Tool with logging executed successfully");
}

WorkOutcome with_progress(const Work&, const WorkControls& controls) {
  for (const double progress : {0.0, 50.0, 100.0}) {
    if (controls.progress) controls.progress({progress, 100, "Completed step"});
  }
  return text("Done");
}

WorkOutcome with_state(const Work& work, const WorkControls&) {
  const std::string answer = answer_to(work, "confirm");
  if (!answer.empty() && mcp::text_in(work.state, "step") == "asked") {
    return text("state-ok " + answer);
  }
  return NeedsInput{{form("confirm", "Confirm?",
                          R"({"type":"object","properties":{"ok":{"type":"boolean"}},
                              "required":["ok"]})")},
                    {{"step", "asked"}}};
}

WorkOutcome in_rounds(const Work& work, const WorkControls&) {
  if (answer_to(work, "step1").empty()) {
    return NeedsInput{{form("step1", "Step 1: What is your name?", kNameForm)}, {{"round", 1}}};
  }
  if (answer_to(work, "step2").empty()) {
    return NeedsInput{{form("step2", "Step 2: What is your favorite color?",
                            R"({"type":"object","properties":{"color":{"type":"string"}},
                                "required":["color"]})")},
                      {{"round", 2}}};
  }
  return text(answer_to(work, "step1") + answer_to(work, "step2"));
}

conformance::FixtureTasks& tasks() {
  static conformance::FixtureTasks all;
  return all;
}

const std::map<std::string, FixtureTool, std::less<>>& tools() {
  static const std::map<std::string, FixtureTool, std::less<>> kTools{
      {"test_simple_text",
       {kNothing,
        [](const Work&, const WorkControls&) {
          return text("This is a simple text response for testing.");
        }}},
      {"test_image_content",
       {kNothing, [](const Work&, const WorkControls&) { return content({image_block()}); }}},
      {"test_audio_content",
       {kNothing,
        [](const Work&, const WorkControls&) {
          return content(
              {JsonObject{{"type", "audio"}, {"data", kWav}, {"mimeType", "audio/wav"}}});
        }}},
      {"test_embedded_resource",
       {kNothing,
        [](const Work&, const WorkControls&) {
          return content({resource_block("test://embedded-resource",
                                         "This is an embedded resource content.")});
        }}},
      {"test_multiple_content_types",
       {kNothing,
        [](const Work&, const WorkControls&) {
          return content({text_block("Multiple content types test:"), image_block(),
                          resource_block("test://mixed-content-resource", "{\"test\":\"data\"}")});
        }}},
      {"test_tool_with_logging", {kNothing, with_logging}},
      {"test_logging_tool", {kNothing, with_logging}},
      {"test_tool_with_progress", {kNothing, with_progress}},
      {"test_error_handling",
       {kNothing,
        [](const Work&, const WorkControls&) -> WorkOutcome {
          return Finished{
              mcp::error_result("This tool intentionally returns an error for testing")};
        }}},
      {"test_sampling",
       {R"({"type":"object","properties":{"prompt":{"type":"string"}},"required":["prompt"]})",
        [](const Work& work, const WorkControls&) {
          return asked(work, {{sampling("answer", "Hello")}, {}});
        }}},
      {"test_missing_capability",
       {kNothing,
        [](const Work& work, const WorkControls&) {
          return asked(work, {{sampling("answer", "Hello")}, {}});
        }}},
      {"test_elicitation",
       {R"({"type":"object","properties":{"message":{"type":"string"}},"required":["message"]})",
        [](const Work& work, const WorkControls&) {
          return asked(work, {{form("answer", "Please say who you are",
                                    R"({"type":"object","properties":{
                                      "username":{"type":"string","description":"User's response"},
                                      "email":{"type":"string","description":"User's email"}},
                                      "required":["username","email"]})")},
                              {}});
        }}},
      {"test_streaming_elicitation",
       {kNothing,
        [](const Work& work, const WorkControls&) {
          return asked(work, {{form("user_name", "Your name?", kNameForm)}, {}});
        }}},
      {"test_elicitation_sep1034_defaults",
       {kNothing,
        [](const Work& work, const WorkControls&) {
          return asked(work, {{form("answer", "Please review",
                                    R"({"type":"object","properties":{
            "name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},
            "score":{"type":"number","default":95.5},
            "status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},
            "verified":{"type":"boolean","default":true}},"required":[]})")},
                              {}});
        }}},
      {"test_elicitation_sep1330_enums",
       {kNothing,
        [](const Work& work, const WorkControls&) {
          return asked(work, {{form("answer", "Please choose",
                                    R"({"type":"object","properties":{
            "untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
            "titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},
              {"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
            "legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],
              "enumNames":["Option One","Option Two","Option Three"]},
            "untitledMulti":{"type":"array","minItems":1,"maxItems":3,
              "items":{"type":"string","enum":["option1","option2","option3"]}},
            "titledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"anyOf":[
              {"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},
              {"const":"value3","title":"Third Choice"}]}}},"required":[]})")},
                              {}});
        }}},
      {"json_schema_2020_12_tool",
       {R"({"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
           "$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{
             "street":{"type":"string"},"city":{"type":"string"}}}},
           "properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},
             "contactMethod":{"type":"string","enum":["phone","email"]},
             "phone":{"type":"string"},"email":{"type":"string"}},
           "allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
           "if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},
           "then":{"required":["phone"]},"else":{"required":["email"]},
           "additionalProperties":false})",
        [](const Work&, const WorkControls&) { return text("ok"); }}},
      {"test_custom_header",
       {R"({"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},
           "query":{"type":"string"}},"required":["region"]})",
        [](const Work&, const WorkControls&) { return text("ok"); }}},
      {"test_input_required_result_elicitation",
       {kNothing,
        [](const Work& work, const WorkControls&) {
          return asked(work, {{form("user_name", "What is your name?", kNameForm)}, {}});
        }}},
      {"test_input_required_result_sampling",
       {kNothing,
        [](const Work& work, const WorkControls&) {
          return asked(work,
                       {{sampling("capital_question", "What is the capital of France?")}, {}});
        }}},
      {"test_input_required_result_list_roots",
       {kNothing,
        [](const Work& work, const WorkControls&) {
          return asked(work, {{roots("client_roots")}, {}});
        }}},
      {"test_input_required_result_request_state", {kNothing, with_state}},
      {"test_input_required_result_tampered_state", {kNothing, with_state}},
      {"test_input_required_result_multiple_inputs",
       {kNothing,
        [](const Work& work, const WorkControls&) {
          return asked(work, {{form("user_name", "What is your name?", kNameForm),
                               sampling("greeting", "Generate a greeting"), roots("client_roots")},
                              {}});
        }}},
      {"test_input_required_result_multi_round", {kNothing, in_rounds}},
      {"test_input_required_result_capabilities",
       {kNothing,
        [](const Work& work, const WorkControls&) {
          NeedsInput needs;
          if (work.client->can_answer("sampling/createMessage")) {
            needs.requests.push_back(sampling("greeting", "Generate a greeting"));
          }
          if (work.client->can_answer("elicitation/create")) {
            needs.requests.push_back(form("user_name", "What is your name?", kNameForm));
          }
          return asked(work, std::move(needs));
        }}},
      {"test_trigger_tool_change", {kNothing, nullptr}},
      {"test_trigger_prompt_change", {kNothing, nullptr}},
  };
  return kTools;
}

WorkOutcome list_tools() {
  JsonArray list;
  for (const auto& [name, tool] : tools()) {
    list.emplace_back(JsonObject{
        {"name", name}, {"description", "For the suite"}, {"inputSchema", json(tool.schema)}});
  }
  for (Json& each : conformance::FixtureTasks::tools()) list.push_back(std::move(each));
  return Finished{{{"tools", std::move(list)}}};
}

WorkOutcome read_resource(const Work& work) {
  const std::string uri = mcp::text_in(work.params, "uri");
  const auto one = [&](JsonObject resource) -> WorkOutcome {
    resource["uri"] = uri;
    return Finished{{{"contents", JsonArray{std::move(resource)}}}};
  };
  if (uri == "test://static-text" || uri == "test://watched-resource") {
    return one(
        {{"mimeType", "text/plain"}, {"text", "This is the content of the static text resource."}});
  }
  if (uri == "test://static-binary") return one({{"mimeType", "image/png"}, {"blob", kPng}});
  if (uri.starts_with("test://template/") && uri.ends_with("/data")) {
    const std::string id = uri.substr(16, uri.size() - 16 - 5);
    return one(
        {{"mimeType", "application/json"},
         {"text",
          fmt::format(R"({{"id":"{}","templateTest":true,"data":"Data for ID: {}"}})", id, id)}});
  }
  return Problem{mcp::code::kInvalidParams, "there is no such resource", JsonObject{{"uri", uri}}};
}

WorkOutcome list_resources() {
  JsonArray list;
  for (const std::string_view name : {"static-text", "static-binary", "watched-resource"}) {
    list.emplace_back(JsonObject{{"uri", fmt::format("test://{}", name)},
                                 {"name", name},
                                 {"description", "For the suite"},
                                 {"mimeType", "text/plain"}});
  }
  return Finished{{{"resources", std::move(list)}}};
}

WorkOutcome messages(JsonArray blocks) {
  JsonArray list;
  for (Json& block : blocks) list.emplace_back(JsonObject{{"role", "user"}, {"content", block}});
  return Finished{{{"messages", std::move(list)}}};
}

WorkOutcome get_prompt(const Work& work) {
  const std::string name = mcp::text_in(work.params, "name");
  const JsonObject* given = mcp::object_in(work.params, "arguments");
  const auto argument = [&](std::string_view key) {
    return given != nullptr ? mcp::text_in(*given, key) : std::string();
  };
  if (name == "test_simple_prompt") {
    return messages({text_block("This is a simple prompt for testing.")});
  }
  if (name == "test_prompt_with_arguments") {
    return messages({text_block(fmt::format("Prompt with arguments: arg1='{}', arg2='{}'",
                                            argument("arg1"), argument("arg2")))});
  }
  if (name == "test_prompt_with_embedded_resource") {
    return messages({resource_block(argument("resourceUri"), "Embedded resource content."),
                     text_block("Please process the embedded resource above.")});
  }
  if (name == "test_prompt_with_image") {
    return messages({image_block(), text_block("Please analyze the image above.")});
  }
  if (name == "test_input_required_result_prompt") {
    const std::string answer = answer_to(work, "user_context");
    if (answer.empty()) {
      return NeedsInput{{form("user_context", "What context?",
                              R"({"type":"object","properties":{"context":{"type":"string"}},
                                  "required":["context"]})")},
                        {}};
    }
    return messages({text_block(answer)});
  }
  return Problem{mcp::code::kInvalidParams, "there is no such prompt"};
}

WorkOutcome list_prompts() {
  const auto prompt = [](std::string_view name, std::initializer_list<std::string_view> names) {
    JsonArray arguments;
    for (const std::string_view each : names) {
      arguments.emplace_back(
          JsonObject{{"name", each}, {"description", "For the suite"}, {"required", true}});
    }
    return JsonObject{
        {"name", name}, {"description", "For the suite"}, {"arguments", std::move(arguments)}};
  };
  return Finished{
      {{"prompts", JsonArray{prompt("test_simple_prompt", {}),
                             prompt("test_prompt_with_arguments", {"arg1", "arg2"}),
                             prompt("test_prompt_with_embedded_resource", {"resourceUri"}),
                             prompt("test_prompt_with_image", {}),
                             prompt("test_input_required_result_prompt", {})}}}};
}

mcp_server::HttpEndpoint* the_endpoint = nullptr;  // of this program

WorkOutcome perform(const Work& work, const WorkControls& controls) {
  if (work.method == "tools/list") return list_tools();
  if (work.method == "tools/call") {
    const std::string name = mcp::text_in(work.params, "name");
    if (auto outcome = tasks().call(work)) return std::move(*outcome);
    const auto found = tools().find(name);
    if (found == tools().end()) {
      return Problem{mcp::code::kInvalidParams, "Unknown tool: " + name};
    }
    if (found->second.call != nullptr) return found->second.call(work, controls);
    the_endpoint->announce(name == "test_trigger_tool_change" ? mcp::Change::tools
                                                              : mcp::Change::prompts);
    return text("announced");
  }
  if (work.method.starts_with("tasks/")) return tasks().perform(work);
  if (work.method == "resources/list") return list_resources();
  if (work.method == "resources/templates/list") {
    return Finished{
        {{"resourceTemplates", JsonArray{JsonObject{{"uriTemplate", "test://template/{id}/data"},
                                                    {"name", "template"},
                                                    {"mimeType", "application/json"}}}}}};
  }
  if (work.method == "resources/read") return read_resource(work);
  if (work.method == "prompts/list") return list_prompts();
  if (work.method == "prompts/get") return get_prompt(work);
  return Finished{{{"completion", JsonObject{{"values", JsonArray{"paris", "park", "party"}},
                                             {"total", 3},
                                             {"hasMore", false}}}}};
}

std::vector<mcp::HeaderParameter> repeated(std::string_view tool) {
  const auto found = tools().find(tool);
  if (found == tools().end()) return {};
  return mcp::header_parameters(json(found->second.schema))
      .value_or(std::vector<mcp::HeaderParameter>{});
}

}  // namespace

int main() {
  const auto offer = std::make_shared<mcp::ServerOffer>(
      mcp::ServerOffer{.self = {"wright-conformance", "", "1.0.0"},
                       .has_resources = true,
                       .has_prompts = true,
                       .has_completions = true,
                       .has_logging = true,
                       .has_tasks = true,
                       .ttl_ms = 1000,
                       .state_key = "only for the suite"});
  auto endpoint = std::make_shared<mcp_server::HttpEndpoint>(mcp_server::EndpointOptions{
      .offer = offer, .perform = perform, .header_parameters = repeated});
  the_endpoint = endpoint.get();
  auto server = http::Server::open({.listen = {"127.0.0.1:0"}}, mcp_server::mcp_handler(endpoint));
  if (!server) {
    fmt::print(stderr, "{}\n", server.error().message);
    return 1;
  }
  fmt::print("http://{}/mcp\n", (*server)->addresses().front());
  std::fflush(stdout);
  char byte = 0;
  while (::read(STDIN_FILENO, &byte, 1) > 0) {
  }
  return 0;
}
