// `wright trust`: agrees to the skills and hooks that came with a folder.
#include <fmt/format.h>

#include "app/commands/commands.h"
#include "app/terminal/figures.h"
#include "app/terminal/screen_text.h"
#include "app/terminal/standard_input.h"
#include "app/wiring/project_files.h"
#include "app/wiring/stored_session.h"

namespace wright::app {

ExitCode execute(const TrustCommand& command, CommandContext context) {
  Console& console = context.console;
  const auto settings = settings_or_complain(command.settings, context);
  if (!settings) return ExitCode::usage;
  const auto found = untrusted_files(*settings);
  if (!found) return complain_about(found.error(), console);
  const auto& files = *found;
  for (const std::string& problem : skills_for(*settings).problems) {
    console.note(on_one_line(problem) + "\n");
  }
  if (files.empty()) {
    console.note("Nothing in this folder has to be agreed to.\n");
    return ExitCode::ok;
  }
  for (const Untrusted& file : files) {
    console.note(fmt::format("{}\n{}\n\n", on_one_line(file.path.string()),
                             indented(sanitised(file.shown), 2)));
  }
  if (command.confirmation == Confirmation::ask) {
    if (!standard_input_is_terminal()) {
      console.complain("nobody is here to agree", "Add --yes when you have read them.");
      return ExitCode::usage;
    }
    console.note("Do you agree to all of this? [y/N] ");
    const std::string answer = read_line().value_or("");
    if (answer != "y" && answer != "yes") {
      console.note("Nothing was agreed to.\n");
      return ExitCode::failed;
    }
  }
  if (const auto done = trust(*settings, files); !done) {
    return complain_about(done.error(), console);
  }
  console.note(fmt::format("Agreed to {}.\n", show_counted(std::ssize(files), "file")));
  return ExitCode::ok;
}

}  // namespace wright::app
