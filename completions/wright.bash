# Bash completion for wright. Names of agents, tools and sessions come from the program itself.

# Of any name only what is plain: names come from files of the folder one stands in, and from servers.
_wright_names() {
  case $1 in
    agents) wright agents --json ;;
    tools) wright tools --json ;;
    mcp) wright mcp --json ;;
    sessions) wright sessions --json && echo '"id": "last"' ;;
    vendors) wright models --json | sed 's/"vendor"/"name"/; s/"id"/"-"/' ;;
  esac 2>/dev/null | sed -nE 's/^ {0,4}"(name|id)": "?([A-Za-z0-9_][A-Za-z0-9_.:-]*)"?,?$/\2/p'
}

# _wright_offer CURRENT WORDS: those that begin so. Unlike `compgen -W` it expands nothing in them.
_wright_offer() {
  local word
  while IFS= read -r word; do
    [[ -n $word && $word == "$1"* ]] && COMPREPLY+=("$word")
  done <<< "${2//[[:space:]]/$'\n'}"
  return 0
}

# _wright_files -f|-d CURRENT: bash quotes what it inserts of them.
_wright_files() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen "$1" -- "$2")
}

_wright() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local config='-c --config' database='--database-path --store' server='--server' base='--base-path --database'
  local log='--log-level --log-format --log-file --set'
  local settings="$config $database $base --model --max-iterations"
  COMPREPLY=()

  # The value of an option.
  case $previous in
    -c | --config | --database-path | --store | --from | --to | --database | --log-file | --trace-http | --schema | --image | -o | --output | --certificate | --key)
      _wright_files -f "$current"
      return
      ;;
    --base-path)
      _wright_files -d "$current"
      return
      ;;
    -a | --agent | --agents)
      _wright_offer "$current" "$(_wright_names agents)"
      return
      ;;
    --session)
      _wright_offer "$current" "$(_wright_names sessions)"
      return
      ;;
    --model)
      _wright_offer "$current" offline
      return
      ;;
    --format)
      _wright_offer "$current" 'json markdown'
      return
      ;;
    --log-level)
      _wright_offer "$current" 'debug info warning error off'
      return
      ;;
    --log-format)
      _wright_offer "$current" 'text json'
      return
      ;;
    --status)
      _wright_offer "$current" 'running completed failed waiting cancelled queued'
      return
      ;;
    --scope)
      _wright_offer "$current" 'read answer run admin'
      return
      ;;
    --approve)
      _wright_offer "$current" 'once session'
      return
      ;;
    -p | --prompt | --max-iterations | --set | --settle | --refuse | --answer | --wait | --since | --older-than | --search | --limit | --at | --priority | --delay | --labels | --tenant | --concurrency | --poll | --lease | --grace | --tools | --agents | -e | --env | --header | --listen | --host | --webhook | --vendor)
      return
      ;;
  esac

  # The command: the first word, and for some the second. `position` counts the words after it.
  local command=${COMP_WORDS[1]} position=$((COMP_CWORD - 2))
  if [[ $COMP_CWORD -ge 3 ]]; then
    case "$command ${COMP_WORDS[2]}" in
      'sessions show' | 'sessions export' | 'sessions fork' | 'sessions cancel' | 'sessions rm' | 'sessions prune' | \
        'sessions diff' | 'sessions undo' | 'config get' | 'config set' | 'tools show' | 'tools call' | \
        'agents show' | 'agents new' | 'agents trust' | \
        'mcp add' | 'mcp test' | 'mcp remove' | 'mcp serve' | 'mcp login' | 'mcp logout' | \
        'token add' | 'token rm' | \
        'batch submit' | 'batch show' | 'batch results' | 'batch cancel' | \
        'config path' | 'config init')
        command+=" ${COMP_WORDS[2]}"
        position=$((position - 1))
        ;;
    esac
  fi

  local words='' options=''
  if [[ $COMP_CWORD -eq 1 ]]; then
    words='run chat resume answer waits worker migrate sessions replay test feedback stats agents tools mcp models batch config init trust acp completions doctor serve token help'
    options='--help --version'
  else
    case $command in
      run)
        options="--queue --priority --delay --labels --tenant"
        options+=" -a --agent -p --prompt --image --schema --json --json-events -q --quiet --stream --no-stream --debug --no-debug"
        options+=" --no-input --trace-http"
        options+=" $settings $server $log"
        ;;
      chat)
        options="--continue --session --refresh -q --quiet --stream --no-stream --debug --no-debug"
        options+=" --no-input --trace-http"
        options+=" $settings $server $log"
        ;;
      resume)
        options="--all --settle --refresh --json -q --quiet --stream --no-stream --debug --no-debug"
        options+=" --no-input --trace-http"
        options+=" $settings $server $log"
        ;;
      answer) options="--set --approve --refuse --answer --wait --json $config $database $server" ;;
      worker)
        options="--agents --labels --concurrency --poll --lease --grace --until-idle --listen --host -q --quiet $settings $log"
        ;;
      migrate) options="--from --to --json $config" ;;
      waits) options="--tenant --json $config $database $server" ;;
      sessions)
        words='show export fork cancel diff undo rm prune list'
        options="--agent --status --tenant --since --search --limit --json $config $database $server"
        ;;
      'sessions show') options="--json $config $database $server" ;;
      'sessions export') options="--format --cassette -o --output $config $database $server" ;;
      'sessions fork') options="--at --json $config $database $server" ;;
      'sessions cancel') options="--reason --json $config $database $server" ;;
      'sessions diff') options="$config $database" ;;
      'sessions undo') options="-y --yes $config $database" ;;
      'sessions rm') options="-y --yes --json $config $database $server" ;;
      'sessions prune') options="--older-than --dry-run --json $config $database" ;;
      feedback | stats) options="--agent --tenant --since --json $config $database $server" ;;
      agents)
        words='show new trust list'
        options="--json $settings --set"
        ;;
      'agents show') options="--json $settings --set" ;;
      'agents new') options="--project $settings" ;;
      'agents trust') options="$settings" ;;
      replay) options="--live-tools --json $settings --set" ;;
      test) options="--live-tools --update --json $config $base --set" ;;
      tools)
        words='show call list'
        options="--json $config $base --set"
        ;;
      'tools show') options="$config $base --set" ;;
      'tools call') options="--json $config $base $log" ;;
      mcp)
        words='add test login logout remove serve list'
        options="--json $config"
        ;;
      'mcp add') options="-e --env --header $config" ;;
      'mcp test') options="--json $config $base --set" ;;
      'mcp login') options="--no-browser $config" ;;
      'mcp logout' | 'mcp remove') options="$config" ;;
      'mcp serve') options="--tools --agents --sessions $settings $log" ;;
      models) options="--compare --json $config --set" ;;
      batch)
        words='submit show results cancel list'
        options="--vendor --json $config --set"
        ;;
      'batch submit') options="--model --json $config --set" ;;
      'batch show' | 'batch cancel') options="--json $config --set" ;;
      'batch results') options="$config --set" ;;
      config)
        words='path init get set'
        options="--json $settings $log"
        ;;
      'config path' | 'config init' | 'config get' | 'config set') options="$config" ;;
      init) options="--model $config" ;;
      trust) options="-y --yes $config $base" ;;
      acp) options="$settings $log" ;;
      completions) words='bash zsh fish' ;;
      doctor) options="--online --json $settings --set" ;;
      serve) options="--listen --host --certificate --key --webhook --labels --concurrency --no-open --mcp-tools --mcp-agents --mcp-sessions $settings $log" ;;
      token)
        words='add rm list'
        options='--json'
        ;;
      'token add') options='--scope --tenant' ;;
      'token rm') ;;
      help) words='run chat resume answer waits worker migrate sessions replay test feedback stats agents tools mcp models batch config init trust acp completions doctor serve token' ;;
    esac
    options+=' -h --help'
  fi

  if [[ $current == -* ]]; then
    _wright_offer "$current" "$options"
    return
  fi
  case $command in
    run | chat | acp | 'agents show' | 'agents trust') [[ $position -eq 0 ]] && words=$(_wright_names agents) ;;
    resume | answer | replay) [[ $position -eq 0 ]] && words=$(_wright_names sessions) ;;
    models) [[ $position -eq 0 ]] && words=$(_wright_names vendors) ;;
    'tools show' | 'tools call') [[ $position -eq 0 ]] && words=$(_wright_names tools) ;;
    'mcp test' | 'mcp login' | 'mcp logout' | 'mcp remove') [[ $position -eq 0 ]] && words=$(_wright_names mcp) ;;
    'sessions show' | 'sessions export' | 'sessions cancel' | 'sessions rm') words=$(_wright_names sessions) ;;
    'sessions fork' | 'sessions diff' | 'sessions undo' | replay) [[ $position -eq 0 ]] && words=$(_wright_names sessions) ;;
    test | 'batch submit')
      _wright_files -f "$current"
      return
      ;;
    *) [[ $position -gt 0 ]] && words='' ;;
  esac
  _wright_offer "$current" "$words"
}

complete -F _wright wright
