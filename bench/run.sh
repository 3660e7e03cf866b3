#!/bin/sh
# Runs every benchmark of a build folder ($1; further arguments go to each program) and prints its
# table: time of one iteration, CPU of one iteration, and whatever else a benchmark counts.
set -eu

folder=$1/bench
shift

programs=$(find "$folder" -maxdepth 1 -name '*_bench' -type f -perm -u+x | sort)
if [ -z "$programs" ]; then
  echo "There are no benchmarks in $folder: build the preset 'bench' first." >&2
  exit 1
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT

for program in $programs; do
  printf '\n== %s\n' "$(basename "$program")"
  "$program" --benchmark_color=false --benchmark_counters_tabular=true "$@" 2>"$log" || {
    echo "$program failed:" >&2
    cat "$log" >&2
    exit 1
  }
done
