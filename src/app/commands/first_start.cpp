#include "app/commands/first_start.h"

#include <filesystem>

#include "app/commands/commands.h"
#include "app/terminal/screen_text.h"
#include "app/terminal/standard_input.h"
#include "app/wiring/coding_settings.h"
#include "core/text.h"

namespace wright::app {
namespace {

bool is_first_start(const Settings& settings, CommandContext context) {
  if (!standard_input_is_terminal() || !context.console.error().is_terminal) return false;
  if (settings.get(keys::kModel).origin.source != Source::fallback) return false;
  if (settings.store().is_postgres() || settings.store().is_server()) return false;
  if (settings.keeps_sessions_in_memory()) return false;
  std::error_code ignored;
  return !std::filesystem::exists(settings.database_path(), ignored);
}

// Whether they did.
bool chooses_a_model(const SettingFlags& flags, CommandContext context) {
  Console& console = context.console;
  console.remark(
      "No model is configured yet: the offline planner would answer, which is no "
      "language model.");
  // What is typed may be meant for the chat already: it is no answer to this.
  for (int asked = 0; asked < 3; ++asked) {
    console.note("  Choose a model now? [Y/n]  ");
    const auto typed = read_line();
    // Who leaves the question does not answer it.
    if (!typed) {
      console.note("\n");
      return false;
    }
    const std::string word = lower(on_one_line(*typed));
    if (word == "n" || word == "no") return false;
    if (word.empty() || word == "y" || word == "yes") {
      return execute(InitCommand{.settings = flags}, context) == ExitCode::ok;
    }
    console.note("  y or n, please; the chat begins after it.\n");
  }
  return false;
}

}  // namespace

std::optional<ChatSettings> settings_of_chat(const ChatCommand& command, CommandContext context) {
  auto settings = settings_or_complain(command.settings, context);
  if (!settings) return std::nullopt;
  const bool asks_for_old = command.which != ChatCommand::Which::fresh;
  if (command.input == Input::none || asks_for_old || !is_first_start(*settings, context)) {
    return ChatSettings{std::move(*settings)};
  }
  if (!chooses_a_model(command.settings, context)) {
    context.console.note("  `wright init` chooses one later.\n");
    return ChatSettings{std::move(*settings), true};
  }
  settings = settings_or_complain(command.settings, context);
  if (!settings) return std::nullopt;
  return ChatSettings{std::move(*settings), true};
}

void remark_on_planner(const Agent& agent, const Settings& settings, Console& console) {
  if (agent.name != kCodingAgent || agent.model.provider() != "offline" || settings.file()) return;
  console.remark(
      "The offline planner answers, which is no language model. `wright init` chooses one.");
}

}  // namespace wright::app
