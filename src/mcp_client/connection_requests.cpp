// Requests of a connection that are answered at once: nobody is asked in the middle.
#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "core/try.h"
#include "mcp_client/connection.h"
#include "mcp_client/connection_state.h"

namespace wright::mcp_client {
namespace {

constexpr std::size_t kMostItems = 10'000;
constexpr std::size_t kMostListBytes = 32 << 20;

// Capabilities, and what a server is asked to tell of them (2026-07-28).
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kListKeys{
    {{"tools", "toolsListChanged"},
     {"prompts", "promptsListChanged"},
     {"resources", "resourcesListChanged"}}};

bool tells(const mcp::ServerView& server, std::string_view capability, std::string_view what) {
  const JsonObject* own = mcp::object_in(server.capabilities, capability);
  const Json* value = own != nullptr ? own->if_contains(what) : nullptr;
  return value != nullptr && value->is_bool() && value->get_bool();
}

mcp::Change change_of(std::string_view method) {
  if (method.starts_with("tools/")) return mcp::Change::tools;
  return method.starts_with("prompts/") ? mcp::Change::prompts : mcp::Change::resources;
}

// What the server says of an answer (2026-07-28).
std::optional<std::chrono::milliseconds> time_to_live(const JsonObject& result) {
  constexpr std::int64_t kLongest = 24LL * 3600 * 1000;
  const Json* given = result.if_contains("ttlMs");
  if (given == nullptr || !given->is_int64() || given->get_int64() < 0) return std::nullopt;
  return std::chrono::milliseconds(std::min(given->get_int64(), kLongest));
}

// For requests in which nothing is done by the server.
std::unexpected<Error> unanswered(std::string_view server, std::string_view method,
                                  const Reached& reached) {
  ErrorCode code = ErrorCode::unavailable;
  std::string why = "it needs input";
  if (const auto* problem = std::get_if<mcp::Problem>(&reached)) {
    code = ErrorCode::protocol;
    why = problem->message;
  } else if (const auto* lost = std::get_if<Lost>(&reached)) {
    code = lost->code;
    why = lost->why;
  }
  return fail(code, fmt::format("The MCP server {} does not answer {}: {}", server, method, why));
}

}  // namespace

Result<JsonObject> Connection::ask(std::string_view method, JsonObject params,
                                   const WaitOptions& options) {
  WaitOptions whole = options;
  if (!whole.deadline) whole.deadline = std::chrono::steady_clock::now() + options.timeout;
  const auto call = TRY(begin(method, std::move(params), options.stop));
  while (true) {
    auto reached = TRY(wait(call, whole));
    if (auto* result = std::get_if<JsonObject>(&reached)) return std::move(*result);
    const auto* asked = std::get_if<Asked>(&reached);
    if (asked == nullptr) return unanswered(name(), method, reached);
    answer(call, asked->id,
           mcp::Problem{mcp::code::kInvalidRequest, "nobody can be asked about this request"});
  }
}

Result<JsonObject> Connection::ask_kept(std::string_view method, const JsonObject& params,
                                        const std::function<Result<Answered>()>& ask) {
  const std::uint64_t version = changes(change_of(method));
  std::string key = fmt::format("{} {}", method, to_text(params));
  if (auto kept = kept_.find(key, version)) {
    if (JsonObject* result = kept->if_object()) return std::move(*result);
  }
  const auto began = AnswerCache::Clock::now();
  auto answered = TRY(ask());
  const auto holds = time_to_live(answered.result);
  if (holds && answered.may_be_kept) {
    kept_.keep(std::move(key), version, began + *holds, answered.result);
  }
  return std::move(answered.result);
}

std::optional<std::chrono::steady_clock::time_point> Connection::holds_until(
    std::string_view method) {
  return kept_.holds_until(method);
}

Result<JsonArray> Connection::list(std::string_view method, std::string_view key,
                                   const WaitOptions& options) {
  WaitOptions whole = options;
  if (!whole.deadline) whole.deadline = std::chrono::steady_clock::now() + options.timeout;
  const auto refuse = [&](std::string_view why) {
    return fail(ErrorCode::limit_reached,
                fmt::format("The MCP server {} {} in answer to {}", name(), why, method));
  };
  const std::uint64_t version = changes(change_of(method));
  if (auto kept = kept_.find(method, version)) {
    if (JsonArray* items = kept->if_array()) return std::move(*items);
  }
  const std::size_t bytes_before = state_->bytes_received();
  JsonArray items;
  JsonObject params;
  const auto began = AnswerCache::Clock::now();
  std::optional<std::chrono::milliseconds> holds;  // the shortest of all pages
  std::set<std::string, std::less<>> cursors;
  while (true) {
    JsonObject result = TRY(ask(method, params, whole));
    Json* listed = result.if_contains(key);
    if (listed == nullptr || !listed->is_array()) {
      return fail(
          ErrorCode::protocol,
          fmt::format("The MCP server {} answers {} without a list of {}", name(), method, key));
    }
    JsonArray& page = listed->get_array();
    if (items.size() + page.size() > kMostItems) {
      return refuse(fmt::format("lists more than {} {}", kMostItems, key));
    }
    for (Json& each : page) items.push_back(std::move(each));
    const auto page_holds = time_to_live(result);
    if (params.empty()) {
      holds = page_holds;
    } else {
      holds = holds && page_holds ? std::min(holds, page_holds) : std::nullopt;
    }
    if (state_->bytes_received() - bytes_before > kMostListBytes) {
      return refuse(fmt::format("sends more than {} MB", kMostListBytes >> 20));
    }
    const JsonString* cursor = mcp::string_in(result, "nextCursor");
    if (cursor == nullptr) {
      if (holds) kept_.keep(std::string(method), version, began + *holds, items);
      return items;
    }
    if (cursors.size() >= kMostItems) return refuse("sends pages without end");
    if (!cursors.emplace(*cursor).second) return refuse("sends the same page again and again");
    params = {{"cursor", *cursor}};
  }
}

// Older servers are told of one more; the newest revision has one request that lists them all, for
// as long as it is open.
Result<void> Connection::listen(const mcp::ServerView& server, const std::stop_token& stop) {
  JsonObject wanted;
  if (!watched_.empty()) {
    JsonArray uris;
    for (const std::string& each : watched_) uris.emplace_back(each);
    wanted["resourceSubscriptions"] = std::move(uris);
  }
  if (watches_lists_) {
    for (const auto& [capability, key] : kListKeys) {
      if (tells(server, capability, "listChanged")) wanted[key] = true;
    }
  }
  return state_->listen({{"notifications", std::move(wanted)}}, stop);
}

Result<void> Connection::watch_lists(const WaitOptions& options) {
  const auto server = TRY(open(options.stop));
  if (server.era == mcp::Era::legacy) return {};
  const bool any = std::ranges::any_of(
      kListKeys, [&](const auto& each) { return tells(server, each.first, "listChanged"); });
  const std::lock_guard lock(watching_);
  if (!any || (watches_lists_ && state_->is_listening())) return {};
  watches_lists_ = true;
  return listen(server, options.stop);
}

Result<void> Connection::watch(std::string_view uri, const WaitOptions& options) {
  const auto server = TRY(open(options.stop));
  const std::lock_guard lock(watching_);
  if (!tells(server, "resources", "subscribe")) {
    return fail(ErrorCode::unsupported,
                fmt::format("The MCP server {} does not tell what changes", name()));
  }
  if (server.era == mcp::Era::legacy) {
    TRY(ask(kSubscribe, {{"uri", uri}}, options));
    state_->subscribed(std::string(uri));
    return {};
  }
  watched_.emplace(uri);
  return listen(server, options.stop);
}

}  // namespace wright::mcp_client
