#!/bin/sh
# Installs the build $2 of the source tree $1 into a temporary prefix, moves that prefix, and builds a
# user's programs against it with CMake and with pkg-config. Fails if anything is missing, does not
# build, or says something else than it should. $3 names the sanitizers that the build was made with,
# and $4 the compiler.
set -eu

source=$1
build=$2
sanitize=${3:+-fsanitize=$3}
compiler=$4
quick_linker=
if command -v ld.lld > /dev/null; then quick_linker=-fuse-ld=lld; fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/moved

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

step() {
  echo "== $*"
}

# expect PROGRAM WORDS: it ends with 0, and its output contains the words, whatever their case.
expect() {
  output=$("$1" 2>&1) || fail "$1 ended with $?: $output"
  echo "$output" | grep -qi -- "$2" || fail "$1 should say '$2', and says: $output"
  echo "$1: $output"
}

step "install the build"
cd "$source"
cmake --install "$build" --prefix "$work/first" > "$work/log" || fail "$(cat "$work/log")"
mv "$work/first" "$prefix"

step "everything is in its place"
for file in bin/wright include/wright/wright.h lib/libwright.a lib/libwright-offline.a \
  lib/pkgconfig/wright.pc lib/pkgconfig/wright-offline.pc \
  lib/cmake/wright/wrightConfig.cmake lib/cmake/wright/wrightConfigVersion.cmake \
  lib/cmake/wright/wrightTargets.cmake share/man/man1/wright.1 \
  share/bash-completion/completions/wright share/zsh/site-functions/_wright \
  share/fish/vendor_completions.d/wright.fish share/doc/wright/LICENSE; do
  [ -s "$prefix/$file" ] || fail "$file is not installed"
done
for header in include/wright/*.h; do
  [ -s "$prefix/$header" ] || fail "$header is not installed"
done
if grep -rl -e "$source" -e "$work/first" "$prefix/lib/cmake" "$prefix/lib/pkgconfig"; then
  fail "the files above name the folder that they were built in"
fi
if grep -rlE 'wright_[a-z]+' "$prefix/lib/cmake"; then
  fail "the files above name internal targets"
fi
version=$(sed -n 's/.*WRIGHT_VERSION "\(.*\)"/\1/p' include/wright/detail/version.h)
[ "$(PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config --modversion wright)" = "$version" ] ||
  fail "pkg-config does not know version $version"
"$prefix/bin/wright" --version | grep -qF "$version" || fail "wright --version is not $version"

cp -r "$source/tests/install/consumer" "$work/consumer"
cd "$work/consumer"
sed 's/wright::model("openai:gpt-5-mini")/wright::offline_model()/' weather.cpp > weather_offline.cpp
grep -q offline_model weather_offline.cpp || fail "weather.cpp names another model"

step "a CMake project finds the package"
cmake -G Ninja -S . -B with_cmake -D CMAKE_PREFIX_PATH="$prefix" -D CMAKE_CXX_COMPILER="$compiler" \
  -D CMAKE_EXE_LINKER_FLAGS="$sanitize $quick_linker" > "$work/log" 2>&1 ||
  fail "$(cat "$work/log")"
cmake --build with_cmake > "$work/log" 2>&1 || fail "$(cat "$work/log")"

# With the usual linker, which wants libraries in their order.
step "a compiler line from pkg-config"
mkdir with_pkgconfig
build_with() {
  # shellcheck disable=SC2046,SC2086  # both are words
  "$compiler" -std=c++23 $sanitize "$1.cpp" -o "with_pkgconfig/$1" \
    $(PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config --cflags --libs "$2")
}
build_with weather wright
build_with weather_offline wright-offline

step "only a program that wants the offline planner has it"
for folder in with_cmake with_pkgconfig; do
  nm -C "$folder/weather" > "$work/names" || fail "nm cannot read $folder/weather"
  grep -q 'wright::Models::get' "$work/names" || fail "$folder/weather has no names to look at"
  if grep 'wright::offline' "$work/names"; then fail "$folder/weather has the offline planner"; fi
  nm -C "$folder/weather_offline" | grep -q 'wright::offline::' ||
    fail "$folder/weather_offline has no offline planner"
done

step "the programs run"
unset OPENAI_API_KEY  # no test asks a vendor
for folder in with_cmake with_pkgconfig; do
  expect "$folder/weather_offline" "sunny in Oslo"
  expect "$folder/weather" "OpenAI needs a key"
done
