// `wright run`: one agent, one prompt, one answer.
#include <fmt/format.h>

#include "app/commands/agent_run.h"
#include "app/commands/commands.h"
#include "app/commands/interrupted_sessions.h"
#include "app/terminal/screen_text.h"
#include "app/terminal/standard_input.h"
#include "app/wiring/coding_settings.h"
#include "app/wiring/model_wiring.h"
#include "app/wiring/project_files.h"
#include "app/wiring/remote_api.h"
#include "app/wiring/session_beginning.h"
#include "app/wiring/session_store.h"
#include "app/wiring/shipped.h"
#include "app/wiring/stored_session.h"
#include "app/wiring/telemetry_wiring.h"
#include "core/try.h"
#include "core/user_message.h"
#include "postgres/hints.h"
#include "project/attachment.h"
#include "wright/json.h"

namespace wright::app {
namespace {

// The prompt of the command line or of standard input; absent after a complaint.
std::optional<std::string> words_or_complain(const RunCommand& command, Console& console) {
  std::string prompt = command.prompt.value_or("-");
  if (prompt == "-") {
    if (!command.prompt && standard_input_is_terminal()) {
      console.complain("the prompt is missing",
                       fmt::format("Write it after the agent: wright run {} \"…\"; or pipe it in.",
                                   command.agent));
      return std::nullopt;
    }
    auto input = read_standard_input();
    if (!input) {
      console.complain(input.error().message);
      return std::nullopt;
    }
    prompt = std::move(*input);
    while (prompt.ends_with('\n') || prompt.ends_with('\r')) prompt.pop_back();
  }
  if (on_one_line(prompt).empty() && command.images.empty()) {
    console.complain("the prompt is empty", "Say what the agent should do.");
    return std::nullopt;
  }
  return to_valid_utf8(std::move(prompt));
}

// With the files that go along.
std::optional<Message> prompt_or_complain(const RunCommand& command, Console& console) {
  std::vector<Image> images;
  for (const std::string& path : command.images) {
    auto image = project::read_attachment(path);
    if (!image) {
      console.complain("--image: " + image.error().message);
      return std::nullopt;
    }
    images.push_back(std::move(*image));
  }
  auto words = words_or_complain(command, console);
  if (!words) return std::nullopt;
  auto message = checked_user_message(user_message(std::move(*words), std::move(images)));
  if (message) return std::move(*message);
  console.complain(message.error().message);
  return std::nullopt;
}

Result<Json> schema_from(const std::string& given) {
  const std::size_t begin = given.find_first_not_of(" \t\r\n");
  if (begin != std::string::npos && given[begin] == '{') return parse_json(given);
  const auto text = TRY(read_input_file(given));
  return parse_json(text);
}

// The schema of the command line that answers are to fit, without keys: it is sent and kept.
std::optional<Json> schema_or_complain(const std::string& given, const Settings& settings,
                                       CommandContext context) {
  auto schema = schema_from(given);
  if (schema) {
    if (const auto compiled = JsonSchema::compile(*schema); !compiled) {
      schema = std::unexpected(compiled.error());
    } else if (!compiled->warnings().empty()) {
      // What is printed fits the schema, all of it: a rule that cannot be checked is no rule.
      schema = fail(ErrorCode::invalid_argument,
                    "A rule of it cannot be checked: " + compiled->warnings().front());
    }
  }
  if (!schema) {
    context.console.complain(
        fmt::format("--schema {}: {}", on_one_line(given), schema.error().message),
        "It takes a file with a JSON schema, or the schema itself in quotes.");
    return std::nullopt;
  }
  return without_keys(std::move(*schema), known_keys(settings, context.environment));
}

}  // namespace

namespace {

AgentRunOptions options_of_run(const RunCommand& command) {
  return {.output = command.output,
          .verbosity = command.verbosity,
          .streaming = command.streaming,
          .input = command.input,
          .debug = command.debug,
          .tenant = command.tenant};
}

// The agent, its settings and its folder are the server's.
ExitCode run_at_server(const RunCommand& command, const Settings& settings,
                       CommandContext context) {
  AgentRun::AtServer wanted;
  if (command.schema) {
    wanted.schema = schema_or_complain(*command.schema, settings, context);
    if (!wanted.schema) return ExitCode::usage;
  }
  if (command.queueing.is_wanted) {
    JsonArray labels;
    for (const std::string& label : command.queueing.labels) labels.emplace_back(label);
    wanted.queue = {{"priority", command.queueing.priority},
                    {"delay_ms", command.queueing.delay.count()},
                    {"labels", std::move(labels)}};
  }
  const auto prompt = prompt_or_complain(command, context.console);
  if (!prompt) return ExitCode::usage;
  const auto api = open_server(settings.store());
  return AgentRun(options_of_run(command), settings, context)
      .begin_at(*api, canonical_agent_name(command.agent), *prompt, std::move(wanted));
}

// What the session asks for, its specialists included.
std::vector<std::string> labels_of(const ReadyAgent& ready, std::vector<std::string> more) {
  for (const ReadyAgent& specialist : ready.specialists) {
    more = labels_of(specialist, std::move(more));
  }
  return labels_for(ready.chosen.agent, std::move(more));
}

// Leaves the session to whoever claims it.
ExitCode queue_session(const RunCommand& command, const ReadyAgent& ready, const Message& said,
                       const Settings& settings, CommandContext context) {
  // Whoever drives it asks nobody about it.
  const auto submitted = ready.hooks->submitted(said, 0, {});
  if (!submitted) return complain_about(submitted.error(), context.console);
  const Message& prompt = *submitted;
  auto store = open_store(settings);
  if (!store) return complain_about(store.error(), context.console);
  const Agent& agent = ready.chosen.agent;
  NewSession session{
      .agent_name = agent.name,
      .provider = agent.model.provider(),
      .model = agent.model.name(),
      .user_prompt = title_of(prompt),
      .config = config_with_trace(session_config(ready, settings), context.environment),
      .is_queued = true,
      .priority = command.queueing.priority,
      .labels = labels_of(ready, command.queueing.labels),
      .tenant = command.tenant};
  if (!agent.instructions.empty()) session.system_prompt = agent.instructions;
  if (command.queueing.delay.count() > 0) {
    session.ready_at = system_clock_ms() + command.queueing.delay.count();
  }
  // Words alone stand in the session itself.
  Batch batch{.create = std::move(session)};
  if (prompt != Message::user(prompt.text())) batch.writes.emplace_back(AppendMessage{0, prompt});
  settings.queue_limits().add_to(batch.writes, command.tenant);
  const auto created = std::move((*store)->apply_all({&batch, 1}).front());
  if (!created) return complain_about(created.error(), context.console);
  const SessionId id = created->session;
  const StorePlace& place = settings.store();
  // Without the hint, workers find it when they look next.
  if (place.is_postgres()) (void)postgres::send_hint(place.uri, place.schema);
  if (command.output == OutputFormat::json) {
    context.console.print_json(
        to_text(Json{{"session_id", id}, {"status", to_string(SessionStatus::queued)}}) + "\n");
  } else {
    context.console.print(fmt::format("{}\n", id));
  }
  return ExitCode::ok;
}

struct Begun {
  ExitCode code = ExitCode::ok;
  SessionId session = 0;
  bool was_broken_off = false;
};

Begun begin_here(const RunCommand& command, const Settings& settings, ReadyAgent agent,
                 const Message& prompt, CommandContext context) {
  AgentRun run(options_of_run(command), settings, context);
  const ExitCode code = run.begin(std::move(agent), prompt);
  return {code, run.session_id(), run.was_broken_off()};
}

}  // namespace

ExitCode execute(const RunCommand& command, CommandContext context) {
  auto found = settings_or_complain(command.settings, context);
  if (!found) return ExitCode::usage;
  const SettingFlags flags = with_coding_defaults(command.agent, command.settings, *found);
  const auto settings =
      flags.set == command.settings.set ? std::move(found) : settings_or_complain(flags, context);
  if (!settings) return ExitCode::usage;
  if (settings->store().is_server()) return run_at_server(command, *settings, context);
  auto agent = agent_or_complain(command.agent, *settings, flags, context);
  if (!agent) return agent.error();
  if (command.schema) {
    auto schema = schema_or_complain(*command.schema, *settings, context);
    if (!schema) return ExitCode::usage;
    demand_answers(agent->chosen.agent, std::move(*schema));
  }
  const auto prompt = prompt_or_complain(command, context.console);
  if (!prompt) return ExitCode::usage;
  if (command.queueing.is_wanted) {
    return queue_session(command, *agent, *prompt, *settings, context);
  }
  const Begun begun = begin_here(command, *settings, std::move(*agent), *prompt, context);
  const bool goes_on_with_others = begun.code != ExitCode::interrupted && !begun.was_broken_off;
  if (goes_on_with_others) resume_interrupted(*settings, command, begun.session, context);
  return begun.code;
}

}  // namespace wright::app
