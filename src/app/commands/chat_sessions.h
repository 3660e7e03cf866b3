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

// A session as it was before the user's last message.
struct CutSession {
  SessionId id = 0;       // a copy; 0: there was nothing before it
  std::string said = {};  // the message
};
Result<CutSession> before_last_message(Store& store, SessionId id);

// Of the repository that the folder is in; see git_branch().
std::string branch_of(const Settings& settings);

// A line each: number, status, age, prompt.
std::string session_list(const std::vector<Session>& sessions, const Terminal& screen);

}  // namespace wright::app
