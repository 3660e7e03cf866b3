// `wright tools`: list them, show one, call one through the same pipeline that agents use.
#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>

#include "app/commands/commands.h"
#include "app/terminal/figures.h"
#include "app/terminal/interruption.h"
#include "app/terminal/log_output.h"
#include "app/terminal/person/person_answers.h"
#include "app/terminal/screen_text.h"
#include "app/terminal/standard_input.h"
#include "app/wiring/model_wiring.h"
#include "app/wiring/shipped.h"
#include "app/wiring/tool_execution.h"
#include "core/nearest.h"
#include "core/try.h"
#include "tools/tool_aliases.h"

namespace wright::app {
namespace {

Json tool_json(const ToolSpec& spec) {
  return {{"name", spec.name},
          {"description", spec.description},
          {"effect", to_string(spec.options.effect)},
          {"timeout_ms", spec.options.timeout.value_or(std::chrono::milliseconds(0)).count()},
          {"output_limit", spec.options.output_limit.value_or(0)},
          {"parameters", spec.parameters}};
}

std::optional<std::vector<Tool>> tools_or_complain(const Settings& settings, CommandContext context,
                                                   const IndexWiring& index = {}) {
  auto tools = make_tools(settings, index);
  if (tools) return std::move(*tools);
  context.console.complain(tools.error().message, "See `wright config`, or set --base-path.");
  return std::nullopt;
}

std::optional<std::vector<Tool>> tools_or_complain(const SettingFlags& flags,
                                                   CommandContext context) {
  const auto settings = settings_or_complain(flags, context);
  if (!settings) return std::nullopt;
  return tools_or_complain(*settings, context);
}

// The tool that the name means; null after a complaint.
const Tool* find_or_complain(const std::vector<Tool>& tools, std::string_view name,
                             Console& console) {
  if (const Tool* tool = find_tool(tools, name)) return tool;
  std::vector<std::string_view> names;
  names.reserve(tools.size());
  for (const Tool& tool : tools) names.push_back(tool.spec.name);
  if (const ToolSwitch* setting = find_switch(tools::own_tool_name(name))) {
    console.complain(fmt::format("there is no tool {} here", name), setting->how_to_turn_on);
    return nullptr;
  }
  console.complain(fmt::format("unknown tool '{}'{}", name, did_you_mean(name, names)),
                   "`wright tools` lists the tools.");
  return nullptr;
}

// "pattern, path?" from the schema: required parameters first, a question mark for the others.
std::string parameter_list(const Json& schema) {
  const JsonObject* object = schema.if_object();
  const Json* properties = object != nullptr ? object->if_contains("properties") : nullptr;
  const Json* required = object != nullptr ? object->if_contains("required") : nullptr;
  if (properties == nullptr || !properties->is_object()) return {};
  std::vector<std::string> names;
  for (const auto& member : properties->get_object()) {
    const auto is_this = [&](const Json& name) {
      return name.is_string() && name.get_string() == member.key();
    };
    const bool is_required = required != nullptr && required->is_array() &&
                             std::ranges::any_of(required->get_array(), is_this);
    names.push_back(std::string(member.key()) + (is_required ? "" : "?"));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

// "Off here: write_file, fetch_url. …", or nothing where all are on.
std::string off_line(const std::vector<Tool>& tools, const Terminal& terminal) {
  std::vector<std::string> off;
  for (const std::string& name : tool_names()) {
    const auto is_this = [&](const Tool& tool) { return tool.spec.name == name; };
    if (find_switch(name) != nullptr && std::ranges::none_of(tools, is_this)) off.push_back(name);
  }
  if (off.empty()) return {};
  const std::string text = fmt::format(
      "Off here: {}. `wright tools show NAME` says how to turn one on.", fmt::join(off, ", "));
  return "\n" + fitted_prose(text, 0, terminal) + "\n";
}

std::string result_text(const Json& response) {
  if (response.is_string()) return std::string(response.get_string());
  return to_pretty_text(response);
}

constexpr std::string_view kCaller = "wright tools call";

// Runs the call. What it needs a person for is asked of the one at the terminal, if somebody is
// there; it runs again with the answers.
Result<ToolOutcome> call_with_person(const ToolCall& call, const Agent& caller, OutputFormat output,
                                     CommandContext context, Interruption& interruption) {
  const bool may_ask = output == OutputFormat::text && has_person_at_terminal(context.console);
  WaitAnswers answers;
  while (true) {
    ToolOutcome outcome = wright::execute(caller, call,
                                          Context{.agent_name = kCaller,
                                                  .call_id = call.id,
                                                  .idempotency_key = call.id,
                                                  .stop = interruption.token(),
                                                  .answers = answers});
    if (!outcome.waiting || !may_ask || interruption.has_happened()) return outcome;
    auto given = TRY(ask_at_terminal(call, *outcome.waiting, context, interruption.token()));
    if (!given) return outcome;
    if (given->approval) answers.approval = given->approval;
    if (given->answer) {
      answers.answer = given->answer;
      answers.state = outcome.waiting->state;
    }
  }
}

ExitCode report(const ToolOutcome& outcome, const CallToolCommand& command, Console& console) {
  const bool is_failure = outcome.result.is_error;
  if (command.output == OutputFormat::json) {
    const Json json{{"name", command.name},
                    {"status", outcome.waiting ? "waiting"
                               : is_failure    ? "failed"
                                               : "completed"},
                    {"response", outcome.response},
                    {"content", outcome.result.content},
                    {"waiting", outcome.waiting ? outcome.waiting->shown : Json(nullptr)},
                    {"error", outcome.error ? Json(outcome.error->message) : Json(nullptr)},
                    {"duration_ms", outcome.duration_ms}};
    console.print_json(to_text(json) + "\n");
  } else if (!is_failure && !outcome.waiting) {
    std::string text = result_text(outcome.response);
    if (!text.ends_with('\n')) text += '\n';
    if (outcome.response.is_string()) {
      console.print_foreign(text);
    } else {
      console.print_json(text);
    }
  }
  if (outcome.waiting) {
    console.complain(fmt::format("{} waits for a person", command.name),
                     wait_in_words(outcome.waiting->kind, outcome.waiting->shown, console.error()));
    if (command.output == OutputFormat::text) {
      console.note("  Called at a terminal, it asks there.\n");
    }
    return ExitCode::waiting;
  }
  if (!is_failure) return ExitCode::ok;
  console.complain(std::string(outcome.error_message()),
                   fmt::format("`wright tools show {}` explains its arguments.", command.name));
  return ExitCode::failed;
}

}  // namespace

ExitCode execute(const ListToolsCommand& command, CommandContext context) {
  const auto tools = tools_or_complain(command.settings, context);
  if (!tools) return ExitCode::usage;
  JsonArray array;
  std::string text;
  const Terminal& terminal = context.console.output();
  for (const Tool& tool : *tools) {
    array.push_back(tool_json(tool.spec));
    if (!text.empty()) text += '\n';
    text += fmt::format("{}({})  {}\n", painted(tool.spec.name, Colour::bold, terminal),
                        parameter_list(tool.spec.parameters),
                        painted(to_string(tool.spec.options.effect), Colour::dim, terminal));
    const std::string description = on_one_line(tool.spec.description);
    text += indented(fitted_prose(description, 2, terminal), 2) + "\n";
  }
  text += off_line(*tools, terminal);
  if (command.output == OutputFormat::json) {
    context.console.print_json(to_pretty_text(array) + "\n");
  } else {
    context.console.print_fitted(text);
  }
  return ExitCode::ok;
}

ExitCode execute(const ShowToolCommand& command, CommandContext context) {
  const auto tools = tools_or_complain(command.settings, context);
  if (!tools) return ExitCode::usage;
  const Tool* tool = find_or_complain(*tools, command.name, context.console);
  if (tool == nullptr) return ExitCode::usage;
  context.console.print_json(to_pretty_text(tool_json(tool->spec)) + "\n");
  return ExitCode::ok;
}

ExitCode execute(const CallToolCommand& command, CommandContext context) {
  const auto settings = settings_or_complain(command.settings, context);
  if (!settings) return ExitCode::usage;
  make_output_folder(*settings);
  // Reading the catalogue of models takes longer than most calls; only searching by meaning needs
  // it.
  std::optional<Models> models;
  if (!settings->text(keys::kEmbeddingModel).empty()) {
    auto made = make_models(*settings, command.settings, context.environment);
    if (!made) {
      context.console.complain(made.error().message, "See `wright help models`.");
      return ExitCode::usage;
    }
    models = std::move(*made);
  }
  const auto tools = tools_or_complain(*settings, context, {.models = models ? &*models : nullptr});
  if (!tools) return ExitCode::usage;
  const auto logger =
      make_logger(*settings, [&](std::string_view line) { context.console.note(line); });
  if (!logger) {
    context.console.complain(logger.error().message);
    return ExitCode::usage;
  }
  if (find_or_complain(*tools, command.name, context.console) == nullptr) return ExitCode::usage;
  std::string arguments = command.arguments;
  if (arguments == "-") {
    auto input = read_standard_input();
    if (!input) {
      context.console.complain(input.error().message);
      return ExitCode::failed;
    }
    arguments = std::move(*input);
  }
  Interruption interruption;
  interruption.watch({});
  Agent caller{.name = std::string(kCaller), .tools = *tools};
  set_up_calls(caller, *settings, *logger);
  const auto outcome = call_with_person({"call_1", command.name, arguments}, caller, command.output,
                                        context, interruption);
  if (!outcome) {
    context.console.complain(outcome.error().message);
    return ExitCode::failed;
  }
  const ExitCode code = report(*outcome, command, context.console);
  return interruption.has_happened() && code == ExitCode::failed ? ExitCode::interrupted : code;
}

}  // namespace wright::app
