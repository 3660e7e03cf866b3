# Fish completion for wright. Names of agents, tools and sessions come from the program itself.

# Of any name only what is plain: names come from files of the folder one stands in, and from servers.
function __wright_names
    wright $argv[1] --json 2>/dev/null | string match -rg '^ {0,4}"(?:name|id)": "?([A-Za-z0-9_][A-Za-z0-9_.:-]*)"?,?$'
end

# Whether the command typed so far, for example `sessions show`, is one of these.
function __wright_in
    set -l words (commandline -opc)
    set -l command "$words[2]"
    set -l longer "$words[2] $words[3]"
    if contains -- $longer 'sessions show' 'sessions export' 'sessions fork' 'sessions cancel' 'sessions rm' 'sessions prune' 'sessions diff' 'sessions undo' 'tools show' \
            'tools call' 'config path' 'config init' 'config get' 'config set' 'agents show' 'agents new' 'agents trust' \
            'token add' 'token rm' 'batch submit' 'batch show' 'batch results' 'batch cancel' 'mcp add' 'mcp test' 'mcp remove' 'mcp serve' 'mcp login' 'mcp logout'
        set command $longer
    end
    contains -- $command $argv
end

# Whether this many words stand before the one that is being typed, `wright` among them.
function __wright_after
    test (count (commandline -opc)) -eq $argv[1]
end

complete -c wright -f
complete -c wright -s h -l help -d 'Show help'
complete -c wright -n '__wright_after 1' -s V -l version -d 'Show the version'
complete -c wright -n '__wright_after 1' -a run -d 'Ask an agent'
complete -c wright -n '__wright_after 1' -a chat -d 'Talk with an agent'
complete -c wright -n '__wright_after 1' -a resume -d 'Go on with a session'
complete -c wright -n '__wright_after 1' -a answer -d 'Answer what a session waits for'
complete -c wright -n '__wright_after 1' -a waits -d 'List what waits for a person'
complete -c wright -n '__wright_after 1' -a worker -d 'Drive sessions of the queue'
complete -c wright -n '__wright_after 1' -a migrate -d 'Copy all sessions to another store'
complete -c wright -n '__wright_after 1' -a sessions -d 'See what was done'
complete -c wright -n '__wright_after 1' -a replay -d 'Run a session again, offline'
complete -c wright -n '__wright_after 1' -a test -d 'Run recorded sessions as tests'
complete -c wright -n '__wright_after 1' -a feedback -d 'What the tools lack'
complete -c wright -n '__wright_after 1' -a stats -d 'How often and how long'
complete -c wright -n '__wright_after 1' -a agents -d 'List the agents'
complete -c wright -n '__wright_after 1' -a tools -d 'List the tools'
complete -c wright -n '__wright_after 1' -a mcp -d 'MCP servers; Wright as one'
complete -c wright -n '__wright_after 1' -a models -d 'List vendors and models'
complete -c wright -n '__wright_after 1' -a batch -d 'Many prompts at once'
complete -c wright -n '__wright_after 1' -a config -d 'Show the settings'
complete -c wright -n '__wright_after 1' -a init -d 'Choose a model'
complete -c wright -n '__wright_after 1' -a trust -d 'Agree to skills and hooks of this folder'
complete -c wright -n '__wright_after 1' -a completions -d 'For a shell'
complete -c wright -n '__wright_in completions; and __wright_after 2' -a 'bash zsh fish'
complete -c wright -n '__wright_after 1' -a acp -d 'Serve an editor'
complete -c wright -n '__wright_after 1' -a doctor -d 'Check this machine'
complete -c wright -n '__wright_after 1' -a serve -d 'Serve over HTTP'
complete -c wright -n '__wright_after 1' -a token -d 'Tokens for the server'
complete -c wright -n '__wright_after 1' -a help -d 'Explain a command'

# Settings and --json, which several commands have
set -l with_all_settings run acp worker resume replay agents config doctor
set -l of_agents 'agents show' 'agents new' 'agents trust'
set -l with_database answer waits feedback stats sessions 'sessions show' 'sessions export' 'sessions fork' 'sessions cancel' 'sessions rm' 'sessions prune' 'sessions diff' 'sessions undo' $of_agents
set -l with_server run chat resume answer waits feedback stats sessions 'sessions show' 'sessions export' 'sessions fork' 'sessions cancel' 'sessions rm'
set -l with_base_path trust test tools 'tools show' 'tools call' $of_agents
set -l with_json answer waits feedback stats sessions 'sessions show' 'sessions fork' 'sessions cancel' 'sessions rm' 'sessions prune' 'agents show' test tools 'tools call' models batch 'batch submit' 'batch show' 'batch cancel'
complete -c wright -n 'not __wright_after 1; and not __wright_in help' -s c -l config -r -F -d 'Configuration file'
complete -c wright -n "__wright_in $with_all_settings '"(string join "' '" $with_database)"'" -l database-path -r -F -d 'Where sessions are kept'
complete -c wright -n "__wright_in $with_all_settings chat '"(string join "' '" $with_database)"'" -l store -r -F -d 'The same: a path, or postgresql://…'
complete -c wright -n "__wright_in '"(string join "' '" $with_server)"'" -l server -x -d 'Let this server do it'
complete -c wright -n "__wright_in $with_all_settings '"(string join "' '" $with_base_path)"'" -l base-path -x -a '(__fish_complete_directories)' -d 'The folder that tools may read'
complete -c wright -n "__wright_in $with_all_settings '"(string join "' '" $with_base_path)"'" -l database -r -F -d 'The SQLite file that sqlite-analysis reads'
complete -c wright -n "__wright_in $with_all_settings '"(string join "' '" $of_agents)"'" -l model -x -a offline -d 'offline, or vendor:name'
complete -c wright -n "__wright_in $with_all_settings '"(string join "' '" $of_agents)"'" -l max-iterations -x -d 'How often the model may be asked'
complete -c wright -n "__wright_in $with_all_settings '"(string join "' '" $with_json)"'" -l json -d 'Print JSON'

# The log
complete -c wright -n "__wright_in run acp worker resume config serve 'tools call'" -l log-level -x -a 'debug info warning error off' -d 'What is logged'
complete -c wright -n "__wright_in run acp worker resume config serve 'tools call'" -l log-format -x -a 'text json' -d 'How it is logged'
complete -c wright -n "__wright_in run acp worker resume config serve 'tools call'" -l log-file -r -F -d 'Append the log there'
complete -c wright -n "__wright_in run acp worker resume config serve replay test agents 'agents show' tools 'tools show' 'tools call' models batch 'batch submit' 'batch show' 'batch results' 'batch cancel' doctor" -l set -x -d 'Any key of the configuration file'

# run
complete -c wright -n '__wright_in run; and __wright_after 2' -a '(__wright_names agents)'
complete -c wright -n '__wright_in run' -s a -l agent -x -a '(__wright_names agents)' -d 'The agent'
complete -c wright -n '__wright_in run' -s p -l prompt -x -d 'The prompt'
complete -c wright -n '__wright_in run' -l image -r -F -d 'An image, PDF or audio file that goes along'
complete -c wright -n '__wright_in run' -l schema -r -F -d 'Print JSON that fits this JSON schema'
complete -c wright -n '__wright_in run resume' -s q -l quiet -d 'No progress'
complete -c wright -n '__wright_in run resume' -l stream -d 'Print text as it comes'
complete -c wright -n '__wright_in run resume' -l no-stream -d 'Print the answer when it is complete'
complete -c wright -n '__wright_in run chat resume' -l debug -d 'Tell how well the tools served'
complete -c wright -n '__wright_in run chat resume' -l no-debug -d 'Do not, whatever the settings say'
complete -c wright -n '__wright_in run resume' -l trace-http -r -F -d 'Append all traffic with models there'

complete -c wright -n '__wright_in run resume' -l no-input -d 'Nobody is there to be asked'
complete -c wright -n '__wright_in run' -l queue -d 'Only put it into the queue'
complete -c wright -n '__wright_in run' -l priority -x -d 'In the queue: higher ones come first'
complete -c wright -n '__wright_in run' -l labels -x -d 'In the queue: what its worker must have'
complete -c wright -n '__wright_in run' -l tenant -x -d 'Whom the session is for'
complete -c wright -n '__wright_in run' -l delay -x -d 'In the queue: not before'

# worker, migrate
complete -c wright -n '__wright_in worker' -l agents -x -a '(__wright_names agents)' -d 'Only of these agents'
complete -c wright -n '__wright_in worker' -l labels -x -d 'What sessions may ask for'
complete -c wright -n '__wright_in worker' -l concurrency -x -d 'Sessions at a time'
complete -c wright -n '__wright_in worker' -l poll -x -d 'How often to look for work'
complete -c wright -n '__wright_in worker' -l lease -x -d 'After how long it is taken for dead'
complete -c wright -n '__wright_in worker' -l grace -x -d 'How long sessions may take to end'
complete -c wright -n '__wright_in worker' -l until-idle -d 'End when nothing is left to do'
complete -c wright -n '__wright_in worker' -l listen -x -d 'Where to answer probes'
complete -c wright -n '__wright_in worker' -l host -x -d 'A further name of it'
complete -c wright -n '__wright_in worker' -s q -l quiet -d 'Do not tell of sessions'
complete -c wright -n '__wright_in migrate' -l from -r -F -d 'The store to copy'
complete -c wright -n '__wright_in migrate' -l to -r -F -d 'The store to copy to'
complete -c wright -n '__wright_in migrate' -l json -d 'Print JSON'

# resume, answer
complete -c wright -n '__wright_in resume answer; and __wright_after 2' -a 'last (__wright_names sessions)'
complete -c wright -n '__wright_in resume' -l all -d 'Every session that was interrupted or answered'
complete -c wright -n '__wright_in resume' -l settle -x -d 'What became of a call that was under way'
complete -c wright -n '__wright_in answer' -l set -x -d 'The answer to a question'
complete -c wright -n '__wright_in answer' -l approve -x -a 'once session' -d 'Let the call run'
complete -c wright -n '__wright_in answer' -l refuse -x -d 'Do not let the call run'
complete -c wright -n '__wright_in answer' -l answer -x -d 'The whole answer as JSON'
complete -c wright -n '__wright_in answer' -l wait -x -d 'Which wait'

# agents
complete -c wright -n '__wright_in agents; and __wright_after 2' -a 'show new trust list'
complete -c wright -n "__wright_in 'agents show' 'agents trust'; and __wright_after 3" -a '(__wright_names agents)'
complete -c wright -n "__wright_in 'agents new'" -l project -d 'Below the base folder'

# chat
complete -c wright -n '__wright_in chat; and __wright_after 2' -a '(__wright_names agents)'
complete -c wright -n '__wright_in chat' -l continue -d 'Go on with the last session of this folder'
complete -c wright -n '__wright_in chat resume' -l refresh -d 'With the agent and the settings as they are now'
complete -c wright -n '__wright_in chat' -l session -x -a 'last (__wright_names sessions)' -d 'Go on with this session'
complete -c wright -n '__wright_in chat' -s q -l quiet -d 'No progress'
complete -c wright -n '__wright_in chat' -l stream -d 'Print text as it comes'
complete -c wright -n '__wright_in chat' -l no-stream -d 'Print the answer when it is complete'
complete -c wright -n '__wright_in chat' -l no-input -d 'Nobody is there to be asked'
complete -c wright -n '__wright_in chat' -l trace-http -r -F -d 'Append all traffic with models there'
complete -c wright -n '__wright_in chat' -l database-path -r -F -d 'Where sessions are kept'
complete -c wright -n '__wright_in chat' -l base-path -x -a '(__fish_complete_directories)' -d 'The folder that tools may read'
complete -c wright -n '__wright_in chat' -l database -r -F -d 'The SQLite file that sqlite-analysis reads'
complete -c wright -n '__wright_in chat' -l model -x -a offline -d 'offline, or vendor:name'
complete -c wright -n '__wright_in chat' -l max-iterations -x -d 'How often the model may be asked'
complete -c wright -n '__wright_in chat' -l log-level -x -a 'debug info warning error off' -d 'What is logged'
complete -c wright -n '__wright_in chat' -l log-format -x -a 'text json' -d 'How it is logged'
complete -c wright -n '__wright_in chat' -l log-file -r -F -d 'Append the log there'
complete -c wright -n '__wright_in chat' -l set -x -d 'Any key of the configuration file'

# sessions
complete -c wright -n '__wright_in sessions; and __wright_after 2' -a 'show export fork cancel diff undo rm prune list'
complete -c wright -n '__wright_in sessions feedback stats' -l agent -x -a '(__wright_names agents)' -d 'Only of this agent'
complete -c wright -n '__wright_in sessions' -l status -x -a 'running completed failed waiting cancelled queued' -d 'Only of this status'
complete -c wright -n '__wright_in sessions feedback stats' -l since -x -d 'Only newer ones'
complete -c wright -n '__wright_in sessions' -l search -x -d 'Only with this text'
complete -c wright -n '__wright_in sessions waits feedback stats' -l tenant -x -d 'Only for this tenant'
complete -c wright -n '__wright_in sessions' -l limit -x -d 'At most this many'
complete -c wright -n "__wright_in 'sessions show' 'sessions export' 'sessions fork' 'sessions cancel' 'sessions rm' 'sessions diff' 'sessions undo' replay" -a 'last (__wright_names sessions)'
complete -c wright -n "__wright_in 'sessions export'" -l format -x -a 'json markdown' -d 'How it is written'
complete -c wright -n "__wright_in 'sessions export'" -l cassette -d 'A test file for wright test'
complete -c wright -n "__wright_in 'sessions fork'" -l at -x -d 'The last message of the fork'
complete -c wright -n "__wright_in 'sessions export'" -s o -l output -r -F -d 'Write there'
complete -c wright -n "__wright_in 'sessions cancel'" -l reason -x -d 'Why'
complete -c wright -n "__wright_in 'sessions rm' 'sessions undo' trust" -s y -l yes -d 'Do not ask'
complete -c wright -n "__wright_in 'sessions prune'" -l older-than -x -d 'Those that ended before then'
complete -c wright -n "__wright_in 'sessions prune'" -l dry-run -d 'Only tell what would be deleted'

# replay and test
complete -c wright -n '__wright_in replay test' -l live-tools -d 'Execute the calls again'
complete -c wright -n '__wright_in test' -l update -d 'Rewrite the files that differ'
complete -c wright -n '__wright_in test' -F

# tools
complete -c wright -n '__wright_in tools; and __wright_after 2' -a 'show call list'
complete -c wright -n "__wright_in 'tools show' 'tools call'; and __wright_after 3" -a '(__wright_names tools)'

# mcp
complete -c wright -n '__wright_in mcp; and __wright_after 2' -a 'add test login logout remove serve list'
complete -c wright -n "__wright_in 'mcp test' 'mcp login' 'mcp logout' 'mcp remove'; and __wright_after 3" -a '(__wright_names mcp)'
complete -c wright -n "__wright_in mcp 'mcp test'" -l json -d 'Print JSON'
complete -c wright -n "__wright_in 'mcp add'" -s e -l env -x -d 'A variable for the program'
complete -c wright -n "__wright_in 'mcp add'" -l header -x -d 'A header for the address'
complete -c wright -n "__wright_in 'mcp login'" -l no-browser -d 'Only print the address'
complete -c wright -n "__wright_in 'mcp serve'" -l tools -x -d 'Which tools'
complete -c wright -n "__wright_in 'mcp serve'" -l agents -x -a '(__wright_names agents)' -d 'Which agents'
complete -c wright -n "__wright_in 'mcp serve'" -l sessions -d 'Also show past sessions'
complete -c wright -n "__wright_in 'mcp serve'" -l model -x -a offline -d 'offline, or vendor:name'
complete -c wright -n "__wright_in 'mcp serve' 'mcp test'" -l base-path -x -a '(__fish_complete_directories)' -d 'The folder that tools may read'

# models and doctor
complete -c wright -n '__wright_in models; and __wright_after 2' -a '(wright models --json 2>/dev/null | string match -rg \'"vendor": "([^"]+)"\')'
complete -c wright -n '__wright_in models' -l compare -d 'Show what differs from the vendors\' own lists'
complete -c wright -n '__wright_in doctor' -l online -d 'Ask every provider that has a key'

# batch
complete -c wright -n '__wright_in batch; and __wright_after 2' -a 'submit show results cancel list'
complete -c wright -n '__wright_in batch' -l vendor -x -a 'openai anthropic gemini mistral azure' -d 'Only of this one'
complete -c wright -n "__wright_in 'batch submit'" -F
complete -c wright -n "__wright_in 'batch submit'" -l model -x -d 'vendor:name'

# serve and token
complete -c wright -n '__wright_in serve' -l database-path -r -F -d 'Where sessions are kept'
complete -c wright -n '__wright_in serve' -l base-path -x -a '(__fish_complete_directories)' -d 'The folder that tools may read'
complete -c wright -n '__wright_in serve' -l model -x -a offline -d 'offline, or vendor:name'
complete -c wright -n '__wright_in serve' -l listen -x -d 'Where to listen'
complete -c wright -n '__wright_in serve' -l host -x -d 'A further name it is reached by'
complete -c wright -n '__wright_in serve' -l certificate -r -d 'Speak TLS with this'
complete -c wright -n '__wright_in serve' -l key -r -d 'Its key'
complete -c wright -n '__wright_in serve' -l webhook -x -d 'Tell this URL what waits and ends'
complete -c wright -n '__wright_in serve' -l no-open -d 'Open no browser'
complete -c wright -n '__wright_in serve' -l mcp-tools -x -d 'At /mcp: which tools'
complete -c wright -n '__wright_in serve' -l mcp-agents -x -a '(__wright_names agents)' -d 'At /mcp: which agents'
complete -c wright -n '__wright_in serve' -l mcp-sessions -d 'At /mcp: also past sessions'
complete -c wright -n '__wright_in token; and __wright_after 2' -a 'add rm list'
complete -c wright -n '__wright_in token' -l json -d 'Print JSON'
complete -c wright -n "__wright_in 'token add'" -l scope -x -a 'read answer run admin' -d 'What it may do'
complete -c wright -n "__wright_in 'token add'" -l tenant -x -d 'For sessions of this tenant alone'

# init, acp and trust
complete -c wright -n '__wright_in init' -l model -x -a offline -d 'offline, or vendor:name'
complete -c wright -n '__wright_in acp; and __wright_after 2' -a '(__wright_names agents)'
complete -c wright -n '__wright_in run' -l json-events -d 'Print every event as a line'

# config and help
complete -c wright -n '__wright_in config; and __wright_after 2' -a 'path init get set'
complete -c wright -n '__wright_in help; and __wright_after 2' -a 'run chat resume answer waits worker migrate sessions replay test feedback stats agents tools mcp models batch config init trust acp completions doctor serve token'
