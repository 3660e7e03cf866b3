#!/bin/bash
# test-packages.sh FOLDER: installs the packages of a folder in a clean Debian, uses them, removes them, and
# unpacks the tarball there as well. Fails at the first promise that does not hold.
#
# The clean Debian is made by mmdebstrap from the machine's own sources, kept for the next time in
# $XDG_CACHE_HOME, and thrown away after the test. That needs root and a mirror; without them, the packages
# are only unpacked, and the test says so.
set -euo pipefail

folder=$(realpath "$1")
tree=$(dirname "$(dirname "$(realpath "$0")")")
version=$(sed -n 's/.*WRIGHT_VERSION "\(.*\)"/\1/p' "$tree/include/wright/detail/version.h")
program_package=$(ls "$folder"/wright_*.deb)
development_package=$(ls "$folder"/libwright-dev_*.deb)
tarball=$(ls "$folder"/wright-*.tar.gz)
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT

step() { echo "== $*"; }
fail() {
  echo "FAILED: $*" >&2
  exit 1
}
# expect WORDS COMMAND…: it ends with 0 and says the words.
expect() {
  local words=$1 said
  shift
  said=$("$@" 2>&1) || fail "$* ended with $?: $said"
  grep -qF -- "$words" <<< "$said" || fail "$* should say '$words', and says: $said"
}
# expect_error WORDS COMMAND…: it fails and says the words.
expect_error() {
  local words=$1 said
  shift
  if said=$("$@" 2>&1); then fail "$* should fail, and says: $said"; fi
  grep -qF -- "$words" <<< "$said" || fail "$* should say '$words', and says: $said"
}

step "the tarball's program needs the C library alone, 2.36 or later"
tar -xzf "$tarball" -C "$work"
portable=$(echo "$work"/wright-*)
needed=$(readelf -d "$portable/bin/wright" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
echo "$needed" | xargs
if grep -vE '^(libc|libm)\.so\.6$|^ld-linux' <<< "$needed"; then fail "it needs the libraries above"; fi
newest=$(readelf -V "$portable/bin/wright" | grep -oE 'GLIBC_[0-9.]+' | sort -Vu | tail -1)
echo "the newest version of its symbols: $newest"
[ "$(printf '%s\n' "$newest" GLIBC_2.36 | sort -V | tail -1)" = GLIBC_2.36 ] || fail "it needs $newest"
expect "$version" env -i "$portable/bin/wright" --version

step "the bills of materials name what is linked"
dpkg-deb -x "$program_package" "$work/program"
dpkg-deb -x "$development_package" "$work/development"
python3 - "$work/program/usr/share/doc/wright/wright.spdx.json" "$portable/share/doc/wright/wright.spdx.json" <<'END'
import json, sys
for path, wanted in zip(sys.argv[1:], (("libsqlite3-0", "libcurl4", "libboost1.81-dev"),
                                       ("libsqlite3-dev", "libcurl4", "libfmt-dev", "libstdc++-12-dev"))):
    packages = {package["name"]: package for package in json.load(open(path))["packages"]}
    missing = [name for name in wanted if name not in packages]
    assert not missing, f"{path} lacks {missing}"
    assert all(package["versionInfo"] for package in packages.values())
    print(len(packages) - 1, "packages")
END

step "a program is built against libwright-dev"
sed 's/wright::model("openai:gpt-5-mini")/wright::offline_model()/' "$tree/tests/install/consumer/weather.cpp" > "$work/weather.cpp"
# shellcheck disable=SC2046  # words
${CXX:-g++} -std=c++23 -O0 "$work/weather.cpp" -o "$work/weather" \
  $(PKG_CONFIG_PATH=$(dirname "$(find "$work/development" -name wright.pc)") pkg-config --cflags --libs wright-offline)
expect "unny in Oslo" "$work/weather"

mirror_is_there() {
  [ "$(id -u)" -eq 0 ] && command -v mmdebstrap > /dev/null && make_root
}
make_root() {
  local cache=${XDG_CACHE_HOME:-$HOME/.cache}/wright/clean-root.tar
  mkdir -p "$(dirname "$cache")"
  if [ -z "$(find "$cache" -mtime -7 2> /dev/null)" ]; then
    local sources=(/etc/apt/sources.list.d/debian.sources)
    [ -e "${sources[0]}" ] || sources=(/etc/apt/sources.list)
    mmdebstrap --quiet --variant=apt --format=tar --skip=cleanup/apt/lists \
      "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$cache.new" "${sources[@]}" || return 1
    mv "$cache.new" "$cache"
  fi
  mkdir "$work/root"
  tar -C "$work/root" -xf "$cache"
}
if ! mirror_is_there; then
  step "no clean root here (it takes root, mmdebstrap and a mirror): the package is used where it was unpacked"
  expect "$version" "$work/program/usr/bin/wright" --version
  exit 0
fi

root=$work/root
# Nothing of the machine but its name server; /proc and /dev are the chroot's own.
inside() {
  unshare --mount --pid --fork --mount-proc="$root/proc" bash -c '
    mount -t tmpfs none "$0/tmp" && mkdir -p "$0/tmp/packages" && mount --bind -o ro "$1" "$0/tmp/packages"
    mount --rbind /dev "$0/dev"
    root=$0; shift
    exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
  ' "$root" "$folder" "$@"
}
install_in_root() {
  inside apt-get install -y --no-install-recommends "$@" > "$work/log" 2>&1 || fail "$(tail -30 "$work/log")"
}
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
mkdir -p "$root/srv/project"
printf 'int main() { return 0; }\n' > "$root/srv/project/main.cpp"
ask=(run codebase-analysis "What is this project?" --model offline --base-path /srv/project)

step "the tarball runs where there is neither libcurl nor libstdc++"
cp -r "$portable" "$root/opt/wright"
if inside sh -c 'ls /usr/lib/*/libcurl.so.4' > /dev/null 2>&1; then fail "the root is not clean"; fi
expect "$version" inside /opt/wright/bin/wright --version
expect main.cpp inside /opt/wright/bin/wright "${ask[@]}"
# Without TLS nothing is needed; with it, libcurl.
expect_error libcurl4 inside env OPENAI_API_KEY=x OPENAI_BASE_URL=https://127.0.0.1:9/v1 \
  /opt/wright/bin/wright run codebase-analysis "What?" --model openai:gpt-5-mini --base-path /srv/project
expect_error libpq5 inside /opt/wright/bin/wright sessions --store postgresql://nobody@127.0.0.1:9/x

step "wright is installed with what it depends on"
inside apt-get update > "$work/log" 2>&1 || fail "$(cat "$work/log")"
install_in_root "/tmp/packages/$(basename "$program_package")"
expect "install ok installed" inside dpkg-query -W -f '${Status}' wright
expect /var/lib/wright inside getent passwd wright
for file in usr/bin/wright usr/share/man/man1/wright.1.gz usr/share/bash-completion/completions/wright \
  usr/share/zsh/site-functions/_wright usr/share/fish/vendor_completions.d/wright.fish \
  usr/share/doc/wright/changelog.Debian.gz usr/share/doc/wright/copyright usr/share/doc/wright/wright.spdx.json \
  lib/systemd/system/wright-serve.service lib/systemd/system/wright-serve.socket \
  lib/systemd/system/wright-worker.service usr/lib/sysusers.d/wright.conf; do
  inside test -s "/$file" || fail "$file is not installed"
done
inside dpkg --verify wright

step "it works, as the user of the services"
install -d -o "$(inside id -u wright)" -g "$(inside id -g wright)" -m 700 "$root/var/lib/wright"
as_wright=(inside setpriv --reuid wright --regid wright --clear-groups env HOME=/var/lib/wright)
expect "$version" "${as_wright[@]}" wright --version
expect main.cpp "${as_wright[@]}" wright "${ask[@]}"
expect codebase-analysis "${as_wright[@]}" wright sessions
# libcurl is found: nobody listens there, and that is what it says.
expect_error 127.0.0.1 "${as_wright[@]}" env OPENAI_API_KEY=x OPENAI_BASE_URL=https://127.0.0.1:9/v1 \
  wright run codebase-analysis "What?" --model openai:gpt-5-mini --base-path /srv/project

step "a second installation, removal and purge"
inside dpkg -i "/tmp/packages/$(basename "$program_package")" > "$work/log" 2>&1 || fail "$(cat "$work/log")"
inside apt-get remove -y wright > "$work/log" 2>&1 || fail "$(cat "$work/log")"
if inside test -e /usr/bin/wright; then fail "the program is still there"; fi
inside test -e /var/lib/wright || fail "a removal threw the sessions away"
inside apt-get purge -y wright > "$work/log" 2>&1 || fail "$(cat "$work/log")"
left=$(inside find / -xdev -path /opt -prune -o -path /root -prune -o -path /proc -prune -o -path /srv -prune -o -path /tmp -prune -o \
  -name '*wright*' -print)
[ -z "$left" ] || fail "it left behind: $left"

step "libwright-dev is installed and removed"
install_in_root "/tmp/packages/$(basename "$development_package")"
inside sh -c 'test -s /usr/include/wright/wright.h && test -s /usr/lib/*/libwright.a'
inside apt-get purge -y libwright-dev > "$work/log" 2>&1 || fail "$(cat "$work/log")"
if inside test -e /usr/include/wright; then fail "headers are still there"; fi
step "done"
