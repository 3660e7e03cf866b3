#include "mcp_client/server_tools.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <unordered_set>

#include "core/base64.h"
#include "core/sha256.h"
#include "core/text.h"
#include "core/try.h"
#include "interceptors/glob.h"
#include "mcp/content.h"
#include "mcp/http_headers.h"

namespace wright::mcp_client {
namespace {

constexpr std::size_t kLongestToolName = 64;
constexpr std::size_t kMostTools = 1000;  // of one server
constexpr std::size_t kMostNotes = 20;
// Whoever drives a call waits a little longer than we do, so that what we say is heard.
constexpr std::chrono::seconds kMargin{10};

bool is_wanted(const ServerToolsOptions& options, std::string_view tool) {
  return std::ranges::any_of(options.patterns, [&](const std::string& pattern) {
    return intercept::matches_glob(pattern, tool);
  });
}

Effect effect_of(const ServerToolsOptions& options, const mcp::RemoteTool& tool) {
  for (const auto& [pattern, effect] : options.effects) {
    if (intercept::matches_glob(pattern, tool.name)) return effect;
  }
  return tool.effect;
}

// All that the server promises of a tool, in a word. What only decorates it does not count.
std::string definition_of(std::string_view server, const JsonObject& listed) {
  JsonObject promised;
  for (const std::string_view key :
       {"name", "title", "description", "inputSchema", "outputSchema", "annotations"}) {
    if (const Json* value = listed.if_contains(key)) promised[key] = *value;
  }
  constexpr std::size_t kMark = 16;
  return fmt::format("mcp:{}:{}", server,
                     base64url_of(bytes_of(sha256(to_text(promised)))).substr(0, kMark));
}

bool may_destroy(const mcp::RemoteTool& tool) {
  return tool.effect != Effect::read && tool.destroys.value_or(true);
}

// What a person who approves a call is told of the server's hints.
std::string_view words_on_destruction(const mcp::RemoteTool& tool) {
  if (!tool.destroys) return "Its server does not say whether it destroys something";
  return *tool.destroys ? "Its server says that it may destroy or overwrite something"
                        : "Its server says that it destroys nothing, which nobody has checked";
}

// In what a schema tells, and in nothing that a value is checked by, or that the server is called
// with.
void hide_in_texts(Json& schema, const Redactor& redactor) {
  constexpr auto kTexts =
      std::to_array<std::string_view>({"description", "title", "default", "examples", "$comment"});
  constexpr auto kValues = std::to_array<std::string_view>({"const", "enum", "required"});
  constexpr auto kNamed = std::to_array<std::string_view>(
      {"properties", "patternProperties", "dependentSchemas", "$defs", "definitions"});
  if (JsonArray* list = schema.if_array()) {
    for (Json& each : *list) hide_in_texts(each, redactor);
  }
  JsonObject* object = schema.if_object();
  if (object == nullptr) return;
  for (auto& member : *object) {
    Json& value = member.value();
    if (is_one_of(member.key(), kTexts)) {
      value = redactor.redacted(std::move(value));
    } else if (is_one_of(member.key(), kNamed) && value.is_object()) {
      for (auto& named : value.get_object()) hide_in_texts(named.value(), redactor);
    } else if (!is_one_of(member.key(), kValues)) {
      hide_in_texts(value, redactor);
    }
  }
}

Result<Tool> made_tool(const std::shared_ptr<RemoteCalls>& calls, mcp::RemoteTool remote,
                       std::string definition, const ServerToolsOptions& options,
                       const AroundCall& around) {
  const Redactor redactor = calls->connection()->redactor().sparing();
  Json parameters = remote.input_schema;
  hide_in_texts(parameters, redactor);
  ToolSpec spec{.name = tool_name(options.name, remote.name),
                .description = redactor.redacted(to_valid_utf8(remote.description)),
                .parameters = std::move(parameters),
                .options = {.effect = remote.effect,
                            .concurrency = remote.effect == Effect::read ? Concurrency::parallel
                                                                         : Concurrency::serial,
                            .timeout = options.timeout + kMargin},
                .definition = std::move(definition)};
  std::function<Json(const Json&)> preview;
  if (remote.effect != Effect::read) {
    preview = [words = std::string(words_on_destruction(remote))](const Json&) {
      return JsonObject{{"reason", words}};
    };
  }
  RemoteToolCall call{.tool = remote.name, .effect = remote.effect, .timeout = options.timeout};
  call.task_support = remote.task_support;
  call.repeated = TRY(mcp::header_parameters(remote.input_schema));
  if (!remote.output_schema.is_null()) {
    call.output_schema = TRY(JsonSchema::compile(remote.output_schema));
  }
  const ToolSpec known{.name = spec.name, .definition = spec.definition};
  auto made = TRY(tool(std::move(spec), [calls, call = std::move(call), around, known](
                                            const Json& arguments, const Context& context) {
    const auto run = [&](const MayBegin& may_begin) {
      return calls->run(call, arguments, context, may_begin);
    };
    return around ? around(known, context, run) : run({});
  }));
  made.preview = std::move(preview);
  return made;
}

}  // namespace

std::string tool_name(std::string_view server, std::string_view tool) {
  std::string name = fmt::format("{}__{}", server, tool);
  bool is_changed = false;
  for (char& c : name) {
    if (is_letter(c) || is_digit(c) || c == '_' || c == '-') continue;
    c = '_';
    is_changed = true;
  }
  if (!is_changed && name.size() <= kLongestToolName) return name;
  // Different names must stay different.
  const std::string mark = base64url_of(bytes_of(sha256(tool))).substr(0, 6);
  name.resize(std::min(name.size(), kLongestToolName - mark.size() - 1));
  return fmt::format("{}_{}", name, mark);
}

Result<ServerTools> server_tools(const std::shared_ptr<Connection>& connection,
                                 const ServerToolsOptions& options, const std::stop_token& stop) {
  const auto server = TRY(connection->open(stop));
  JsonArray listed;
  if (server.has("tools")) {
    listed =
        TRY(connection->list("tools/list", "tools", {.stop = stop, .timeout = options.timeout}));
  }
  const auto calls = std::make_shared<RemoteCalls>(connection, options.models);
  auto made = tools_in(listed, calls, options);
  add_resource_tool(server, calls, options, made);
  return made;
}

void add_resource_tool(const mcp::ServerView& server, const std::shared_ptr<RemoteCalls>& calls,
                       const ServerToolsOptions& options, ServerTools& made) {
  constexpr std::string_view kName = "read_resource";
  ToolSpec spec{
      .name = tool_name(options.name, kName),
      .description = fmt::format("Reads a resource of the MCP server {} by its URI, such as one "
                                 "that an answer of its tools links to",
                                 options.name),
      .parameters = JsonObject{{"type", "object"},
                               {"properties", JsonObject{{"uri", JsonObject{{"type", "string"}}}}},
                               {"required", JsonArray{"uri"}}},
      .options = {.effect =
                      effect_of(options, {.name = std::string(kName), .effect = Effect::read}),
                  .timeout = options.timeout + kMargin},
      .definition = fmt::format("mcp:{}:{}", options.name, kName)};
  const bool is_taken = find_tool(made.tools, spec.name) != nullptr;
  if (!server.has("resources") || is_taken || !is_wanted(options, kName)) return;
  auto reading = tool(std::move(spec),
                      [calls, timeout = options.timeout](
                          const Json& arguments, const Context& context) -> Result<ToolReply> {
                        auto reply = TRY(calls->ask({.method = "resources/read",
                                                     .params = {{"uri", arguments.at("uri")}},
                                                     .timeout = timeout},
                                                    context));
                        if (auto* waiting = std::get_if<Waiting>(&reply))
                          return std::move(*waiting);
                        auto output = TRY(mcp::resource_output(std::get<JsonObject>(reply)));
                        return output;
                      });
  if (reading) made.tools.push_back(std::move(*reading));
}

ServerTools tools_in(const JsonArray& listed, const std::shared_ptr<RemoteCalls>& calls,
                     const ServerToolsOptions& options, const AroundCall& around,
                     std::span<const Tool> before) {
  ServerTools made;
  std::unordered_set<std::string> names;
  std::size_t notes_left_out = 0;
  const auto note = [&](std::string text) {
    if (made.notes.size() < kMostNotes) {
      made.notes.push_back(std::move(text));
    } else {
      ++notes_left_out;
    }
  };
  for (const Json& each : listed) {
    auto remote = mcp::remote_tool(each);
    if (!remote) {
      note(fmt::format("{}: {}", options.name, remote.error().message));
      continue;
    }
    if (!is_wanted(options, remote->name)) continue;
    if (made.tools.size() >= kMostTools) {
      note(
          fmt::format("{} has more than {} tools; the others are left out. Choose those that you "
                      "want: `tools` below [mcp.servers.{}]",
                      options.name, kMostTools, options.name));
      break;
    }
    remote->effect = effect_of(options, *remote);
    const std::string name = remote->name;
    const bool is_destructive = may_destroy(*remote);
    std::string definition = definition_of(options.name, each.get_object());
    const auto same = std::ranges::find(
        before, definition, [](const Tool& tool) -> const auto& { return tool.spec.definition; });
    auto tool = same != before.end()
                    ? Result<Tool>(*same)
                    : made_tool(calls, std::move(*remote), std::move(definition), options, around);
    if (!tool) {
      note(
          fmt::format("{} goes without its tool {}: {}", options.name, name, tool.error().message));
      continue;
    }
    if (!names.insert(tool->spec.name).second) {
      note(fmt::format("{} has the tool {} twice", options.name, name));
      continue;
    }
    if (is_destructive) made.destructive.insert(tool->spec.name);
    made.tools.push_back(std::move(*tool));
  }
  if (notes_left_out > 0) {
    made.notes.push_back(fmt::format("{}: {} more like these", options.name, notes_left_out));
  }
  return made;
}

}  // namespace wright::mcp_client
