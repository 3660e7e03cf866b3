#compdef wright
# Zsh completion for wright. Names of agents, tools and sessions come from the program itself.

# _wright_names [COMPADD-OPTIONS…] agents|tools|sessions
# Of any name only what is plain: names come from files of the folder one stands in, and from servers.
_wright_names() {
  local what=$@[-1] pattern='s/^ {0,4}"(name|id)": "?([A-Za-z0-9_][A-Za-z0-9_.:-]*)"?,?$/\2/p'
  local -a names
  names=(${(f)"$(wright $what --json 2>/dev/null | sed -nE $pattern)"})
  [[ $what == sessions ]] && names+=(last)
  compadd "${@[1,-2]}" -a names
}

_wright() {
  local -a config database server base settings log json help
  config=('(-c --config)'{-c,--config}'[configuration file]:file:_files')
  database=('--database-path[where sessions are kept]:file:_files'
    '--store[the same\: a path, or postgresql\://…]:place:_files')
  server=('--server[let this server do it]:URL:')
  base=('--base-path[the folder that tools may read]:folder:_files -/'
    '--database[the SQLite file that sqlite-analysis reads]:file:_files')
  settings=($config $database $base
    '--model[offline, or vendor\:name]:model:(offline)'
    '--max-iterations[how often the model may be asked]:number:')
  log=('--log-level[what is logged]:level:(debug info warning error off)'
    '--log-format[how it is logged]:format:(text json)'
    '--log-file[append the log there]:file:_files'
    '*--set[any key of the configuration file]:key=value:')
  json=('--json[print JSON]')
  help=('(-h --help)'{-h,--help}'[show help]')

  if (( CURRENT == 2 )); then
    local -a commands
    commands=('run:ask an agent' 'chat:talk with an agent' 'resume:go on with a session'
      'answer:answer what a session waits for' 'waits:list what waits for a person'
      'worker:drive sessions of the queue' 'migrate:copy all sessions to another store'
      'sessions:see what was done' 'replay:run a session again, offline' 'test:run recorded sessions as tests'
      'feedback:what the tools lack'
      'stats:how often and how long' 'agents:list the agents'
      'tools:list the tools' 'mcp:MCP servers; Wright as one' 'models:list vendors and models' 'batch:many prompts at once' 'config:show the settings'
      'init:choose a model' 'trust:agree to skills and hooks of this folder' 'acp:serve an editor' 'completions:for a shell' 'doctor:check this machine'
      'serve:serve over HTTP' 'token:tokens for the server'
      'help:explain a command')
    _describe command commands
    _arguments '(-h --help)'{-h,--help}'[show help]' '(-V --version)'{-V,--version}'[show the version]'
    return
  fi

  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case "$command $words[2]" in
    'sessions show' | 'sessions export' | 'sessions fork' | 'sessions cancel' | 'sessions rm' | 'sessions prune' | \
      'sessions diff' | 'sessions undo' | 'config get' | 'config set' | 'tools show' | 'tools call' | \
      'agents show' | 'agents new' | 'agents trust' | \
      'mcp add' | 'mcp test' | 'mcp remove' | 'mcp serve' | 'mcp login' | 'mcp logout' | \
      'batch submit' | 'batch show' | 'batch results' | 'batch cancel' | 'config path' | 'config init')
      if (( CURRENT > 2 )); then
        command+=" $words[2]"
        shift words
        (( CURRENT-- ))
      fi
      ;;
  esac

  case $command in
    run)
      _arguments $help $json $settings $server $log '--json-events[print every event as a line]' \
        '--queue[only put it into the queue]' '--priority[higher ones come first]:number:' \
        '--delay[not before]:time:' '--labels[what its worker must have]:labels:' \
        '--tenant[whom the session is for]:name:' \
        '(-a --agent)'{-a,--agent}'[the agent]:agent:_wright_names agents' \
        '(-p --prompt)'{-p,--prompt}'[the prompt]:text:' \
        '*--image[an image, PDF or audio file that goes along]:file:_files' \
        '--schema[print JSON that fits this JSON schema]:file:_files' \
        '(-q --quiet)'{-q,--quiet}'[no progress]' \
        '(--no-stream)--stream[print text as it comes]' \
        '(--stream)--no-stream[print the answer when it is complete]' \
        '(--no-debug)--debug[tell how well the tools served]' \
        '(--debug)--no-debug[do not, whatever the settings say]' \
        '--no-input[nobody is there to be asked]' \
        '--trace-http[append all traffic with models there]:file:_files' \
        '1:agent:_wright_names agents' '2:prompt:'
      ;;
    chat)
      _arguments $help $settings $server $log \
        '(--session)--continue[go on with the last session of this folder]' \
        '(--continue)--session[go on with this session]:session:_wright_names sessions' \
        '--refresh[with the agent and the settings as they are now]' \
        '(-q --quiet)'{-q,--quiet}'[no progress]' \
        '(--no-stream)--stream[print text as it comes]' \
        '(--stream)--no-stream[print the answer when it is complete]' \
        '(--no-debug)--debug[tell how well the tools served]' \
        '(--debug)--no-debug[do not, whatever the settings say]' \
        '--no-input[nobody is there to be asked]' \
        '--trace-http[append all traffic with models there]:file:_files' \
        '1:agent:_wright_names agents'
      ;;
    resume)
      _arguments $help $json $settings $server $log \
        '--all[every session that was interrupted or answered]' \
        '*--settle[what became of a call that was under way]:call=done|failed|retry:' \
        '--refresh[with the agent and the settings as they are now]' \
        '(-q --quiet)'{-q,--quiet}'[no progress]' \
        '(--no-stream)--stream[print text as it comes]' \
        '(--stream)--no-stream[print the answer when it is complete]' \
        '(--no-debug)--debug[tell how well the tools served]' \
        '(--debug)--no-debug[do not, whatever the settings say]' \
        '--no-input[nobody is there to be asked]' \
        '--trace-http[append all traffic with models there]:file:_files' \
        '1:session:_wright_names sessions'
      ;;
    answer)
      _arguments $help $json $config $database $server \
        '*--set[the answer to a question]:id=value:' \
        '--approve[let the call run]::for:(once session)' \
        '--refuse[do not let the call run]:reason:' '--answer[the whole answer]:JSON:' \
        '--wait[which wait]:number:' '1:session:_wright_names sessions'
      ;;
    worker)
      _arguments $help $settings $log '*--agents[only of these agents]:agents:_wright_names agents' \
        '--labels[what sessions may ask for]:labels:' \
        '--concurrency[sessions at a time]:number:' '--poll[how often to look for work]:time:' \
        '--lease[after how long it is taken for dead]:time:' \
        '--grace[how long sessions may take to end]:time:' \
        '*--listen[where to answer probes]:address:' '*--host[a further name of it]:name:' \
        '--until-idle[end when nothing is left to do]' '(-q --quiet)'{-q,--quiet}'[do not tell of sessions]'
      ;;
    migrate)
      _arguments $help $json $config '--from[the store to copy]:place:_files' \
        '--to[the store to copy to]:place:_files'
      ;;
    waits) _arguments $help $json $config $database $server '--tenant[only for this tenant]:name:' ;;
    sessions)
      _arguments $help $json $config $database $server \
        '--agent[only of this agent]:agent:_wright_names agents' \
        '--status[only of this status]:status:(running completed failed waiting cancelled queued)' \
        '--since[only newer ones]:when:' '--search[only with this text]:text:' \
        '--tenant[only for this tenant]:name:' \
        '--limit[at most this many]:number:' '1:command:(show export fork cancel diff undo rm prune list)'
      ;;
    'sessions show') _arguments $help $json $config $database $server '1:session:_wright_names sessions' ;;
    'sessions export')
      _arguments $help $config $database $server '--format[how it is written]:format:(json markdown)' \
        '--cassette[a test file for wright test]' \
        '(-o --output)'{-o,--output}'[write there]:file:_files' '1:session:_wright_names sessions'
      ;;
    'sessions fork')
      _arguments $help $json $config $database $server '--at[the last message of the fork]:number:' \
        '1:session:_wright_names sessions'
      ;;
    'sessions cancel')
      _arguments $help $json $config $database $server '--reason[why]:text:' '*:session:_wright_names sessions'
      ;;
    'sessions diff') _arguments $help $config $database '1:session:_wright_names sessions' ;;
    'sessions undo')
      _arguments $help $config $database '(-y --yes)'{-y,--yes}'[do not ask]' \
        '1:session:_wright_names sessions'
      ;;
    'sessions rm')
      _arguments $help $json $config $database $server '(-y --yes)'{-y,--yes}'[do not ask]' \
        '*:session:_wright_names sessions'
      ;;
    'sessions prune')
      _arguments $help $json $config $database '--older-than[those that ended before then]:when:' \
        '--dry-run[only tell what would be deleted]'
      ;;
    feedback | stats)
      _arguments $help $json $config $database $server '--tenant[only for this tenant]:name:' \
        '--agent[only of this agent]:agent:_wright_names agents' '--since[only newer ones]:when:'
      ;;
    agents)
      _arguments $help $json $settings '*--set[any key of the configuration file]:key=value:' \
        '1:command:(show new trust list)'
      ;;
    'agents show')
      _arguments $help $json $settings '*--set[any key of the configuration file]:key=value:' \
        '1:agent:_wright_names agents'
      ;;
    'agents new') _arguments $help $settings '--project[below the base folder]' '1:name:' ;;
    'agents trust') _arguments $help $settings '1:agent:_wright_names agents' ;;
    replay)
      _arguments $help $json $settings '--live-tools[execute the calls again]' \
        '*--set[any key of the configuration file]:key=value:' '1:session:_wright_names sessions'
      ;;
    test)
      _arguments $help $json $config $base '--live-tools[execute the calls again]' \
        '--update[rewrite the files that differ]' \
        '*--set[any key of the configuration file]:key=value:' '*:file:_files'
      ;;
    doctor)
      _arguments $help $json $settings '--online[ask every provider that has a key]' \
        '*--set[any key of the configuration file]:key=value:'
      ;;
    serve)
      _arguments $help $settings $log '*--listen[where to listen]:address:' \
        '*--host[a further name it is reached by]:name:' '--certificate[speak TLS with this]:file:_files' \
        '--key[its key]:file:_files' '*--webhook[tell this URL what waits and ends]:url:' \
        '--labels[what is there that sessions may ask for]:labels:' '--concurrency[sessions at a time]:number:' \
        '--no-open[open no browser]' \
        '--mcp-tools[at /mcp\: which tools]:patterns:' '--mcp-agents[at /mcp\: which agents]:names:' \
        '--mcp-sessions[at /mcp\: also past sessions]' '*--set[any key of the configuration file]:key=value:'
      ;;
    batch)
      _arguments $help $json $config '--vendor[only of this one]:vendor:(openai anthropic gemini mistral azure)' \
        '*--set[any key of the configuration file]:key=value:' '1:command:(submit show results cancel list)'
      ;;
    'batch submit')
      _arguments $help $json $config '--model[vendor\:name]:model:' \
        '*--set[any key of the configuration file]:key=value:' '1:file:_files'
      ;;
    'batch show' | 'batch cancel')
      _arguments $help $json $config '*--set[any key of the configuration file]:key=value:' '1:id:'
      ;;
    'batch results')
      _arguments $help $config '*--set[any key of the configuration file]:key=value:' '1:id:'
      ;;
    token) _arguments $help $json '1:command:(add rm list)' ;;
    'token add') _arguments $help '--scope[what it may do]:scope:(read answer run admin)' \
      '--tenant[for sessions of this tenant alone]:name:' '1:name:' ;;
    'token rm') _arguments $help '1:name:' ;;
    models)
      _arguments $help $json $config '--compare[show what differs from the lists of the vendors]' \
        '*--set[any key of the configuration file]:key=value:' \
        '1:vendor:'
      ;;
    tools)
      _arguments $help $json $config $base '*--set[any key of the configuration file]:key=value:' \
        '1:command:(show call list)'
      ;;
    'tools show')
      _arguments $help $config $base '*--set[any key of the configuration file]:key=value:' \
        '1:tool:_wright_names tools'
      ;;
    'tools call')
      _arguments $help $json $config $base $log '1:tool:_wright_names tools' '2:arguments:'
      ;;
    mcp) _arguments $help $json $config '1:command:(add test login logout remove serve list)' ;;
    'mcp add')
      _arguments $help $config '*'{-e,--env}'[a variable for the program]:name=value:' \
        '*--header[a header for the address]:name=value:' '1:name:' '*:program:'
      ;;
    'mcp test')
      _arguments $help $json $config $base '*--set[any key of the configuration file]:key=value:' \
        '1:server:_wright_names mcp'
      ;;
    'mcp login') _arguments $help $config '--no-browser[only print the address]' '1:server:_wright_names mcp' ;;
    'mcp logout' | 'mcp remove') _arguments $help $config '1:server:_wright_names mcp' ;;
    'mcp serve')
      _arguments $help $settings $log '--tools[which tools]:patterns:' \
        '--agents[which agents]:names:' '--sessions[also show past sessions]'
      ;;
    config) _arguments $help $json $settings $log '1:command:(path init get set)' ;;
    'config path' | 'config init') _arguments $help $config ;;
    'config get') _arguments $help $config '1:key:' ;;
    'config set') _arguments $help $config '1:key:' '2:value:' ;;
    init) _arguments $help $config '--model[offline, or vendor\:name]:model:(offline)' ;;
    trust) _arguments $help $config $base '(-y --yes)'{-y,--yes}'[do not ask]' ;;
    completions) _arguments $help '1:shell:(bash zsh fish)' ;;
    acp) _arguments $help $settings $log '1:agent:_wright_names agents' ;;
    help) _arguments '1:command:(run chat resume answer waits worker migrate sessions replay test feedback stats agents tools mcp models batch config init trust acp completions doctor serve token)' ;;
  esac
}

_wright "$@"
