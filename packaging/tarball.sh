#!/bin/bash
# tarball.sh BUILD OUTPUT_FOLDER: packs the portable program of a build of the preset `package`. Prints the name
# of the tarball. The same build gives the same bytes.
set -euo pipefail

build=$(realpath "$1")
tree=$(dirname "$(dirname "$(realpath "$0")")")
version=$(sed -n 's/.*WRIGHT_VERSION "\(.*\)"/\1/p' "$tree/include/wright/detail/version.h")
name=wright-$version-linux-$(uname -m)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
root=$stage/$name

install -D -s -m 755 "$build/portable/wright" "$root/bin/wright"
install -D -m 644 "$build/wright.1.gz" "$root/share/man/man1/wright.1.gz"
install -D -m 644 "$tree/completions/wright.bash" "$root/share/bash-completion/completions/wright"
install -D -m 644 "$tree/completions/wright.zsh" "$root/share/zsh/site-functions/_wright"
install -D -m 644 "$tree/completions/wright.fish" "$root/share/fish/vendor_completions.d/wright.fish"
install -D -m 644 -t "$root/share/doc/wright" "$tree/LICENSE" "$tree/CHANGELOG.md" "$build/portable/wright.spdx.json"
install -D -m 644 -t "$root/share/doc/wright/systemd" "$tree"/packaging/systemd/*

epoch=${SOURCE_DATE_EPOCH:-$(git -C "$tree" log -1 --format=%ct 2> /dev/null || date +%s)}
mkdir -p "$2"
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$epoch" -C "$stage" -c "$name" |
  gzip -6n > "$2/$name.tar.gz"
echo "$2/$name.tar.gz"
