// `wright sessions cancel`: asks whoever drives a session to stop it.
#include <fmt/format.h>

#include "app/commands/commands.h"
#include "app/terminal/person/person_answers.h"
#include "app/wiring/stored_session.h"

namespace wright::app {

ExitCode execute(const CancelSessionCommand& command, CommandContext context) {
  const auto settings = settings_or_complain(command.settings, context);
  if (!settings) return ExitCode::usage;
  const auto found = find_session(command.id, *settings);
  if (!found) return complain_about(found.error(), context.console);
  const std::string reason =
      command.reason.value_or(fmt::format("Cancelled by {}", person_name(context.environment)));
  if (auto asked = found->store->request_cancel(found->id, reason); !asked) {
    return complain_about(asked.error(), context.console);
  }
  context.console.note(fmt::format("Session {} is told to stop.\n", found->id));
  return ExitCode::ok;
}

}  // namespace wright::app
