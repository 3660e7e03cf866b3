// What the commands about stored sessions share: finding the store and the session that a person
// means, and saying what is wrong.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "app/console.h"
#include "app/settings.h"
#include "wright/store.h"

namespace wright::app {

// Null when there is no database yet: looking must not create one.
Result<std::unique_ptr<Store>> open_existing_store(const std::filesystem::path& path);

// A session's number, or `last` for the newest. `store` may be null: then there is no such session.
Result<SessionId> session_id_from(const std::string& text, Store* store);

struct FoundSession {
  std::unique_ptr<Store> store;
  SessionId id = 0;
};
// The session of that number, or `last`, in the store of the settings.
Result<FoundSession> find_session(const std::string& id, const Settings& settings);

Error no_such_session(std::string_view id);

// Says what is wrong, and gives the exit code for it.
ExitCode complain_about(const Error& error, Console& console);

}  // namespace wright::app
