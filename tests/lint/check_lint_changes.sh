#!/bin/bash
# check_lint_changes.sh SCRIPT: in a repository of its own, with a program in place of clang-tidy that finds fault
# with the word "bad" and never ends with the word "slow", the script looks at what has changed and at nothing else.
set -euo pipefail

script=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/tidy" <<'END'
#!/bin/bash
file=${!#}
echo "$file" >> "$LOOKED"
! grep -q slow "$file" || sleep 600
! grep -q bad "$file" || { echo "$file:1:1: error: bad"; exit 1; }
END
chmod +x "$work/tidy"
export CLANG_TIDY=$work/tidy LOOKED=$work/looked LINT_SECONDS=500
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b \
  GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE

# expect STATUS WORDS [BASE]: how it ends, and a line that it prints.
expect() {
  local status=0
  : > "$LOOKED"
  "$script" ${3:+"$3"} > "$work/said" 2>&1 || status=$?
  [ $status -eq "$1" ] && grep -qE "$2" "$work/said" && return
  echo "FAILED: not $1 and '$2', but $status and:"
  cat "$work/said"
  exit 1
}
looked_at() { [ "$(sort "$LOOKED" | xargs)" = "$*" ] || { echo "FAILED: looked at $(xargs < "$LOOKED"), not $*"; exit 1; }; }

git init -q -b main "$work/tree"
cd "$work/tree"
mkdir -p src/a
echo 'bad' > src/a/old.cpp
git add . && git commit -qm one
expect 0 '^lint: nothing to compare with'

echo 'words' > readme && echo bad > src/a/x_test.cpp
git add . && git commit -qm two
expect 0 '^lint: no source file has changed since'
looked_at

git checkout -qb branch
echo good > src/a/new.cpp
git add . && git commit -qm three
echo good > src/a/second.cpp
git add . && git commit -qm four
expect 0 '^lint: 2 of 2 files .*, 0 with findings'
looked_at src/a/new.cpp src/a/second.cpp

echo 'bad again' >> src/a/old.cpp  # not committed yet
expect 1 '^src/a/old.cpp:1:1: error: bad'
expect 1 '^lint: 1 of 1 files .*, 1 with findings' HEAD
expect 2 "no commit 'nowhere'" nowhere

git checkout -q src/a/old.cpp
printf 'good\n\n\n' > src/a/new.cpp
LINT_FILES=1 expect 0 '^lint: no time for src/a/second.cpp' HEAD~2
looked_at src/a/new.cpp

echo slow > src/a/new.cpp
LINT_SECONDS=1 expect 0 '^lint: no time for src/a/new.cpp' HEAD
CLANG_TIDY=/nowhere expect 0 'is not installed'
