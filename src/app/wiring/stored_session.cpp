#include "app/wiring/stored_session.h"

#include <fmt/format.h>

#include <charconv>

#include "app/terminal/screen_text.h"
#include "app/wiring/session_store.h"
#include "core/try.h"
#include "wright/driver.h"

namespace wright::app {
Error no_such_session(std::string_view id) {
  return {ErrorCode::not_found, fmt::format("there is no session {}", id), {}};
}

Result<SessionId> session_id_from(const std::string& text, Store* store) {
  if (text == "last") {
    if (store == nullptr) return std::unexpected(no_such_session("yet"));
    const auto newest =
        TRY(store->list_sessions({.is_root = true, .limit = 1, .keeps_damaged = true}));
    if (newest.empty()) return std::unexpected(no_such_session("yet"));
    return newest.front().id;
  }
  SessionId id = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, id);
  if (error != std::errc() || stopped != end || id < 1) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("'{}' is no session's number; `wright sessions` lists them", text));
  }
  if (store == nullptr) return std::unexpected(no_such_session(text));
  return id;
}

Result<SessionId> find_session_in(Store* store, const std::string& text) {
  const auto id = TRY(session_id_from(text, store));
  const auto session = store->get_session(id);
  if (session) return id;
  if (session.error().code == ErrorCode::not_found) return std::unexpected(no_such_session(text));
  return std::unexpected(session.error());
}

Result<FoundSession> find_session(const std::string& text, const Settings& settings) {
  auto store = TRY(open_existing_store(settings));
  const auto id = TRY(find_session_in(store.get(), text));
  return FoundSession{std::move(store), id};
}

Result<Session> find_root(Store& store, SessionId id) {
  auto root = root_session(store, id);
  if (!root && root.error().code == ErrorCode::not_found) {
    return std::unexpected(no_such_session(fmt::to_string(id)));
  }
  return root;
}

std::string words_on_damaged(const Session& session) {
  return fmt::format("{}. `wright sessions rm {}` removes it.",
                     on_one_line(session.error.value_or("")), session.id);
}

ExitCode complain_about(const Error& error, Console& console, std::string_view list) {
  console.complain(error.message, error.code == ErrorCode::not_found
                                      ? fmt::format("`{}` lists what there is.", list)
                                      : "");
  if (error.code == ErrorCode::rate_limited) return ExitCode::busy;
  return error.code == ErrorCode::invalid_argument ? ExitCode::usage : ExitCode::failed;
}

}  // namespace wright::app
