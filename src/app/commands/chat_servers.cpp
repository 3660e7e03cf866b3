#include "app/commands/chat_servers.h"

#include <fmt/format.h>
#include <boost/json/object.hpp>

#include <algorithm>

#include "core/try.h"

namespace wright::app {
namespace {

constexpr std::string_view kBetween = " \t\r\n";
// What a person waits for after a message, and after Tab.
constexpr std::chrono::seconds kReadingTime{60};
constexpr std::chrono::seconds kTypingTime{3};

std::string code_fence_for(std::string_view text) {
  std::string fence = "```";
  while (text.find(fence) != std::string_view::npos) fence += '`';
  return fence;
}

// "server" and "uri" of "@server:uri" at every place where a mention may stand.
std::vector<std::pair<std::string, std::string>> named_in(std::string_view message) {
  std::vector<std::pair<std::string, std::string>> named;
  for (std::size_t at = message.find('@'); at != std::string_view::npos;
       at = message.find('@', at + 1)) {
    if (at > 0 && kBetween.find(message[at - 1]) == std::string_view::npos) continue;
    std::string_view word = message.substr(at + 1);
    word = word.substr(0, std::min(word.size(), word.find_first_of(kBetween)));
    const std::size_t colon = word.find(':');
    if (colon == std::string_view::npos || colon + 1 >= word.size()) continue;
    std::pair<std::string, std::string> found(word.substr(0, colon), word.substr(colon + 1));
    if (std::ranges::find(named, found) == named.end()) named.push_back(std::move(found));
  }
  return named;
}

}  // namespace

void ChatServers::use(const std::vector<std::shared_ptr<mcp_client::Connection>>& servers,
                      mcp_client::AskPerson ask_person) {
  ask_person_ = std::move(ask_person);
  servers_.clear();
  for (const auto& each : servers) {
    // So that lists which change are asked for again, also of servers without tools.
    (void)each->watch_lists({.timeout = kTypingTime});
    servers_.push_back({each, std::make_unique<mcp_client::RemoteCalls>(each)});
  }
}

ChatServers::Server* ChatServers::server_in(std::string_view name) {
  const auto found = std::ranges::find_if(
      servers_, [&](const Server& server) { return server.connection->name() == name; });
  return found == servers_.end() ? nullptr : &*found;
}

const std::vector<mcp_client::ServerPrompt>& ChatServers::prompts_of(Server& server) {
  const std::uint64_t version = server.connection->changes(mcp::Change::prompts);
  if (!server.prompts || server.prompts_version != version) {
    server.prompts_version = version;
    server.prompts = mcp_client::server_prompts(*server.connection, {.timeout = kTypingTime})
                         .value_or(std::vector<mcp_client::ServerPrompt>());
  }
  return *server.prompts;
}

const std::vector<mcp_client::ServerResource>& ChatServers::resources_of(Server& server) {
  const std::uint64_t version = server.connection->changes(mcp::Change::resources);
  if (!server.resources || server.resources_version != version) {
    server.resources_version = version;
    server.resources = mcp_client::server_resources(*server.connection, {.timeout = kTypingTime})
                           .value_or(std::vector<mcp_client::ServerResource>());
  }
  return *server.resources;
}

Mentions ChatServers::with_resources(std::string_view typed, Mentions mentions) {
  for (Server& server : servers_) {
    for (const std::string& uri : server.connection->take_updates()) {
      mentions.problems.push_back(fmt::format("@{}:{} has changed since it was mentioned",
                                              server.connection->name(), to_valid_utf8(uri)));
    }
  }
  for (const auto& [name, uri] : named_in(typed)) {
    Server* server = server_in(name);
    if (server == nullptr) continue;
    const mcp_client::WaitOptions wait{.timeout = kReadingTime};
    auto content = mcp_client::resource_content(*server->calls, uri, ask_person_, wait);
    if (!content) {
      mentions.problems.push_back(
          fmt::format("@{}:{} does not go along: {}", name, uri,
                      server->connection->redactor().redacted(content.error().message)));
      continue;
    }
    const std::string_view text = content->value.as_string();
    if (!text.empty()) {
      const std::string fence = code_fence_for(text);
      mentions.text += fmt::format("\n\n{}:{}:\n{}\n{}{}{}\n", name, uri, fence, text,
                                   text.ends_with('\n') ? "" : "\n", fence);
    }
    if (!content->images.empty()) {
      mentions.notes.push_back(fmt::format("{}:{}, {} {}", name, uri, content->images.size(),
                                           content->images.size() == 1 ? "image" : "images"));
      std::ranges::move(content->images, std::back_inserter(mentions.images));
    }
    // Servers that do not tell of changes are as good.
    (void)server->connection->watch(uri, {.timeout = kTypingTime});
  }
  return mentions;
}

std::optional<Result<Output>> ChatServers::prompt_of(const std::string& line) {
  if (!line.starts_with('/')) return std::nullopt;
  const std::size_t end = std::min(line.size(), line.find_first_of(kBetween));
  const std::size_t colon = line.find(':');
  if (colon == std::string::npos || colon > end) return std::nullopt;
  Server* server = server_in(std::string_view(line).substr(1, colon - 1));
  if (server == nullptr) return std::nullopt;
  const std::string name = line.substr(colon + 1, end - colon - 1);
  const auto get = [&]() -> Result<Output> {
    const mcp_client::WaitOptions wait{.timeout = kReadingTime};
    const auto prompts = TRY(mcp_client::server_prompts(*server->connection, wait));
    const auto found = std::ranges::find(prompts, name, &mcp_client::ServerPrompt::name);
    if (found == prompts.end()) {
      return fail(ErrorCode::not_found,
                  fmt::format("{} has no prompt '{}'; Tab after /{}: shows "
                              "those that it has",
                              server->connection->name(), name, server->connection->name()));
    }
    auto arguments = TRY(mcp_client::prompt_arguments(*found, std::string_view(line).substr(end)));
    return mcp_client::prompt_content(*server->calls, name, std::move(arguments), ask_person_,
                                      wait);
  };
  auto content = get();
  if (!content) {
    std::string& message = content.error().message;
    message = server->connection->redactor().redacted(message);
  }
  return content;
}

// Those that it lists, and what a template may become as far as the server says.
std::vector<std::string> ChatServers::uris_for(Server& server, std::string_view typed) {
  std::vector<std::string> uris;
  for (const auto& resource : resources_of(server)) {
    if (!resource.is_template) {
      if (resource.uri.starts_with(typed)) uris.push_back(resource.uri);
      continue;
    }
    const std::size_t brace = resource.uri.find('{');
    const std::string before = resource.uri.substr(0, brace);
    if (before.starts_with(typed) && before != typed) uris.push_back(before);
    if (!typed.starts_with(before) || brace == std::string::npos) continue;
    const std::size_t end = resource.uri.find('}', brace);
    if (end == std::string::npos) continue;
    const std::string variable = resource.uri.substr(brace + 1, end - brace - 1);
    const std::string_view value = typed.substr(before.size());
    for (const std::string& each : mcp_client::completed_values(
             *server.connection, {{"type", "ref/resource"}, {"uri", resource.uri}}, variable, value,
             {.timeout = kTypingTime})) {
      const std::string rest = resource.uri.substr(end + 1);
      const bool is_whole = rest.find('{') == std::string::npos;
      uris.push_back(before + each + (is_whole ? rest : rest.substr(0, rest.find('{'))));
    }
  }
  return uris;
}

std::vector<std::string> ChatServers::arguments_for(Server& server, std::string_view prompt,
                                                    std::string_view typed) {
  const auto& prompts = prompts_of(server);
  const auto found = std::ranges::find(prompts, prompt, &mcp_client::ServerPrompt::name);
  const auto index = static_cast<std::size_t>(std::ranges::count(typed, ' '));
  if (found == prompts.end() || index >= found->arguments.size()) return {};
  const std::string_view word = typed.substr(typed.rfind(' ') + 1);
  return mcp_client::completed_values(*server.connection,
                                      {{"type", "ref/prompt"}, {"name", prompt}},
                                      found->arguments[index].name, word, {.timeout = kTypingTime});
}

std::vector<std::string> ChatServers::completions_of(std::string_view typed) {
  std::vector<std::string> lines;
  const std::size_t between = typed.find_last_of(kBetween);
  const std::size_t begin = between == std::string_view::npos ? 0 : between + 1;
  const std::string_view word = typed.substr(begin);
  const std::size_t colon = word.find(':');
  const bool is_prompt = begin == 0 && word.starts_with('/');
  if (is_prompt || word.starts_with('@')) {
    if (colon == std::string_view::npos) {
      for (const Server& server : servers_) {
        const std::string name = fmt::format("{}{}:", word.front(), server.connection->name());
        if (name.starts_with(word))
          lines.push_back(fmt::format("{}{}", typed.substr(0, begin), name));
      }
      return lines;
    }
    Server* server = server_in(word.substr(1, colon - 1));
    if (server == nullptr) return lines;
    const std::string_view rest = word.substr(colon + 1);
    const std::string_view before = typed.substr(0, begin + colon + 1);
    if (!is_prompt) {
      for (const std::string& uri : uris_for(*server, rest)) {
        lines.push_back(fmt::format("{}{}", before, uri));
      }
      return lines;
    }
    for (const auto& prompt : prompts_of(*server)) {
      if (prompt.name.starts_with(rest)) lines.push_back(fmt::format("{}{}", before, prompt.name));
    }
    return lines;
  }
  // An argument of a prompt.
  const std::string_view first = typed.substr(0, typed.find_first_of(kBetween));
  const std::size_t named = first.find(':');
  if (!first.starts_with('/') || named == std::string_view::npos || first.size() == typed.size()) {
    return lines;
  }
  Server* server = server_in(first.substr(1, named - 1));
  if (server == nullptr) return lines;
  for (const std::string& value :
       arguments_for(*server, first.substr(named + 1), typed.substr(first.size() + 1))) {
    lines.push_back(fmt::format("{}{}", typed.substr(0, begin), value));
  }
  return lines;
}

}  // namespace wright::app
