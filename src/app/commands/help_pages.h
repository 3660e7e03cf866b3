// What `wright help COMMAND` says of each command, above its options. Texts only.
#pragma once

#include <array>

#include "app/commands/help.h"

namespace wright::app {

inline constexpr std::array kCommandHelp{
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
  75   the queue is full, or the server: nothing was begun, try again later
  130  interrupted; Ctrl-C ends the run as `cancelled`, a second one at once
  141  answered, but the reader of standard output went away (`| head`)
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
  wright answer 12 --approve session --wait 3
  wright answer 12 --refuse "Not on a Friday"
)"},
    CommandHelp{"waits", "waits [options]", "List what waits for a person, and how to answer it.",
                R"(Examples:
  wright waits
  wright waits --json | jq '.[].shown'
)"},
    CommandHelp{"sessions", "sessions [show|export|fork|diff|undo|cancel|rm|prune] [options]",
                "List past sessions, newest first.",
                R"(Commands:
  wright sessions                   list
  wright sessions show ID           read one
  wright sessions export ID         all of one, as JSON, Markdown or a test file
  wright sessions fork ID           the same again up to a message, to go on from there
  wright sessions diff ID           what it changed in files
  wright sessions undo ID           take that back
  wright sessions cancel ID…        stop
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
        "sessions cancel", "sessions cancel ID… [options]", "Stop sessions, with their specialists.",
        R"(Whoever drives it, here or elsewhere, stops it in a moment. One that nobody drives ends at
once, and what it asked for waits for nobody any more. When one of the sessions does not exist,
none is stopped.

Examples:
  wright sessions cancel 12
  wright sessions cancel last --reason "wrong folder"
  wright sessions cancel 3 4 5 --json | jq '.[] | select(.error)'
)"},
    CommandHelp{
        "sessions rm", "sessions rm ID… [options]",
        "Delete sessions with their messages, tool calls and child sessions.",
        R"(Asks first on a terminal; elsewhere --yes is needed. When one of the sessions does not
exist, nothing is deleted.

Examples:
  wright sessions rm 12
  wright sessions rm --yes 3 4 5 --json
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
With --listen it answers at /metrics (as `wright serve` does, with the same tokens), /healthz and
/readyz.

Examples:
  wright worker --store postgresql://wright@db/wright --concurrency 32
  wright worker --agents codebase-analysis,sqlite-analysis
  wright worker --labels gpu,repository=shop
  wright worker --until-idle            do what is there, and end
  wright worker --listen 0.0.0.0:9411   figures for Prometheus, probes for Kubernetes

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
    CommandHelp{"mcp", "mcp [add|test|login|logout|remove|serve] [options]",
                "List the MCP servers whose tools agents get; be one yourself.",
                R"(Commands:
  wright mcp                            list
  wright mcp add NAME COMMAND…          a program that is a server; or an address
  wright mcp test NAME                  connect, and say what it has
  wright mcp login NAME                 log in, where the server wants to know who you are
  wright mcp logout NAME                forget that
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
        "mcp login", "mcp login NAME [options]",
        "Log in to an MCP server at an address, in a browser.",
        R"(For servers that want to know who uses them (OAuth 2.1). The token is kept in a file that only you
can read, refreshed when it runs out, and sent to that server alone.

Examples:
  wright mcp add docs https://example.com/mcp
  wright mcp login docs
)"},
    CommandHelp{"mcp logout", "mcp logout NAME [options]", "Forget the token for an MCP server.",
                ""},
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
                "Azure, Anthropic, Gemini, Mistral).",
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
    CommandHelp{"config", "config [get|set|path|init] [options]",
                "Show the effective settings and where each came from. Keys are masked.",
                R"(Commands:
  wright config             the effective values
  wright config get KEY     one of them
  wright config set KEY V   write it into the file
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
  /mcp             tools that read, and agents, for clients of MCP (Streamable HTTP)
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

}  // namespace wright::app
