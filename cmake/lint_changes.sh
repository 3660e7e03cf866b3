#!/bin/bash
# lint_changes.sh [BASE]: clang-tidy for what has changed since BASE, most changed first, in bounded time: at most
# LINT_FILES files (4) and LINT_SECONDS seconds (40). Fails on a finding; says what it had no time for, which
# `make lint SINCE=BASE` looks at. BASE is where this branch left main, or on main the commit before the last.
# CLANG_TIDY is the program, LINT_BUILD the build whose compile commands it reads (build/dev).
set -uo pipefail

most=${LINT_FILES:-4}
seconds=${LINT_SECONDS:-40}
tidy=${CLANG_TIDY:-clang-tidy-19}
build=${LINT_BUILD:-build/dev}

base_of() {
  local head main
  head=$(git rev-parse --verify --quiet HEAD) || return 1
  for main in origin/main main; do
    main=$(git merge-base HEAD "$main" 2> /dev/null) || continue
    if [ "$main" != "$head" ]; then
      echo "$main"
      return
    fi
  done
  git rev-parse --verify --quiet HEAD~1
}

base=${1:-$(base_of)}
if [ -z "$base" ]; then
  echo 'lint: nothing to compare with: no commit before this one.'
  exit 0
fi
if ! git rev-parse --verify --quiet "$base^{commit}" > /dev/null; then
  echo "lint: there is no commit '$base'." >&2
  exit 2
fi
mapfile -t files < <(git diff --numstat --diff-filter=d --no-renames "$base" -- 'src/*.cpp' 'examples/*.cpp' ':!*_test.cpp' ':!*_testing.cpp' |
  sort -rn | cut -f 3)
since=$(git rev-parse --short "$base")
if [ ${#files[@]} -eq 0 ]; then
  echo "lint: no source file has changed since $since."
  exit 0
fi
if ! command -v "$tidy" > /dev/null; then
  echo "lint: nothing was looked at: $tidy is not installed (packaging/install-packages.sh lint)" >&2
  exit 0
fi

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
# One line for each file: its number and how clang-tidy ended. timeout says 124.
for at in "${!files[@]}"; do [ "$at" -lt "$most" ] && echo "$at ${files[$at]}"; done |
  OUT=$out TIDY=$tidy BUILD=$build LEFT=$seconds STARTED=$(date +%s) \
    xargs -P "$(nproc)" -L 1 bash -c '
    left=$((LEFT - ($(date +%s) - STARTED)))
    code=124
    if [ $left -gt 0 ]; then
      timeout $left "$TIDY" -p "$BUILD" --quiet "$1" > "$OUT/$0.said" 2>&1
      code=$?
    fi
    echo $code > "$OUT/$0.code"'

found=0
looked=0
for at in "${!files[@]}"; do
  case $(cat "$out/$at.code" 2> /dev/null || echo 124) in
    0) looked=$((looked + 1)) ;;
    124 | 13[0-9]) echo "lint: no time for ${files[$at]}" ;;
    *)
      looked=$((looked + 1))
      found=$((found + 1))
      cat "$out/$at.said"
      ;;
  esac
done
echo "lint: $looked of ${#files[@]} files that have changed since $since, $found with findings."
[ $found -eq 0 ]
