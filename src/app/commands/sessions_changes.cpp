// `wright sessions diff` and `wright sessions undo`: what a session changed in files.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/commands/commands.h"
#include "app/settings/paths.h"
#include "app/terminal/screen_text.h"
#include "app/terminal/standard_input.h"
#include "app/wiring/coding_settings.h"
#include "app/wiring/file_history.h"
#include "app/wiring/session_beginning.h"
#include "app/wiring/stored_session.h"
#include "core/try.h"
#include "wright/driver.h"

namespace wright::app {
namespace {

struct SessionFiles {
  FoundSession found;
  Settings settings;  // with the folder that the session worked in
};

Result<SessionFiles> files_of(const std::string& id, const SettingFlags& flags,
                              CommandContext context) {
  const auto here = TRY(load_settings(flags, context.environment));
  auto found = TRY(find_session(id, here));
  const auto session = TRY(found.store->get_session(found.id));
  auto settings =
      TRY(load_settings(flags_as_begun(session.config, flags, here), context.environment));
  return SessionFiles{std::move(found), std::move(settings)};
}

// What it changes meanwhile would be taken for the person's.
Result<void> check_nobody_drives(Store& store, SessionId id) {
  TRY(end_dead_runners(store));
  const auto session = TRY(store.get_session(id));
  if (session.status != SessionStatus::running) return {};
  const auto abandoned =
      TRY(store.list_sessions({.is_abandoned = true, .after = id - 1, .before = id + 1}));
  if (!abandoned.empty()) return {};
  return fail(
      ErrorCode::unavailable,
      fmt::format("Session {} is running: cancel it first (`wright sessions cancel {}`)", id, id));
}

}  // namespace

ExitCode execute(const SessionChangesCommand& command, CommandContext context) {
  auto files = files_of(command.id, command.settings, context);
  if (!files) return complain_about(files.error(), context.console);
  const auto part = FileHistory(files->settings, *files->found.store).of_session(files->found.id);
  if (!part) return complain_about(part.error(), context.console);
  context.console.print_foreign(tools::diff_of(part->plan));
  for (const std::string& gap : part->plan.gaps) context.console.remark(sanitised(gap));
  return ExitCode::ok;
}

ExitCode execute(const UndoSessionCommand& command, CommandContext context) {
  Console& console = context.console;
  auto files = files_of(command.id, command.settings, context);
  if (!files) return complain_about(files.error(), console);
  if (const auto ended = check_nobody_drives(*files->found.store, files->found.id); !ended) {
    return complain_about(ended.error(), console);
  }
  FileHistory history(files->settings, *files->found.store);
  const auto part = history.of_session(files->found.id);
  if (!part) return complain_about(part.error(), console);
  // "last" may be a session of another folder than this one.
  std::error_code error;
  const auto folder = std::filesystem::weakly_canonical(files->settings.base_path(), error);
  console.note(fmt::format("session {} in {}\n", files->found.id,
                           on_one_line(shorten_home(folder, context.environment))));
  console.note(sanitised(shown_plan(part->plan)));
  if (!part->plan.does_something()) {
    const bool is_known = part->plan.gaps.empty() && part->plan.is_whole();
    console.note(is_known ? "There is nothing to take back.\n" : "Nothing can be taken back.\n");
    return is_known ? ExitCode::ok : ExitCode::failed;
  }
  if (command.confirmation == Confirmation::ask) {
    if (!standard_input_is_terminal()) {
      console.complain("nobody is here to confirm", "Add --yes to take it back without asking.");
      return ExitCode::usage;
    }
    console.note("Take this back? [y/N] ");
    const std::string answer = read_line().value_or("");
    if (answer != "y" && answer != "yes") {
      console.note("Nothing was taken back.\n");
      return ExitCode::failed;
    }
  }
  if (const auto done = history.take_back(*part); !done) {
    return complain_about(done.error(), console);
  }
  const bool is_any_gone = std::ranges::any_of(part->plan.files, [](const auto& file) {
    return file.verdict == tools::UndoneFile::Verdict::remove ||
           file.verdict == tools::UndoneFile::Verdict::restore;
  });
  if (is_any_gone) {
    console.note(fmt::format("What was there until now is kept for a month in {}\n",
                             on_one_line(changes_folder(files->settings).string())));
  }
  if (!part->plan.is_whole()) {
    console.note("Taken back, but for what is left above.\n");
    return ExitCode::failed;
  }
  console.note("Taken back.\n");
  return ExitCode::ok;
}

}  // namespace wright::app
