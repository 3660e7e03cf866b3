#include "mcp_server/session_resources.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <charconv>

#include "store/damage.h"

namespace wright::mcp_server {
namespace {

constexpr std::string_view kPrefix = "wright://sessions/";
constexpr std::size_t kPageSize = 50;
constexpr std::size_t kLongestTitle = 80;

std::optional<SessionId> id_in(std::string_view text) {
  SessionId id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc() || end != text.data() + text.size() || id <= 0) return std::nullopt;
  return id;
}

std::string session_template() {
  return fmt::format("{}{{id}}", kPrefix);
}

mcp::Problem problem_of(const Error& error) {
  return {mcp::code::kInternalError, error.message};
}

std::string transcript_of(const Session& session, const std::vector<StoredMessage>& messages) {
  std::string text =
      fmt::format("# Session {}: {}\n\nStatus: {}\nModel: {}:{}\n", session.id, session.agent_name,
                  to_string(session.status), session.provider, session.model);
  if (session.error) text += fmt::format("Error: {}\n", *session.error);
  for (const StoredMessage& message : messages) {
    text += fmt::format("\n## {}\n\n{}\n", to_string(message.message.role), message.content);
    for (const ToolCall& call : message.message.tool_calls()) {
      text += fmt::format("\n- {} {}\n", call.name, call.arguments);
    }
  }
  return to_valid_utf8(std::move(text));
}

}  // namespace

mcp::WorkOutcome list_sessions(Store& store, const JsonObject& params) {
  SessionFilter filter{.is_root = true, .limit = kPageSize, .keeps_damaged = true};
  if (params.contains("cursor")) {
    const auto before = id_in(mcp::text_in(params, "cursor"));
    if (!before) return mcp::Problem{mcp::code::kInvalidParams, "there is no such page"};
    filter.before = *before;
  }
  const auto sessions = store.list_sessions(filter);
  if (!sessions) return problem_of(sessions.error());
  JsonArray list;
  for (const Session& session : *sessions) {
    JsonObject resource{
        {"uri", fmt::format("{}{}", kPrefix, session.id)},
        {"name", fmt::format("session-{}", session.id)},
        {"title", to_valid_utf8(fmt::format("{}: {}", session.agent_name,
                                            utf8_prefix(session.user_prompt, kLongestTitle)))},
        {"mimeType", "text/markdown"}};
    if (store::is_damaged(session)) {
      resource["description"] = to_valid_utf8(session.error.value_or("It cannot be read"));
    }
    list.push_back(std::move(resource));
  }
  JsonObject result{{"resources", std::move(list)}};
  if (sessions->size() == kPageSize) {
    result["nextCursor"] = fmt::format("{}", sessions->back().id);
  }
  return mcp::Finished{std::move(result)};
}

mcp::WorkOutcome list_session_templates() {
  return mcp::Finished{{{"resourceTemplates",
                         JsonArray{JsonObject{{"uriTemplate", session_template()},
                                              {"name", "session"},
                                              {"description",
                                               "A stored session: what was asked, which tools ran, "
                                               "and what was answered"},
                                              {"mimeType", "text/markdown"}}}}}};
}

mcp::WorkOutcome read_session(Store& store, const JsonObject& params) {
  const std::string uri = mcp::text_in(params, "uri");
  const std::string_view number = uri.starts_with(kPrefix)
                                      ? std::string_view(uri).substr(kPrefix.size())
                                      : std::string_view();
  const SessionId id = id_in(number).value_or(0);
  const mcp::Problem absent{mcp::code::kInvalidParams, "there is no such resource",
                            JsonObject{{"uri", to_valid_utf8(uri.substr(0, 1000))}}};
  if (id == 0) return absent;
  const auto session = store.get_session(id);
  if (!session && session.error().code == ErrorCode::not_found) return absent;
  if (!session) return problem_of(session.error());
  const auto messages = store.get_messages(id);
  if (!messages) return problem_of(messages.error());
  return mcp::Finished{
      {{"contents", JsonArray{JsonObject{{"uri", uri},
                                         {"mimeType", "text/markdown"},
                                         {"text", transcript_of(*session, *messages)}}}}}};
}

namespace {

// Sessions whose numbers begin with these digits, newest first; one more than are asked for where
// there are more.
Result<std::vector<SessionId>> sessions_beginning(Store& store, std::string_view digits,
                                                  std::size_t most) {
  std::vector<SessionId> found;
  const auto add = [&](std::optional<SessionId> after,
                       std::optional<SessionId> before) -> Result<void> {
    const auto sessions = TRY(store.list_sessions({.is_root = true,
                                                   .after = after,
                                                   .before = before,
                                                   .limit = most + 1 - found.size(),
                                                   .keeps_damaged = true}));
    for (const Session& session : sessions) found.push_back(session.id);
    return {};
  };
  if (digits.empty()) {
    TRY(add(std::nullopt, std::nullopt));
    return found;
  }
  const auto number = id_in(digits);
  if (!number || digits.front() == '0') return found;
  const auto newest =
      TRY(store.list_sessions({.is_root = true, .limit = 1, .keeps_damaged = true}));
  if (newest.empty() || *number > newest.front().id) return found;
  // 12, 120 to 129, 1200 to 1299, …: the longest are the newest.
  std::vector<SessionId> powers{1};
  constexpr std::size_t kMostDigits = 18;
  while (powers.size() < kMostDigits && *number <= newest.front().id / (powers.back() * 10)) {
    powers.push_back(powers.back() * 10);
  }
  for (auto power = powers.rbegin(); power != powers.rend() && found.size() <= most; ++power) {
    TRY(add(*number * *power - 1, (*number + 1) * *power));
  }
  return found;
}

JsonObject completion_of(JsonArray values, bool has_more) {
  return {{"completion", JsonObject{{"values", std::move(values)}, {"hasMore", has_more}}}};
}

}  // namespace

mcp::WorkOutcome complete(Store& store, const std::vector<OfferedAgent>& agents,
                          const JsonObject& params) {
  constexpr std::size_t kMostValues = 100;  // of the protocol
  const JsonObject* ref = mcp::object_in(params, "ref");
  const std::string type = ref != nullptr ? mcp::text_in(*ref, "type") : "";
  if (type == "ref/prompt") {
    const bool is_known =
        std::ranges::find(agents, mcp::text_in(*ref, "name"), &OfferedAgent::tool) != agents.end();
    if (!is_known) return mcp::Problem{mcp::code::kInvalidParams, "there is no such prompt"};
    return mcp::Finished{completion_of({}, false)};  // what an agent is to do is for people to say
  }
  if (type != "ref/resource" || mcp::text_in(*ref, "uri") != session_template()) {
    return mcp::Problem{mcp::code::kInvalidParams, "there is no such prompt or template"};
  }
  const JsonObject* argument = mcp::object_in(params, "argument");
  if (argument == nullptr || mcp::text_in(*argument, "name") != "id") {
    return mcp::Problem{mcp::code::kInvalidParams, "the template has the argument id alone"};
  }
  const auto found = sessions_beginning(store, mcp::text_in(*argument, "value"), kMostValues);
  if (!found) return problem_of(found.error());
  JsonArray values;
  for (const SessionId id : *found) {
    if (values.size() < kMostValues) values.emplace_back(fmt::format("{}", id));
  }
  return mcp::Finished{completion_of(std::move(values), found->size() > kMostValues)};
}

}  // namespace wright::mcp_server
