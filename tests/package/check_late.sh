#!/bin/bash
# check_late.sh FOLDER PROGRAM: every function of libcurl and libpq that the program calls is among those that the
# packed program opens when they are used. One that is missing would bring the whole library back at its start.
set -euo pipefail

used=$(nm -D --undefined-only "$2" | grep -oE '\b(curl_|PQ)[A-Za-z_]+' | sort -u)
[ "$(wc -l <<< "$used")" -gt 40 ] || { echo "FAILED: the program calls only: $used"; exit 1; }
missing=$(comm -23 <(echo "$used") <(grep -ohE '"(curl_|PQ)[A-Za-z_]+"' "$1"/late_*.cpp | tr -d '"' | sort -u))
[ -z "$missing" ] || { echo "FAILED: packaging/program/late_*.cpp lack: $missing"; exit 1; }
