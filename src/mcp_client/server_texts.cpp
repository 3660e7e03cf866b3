#include "mcp_client/server_texts.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>

#include "core/text.h"
#include "core/try.h"

namespace wright::mcp_client {
namespace {

constexpr std::size_t kLongestText = 256 * 1024;

std::string title_in(const JsonObject& object) {
  for (const char* key : {"title", "description", "name"}) {
    if (std::string text = mcp::text_in(object, key); !text.empty()) return to_valid_utf8(text);
  }
  return "";
}

// "text", or what stands for bytes.
std::string content_text(const JsonObject& content) {
  if (content.contains("text")) return to_valid_utf8(mcp::text_in(content, "text"));
  const std::string type = mcp::text_in(content, "mimeType");
  return fmt::format("({} that is no text)",
                     type.empty() ? "something" : to_valid_utf8(type.substr(0, 100)));
}

// Of a message: a text, a resource with it, or something else.
std::string message_text(const Json& content) {
  if (content.is_array()) {
    std::string text;
    for (const Json& each : content.get_array()) {
      text += (text.empty() ? "" : "\n\n") + message_text(each);
    }
    return text;
  }
  if (!content.is_object()) return "";
  const JsonObject& object = content.get_object();
  if (const JsonObject* resource = mcp::object_in(object, "resource")) {
    return content_text(*resource);
  }
  return content_text(object);
}

Result<std::string> of_fitting_length(std::string text, std::string_view what) {
  if (text.size() <= kLongestText) return text;
  return fail(ErrorCode::limit_reached,
              fmt::format("{} has more than {} KB", what, kLongestText >> 10));
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

Result<std::string> resource_text(Connection& connection, std::string_view uri,
                                  const WaitOptions& options) {
  const JsonObject result = TRY(connection.ask_kept("resources/read", {{"uri", uri}}, options));
  const Json* contents = result.if_contains("contents");
  if (contents == nullptr || !contents->is_array() || contents->get_array().empty()) {
    return fail(ErrorCode::not_found, fmt::format("{} has nothing in it", uri));
  }
  std::string text;
  for (const Json& each : contents->get_array()) {
    if (!each.is_object()) continue;
    text += (text.empty() ? "" : "\n") + content_text(each.get_object());
  }
  return of_fitting_length(std::move(text), uri);
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

Result<std::string> prompt_text(Connection& connection, std::string_view prompt,
                                JsonObject arguments, const WaitOptions& options) {
  const JsonObject result = TRY(connection.ask(
      "prompts/get", {{"name", prompt}, {"arguments", std::move(arguments)}}, options));
  const Json* messages = result.if_contains("messages");
  if (messages == nullptr || !messages->is_array() || messages->get_array().empty()) {
    return fail(ErrorCode::not_found, fmt::format("the prompt {} is empty", prompt));
  }
  const bool is_one = messages->get_array().size() == 1;
  std::string text;
  for (const Json& message : messages->get_array()) {
    if (!message.is_object()) continue;
    const Json* content = message.get_object().if_contains("content");
    const std::string said = content != nullptr ? message_text(*content) : "";
    const std::string role = mcp::text_in(message.get_object(), "role");
    text += text.empty() ? "" : "\n\n";
    text += is_one ? said : fmt::format("{}: {}", role == "assistant" ? role : "user", said);
  }
  return of_fitting_length(std::move(text), prompt);
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
