#!/bin/sh
# Installs the Debian packages of the named sections of debian-packages.txt that are missing.
#
#   packaging/install-packages.sh build test
#
# Silent when all are there. Says what it will do before it does it. Never removes a package.
set -eu

list=$(dirname "$0")/debian-packages.txt

if [ $# -eq 0 ]; then
  echo "usage: $0 SECTION...   (sections: $(sed -n 's/^\[\(.*\)\]$/\1/p' "$list" | xargs))" >&2
  exit 2
fi

packages_of() {
  awk -v section="[$1]" '
    /^\[/ { inside = ($0 == section); found = found || inside; next }
    inside && NF && !/^#/ { print $1 }
    END { exit !found }' "$list" || {
    echo "There is no section '$1' in $list." >&2
    exit 2
  }
}

is_installed() {
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

if ! command -v dpkg-query >/dev/null 2>&1; then
  echo "This is not a Debian system, so nothing is installed. $list names what Wright needs." >&2
  exit 0
fi

missing=
for section in "$@"; do
  packages=$(packages_of "$section")
  for package in $packages; do
    is_installed "$package" || missing="$missing $package"
  done
done
[ -n "$missing" ] || exit 0

case $missing in
  *libboost1.81-dev*)
    if is_installed libboost1.74-dev; then
      echo "Wright needs Boost 1.81, and Boost 1.74 (libboost1.74-dev, often through libboost-dev)" >&2
      echo "is installed. Debian cannot have both. If nothing else of yours needs 1.74, run:" >&2
      echo "    apt-get remove libboost1.74-dev" >&2
      echo "and then this command again." >&2
      exit 1
    fi ;;
esac

if [ "$(id -u)" -eq 0 ]; then
  as_root() { DEBIAN_FRONTEND=noninteractive "$@"; }
elif command -v sudo >/dev/null 2>&1; then
  as_root() { sudo env DEBIAN_FRONTEND=noninteractive "$@"; }
else
  echo "Some Debian packages are missing. As root, run:" >&2
  echo "    apt-get update && apt-get install -y --no-install-recommends$missing" >&2
  exit 1
fi

echo "Installing Debian packages:$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086  # a list of package names, one word each
if ! { as_root apt-get update &&
  as_root apt-get install -y --no-install-recommends $missing; } > "$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi
