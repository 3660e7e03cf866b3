#!/bin/bash
# Runs the targets of the Makefile that take long, one after the other, each in bounded time; goes on after a
# failure, and prints one table at the end. Fails if one of them did.
#
#   packaging/nightly.sh                    all of them
#   packaging/nightly.sh fuzz=600 lint      only these, fuzz for ten minutes at most
#
# LOGS is where their output goes (build/nightly), NIGHTLY_MAKE what runs a target.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

[ $# -gt 0 ] || set -- sanitize=5400 tsan=5400 fuzz=3600 lint=3600 coverage=5400 bench=3600 simulate=3600 plants=1800 chaos=1800 slow=5400 \
  package=3600 subproject=3600 protocols=3600 docs=900
# Other histories every night, and the same ones all night.
tonight=$(($(date +%s) / 86400 * 100000))
export SEEDS=${SEEDS:-$tonight..$((tonight + 99999))}
logs=${LOGS:-build/nightly}
mkdir -p "$logs"

# What a log has to say in one line: the last sum, or else the last line.
sum_of() {
  local line
  line=$(grep -aE '[0-9]+% tests passed|^lines: |histories|FAILED|[0-9]+ warnings? treated|^make: \*\*\*' "$1" | tail -1)
  [ -n "$line" ] || line=$(grep -av '^[[:space:]]*$' "$1" | tail -1)
  printf '%s' "${line:0:70}"
}

failures=0
table=
for entry in "$@"; do
  target=${entry%%=*}
  limit=3600
  [ "$entry" = "$target" ] || limit=${entry#*=}
  log=$logs/$target.log
  echo "== $target, at most $limit s: $log"
  begin=$(date +%s)
  # --foreground would leave the grandchildren of a target behind.
  # shellcheck disable=SC2086  # words
  timeout --kill-after=30 "$limit" ${NIGHTLY_MAKE:-make} --no-print-directory "$target" > "$log" 2>&1 < /dev/null
  status=$?
  case $status in
    0) outcome=passed ;;
    124 | 137) outcome='too long' ;;
    *) outcome=FAILED ;;
  esac
  [ $status -eq 0 ] || failures=$((failures + 1))
  table+=$(printf '%-10s  %-8s  %6d s  %s' "$target" "$outcome" $(($(date +%s) - begin)) "$(sum_of "$log")")$'\n'
done

printf '\n%-10s  %-8s  %8s  %s\n%s' target outcome time 'what it said' "$table"
if [ $failures -gt 0 ]; then
  echo "$failures of $# failed; $logs has what they printed."
  exit 1
fi
echo "All $# passed."
