#!/bin/sh
# Runs every fuzz target of a build folder ($1) for $2 seconds each and prints a line for each. An
# input that breaks one is kept in $1/findings and fails the whole. What a run learns is kept in
# $1/corpus and used by the next.
set -eu

build=$1
seconds=$2
source=$(dirname "$0")
mkdir -p "$build/findings"

programs=$(find "$build/fuzz" -maxdepth 1 -name '*_fuzz' -type f -perm -u+x | sort)
if [ -z "$programs" ]; then
  echo "There are no fuzz targets in $build: build the preset 'fuzz' first." >&2
  exit 1
fi

# The value of a line `stat::NAME: VALUE` of a log.
statistic() {
  sed -n "s/^stat::$2: *//p" "$1" | tail -n 1
}

# The last `cov: N` of a log: how many places of the program inputs have reached.
coverage() {
  sed -n 's/.* cov: \([0-9]*\).*/\1/p' "$1" | tail -n 1
}

failed=0
printf '%-28s %10s %9s %8s %7s %9s  %s\n' target inputs inputs/s covered corpus 'peak MiB' result
for program in $programs; do
  name=$(basename "$program" _fuzz)
  corpus=$build/corpus/$name
  log=$build/findings/$name.log
  dictionary=$source/dictionaries/$name.dict
  mkdir -p "$corpus"
  set -- -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=8192 \
    -print_final_stats=1 -artifact_prefix="$build/findings/$name-"
  [ ! -f "$dictionary" ] || set -- "$@" -dict="$dictionary"
  result=ok
  "$program" "$@" "$corpus" "$source/corpus/$name" >"$log" 2>&1 || result=FAILED
  printf '%-28s %10s %9s %8s %7s %9s  %s\n' "$name" \
    "$(statistic "$log" number_of_executed_units)" \
    "$(statistic "$log" average_exec_per_sec)" "$(coverage "$log")" \
    "$(find "$corpus" -type f | wc -l)" "$(statistic "$log" peak_rss_mb)" "$result"
  if [ "$result" = FAILED ]; then
    failed=1
    { grep -E 'ERROR|runtime error|SUMMARY|Test unit written' "$log" || tail -n 2 "$log"; } |
      sed 's/^/    /'
    echo "    the whole report: $log"
  fi
done

shells=$build/fuzz/shells_against_parser
if [ -x "$shells" ]; then
  seed=$(date +%s)
  log=$build/findings/shells.log
  result=ok
  WRIGHT_SHELL_SEED=$seed "$shells" --gtest_brief=1 >"$log" 2>&1 || result=FAILED
  printf '%-28s %s\n' "bash and dash, seed $seed" "$result"
  if [ "$result" = FAILED ]; then
    failed=1
    sed 's/^/    /' "$log"
  fi
fi
exit $failed
