// The options of commands that drive agents, as CLI11 takes them.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <string_view>
#include <vector>

#include "app/commands/shared_options.h"

namespace wright::app {
namespace {

// How a run is shown, and what it goes by.
template <class C>
void add_run_options(CLI::App& app, C& command) {
  app.add_flag_callback(
      "-q,--quiet", [&command] { command.verbosity = Verbosity::quiet; }, "No progress");
  app.add_flag_callback(
      "--stream", [&command] { command.streaming = Streaming::on; },
      "Print text as it comes, as on a terminal");
  app.add_flag_callback(
         "--no-stream", [&command] { command.streaming = Streaming::off; },
         "Print the answer when it is complete")
      ->excludes("--stream");
  app.add_flag_callback(
      "--no-input", [&command] { command.input = Input::none; },
      "Nobody is there: tools that ask are told so at once");
  app.add_flag_callback(
      "--debug", [&command] { command.debug = true; },
      "Tell after the answer how well the tools served");
  app.add_flag_callback(
         "--no-debug", [&command] { command.debug = false; }, "Do not, whatever the settings say")
      ->excludes("--debug");
  add_text(app, "--trace-http", command.settings.trace_http, "FILE",
           "Append all traffic with models there, keys masked");
  add_all_settings(app, command.settings);
  add_server_option(app, command.settings);
  add_log_options(app, command.settings);
  add_set_option(app, command.settings);
}

// A time as people write it: 250ms, 30s, 5m.
void add_duration(CLI::App& app, const char* name, std::chrono::milliseconds& value,
                  const char* description) {
  app.add_option_function<std::string>(
         name,
         [&value, name](const std::string& text) {
           const auto duration = duration_from(text);
           if (!duration || duration->count() < 0) {
             throw CLI::ValidationError(name,
                                        "must be a time such as 500ms, 30s or 5m, not " + text);
           }
           value = *duration;
         },
         description)
      ->type_name("TIME");
}

void add_refresh(CLI::App& app, Taking& taking) {
  app.add_flag_callback(
      "--refresh", [&taking] { taking = Taking::as_now; },
      "With the agent and the settings as they are now, not as the session began");
}

void add_live_tools(CLI::App& app, ToolSource& tools) {
  app.add_flag_callback(
      "--live-tools", [&tools] { tools = ToolSource::live; },
      "Execute the calls again instead of taking their results from the record");
}

// AGENT and PROMPT may come as words or as options. With one option, the word is the other one.
std::string place_words(CLI::App& app, RunCommand& command) {
  std::vector<std::string> words;
  for (const char* name : {"AGENT", "PROMPT"}) {
    const CLI::Option* option = app.get_option(name);
    if (option->count() > 0) words.push_back(option->results().back());
  }
  const CLI::Option* agent = app.get_option("--agent");
  const CLI::Option* prompt = app.get_option("--prompt");
  const std::size_t room = (agent->count() > 0 ? 0U : 1U) + (prompt->count() > 0 ? 0U : 1U);
  if (words.size() > room) {
    return fmt::format("'{}' is one word too many beside --agent or --prompt", words.back());
  }
  auto word = words.begin();
  command.agent.clear();
  command.prompt.reset();
  if (agent->count() > 0) {
    command.agent = agent->results().back();
  } else if (word != words.end()) {
    command.agent = *word++;
  }
  if (prompt->count() > 0) {
    command.prompt = prompt->results().back();
  } else if (word != words.end()) {
    command.prompt = *word++;
  }
  return {};
}

}  // namespace

LineCheck describe(CLI::App& app, RunCommand& command) {
  app.add_option("AGENT", command.agent, "Which agent; see `wright agents`");
  app.add_option("PROMPT", command.prompt, "What it is asked; - or nothing reads standard input");
  app.add_option("-a,--agent", command.agent, "The agent, instead of the first word")
      ->type_name("AGENT");
  add_text(app, "-p,--prompt", command.prompt, "TEXT", "The prompt, instead of the second word");
  app.add_option("--image", command.images,
                 "An image, PDF or audio file to go along; may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
  add_text(app, "--schema", command.schema, "FILE",
           "Print JSON that fits this JSON schema: a file, or the schema itself");
  add_json(app, command.output, "Print one JSON object: answer, status, usage, tool calls");
  app.add_flag_callback(
         "--json-events", [&command] { command.output = OutputFormat::events; },
         "Print every event as a line of JSON, as it happens")
      ->excludes("--json");
  app.add_flag_callback(
      "--queue", [&command] { command.queueing.is_wanted = true; },
      "Only queue it, for a `wright worker`, and print its number");
  app.add_option("--priority", command.queueing.priority, "In the queue: higher ones come first")
      ->type_name("N")
      ->needs("--queue");
  add_duration(app, "--delay", command.queueing.delay,
               "In the queue: not before this time is over");
  add_list(app, "--labels", command.queueing.labels, "LABELS",
           "In the queue: only for workers that have these --labels");
  for (const char* option : {"--delay", "--labels"}) app.get_option(option)->needs("--queue");
  app.add_option("--tenant", command.tenant,
                 "Whom the session is for; in the queue, they take turns")
      ->type_name("NAME");
  add_run_options(app, command);
  return [&app, &command] {
    const std::string problem = place_words(app, command);
    return problem.empty() && command.agent.empty() ? missing(kAgentName) : problem;
  };
}

LineCheck describe(CLI::App& app, ChatCommand& command) {
  app.add_option("AGENT", command.agent,
                 "Which agent; without one the primary agent, or codebase-analysis");
  app.add_flag_callback(
      "--continue", [&command] { command.which = ChatCommand::Which::last; },
      "Go on with the last session of this folder");
  app.add_option_function<std::string>(
         "--session",
         [&command](const std::string& id) {
           command.which = ChatCommand::Which::named;
           command.session = id;
         },
         "Go on with this session")
      ->type_name("ID")
      ->excludes("--continue");
  add_refresh(app, command.taking);
  add_run_options(app, command);
  return {};
}

LineCheck describe(CLI::App& app, ResumeCommand& command) {
  app.add_option("ID", command.id, "The session's number, or `last`");
  app.add_flag_callback(
      "--all", [&command] { command.which = ResumeCommand::Which::all; },
      "Every session that was interrupted, or whose questions are answered");
  app.add_option("--settle", command.settle,
                 "What became of a call that was under way: done, failed, or retry it")
      ->type_name("CALL=WHAT")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  add_refresh(app, command.taking);
  add_json(app, command.output, "Print one JSON object: answer, status, usage, tool calls");
  add_run_options(app, command);
  return [&command]() -> std::string {
    const bool is_all = command.which == ResumeCommand::Which::all;
    if (is_all && !command.id.empty()) return "--all and an ID exclude each other";
    if (is_all && !command.settle.empty()) return "--settle needs one session's ID";
    return !is_all && command.id.empty() ? missing("the session's ID (or --all)") : "";
  };
}

LineCheck describe(CLI::App& app, AnswerCommand& command) {
  app.add_option("ID", command.id, "The session's number, or `last`");
  app.add_option("--set", command.set, "The answer to a question; twice for several choices")
      ->type_name("ID=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  app.add_option("--approve", command.approve,
                 "Let the call run: once (the default), or such calls for the whole session")
      ->type_name("once|session")
      ->expected(0, 1)
      ->default_str("once");
  add_text(app, "--refuse", command.refuse, "REASON",
           "Do not let the call run; the model reads why");
  add_text(app, "--answer", command.answer, "JSON", "The whole answer as JSON");
  app.add_option("--wait", command.waits, "Which wait, where there are several; twice for two")
      ->type_name("N")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  add_json(app, command.output, "Print a JSON object");
  add_config_option(app, command.settings);
  add_store_options(app, command.settings);
  return [&command]() -> std::string {
    if (command.id.empty()) return missing(kSessionId);
    if (command.approve && command.approve->empty()) command.approve = "once";
    const int ways = (command.set.empty() ? 0 : 1) + (command.approve ? 1 : 0) +
                     (command.refuse ? 1 : 0) + (command.answer ? 1 : 0);
    return ways > 1 ? "use one of --set, --approve, --refuse and --answer" : "";
  };
}

LineCheck describe(CLI::App& app, WaitsCommand& command) {
  add_text(app, "--tenant", command.tenant, "NAME", "Only of sessions for this tenant");
  add_json(app, command.output, "Print a JSON array");
  add_config_option(app, command.settings);
  add_store_options(app, command.settings);
  return {};
}

LineCheck describe(CLI::App& app, WorkerCommand& command) {
  add_list(app, "--agents", command.agents, "NAMES", "Only sessions of these agents: a,b");
  add_list(app, "--labels", command.labels, "LABELS",
           "What is there that sessions may ask for: gpu,repository=shop");
  app.add_option("--concurrency", command.concurrency, "Sessions at a time (8)")
      ->type_name("N")
      ->check(CLI::Range(1, 10'000));
  add_duration(app, "--poll", command.poll, "How often to look for work (1s)");
  add_duration(app, "--lease", command.lease,
               "After how long a silent worker is taken for dead (10s)");
  add_duration(app, "--grace", command.grace, "How long sessions may take to end at SIGTERM (30s)");
  app.add_flag_callback(
      "--until-idle", [&command] { command.lasting = WorkerCommand::Lasting::until_idle; },
      "End when there is nothing that it could do");
  add_repeated(app, "--listen", command.listen, "ADDRESS",
               "HOST:PORT or unix:PATH for /metrics, /healthz and /readyz; may be given several "
               "times");
  add_repeated(app, "--host", command.hosts, "NAME",
               "A further name that it is reached by, as in the Host header");
  app.add_flag_callback(
      "-q,--quiet", [&command] { command.verbosity = Verbosity::quiet; },
      "Do not tell of sessions");
  add_all_settings(app, command.settings);
  add_log_options(app, command.settings);
  add_set_option(app, command.settings);
  return [&command]() -> std::string {
    constexpr auto kShortestLease = std::chrono::milliseconds(500);
    return command.lease < kShortestLease ? "--lease must be 500ms or more" : "";
  };
}

LineCheck describe(CLI::App& app, ReplayCommand& command) {
  app.add_option("ID", command.id, "The session's number, or `last`");
  add_live_tools(app, command.tools);
  add_json(app, command.output, "Print a JSON object");
  add_all_settings(app, command.settings);
  add_set_option(app, command.settings);
  return needs(command.id, kSessionId);
}

LineCheck describe(CLI::App& app, TestCommand& command) {
  app.add_option("FILE", command.files, "Files of `wright sessions export --cassette`");
  add_live_tools(app, command.tools);
  app.add_flag_callback(
      "--update", [&command] { command.rewriting = Rewriting::when_different; },
      "Rewrite the files that differ");
  add_json(app, command.output, "Print a JSON object");
  add_config_option(app, command.settings);
  add_base_path_option(app, command.settings);
  add_set_option(app, command.settings);
  return [&command] { return command.files.empty() ? missing("the FILE") : std::string(); };
}

LineCheck describe(CLI::App& app, AcpCommand& command) {
  app.add_option("AGENT", command.agent, "Which agent (coding)");
  add_all_settings(app, command.settings);
  add_log_options(app, command.settings);
  add_set_option(app, command.settings);
  return {};
}

}  // namespace wright::app
