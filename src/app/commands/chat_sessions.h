// The stored sessions that a chat can go on with.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/settings/settings.h"
#include "app/terminal/terminal.h"
#include "wright/store.h"

namespace wright::app {

// The newest one of this folder that is no specialist's. Another folder's is offered, never taken.
Result<Session> last_session(Store& store, const std::optional<std::string>& agent,
                             const Settings& settings, const Environment& environment);

// By a number, or a word such as "last"; the session at the top of its tree.
Result<Session> find_session(Store& store, const std::string& text);

// The last ones of this folder, newest first; with words: those of any folder whose prompt or
// result has them.
Result<std::vector<Session>> sessions_of_folder(Store& store, const Settings& settings,
                                                const std::string& words);

// The branch of the repository that the folder is in, as `.git` says it; empty: none.
std::string branch_of(const Settings& settings);

// A line each: number, status, age, prompt.
std::string session_list(const std::vector<Session>& sessions, const Terminal& screen);

}  // namespace wright::app
