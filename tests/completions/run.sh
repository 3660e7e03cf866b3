#!/bin/bash
# Compares the options in `wright COMMAND --help` with the completions and the manual page:
#
#   run.sh PROGRAM SOURCE_FOLDER
#
# Bash is asked to complete and must offer exactly those options; zsh and fish need not be
# installed, so their files are read; the manual page must mention every option.
set -euo pipefail

program=$(realpath "$1")
completions=$(realpath "$2")/completions
manual=$(realpath "$2")/docs/man/wright.1
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
export HOME=$home XDG_CONFIG_HOME=$home/config XDG_DATA_HOME=$home/data
cd "$home"

# The completion asks the `wright` on the path for names.
mkdir bin
ln -s "$program" bin/wright
PATH=$home/bin:$PATH
# shellcheck source=../../completions/wright.bash
source "$completions/wright.bash"

failures=0
fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# complete_words WORD…: what bash offers for the last of the words after `wright`, sorted.
complete_words() {
  COMP_WORDS=(wright "$@")
  COMP_CWORD=$#
  COMPREPLY=()
  _wright
  printf '%s\n' "${COMPREPLY[@]}" | sort
}

options_in_help() {
  "$program" "$@" --help | grep -oE '^ +(-[a-zA-Z], +)?--[a-z-]+' | grep -oE -- '--[a-z-]+' | sort -u
}

while read -r -a command; do
  help=$(options_in_help "${command[@]}")
  [ -n "$help" ] || fail "'wright ${command[*]} --help' shows no options"
  offered=$(complete_words "${command[@]}" --)
  [ "$help" = "$offered" ] ||
    fail "bash offers other options for '${command[*]}' than its help:" \
      "$(diff <(echo "$help") <(echo "$offered") | grep '^[<>]' | xargs)"
  for option in $help; do
    name=${option#--}
    grep -q -- "-$name\b" "$manual" || fail "the manual page does not know $option"
    grep -q -- "$option\b" "$completions/wright.zsh" || fail "zsh does not know $option"
    grep -q -- "-l $name\b" "$completions/wright.fish" || fail "fish does not know $option"
  done
done <<'END'
run
chat
resume
answer
waits
worker
migrate
sessions
sessions show
sessions export
sessions fork
sessions cancel
sessions rm
sessions prune
sessions diff
sessions undo
feedback
stats
replay
test
agents
agents show
agents new
agents trust
tools
tools show
tools call
mcp
mcp add
mcp test
mcp login
mcp logout
mcp remove
mcp serve
models
batch
batch submit
batch show
batch results
batch cancel
config
config path
config init
config get
config set
init
trust
acp
completions
doctor
serve
token
token add
token rm
END

# expect_offer EXPECTED WORD…: bash offers this for the last of the words.
expect_offer() {
  local expected=$1 offered
  shift
  offered=$(complete_words "$@" | xargs)
  [ "$offered" = "$expected" ] || fail "for 'wright $*' bash offers '$offered', not '$expected'"
}

expect_offer 'acp agents answer batch chat completions config doctor feedback help init mcp migrate models replay resume run serve sessions stats test token tools trust waits worker' ''
expect_offer 'run' ru

# Every command is in both overviews and in the synopsis of the manual page.
synopsis=$(sed -n '/^.Sh SYNOPSIS/,/^.Sh DESCRIPTION/p' "$manual")
for command in $(complete_words ''); do
  [ "$command" = help ] && continue
  grep -qE "^\.Cm ([a-z]+ \| )*$command( |\$)" <<< "$synopsis" ||
    fail "the synopsis of the manual page lacks $command"
  for overview in "$("$program" --help)" "$("$program" 2>&1 || true)"; do
    grep -qE "^  $command( |\$)" <<< "$overview" || fail "the overview lacks $command"
  done
done
expect_offer 'cancel diff export fork list prune rm show undo' sessions ''
expect_offer 'codebase-analysis' run code
expect_offer 'codebase-analysis' run --agent code
expect_offer '' run codebase-analysis ''
expect_offer 'grep' tools show gr
expect_offer 'read_file' tools call read
expect_offer 'last' sessions show ''
expect_offer 'add list login logout remove serve test' mcp ''
expect_offer 'json markdown' sessions export last --format ''
"$program" run codebase-analysis 'What is in this folder?' --quiet --model offline > /dev/null
expect_offer '1 last' sessions show ''
expect_offer '1 last' replay ''
expect_offer '' replay 1 ''

# A folder that somebody else filled: nothing in it is run by asking for words, and no odd name is
# offered, which a shell would run on Enter.
mkdir -p hostile/.wright/agents hostile/bin
printf '#!/bin/sh\ntouch "%s/RAN"\n' "$home" > hostile/a
for name in '$(sh<a)' '`sh<a`' '${x:=$(sh<a)}' 'b;sh a' "'" '*'; do
  printf 'instructions = "y"\n' > "hostile/.wright/agents/$name.toml"
done
printf 'name = "$(sh<a)"\ninstructions = "y"\n' > hostile/.wright/agents/named.toml
printf 'instructions = "y"\n' > hostile/.wright/agents/plain-one.toml
# Names of servers and their tools may be anything, too.
cat > hostile/bin/wright <<'END'
#!/bin/sh
printf '[\n  {\n    "name": "$(sh<a)"\n  },\n  {\n    "name": "`sh<a`"\n  },\n  {\n    "name": "fine__tool"\n  }\n]\n'
END
chmod +x hostile/bin/wright
cd hostile
expect_offer 'codebase-analysis coding named plain-one requirements-gathering sqlite-analysis' run ''
for words in 'run --agent' 'agents show'; do
  offered=$(complete_words $words '')
  [[ $offered == *plain-one* ]] || fail "for 'wright $words' bash does not offer plain-one"
  [[ $offered =~ ^[a-z0-9[:space:]-]+$ ]] || fail "for 'wright $words' bash offers '$offered'"
done
saved=$PATH
PATH=$home/hostile/bin:$PATH
for words in 'tools show' 'tools call' 'mcp test' 'mcp remove'; do
  expect_offer 'fine__tool' $words ''
done
PATH=$saved
cd "$home"
[ ! -e RAN ] || fail "asking for words has run something"
# The others take names through the same sieve.
for shell in bash zsh fish; do
  grep -qF '"?([A-Za-z0-9_][A-Za-z0-9_.:-]*)"?,?$' "$completions/wright.$shell" ||
    fail "the completions for $shell let odd names through"
done
grep -nE 'compgen -W|eval' "$completions/wright.bash" | grep -v '#' && fail "bash would expand words"

for shell in bash zsh fish; do
  "$program" completions $shell | cmp -s - "$completions/wright.$shell" ||
    fail "the program prints other completions for $shell than the file has"
done

[ "$failures" -eq 0 ]
