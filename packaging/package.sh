#!/bin/bash
# package.sh BUILD: makes the Debian packages and the tarball of a finished build of the preset `package`, and
# tests them. They are in BUILD/packages then.
set -euo pipefail

build=$(realpath "$1")
here=$(dirname "$(realpath "$0")")
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$here" log -1 --format=%ct 2> /dev/null || date +%s)}

rm -rf "$build/packages"
(cd "$build" && cpack -G DEB > "$build/cpack.log" 2>&1) || { cat "$build/cpack.log" >&2; exit 1; }
rm -rf "$build/packages/_CPack_Packages"
"$here/tarball.sh" "$build" "$build/packages" > /dev/null
echo "== lintian"
lintian --fail-on error,warning --suppress-tags-from-file "$here/debian/lintian-suppressed" "$build"/packages/*.deb
"$here/test-packages.sh" "$build/packages"
clean_root=${XDG_CACHE_HOME:-$HOME/.cache}/wright/clean-root.tar  # made by the line above
if [ "$(id -u)" -eq 0 ] && [ -e "$clean_root" ]; then
  echo "== the last stage of the Containerfile"
  "$here/test-containerfile.py" --root "$clean_root" --tree "$here/.." --given build="$build/packages" -- --version \
    > "$build/containerfile.log" 2>&1 || { cat "$build/containerfile.log" >&2; exit 1; }
  tail -1 "$build/containerfile.log"
fi
echo
(cd "$build/packages" && sha256sum -- *.deb *.tar.gz | tee SHA256SUMS > /dev/null && du -h --apparent-size -- *.deb *.tar.gz)
