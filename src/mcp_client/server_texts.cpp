#include "mcp_client/server_texts.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <atomic>

#include "core/text.h"
#include "core/try.h"
#include "mcp/content.h"

namespace wright::mcp_client {
namespace {

constexpr std::size_t kLongestText = 256 * 1024;

std::string title_in(const JsonObject& object) {
  for (const char* key : {"title", "description", "name"}) {
    if (std::string text = mcp::text_in(object, key); !text.empty()) return to_valid_utf8(text);
  }
  return "";
}

Result<Output> of_fitting_length(Output output, std::string_view what) {
  const JsonString* text = output.value.if_string();
  if (text == nullptr || text->size() <= kLongestText) return output;
  return fail(ErrorCode::limit_reached,
              fmt::format("{} has more than {} KB", what, kLongestText >> 10));
}

// A number for every request, so that the answer to a question finds the one that asked it.
std::string next_id() {
  static std::atomic<std::uint64_t> last = 0;
  return fmt::format("text {}", ++last);
}

// The request, with as many questions to the person as it takes.
Result<Connection::Answered> asked_with_person(RemoteCalls& calls, const RemoteRequest& request,
                                               const AskPerson& ask_person,
                                               const WaitOptions& options) {
  constexpr int kMostQuestions = 20;
  const std::string& server = calls.connection()->name();
  const std::string id = next_id();
  Context context{.call_id = id, .stop = options.stop};
  for (int asked = 0; asked < kMostQuestions; ++asked) {
    auto reply = TRY(calls.ask(request, context));
    if (auto* result = std::get_if<JsonObject>(&reply)) {
      return Connection::Answered{std::move(*result), asked == 0};
    }
    const Waiting& waiting = std::get<Waiting>(reply);
    if (!ask_person) {
      calls.give_up(context);
      return fail(
          ErrorCode::unavailable,
          fmt::format("The MCP server {} asks a person first, and nobody is there", server));
    }
    auto given = ask_person(waiting);
    if (!given || !*given || !(*given)->answer) calls.give_up(context);
    if (!given) return std::unexpected(std::move(given).error());
    if (!*given || !(*given)->answer) {
      return fail(ErrorCode::cancelled,
                  fmt::format("What the MCP server {} asked was not answered", server));
    }
    context.answers = {.answer = std::move((*given)->answer), .state = waiting.state};
  }
  calls.give_up(context);
  return fail(ErrorCode::limit_reached, fmt::format("The MCP server {} asks without end", server));
}

}  // namespace

Result<std::vector<ServerResource>> server_resources(Connection& connection,
                                                     const WaitOptions& options) {
  std::vector<ServerResource> resources;
  const auto server = TRY(connection.open(options.stop));
  if (!server.has("resources")) return resources;
  const auto take = [&](const JsonArray& listed, std::string_view key, bool is_template) {
    for (const Json& each : listed) {
      if (!each.is_object()) continue;
      std::string uri = mcp::text_in(each.get_object(), key);
      const bool is_usable =
          !uri.empty() && is_valid_utf8(uri) && uri.find_first_of(" \t\r\n") == std::string::npos;
      if (is_usable) {
        resources.push_back({std::move(uri), title_in(each.get_object()), is_template});
      }
    }
  };
  const auto listed = TRY(connection.list("resources/list", "resources", options));
  take(listed, "uri", false);
  // Not every server that has resources knows of templates.
  const auto templates = connection.list("resources/templates/list", "resourceTemplates", options);
  if (templates) take(*templates, "uriTemplate", true);
  return resources;
}

Result<Output> resource_content(RemoteCalls& calls, std::string_view uri,
                                const AskPerson& ask_person, const WaitOptions& options) {
  const RemoteRequest request{
      .method = "resources/read", .params = {{"uri", uri}}, .timeout = options.timeout};
  const JsonObject result = TRY(calls.connection()->ask_kept(request.method, request.params, [&] {
    return asked_with_person(calls, request, ask_person, options);
  }));
  const Json* contents = result.if_contains("contents");
  if (contents == nullptr || !contents->is_array() || contents->get_array().empty()) {
    return fail(ErrorCode::not_found, fmt::format("{} has nothing in it", uri));
  }
  auto output = TRY(mcp::resource_output(result));
  return of_fitting_length(std::move(output), uri);
}

Result<std::vector<ServerPrompt>> server_prompts(Connection& connection,
                                                 const WaitOptions& options) {
  std::vector<ServerPrompt> prompts;
  const auto server = TRY(connection.open(options.stop));
  if (!server.has("prompts")) return prompts;
  const auto listed = TRY(connection.list("prompts/list", "prompts", options));
  for (const Json& each : listed) {
    if (!each.is_object()) continue;
    const JsonObject& object = each.get_object();
    ServerPrompt prompt{.name = mcp::text_in(object, "name"), .title = title_in(object)};
    if (prompt.name.empty() || !is_valid_utf8(prompt.name)) continue;
    const Json* arguments = object.if_contains("arguments");
    if (arguments != nullptr && arguments->is_array()) {
      for (const Json& argument : arguments->get_array()) {
        if (!argument.is_object()) continue;
        const Json* required = argument.get_object().if_contains("required");
        prompt.arguments.push_back(
            {mcp::text_in(argument.get_object(), "name"),
             required != nullptr && required->is_bool() && required->get_bool()});
      }
    }
    prompts.push_back(std::move(prompt));
  }
  return prompts;
}

Result<JsonObject> prompt_arguments(const ServerPrompt& prompt, std::string_view words) {
  JsonObject arguments;
  std::size_t next = 0;
  words = trimmed(words);
  while (!words.empty()) {
    std::string_view word = words.substr(0, words.find_first_of(" \t\r\n"));
    const std::size_t equals = word.find('=');
    const auto is_it = [&](const ServerPrompt::Argument& argument) {
      return equals != std::string_view::npos && argument.name == word.substr(0, equals);
    };
    const auto named = std::ranges::find_if(prompt.arguments, is_it);
    if (named != prompt.arguments.end()) {
      arguments[named->name] = word.substr(equals + 1);
    } else {
      while (next < prompt.arguments.size() && arguments.contains(prompt.arguments[next].name)) {
        ++next;
      }
      if (next == prompt.arguments.size()) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("{} takes {} arguments: '{}' is too much", prompt.name,
                                prompt.arguments.size(), word));
      }
      if (next + 1 == prompt.arguments.size()) word = words;
      arguments[prompt.arguments[next].name] = word;
    }
    words = trimmed(words.substr(word.size()));
  }
  for (const ServerPrompt::Argument& argument : prompt.arguments) {
    if (argument.is_required && !arguments.contains(argument.name)) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("{} needs {}", prompt.name, argument.name));
    }
  }
  return arguments;
}

Result<Output> prompt_content(RemoteCalls& calls, std::string_view prompt, JsonObject arguments,
                              const AskPerson& ask_person, const WaitOptions& options) {
  const auto answered =
      TRY(asked_with_person(calls,
                            {.method = "prompts/get",
                             .params = {{"name", prompt}, {"arguments", std::move(arguments)}},
                             .timeout = options.timeout},
                            ask_person, options));
  const auto messages = TRY(mcp::prompt_messages(answered.result));
  if (messages.empty()) {
    return fail(ErrorCode::not_found, fmt::format("the prompt {} is empty", prompt));
  }
  Output output;
  std::string text;
  for (const Message& message : messages) {
    text += text.empty() ? "" : "\n\n";
    text += messages.size() == 1 ? message.text()
                                 : fmt::format("{}: {}", to_string(message.role), message.text());
    for (const Part& part : message.parts) {
      if (const auto* image = std::get_if<Image>(&part)) output.images.push_back(*image);
    }
  }
  output.value = std::move(text);
  return of_fitting_length(std::move(output), prompt);
}

std::vector<std::string> completed_values(Connection& connection, JsonObject ref,
                                          std::string_view argument, std::string_view typed,
                                          const WaitOptions& options) {
  std::vector<std::string> values;
  const auto server = connection.open(options.stop);
  if (!server || !server->has("completions")) return values;
  const auto result = connection.ask(
      "completion/complete",
      {{"ref", std::move(ref)}, {"argument", JsonObject{{"name", argument}, {"value", typed}}}},
      options);
  const JsonObject* completion = result ? mcp::object_in(*result, "completion") : nullptr;
  const Json* listed = completion != nullptr ? completion->if_contains("values") : nullptr;
  if (listed == nullptr || !listed->is_array()) return values;
  for (const Json& each : listed->get_array()) {
    if (each.is_string() && is_valid_utf8(each.get_string()))
      values.emplace_back(each.get_string());
  }
  return values;
}

}  // namespace wright::mcp_client
