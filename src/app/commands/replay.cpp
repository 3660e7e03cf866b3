// `wright replay`: a stored session again, offline, and the first thing that differs.
#include <fmt/format.h>
#include <boost/json/object.hpp>

#include "app/commands/commands.h"
#include "app/commands/replay_view.h"
#include "app/terminal/interruption.h"
#include "app/terminal/screen_text.h"
#include "app/wiring/replay_setup.h"
#include "app/wiring/stored_session.h"
#include "core/try.h"

namespace wright::app {
namespace {

struct Loaded {
  SessionId id = 0;
  RecordedSession recorded = {};
};

Result<Loaded> load(const std::string& id, const Settings& settings) {
  const auto found = TRY(find_session(id, settings));
  auto recorded = TRY(load_recording(*found.store, found.id));
  return Loaded{found.id, std::move(recorded)};
}

void print_text(const Loaded& loaded, const ReplayReport& report, Console& console) {
  const Terminal& terminal = console.output();
  const bool is_same = report.differences.empty();
  console.print(fmt::format(
      "{}  {}\n",
      painted(fmt::format("Session {} {}", loaded.id, is_same ? "is the same" : "differs"),
              is_same ? Colour::green : Colour::red, terminal),
      painted(work_of(report), Colour::dim, terminal)));
  for (const Difference& difference : report.differences) {
    console.print(fmt::format("\n{}\n", painted(place_of(difference), Colour::bold, terminal)));
    console.print(difference_view(difference, 2, terminal));
  }
}

void print_json(const Loaded& loaded, const ReplayReport& report, ToolSource tools,
                Console& console) {
  JsonObject json{{"session_id", loaded.id},
                  {"agent", loaded.recorded.agent},
                  {"status", report.differences.empty() ? "same" : "different"},
                  {"tools", tools == ToolSource::live ? "live" : "record"}};
  for (const auto& [key, value] : report_json(report)) json[key] = value;
  console.print(to_pretty_text(json) + "\n");
}

}  // namespace

ExitCode execute(const ReplayCommand& command, CommandContext context) {
  auto settings = settings_or_complain(command.settings, context);
  if (!settings) return ExitCode::usage;
  const auto loaded = load(command.id, *settings);
  if (!loaded) return complain_about(loaded.error(), context.console);
  settings = settings_or_complain(
      flags_for_replay(*settings, loaded->recorded, command.tools, RecordTrust::own), context);
  if (!settings) return ExitCode::usage;
  Interruption interruption;
  interruption.watch({});
  auto agent = agent_for_replay(loaded->recorded, *settings, command.tools, context.environment);
  if (!agent) {
    context.console.complain(agent.error().message);
    return ExitCode::failed;
  }
  const auto report = wright::replay(agent->agent, loaded->recorded,
                                     {.tools = command.tools, .stop = interruption.token()});
  if (!report) {
    context.console.complain(report.error().message);
    return interruption.has_happened() ? ExitCode::interrupted : ExitCode::failed;
  }
  if (agent->is_from_record) {
    context.console.note(
        fmt::format("The agent '{}' is not known here: what the record says of it was used.\n",
                    on_one_line(loaded->recorded.agent)));
  }
  if (command.output == OutputFormat::json) {
    print_json(*loaded, *report, command.tools, context.console);
  } else {
    print_text(*loaded, *report, context.console);
    for (const std::string& note : report->notes) {
      context.console.note(on_one_line(note) + ".\n");
    }
  }
  return report->differences.empty() ? ExitCode::ok : ExitCode::failed;
}

}  // namespace wright::app
