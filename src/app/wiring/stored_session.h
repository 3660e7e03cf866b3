// Finding a stored session by what a person typed, for every command that names one.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "app/settings/settings.h"
#include "app/terminal/console.h"
#include "wright/store.h"

namespace wright::app {

Error no_such_session(std::string_view id);

// A session's number, or `last` for the newest. `store` may be null.
Result<SessionId> session_id_from(const std::string& text, Store* store);
// The same for a session that must be there, and be readable.
Result<SessionId> find_session_in(Store* store, const std::string& text);

struct FoundSession {
  std::unique_ptr<Store> store;
  SessionId id = 0;
};
// The session of that number, or `last`, in the store of the settings.
Result<FoundSession> find_session(const std::string& text, const Settings& settings);

// The session of that number without a parent: itself, or the one at the top above it.
Result<Session> find_root(Store& store, SessionId id);

// What a person is told of a session that is_damaged().
std::string words_on_damaged(const Session& session);

// `list` is the command that lists what a missing thing may have been.
ExitCode complain_about(const Error& error, Console& console,
                        std::string_view list = "wright sessions");

}  // namespace wright::app
