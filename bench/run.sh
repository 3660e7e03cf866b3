#!/bin/sh
# Runs every benchmark of a build folder ($1; further arguments go to each program) and prints one
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

printf '%-46s %14s %14s  %s\n' benchmark time cpu counters
for program in $programs; do
  echo "-- $(basename "$program")"
  output=$("$program" --benchmark_format=csv "$@" 2>"$log") || {
    echo "$program failed:" >&2
    cat "$log" >&2
    exit 1
  }
  echo "$output" | awk -F, '
    function plain(text) { gsub(/"/, "", text); return text }
    $1 == "name" { for (i = 11; i <= NF; i++) counter[i] = plain($i); next }
    NF < 5 { next }
    $9 == "true" { printf "%-46s FAILED: %s\n", plain($1), plain($10); failed = 1; next }
    {
      rest = ""
      if ($7 != "") rest = sprintf("items/s=%.4g  ", $7)
      if ($6 != "") rest = rest sprintf("bytes/s=%.4g  ", $6)
      for (i = 11; i <= NF; i++) if ($i != "") rest = rest sprintf("%s=%.6g  ", counter[i], $i)
      if ($8 != "") rest = rest plain($8)
      printf "%-46s %11.4g %s %11.4g %s  %s\n", plain($1), $3, $5, $4, $5, rest
    }
    END { exit failed }'
done
