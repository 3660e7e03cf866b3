// What a server has beside its tools, for a person to use: resources, prompts, and how their names
// go on.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mcp_client/connection.h"
#include "mcp_client/remote_call.h"

namespace wright::mcp_client {

struct ServerResource {
  std::string uri = {};  // of a template: "test://{id}/data"
  std::string title = {};
  bool is_template = false;
};
// Those that it lists, and the templates of others.
Result<std::vector<ServerResource>> server_resources(Connection& connection,
                                                     const WaitOptions& options);

// Asks the person what the server asks before it answers. Nothing: they gave up. Where it is
// empty, nobody can be asked.
using AskPerson = std::function<Result<std::optional<WaitAnswers>>(const Waiting& waiting)>;

// What is there now: its text, and its images. Other bytes are named, not shown.
Result<Output> resource_content(RemoteCalls& calls, std::string_view uri,
                                const AskPerson& ask_person, const WaitOptions& options);

struct ServerPrompt {
  struct Argument {
    std::string name = {};
    bool is_required = false;
  };
  std::string name = {};
  std::string title = {};
  std::vector<Argument> arguments = {};
};
Result<std::vector<ServerPrompt>> server_prompts(Connection& connection,
                                                 const WaitOptions& options);

// Words that were typed behind a prompt's name, as its arguments: name=value, or else in their
// order; the last one takes the rest.
Result<JsonObject> prompt_arguments(const ServerPrompt& prompt, std::string_view words);

// The prompt as one message of a person, with its images. Where it has several, each says who
// speaks.
Result<Output> prompt_content(RemoteCalls& calls, std::string_view prompt, JsonObject arguments,
                              const AskPerson& ask_person, const WaitOptions& options);

// How a value that begins so may go on; none where the server does not say. `ref` is
// {type: "ref/prompt", name} or {type: "ref/resource", uri}.
std::vector<std::string> completed_values(Connection& connection, JsonObject ref,
                                          std::string_view argument, std::string_view typed,
                                          const WaitOptions& options);

}  // namespace wright::mcp_client
