#include "app/commands/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "app/settings/config_keys.h"
#include "app/terminal/screen_text.h"

namespace wright::app {
namespace {

constexpr std::array kCommandHelp{
    CommandHelp{"run", "run AGENT PROMPT [options]",
                "Run an agent on a prompt. The answer goes to standard output, progress to "
                "standard error.",
                R"(Examples:
  wright run codebase-analysis "Where is the configuration read?"
  wright run codebase-analysis --base-path ~/src/project "Summarise this project"
  git diff | wright run codebase-analysis          the prompt from standard input
  wright run codebase-analysis -q --json "How many tests are there?" | jq .answer
  wright run coding --json-events "Rename parse to read"   every event, a line each
  wright run codebase-analysis --queue "Summarise this project"
                                                   for a `wright worker`; prints the session's number
  wright run codebase-analysis --debug "Classes with more than 200 lines?"
                                                   and what the tools lacked, on standard error

Exit codes:
  0    answered
  1    the run failed
  2    bad flags, bad configuration, unknown agent
  3    a person has to answer first
  130  interrupted; Ctrl-C ends the run as `cancelled`, a second one at once
)"},
    CommandHelp{
        "chat", "chat [AGENT] [options]",
        "Talk with an agent. Ctrl-C stops the answer, Ctrl-D ends the chat.",
        R"(At a terminal, lines are edited and remembered, answers are shown as they come, and what a
tool needs to know is asked in place. A backslash at the end of a line goes on in the next one;
what is pasted may have several. /help lists the commands of a chat.

From a pipe, each line is a message, only the answers go to standard output, and the first message
that fails ends the chat.

A session goes on with the model, the settings, the instructions and the tools it began with. What
has changed since is told; --refresh takes it, and --model and --set count for this time.

Examples:
  wright chat
  wright chat sqlite-analysis --database shop.db
  wright chat --continue                the last session of this folder
  wright chat --session 12
  printf 'Where is main?\nWhat calls it?\n' | wright chat

Exit codes:
  0    the chat was ended
  1    from a pipe: a message failed
  2    bad flags, bad configuration, unknown agent; from a pipe: unknown command
  3    from a pipe: a person has to answer first
  130  ended by a signal; from a pipe: interrupted
)"},
    CommandHelp{
        "resume", "resume ID [options]",
        "Go on with a session that was interrupted, or that somebody has answered.",
        R"(What was stored is used. A call that was under way when the process ended is run again when
its tool only reads; one that may have changed something is not: the model is told that its
outcome is not known, unless you settle it. At a terminal, open questions are asked first. The
session goes on with the model, the settings and the tools it began with; --refresh takes those of
now.

Examples:
  wright resume 12
  wright resume last --settle call_3=done
  wright resume --all                   after a crash
)"},
    CommandHelp{
        "answer", "answer ID [options]",
        "Answer what a session waits for. Each wait is answered once.",
        R"(Without an option, asks at the terminal. Passwords are never stored. Afterwards, `wright
resume ID` goes on.

Examples:
  wright answer 12
  wright answer 12 --set name=shop --set colours=red --set colours=blue
  wright answer 12 --approve
  wright answer 12 --approve session
  wright answer 12 --refuse "Not on a Friday"
)"},
    CommandHelp{"waits", "waits [options]", "List what waits for a person, and how to answer it.",
                R"(Examples:
  wright waits
  wright waits --json | jq '.[].shown'
)"},
    CommandHelp{"sessions", "sessions [show|export|fork|cancel|rm|prune] [options]",
                "List past sessions, newest first.",
                R"(Commands:
  wright sessions                   list
  wright sessions show ID           read one
  wright sessions export ID         all of one, as JSON, Markdown or a test file
  wright sessions fork ID           the same again up to a message, to go on from there
  wright sessions cancel ID         stop
  wright sessions rm ID…            delete
  wright sessions prune             delete those that ended long ago

Examples:
  wright sessions --since 2h --status failed
  wright sessions --search retry --limit 5
  wright sessions show last
)"},
    CommandHelp{
        "sessions show", "sessions show ID [options]",
        "Show what was said and done in a session: messages, tool calls, durations, status.",
        R"(Examples:
  wright sessions show 12
  wright sessions show last --json | jq .tool_calls
)"},
    CommandHelp{"sessions export", "sessions export ID [options]",
                "Write out a whole session, nothing shortened.",
                R"(Examples:
  wright sessions export 12 > session.json
  wright sessions export last --format markdown -o session.md
  wright sessions export last --cassette -o tests/question.json
)"},
    CommandHelp{
        "sessions fork", "sessions fork ID [options]",
        "Make a new session of an old one, up to a message. The old one is untouched.",
        R"(Prints the number of the new session. It ends where every call has its result; where that is
not so, the nearest places are named. Specialists stay with the original.

Examples:
  wright sessions fork 12 --at 5
  wright sessions fork last --json
)"},
    CommandHelp{
        "sessions cancel", "sessions cancel ID [options]", "Stop a session, with its specialists.",
        R"(Whoever drives it, here or elsewhere, stops it in a moment. One that nobody drives ends when
somebody looks at it next: `wright resume --all`, a worker or a server.

Examples:
  wright sessions cancel 12
  wright sessions cancel last --reason "wrong folder"
)"},
    CommandHelp{
        "sessions rm", "sessions rm ID… [options]",
        "Delete sessions with their messages, tool calls and child sessions.",
        R"(Asks first on a terminal; elsewhere --yes is needed. When one of the sessions does not
exist, nothing is deleted.

Examples:
  wright sessions rm 12
  wright sessions rm --yes 3 4 5
)"},
    CommandHelp{
        "sessions prune", "sessions prune --older-than WHEN [options]",
        "Delete sessions that ended long ago, with their messages, tool calls and child sessions.",
        R"(Sessions that run, wait or are queued stay, however old they are. Asks nothing: look first with
--dry-run. The file does not shrink; what comes next uses the space.

Examples:
  wright sessions prune --older-than 30d --dry-run
  wright sessions prune --older-than 2026-03-01 --json
)"},
    CommandHelp{
        "replay", "replay ID [options]",
        "Run a stored session again, offline, and show the first thing that differs.",
        R"(The model's answers come from the record, those of specialists too. So do the results of tools,
unless --live-tools executes the calls again, with the answers that people gave. Durations, metadata
and the ids of calls are no differences. A session that was cancelled, interrupted or waits is
replayed as far as its record goes.

Examples:
  wright replay last
  wright replay 12 --live-tools
  wright replay 12 --json | jq '.differences[0]'

Exit codes:
  0    the same
  1    it differs, or cannot be replayed
  2    bad flags or configuration
)"},
    CommandHelp{
        "test", "test FILE… [options]",
        "Run cassettes: recorded sessions as test files. No model, no key, no network.",
        R"(One line a file: ok, differs, updated or broken. Execute calls (--live-tools) only for files
that you trust: what they ask for is done.

Examples:
  wright sessions export 12 --cassette -o tests/question.json
  wright test tests/*.json
  wright test --live-tools --base-path ./project tests/question.json
  wright test --update tests/question.json

Exit codes:
  0    all are ok or were updated
  1    one differs or is broken
  2    bad flags or configuration
)"},
    CommandHelp{
        "worker", "worker [options]",
        "Drive sessions that were queued with `wright run --queue`, and those of dead workers.",
        R"(Any number of workers, on any number of machines, may share one store: a PostgreSQL
(--store postgresql://…), or on one machine a file. Each session is driven by one of them at a
time. When one dies, others go on with its sessions as soon as its lease is over; at SIGTERM it
takes no more sessions, gives those it has --grace to end, and leaves the rest to others.

Examples:
  wright worker --store postgresql://wright@db/wright --concurrency 32
  wright worker --agents codebase-analysis,sqlite-analysis
  wright worker --labels gpu,repository=shop
  wright worker --until-idle            do what is there, and end

Exit codes:
  0    ended by a signal, or idle
  1    the store cannot be used
  2    bad flags or configuration
)"},
    CommandHelp{
        "migrate", "migrate --from PLACE --to PLACE",
        "Copy all sessions from one store to another, with their numbers, and compare them.",
        R"(Either side is a SQLite file or a PostgreSQL. Nobody may drive sessions of the first meanwhile,
and the second must be empty, or hold the beginning of the same copy: what was interrupted goes on
where it was. At the end every row of both is read and compared.

Examples:
  wright migrate --from ~/.local/share/wright/agents.db --to postgresql://wright@db/wright
  wright migrate --from postgresql://wright@db/wright --to backup.db

Exit codes:
  0    everything was copied, and is the same
  1    it was not, and why
  2    bad flags
)"},
    CommandHelp{
        "feedback", "feedback [options]",
        "Show what past sessions say about the tools: which to build, what to expose, what fails.",
        R"(Wishes come from sessions in debug mode (`wright run --debug`); calls that failed, and calls of
tools that do not exist, from all sessions. The same wish of several sessions is one line, ranked
by how many had it and how grave it was. --json has a draft of each tool.

Examples:
  wright feedback --since 7d
  wright feedback --agent codebase-analysis
  wright feedback --json | jq '.tools_to_build[0].draft'
)"},
    CommandHelp{
        "stats", "stats [options]",
        "Show how often tools, agents and models were used, how long it took and what it cost.",
        R"(Durations are of calls for tools, and of whole runs for agents and models. p95 is the time within
which 95 of 100 were done.

Examples:
  wright stats --since today
  wright stats --json | jq '.tools[] | {name, p95: .calls.p95_ms}'
)"},
    CommandHelp{"agents", "agents [show|new|trust] [options]",
                "List the agents, their tools and their limits.",
                R"(Commands:
  wright agents                     list
  wright agents show NAME           all of one: where it comes from, what it may, what it is told
  wright agents new NAME            write a commented file to start from; never overwrites
  wright agents trust NAME          let an agent run that came with the project

Agents of your own are TOML files below ~/.config/wright/agents. Those of a project, below
.wright/agents in the base folder, run only when you trust them, and only as long as they do not
change.

Examples:
  wright agents
  wright agents --json | jq '.[].name'
  wright agents new reviewer && wright run reviewer "Is main.cpp well named?"
)"},
    CommandHelp{"agents show", "agents show NAME [options]",
                "Show all of one agent: its source, tools, limits, permissions and instructions.",
                R"(Examples:
  wright agents show codebase-analysis
  wright agents show reviewer --json | jq .instructions
)"},
    CommandHelp{"agents new", "agents new NAME [options]",
                "Write a commented file for an agent of your own. Never overwrites.",
                R"(Prints the path of the file.

Examples:
  wright agents new reviewer
  wright agents new reviewer --project
)"},
    CommandHelp{
        "agents trust", "agents trust NAME [options]",
        "Let an agent of the project run, exactly as it is now.",
        R"(An agent that came with a project says what a model is told and which tools it gets. Read it
first: `wright agents show NAME`. When its file changes, it has to be trusted again.
)"},
    CommandHelp{"tools", "tools [show|call] [options]", "List the tools that agents use.",
                R"(Commands:
  wright tools                          list
  wright tools show NAME                its JSON schema, effect and limits
  wright tools call NAME '{…}'          run it yourself

Examples:
  wright tools call grep '{"pattern": "TODO", "glob": "*.cpp"}'
)"},
    CommandHelp{"tools show", "tools show NAME [options]",
                "Show a tool's JSON schema, its effect and its limits.",
                R"(Examples:
  wright tools show grep
  wright tools show read_file | jq .parameters
)"},
    CommandHelp{"tools call", "tools call NAME ARGUMENTS [options]",
                "Run one tool, just as an agent would, and print its result.",
                R"(Exits with 1 when the tool fails.

Examples:
  wright tools call list_files '{"pattern": "**/*.md"}'
  wright tools call read_file '{"file_path": "README.md", "limit": 20}'
  echo '{"pattern": "main"}' | wright tools call grep -
)"},
    CommandHelp{"mcp", "mcp [add|test|remove|serve] [options]",
                "List the MCP servers whose tools agents get; be one yourself.",
                R"(Commands:
  wright mcp                            list
  wright mcp add NAME COMMAND…          a program that is a server; or an address
  wright mcp test NAME                  connect, and say what it has
  wright mcp remove NAME                take it out of the configuration
  wright mcp serve                      offer Wright's tools and agents to other programs

A server's tools are called NAME__TOOL, and go through the same checks, permissions and limits as
any other. In the configuration:

  [mcp.servers.files]
  command = "npx"
  args = ["-y", "@modelcontextprotocol/server-filesystem", "."]
  tools = ["read_*", "list_*"]          # which of them; all without it
  agents = ["reviewer"]                 # for whom; all without it
  effects = { "search_*" = "read" }     # instead of what the server hints
  timeout = "60s"
  sandbox = "best_effort"               # required, best_effort, off (the default)

Examples:
  wright mcp add files npx -y @modelcontextprotocol/server-filesystem .
  wright mcp test files
)"},
    CommandHelp{"mcp add", "mcp add NAME COMMAND… [options]",
                "Add an MCP server to the configuration.",
                R"(What belongs to the program and begins with - comes after --.

Examples:
  wright mcp add memory -- npx -y @modelcontextprotocol/server-memory
  wright mcp add docs https://example.com/mcp --header 'Authorization=Bearer ${DOCS_TOKEN}'
)"},
    CommandHelp{"mcp test", "mcp test NAME [options]",
                "Connect to an MCP server and say what it has.",
                R"(Exits with 1 when the server cannot be used.

Examples:
  wright mcp test files --json | jq '.tools[].name'
)"},
    CommandHelp{"mcp remove", "mcp remove NAME [options]",
                "Take an MCP server out of the configuration.", ""},
    CommandHelp{
        "mcp serve", "mcp serve [options]", "Be an MCP server on standard input and output.",
        R"(Offers the tools that only read, and every agent that can run as a tool ask_NAME. What needs a
person is asked of the client's, where it can ask (elicitation). Permissions and limits of the
settings hold, and every call is recorded in a session of its client (--database-path :memory: keeps
nothing). Clients of the revisions 2024-11-05 to 2025-11-25 and 2026-07-28 are served.

Examples:
  wright mcp serve --base-path ~/project
  wright mcp serve --tools 'read_file,grep' --agents none
  claude mcp add wright -- wright mcp serve
)"},
    CommandHelp{
        "models", "models [VENDOR] [options]",
        "List vendors and models, what they cost, and which have a key.",
        R"(A model is named vendor:name, as in --model openai:gpt-5-mini. Vendors and models of your own,
and what differs from the list, stand in the configuration:

  [vendors.gateway]
  base_url = "http://localhost:8000/v1"
  protocol = "openai-chat"

Protocols: openai-chat (the default), openai-responses, anthropic-messages, gemini-generate,
ollama-chat, bedrock-converse.

Any vendor is moved elsewhere with <VENDOR>_BASE_URL in the environment; OLLAMA_HOST moves Ollama. A
key may also come from a program: key_command = ["vault", "read", "-field=key", "secret/gateway"].
Azure, Amazon Bedrock and Google Vertex AI find the credentials of their own tools.

--compare asks vendors for their own lists and shows where these differ from the rows here; it exits
with 1 when a vendor did not answer.

Examples:
  wright models openai
  wright models openrouter --compare
  wright run codebase-analysis --model zai:glm-4.6 "Summarise this project"
  wright run codebase-analysis --model gateway:any-name \
      "Summarise this project" --set vendors.gateway.base_url=http://localhost:8000/v1
)"},
    CommandHelp{"batch", "batch [COMMAND] [options]",
                "Send many prompts at once, to be answered within a day at half the price (OpenAI, "
                "Anthropic).",
                R"(  wright batch submit FILE --model MODEL   send a batch; prints its id
  wright batch show ID                     its state
  wright batch results ID                  its answers, when it has ended: a JSON object a line
  wright batch cancel ID                   end it; what is answered stays
  wright batch                             the newest batches

A line of the file is a prompt, or JSON: {"id": "a", "prompt": "…", "system": "…"}. Without an id, the
number of the line is one. No tools are used. The vendor keeps a batch for some weeks; its id is all
that is needed, on any machine that has the key.

Examples:
  wright batch submit prompts.txt --model openai:gpt-5-mini
  wright batch results openai:batch_abc123 | jq -r .answer
)"},
    CommandHelp{"batch submit", "batch submit FILE --model MODEL",
                "Send a batch of prompts, and print its id and its state.",
                R"(It is sent once. Where nobody knows whether it arrived, `wright batch` tells.
)"},
    CommandHelp{"batch show", "batch show ID", "Show the state of a batch.", ""},
    CommandHelp{
        "batch results", "batch results ID",
        "Print the answers of a batch that has ended, a JSON object a line.",
        R"(Each has the request's id, and either answer, usage and model, or error. The exit code is 1 when
one of them has an error, or when the batch has not ended.
)"},
    CommandHelp{"batch cancel", "batch cancel ID", "End a batch. What is answered stays.", ""},
    CommandHelp{"config", "config [path|init] [options]",
                "Show the effective settings and where each came from. Keys are masked.",
                R"(Commands:
  wright config             the effective values
  wright config path        which file is read
  wright config init        write a commented file to start from; never overwrites

A flag wins over the environment, the environment over the file, the file over the default. What
has no flag of its own is set with --set, also for `wright run` and `wright tools call`:

Examples:
  wright config --set tool_execution.timeout=30s
  wright run codebase-analysis --set tool_execution.retry_attempts=3 "…"
)"},
    CommandHelp{"config path", "config path [options]", "Print the path of the configuration file.",
                ""},
    CommandHelp{"config init", "config init [options]",
                "Write a commented configuration file to start from. Never overwrites.",
                R"(Examples:
  wright config init
  wright config init -c ./wright.toml
)"},
    CommandHelp{
        "serve", "serve [options]",
        "Serve sessions over HTTP: an API, agents for programs of OpenAI and Anthropic, "
        "and figures.",
        R"(Programs of the same user on this machine need no token; all others, and every web page, send one
as `Authorization: Bearer TOKEN`. An address that others can reach needs a token to begin with.
Ctrl-C and SIGTERM let requests and sessions end for a while; what still runs then can be resumed.
A socket that systemd hands over is served in place of --listen. Webhooks are signed with the
secret in WRIGHT_WEBHOOK_SECRET, and sent again until they are taken.

  /api/v1          sessions, waits, events, agents; described by /api/v1/openapi.json
  /v1              chat/completions, responses, messages, models: agents as models
  /metrics, /healthz, /readyz
  /                the dashboard; the link that is printed opens it in one browser

Examples:
  wright serve
  wright serve --listen 127.0.0.1:8080 --listen unix:$XDG_RUNTIME_DIR/wright.sock
  curl -s http://127.0.0.1:7411/api/v1/sessions
)"},
    CommandHelp{"token", "token [list] [options]", "List the tokens that a server accepts.",
                R"(  wright token add NAME --scope SCOPE   make one: read, answer, run or admin
  wright token rm NAME                  remove it; running servers refuse it at once

Only hashes are kept.
)"},
    CommandHelp{
        "token add", "token add NAME --scope SCOPE",
        "Make a token. It is printed once, on standard output.",
        R"(Scopes: read looks at everything; answer also answers what waits for a person; run also begins,
continues and cancels sessions; admin may do everything.
)"},
    CommandHelp{"token rm", "token rm NAME", "Remove a token.", ""},
    CommandHelp{
        "sessions diff", "sessions diff ID [options]",
        "Show what a session changed in files, as a diff.",
        R"(Known is what write_file and apply_patch replaced, and what commands changed below the folder
of the session, but for what git ignores.

Examples:
  wright sessions diff last
)"},
    CommandHelp{
        "sessions undo", "sessions undo ID [options]",
        "Take back what a session changed in files. The session itself stays.",
        R"(Shows each file first and asks. A file that was changed since is left alone, and said so.

Examples:
  wright sessions undo last
  wright sessions undo 12 --yes
)"},
    CommandHelp{"config get", "config get KEY [options]", "Print the value of a setting.",
                R"(Examples:
  wright config get agent.model
)"},
    CommandHelp{"config set", "config set KEY VALUE [options]",
                "Write a setting into the configuration file; the rest of it stays as it is.",
                R"(Examples:
  wright config set agent.model offline
  wright config set agent.writable .
  wright config set bash.preset workspace
)"},
    CommandHelp{
        "init", "init [options]", "Choose a model, try it, and write the configuration.",
        R"(Offers the vendors that have a key, asks which model to use, asks it something small, and writes
agent.model. Nothing is written before the model has answered.

Examples:
  wright init
  wright init --model ollama:qwen3
)"},
    CommandHelp{
        "acp", "acp [AGENT] [options]",
        "Serve an editor by the Agent Client Protocol, over standard input and output.",
        R"(For editors such as Zed and the JetBrains IDEs, which start it. The folder is the one that the
editor names for each session; permission, plans and diffs are shown there.

Examples:
  { "agent_servers": { "Wright": { "command": "wright", "args": ["acp"] } } }      Zed's settings.json
)"},
    CommandHelp{"completions", "completions SHELL",
                "Print what a shell needs to complete commands, options and names.",
                R"(Examples:
  source <(wright completions bash)
  wright completions zsh > ~/.zfunc/_wright
  wright completions fish > ~/.config/fish/completions/wright.fish
)"},
    CommandHelp{
        "trust", "trust [options]",
        "Agree to the skills and hooks that came with this folder, after you have seen them.",
        R"(A project comes from elsewhere: its skills tell a model what to do, and its hooks are commands
that run. None of them counts before somebody has agreed to it. Agreed to is the exact content; what
changes has to be agreed to again.
)"},
    CommandHelp{"doctor", "doctor [options]",
                "Check what works on this machine and what does not, and what to do about it.",
                R"(Exits with 1 when something essential fails.
)"},
};

// One line a command, for the overview. `help` has no page of its own.
constexpr std::array kOverview{
    std::pair{"run AGENT PROMPT", "Run an agent and print its answer"},
    std::pair{"chat [AGENT]", "Talk with an agent"},
    std::pair{"resume ID", "Go on with a session that was interrupted or answered"},
    std::pair{"waits", "List what waits for a person"},
    std::pair{"answer ID", "Answer what a session waits for"},
    std::pair{"worker", "Drive sessions of the queue"},
    std::pair{"migrate", "Copy all sessions to another store"},
    std::pair{"sessions", "List, show, export, fork, take back and delete past sessions"},
    std::pair{"replay ID", "Run a past session again, offline, and show what differs"},
    std::pair{"test FILE…", "Run recorded sessions as tests"},
    std::pair{"feedback", "What past sessions say about the tools"},
    std::pair{"stats", "How often, how long, how much"},
    std::pair{"agents", "List the agents, show one, write or trust one"},
    std::pair{"tools", "List the tools, show one, call one"},
    std::pair{"mcp", "MCP servers for agents; Wright as one"},
    std::pair{"models", "List vendors and models, and which have a key"},
    std::pair{"batch", "Send many prompts at once, for half the price"},
    std::pair{"config", "Show the settings and where each came from"},
    std::pair{"init", "Choose a model, try it, and write the configuration"},
    std::pair{"acp", "Serve an editor (Agent Client Protocol)"},
    std::pair{"completions SHELL", "Print completions for bash, zsh or fish"},
    std::pair{"trust", "Agree to the skills and hooks of this folder"},
    std::pair{"doctor", "Check what works on this machine"},
    std::pair{"serve", "Serve sessions and agents over HTTP"},
    std::pair{"token", "List, make and remove tokens for the server"},
    std::pair{"help COMMAND", "Explain a command, with examples"},
};

// Whether every command that has a page is in the overview.
constexpr bool overview_is_whole() {
  return std::ranges::all_of(kCommandHelp, [](const CommandHelp& help) {
    if (help.path.find(' ') != std::string_view::npos) return true;
    return std::ranges::any_of(kOverview, [&](const auto& line) {
      const std::string_view name = line.first;
      return name.substr(0, name.find(' ')) == help.path;
    });
  });
}
static_assert(overview_is_whole());

std::string command_list() {
  std::vector<HelpRow> rows;
  for (const auto& [name, description] : kOverview) rows.push_back({"Commands", name, description});
  return help_table(rows);
}

std::string environment_list() {
  std::vector<HelpRow> rows{{"Environment", "WRIGHT_CONFIG", "the configuration file"}};
  constexpr std::string_view kKey = "_API_KEY";
  constexpr std::size_t kColumns = 94;
  std::string vendors;
  std::string others;
  for (const ConfigKey& key : kConfigKeys) {
    const std::string_view variable = key.environment_variable;
    if (variable.empty()) continue;
    if (key.section == "api_keys") {
      const bool is_usual = variable.ends_with(kKey);
      std::string& list = is_usual ? vendors : others;
      if (list.find(variable) != std::string::npos) continue;  // it is for two of them
      if (!list.empty()) list += ", ";
      list += is_usual ? variable.substr(0, variable.size() - kKey.size()) : variable;
      continue;
    }
    rows.push_back({"Environment", std::string(key.environment_variable),
                    key.flag.empty() ? key.full_name() : fmt::format("like {}", key.flag)});
  }
  rows.push_back({"Environment", "NO_COLOR", "no colours"});
  return help_table(rows) + fmt::format("  <VENDOR>_API_KEY with VENDOR one of\n{}\n  and\n{}\n",
                                        indented(wrapped(vendors, kColumns), 4),
                                        indented(wrapped(others, kColumns), 4));
}

// Sentences that were broken for a wider screen are put on one line again, to be broken for this.
std::string with_paragraphs_joined(std::string_view text, std::size_t columns) {
  std::string out;
  std::string paragraph;
  bool is_too_wide = false;
  const auto end_paragraph = [&] {
    if (is_too_wide) std::ranges::replace(paragraph, '\n', ' ');
    if (!paragraph.empty()) out += paragraph + '\n';
    paragraph.clear();
    is_too_wide = false;
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool is_prose = !line.empty() && !line.starts_with(' ') && !line.ends_with(':');
    if (is_prose) {
      is_too_wide = is_too_wide || columns_of(line) > columns;
      paragraph += (paragraph.empty() ? "" : "\n") + std::string(line);
    } else {
      end_paragraph();
      out.append(line).append("\n");
    }
  }
  end_paragraph();
  return out;
}

}  // namespace

const CommandHelp& help_for(std::string_view path) {
  return *std::ranges::find(kCommandHelp, path, &CommandHelp::path);
}

std::string help_table(std::span<const HelpRow> rows) {
  std::size_t widest = 0;
  std::vector<std::string_view> groups;
  for (const HelpRow& row : rows) {
    widest = std::max(widest, columns_of(row.name));
    if (std::ranges::find(groups, std::string_view(row.group)) == groups.end()) {
      groups.push_back(row.group);
    }
  }
  std::string text;
  for (const std::string_view group : groups) {
    if (!text.empty()) text += '\n';
    text += fmt::format("{}:\n", group);
    for (const HelpRow& row : rows) {
      if (row.group != group) continue;
      text += fmt::format("  {}  {}\n", padded(row.name, widest), row.description);
    }
  }
  return text;
}

std::string short_help() {
  return fmt::format(
      "Usage: wright COMMAND [options]\n"
      "       wright                    at a terminal: work on the code of this folder\n\n{}\n"
      "Try: wright run codebase-analysis \"Summarise this project\"\n"
      "All of the help: wright --help\n",
      command_list());
}

std::string overview_help() {
  return fmt::format(
      R"(wright runs agents that use tools. Every tool call is checked before it runs, confined while
it runs, and recorded.

Usage: wright COMMAND [options]
       wright                    at a terminal: work on the code of this folder (chat coding)

{}
Examples:
  wright run codebase-analysis "Where is the configuration read?"
  wright sessions show last
  wright tools call grep '{{"pattern": "TODO"}}'
  wright help run

Exit codes:
  0    success
  1    the run, the tool or the check failed
  2    bad flags, bad configuration, unknown agent
  3    a person has to answer first
  130  interrupted

{}
Files:
  $XDG_CONFIG_HOME/wright/config.toml   configuration (~/.config/wright/config.toml)
  $XDG_CONFIG_HOME/wright/agents/       agents of your own (~/.config/wright/agents/)
  $XDG_DATA_HOME/wright/agents.db       sessions (~/.local/share/wright/agents.db)
  $XDG_STATE_HOME/wright/chat_history   what was typed (~/.local/state/wright/chat_history)

A flag wins over the environment, the environment over the file. `wright config` shows what
holds and why; `wright doctor` shows what works.
)",
      command_list(), environment_list());
}

std::string command_help(const CommandHelp& help, std::string_view options) {
  std::string text = fmt::format("{}\n\nUsage: wright {}\n\n{}", help.summary, help.usage, options);
  if (!help.more.empty()) text += fmt::format("\n{}", help.more);
  return text;
}

std::string decorated_help(std::string_view help, const Terminal& terminal) {
  const std::string fitted =
      terminal.is_terminal ? with_paragraphs_joined(help, terminal.columns) : std::string(help);
  std::string_view text = fitted;
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    const std::string_view line = text.substr(0, end);
    const bool is_heading = line.ends_with(':') && !line.starts_with(' ');
    if (line.starts_with("Usage:")) {
      out += painted("Usage:", Colour::bold, terminal);
      out += line.substr(6);
    } else {
      out += is_heading ? painted(line, Colour::bold, terminal) : std::string(line);
    }
    out += '\n';
    text.remove_prefix(end + 1);
  }
  return out;
}

}  // namespace wright::app
