#!/bin/bash
# run.sh HOW TREE [BUILD SANITIZERS BUILD_TYPE COMPILER]: builds a project that has Wright inside of itself, by HOW
# (add_subdirectory or FetchContent), and runs its program.
#
# With the BUILD of this tree, only the program is compiled, and linked with the libraries of that build in place
# of those that it would compile first; all else is as the project's own files say. Without, everything is built.
set -euo pipefail

how=$1
tree=$(realpath "$2")
build=${3:-}
sanitize=${4:+-fsanitize=$4}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "FAILED: $*" >&2
  exit 1
}
step() { echo "== $*"; }

step "configure"
cmake -G Ninja -S "$tree/tests/subproject/consumer" -B "$work/build" -D HOW="$how" -D WRIGHT_TREE="$tree" \
  -D WRIGHT_COMMIT="$(git -C "$tree" rev-parse HEAD 2> /dev/null)" -D CMAKE_CXX_FLAGS="$sanitize" \
  -D CMAKE_BUILD_TYPE="${5:-Release}" ${6:+-D CMAKE_CXX_COMPILER="$6"} > "$work/log" 2>&1 || fail "$(cat "$work/log")"
cd "$work/build"

step "it builds what it links, and neither tests nor examples nor the command line"
ninja -t inputs all > "$work/inputs"
grep -qE 'libwright\.a$' "$work/inputs" || fail "the library is no part of it"
if grep -E 'src/(app|server)/|gtest|wright_example' "$work/inputs"; then fail "the files above are none of its business"; fi

if [ -z "$build" ]; then
  step "build all of it"
  cmake --build . > "$work/log" 2>&1 || fail "$(tail -50 "$work/log")"
else
  step "compile the program"
  object=$(ninja -t inputs hello | grep -E '^CMakeFiles/hello\.dir/.*\.o$')
  # Not by Ninja: it would first build a program that the library holds, and what that one is linked with.
  mkdir -p "$(dirname "$object")"
  bash -c "$(ninja -t commands -s "$object")" > "$work/log" 2>&1 || fail "$(cat "$work/log")"

  step "link it as the project says"
  link=$(ninja -t commands -s hello | tail -1)
  # As for all that links with the code of the headers of that build.
  link=${link/ -o hello/ -Wl,--gc-sections -o hello}
  for library in libwright libwright-offline; do
    grep -qE "[^ ]*/$library\.a" <<< "$link" || fail "the project does not link $library.a"
    link=$(sed -E "s# [^ ]*/$library\.a# $build/$library.a#g" <<< "$link")
  done
  bash -c "$link" > "$work/log" 2>&1 || fail "$link
$(cat "$work/log")"
fi

step "it runs"
said=$(./hello) || fail "hello ended with $?: $said"
while read -r line; do
  echo "$said" | grep -qF -- "$line" || fail "hello should say '$line', and says: $said"
done < "$tree/examples/expected/01_hello.txt"

step "it installs its own program alone"
cmake --install . --prefix "$work/prefix" > "$work/log" || fail "$(cat "$work/log")"
installed=$(cd "$work/prefix" && find . -type f)
[ "$installed" = ./bin/hello ] || fail "it installed $installed"
