#!/bin/bash
# check_nightly.sh SCRIPT: with targets that pass, fail, and never end, all of them run, and the table says so.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/makefile" <<'END'
good:
	@echo '100% tests passed, 0 tests failed out of 7'; echo bye
bad:
	@echo something; exit 3
endless:
	@sleep 600
last:
	@echo all is well
END
expect() { grep -qE "$1" "$work/said" || { echo "FAILED: no line '$1' in:"; cat "$work/said"; exit 1; }; }
unset MAKEFLAGS MAKELEVEL
export LOGS=$work/logs NIGHTLY_MAKE="make -f $work/makefile"

if "$1" good bad endless=1 last > "$work/said" 2>&1; then echo "FAILED: it does not fail"; exit 1; fi
expect '^good +passed +[0-9]+ s  100% tests passed, 0 tests failed out of 7$'
expect '^bad +FAILED +[0-9]+ s  make: \*\*\* .*Error 3$'
expect '^endless +too long +[0-9]+ s'
expect '^last +passed +[0-9]+ s  all is well$'
expect '^2 of 4 failed'
grep -q something "$work/logs/bad.log"

"$1" good last=60 > "$work/said" 2>&1
expect '^All 2 passed'
