#include "mcp_server/session_resources.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

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
                         JsonArray{JsonObject{{"uriTemplate", fmt::format("{}{{id}}", kPrefix)},
                                              {"name", "session"},
                                              {"description",
                                               "A stored session: what was asked, which tools ran, "
                                               "and what was answered"},
                                              {"mimeType", "text/markdown"}}}}}};
}

mcp::WorkOutcome read_session(Store& store, const JsonObject& params) {
  const std::string uri = mcp::text_in(params, "uri");
  const auto id =
      uri.starts_with(kPrefix) ? id_in(std::string_view(uri).substr(kPrefix.size())) : std::nullopt;
  const mcp::Problem absent{mcp::code::kInvalidParams, "there is no such resource",
                            JsonObject{{"uri", to_valid_utf8(uri.substr(0, 1000))}}};
  if (!id) return absent;
  const auto session = store.get_session(*id);
  if (!session && session.error().code == ErrorCode::not_found) return absent;
  if (!session) return problem_of(session.error());
  const auto messages = store.get_messages(*id);
  if (!messages) return problem_of(messages.error());
  return mcp::Finished{
      {{"contents", JsonArray{JsonObject{{"uri", uri},
                                         {"mimeType", "text/markdown"},
                                         {"text", transcript_of(*session, *messages)}}}}}};
}

mcp::WorkOutcome complete_session(Store& store, const JsonObject& params) {
  const JsonObject* argument = mcp::object_in(params, "argument");
  const std::string begun = argument != nullptr ? mcp::text_in(*argument, "value") : "";
  const auto sessions =
      store.list_sessions({.is_root = true, .limit = 1000, .keeps_damaged = true});
  if (!sessions) return problem_of(sessions.error());
  JsonArray values;
  for (const Session& session : *sessions) {
    std::string id = fmt::format("{}", session.id);
    if (id.starts_with(begun) && values.size() < 100) values.emplace_back(std::move(id));
  }
  return mcp::Finished{{{"completion", JsonObject{{"values", std::move(values)}}}}};
}

}  // namespace wright::mcp_server
