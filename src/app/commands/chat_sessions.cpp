#include "app/commands/chat_sessions.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "app/settings/paths.h"
#include "app/terminal/screen_text.h"
#include "app/wiring/git_branch.h"
#include "app/wiring/session_beginning.h"
#include "app/wiring/stored_session.h"
#include "core/try.h"
#include "project/notes.h"
#include "store/damage.h"
#include "wright/driver.h"

namespace wright::app {
namespace {

constexpr std::size_t kMostListed = 15;
constexpr std::size_t kMostLookedAt = 500;

}  // namespace

Result<Session> last_session(Store& store, const std::optional<std::string>& agent,
                             const Settings& settings, const Environment& environment) {
  const auto here = folder_of(settings);
  std::optional<Session> newest;
  for (const std::size_t limit : {std::size_t{50}, std::numeric_limits<std::size_t>::max()}) {
    const auto sessions =
        TRY(store.list_sessions({.agent_name = agent, .limit = limit, .keeps_damaged = true}));
    for (const Session& session : sessions) {
      if (session.parent_session_id || store::is_damaged(session)) continue;
      if (folder_of(session) == here) return session;
      if (!newest) newest = session;
    }
    if (sessions.size() < limit) break;
  }
  if (!newest) return std::unexpected(no_such_session("yet"));
  const auto folder = folder_of(*newest);
  const std::string where =
      folder.empty() ? "" : fmt::format(" of {}", shorten_home(folder, environment));
  return fail(ErrorCode::not_found,
              on_one_line(fmt::format(
                  "there is no session of this folder yet. The newest is session {}{}: `wright "
                  "chat --session {}` goes on with it",
                  newest->id, where, newest->id)));
}

Result<Session> find_session(Store& store, const std::string& text) {
  const auto id = TRY(session_id_from(text, &store));
  return find_root(store, id);
}

Result<std::vector<Session>> sessions_of_folder(Store& store, const Settings& settings,
                                                const std::string& words) {
  const auto here = folder_of(settings);
  const auto all = TRY(store.list_sessions(
      {.text = words, .is_root = true, .limit = kMostLookedAt, .keeps_damaged = true}));
  std::vector<Session> found;
  for (const Session& session : all) {
    if (words.empty() && folder_of(session) != here) continue;
    found.push_back(session);
    if (found.size() == kMostListed) break;
  }
  return found;
}

Result<CutSession> before_last_message(Store& store, SessionId id) {
  if (id == 0) return fail(ErrorCode::unavailable, "nothing has been said yet");
  const auto messages = TRY(store.get_messages(id));
  const auto last = std::ranges::find_if(
      messages.rbegin(), messages.rend(),
      [](const StoredMessage& stored) { return stored.message.is_from_user(); });
  if (last == messages.rend()) return fail(ErrorCode::unavailable, "nothing has been said yet");
  CutSession cut{.said = last->message.text()};
  const auto before = std::next(last);
  if (before != messages.rend()) cut.id = TRY(store.fork_session(id, before->id));
  return cut;
}

std::string branch_of(const Settings& settings) {
  return git_branch(project::project_root(settings.base_path(), settings.home_folder()));
}

std::string session_list(const std::vector<Session>& sessions, const Terminal& screen) {
  if (sessions.empty()) return "  There are no such sessions.\n";
  std::string text;
  for (const Session& session : sessions) {
    const std::string lead = fmt::format("  {:>5}  {:<9}  {}  ", session.id,
                                         to_string(session.status), session.agent_name);
    const std::size_t room = screen.columns - std::min(screen.columns - 1, columns_of(lead));
    text += lead + shortened(on_one_line(session.user_prompt), room) + "\n";
  }
  return text;
}

}  // namespace wright::app
