#!/bin/sh
# Installs the Debian packages of the named sections of debian-packages.txt that are missing.
#
#   packaging/install-packages.sh build test
#   packaging/install-packages.sh build --beside run npm
#   packaging/install-packages.sh --check npm
#
# Silent when all are there. Says what it will do before it does it. Never removes a package. What comes after
# --beside is installed in the background, where that needs no password: ask for it again before it is used.
# That waits until it is there, and says what went wrong. --check waits as well, and installs nothing.
set -eu

list=$(dirname "$0")/debian-packages.txt

usage() {
  echo "usage: $0 [--check] SECTION... [--beside SECTION...]   (sections: $(sed -n 's/^\[\(.*\)\]$/\1/p' "$list" | xargs))" >&2
  exit 2
}

packages_of() {
  awk -v section="[$1]" '
    /^\[/ { inside = ($0 == section); found = found || inside; next }
    inside && NF && !/^#/ { print $1 }
    END { exit !found }' "$list" || {
    echo "There is no section '$1' in $list." >&2
    exit 2
  }
}

status_of() { dpkg-query -W -f '${db:Status-Status}' "$1" 2> /dev/null || true; }
is_installed() { [ "$(status_of "$1")" = installed ]; }

# Its program may be there before it works.
is_being_installed() {
  case $(status_of "$1") in '' | installed | not-installed | config-files) return 1 ;; esac
}

# The packages of the sections that are missing, one a line.
missing_of() {
  for section in "$@"; do
    packages=$(packages_of "$section")
    # Node.js from elsewhere brings its own npm.
    [ "$section" != npm ] || ! command -v npm > /dev/null || is_being_installed npm || continue
    for package in $packages; do
      is_installed "$package" || echo "$package"
    done
  done
}

sudo_options=
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    DEBIAN_FRONTEND=noninteractive "$@"
  else
    # shellcheck disable=SC2086  # an option, or none
    sudo $sudo_options env DEBIAN_FRONTEND=noninteractive "$@"
  fi
}

needs_no_password() { [ "$(id -u)" -eq 0 ] || sudo -n true 2> /dev/null; }

check_boost() {
  case $1 in
    *libboost1.81-dev*)
      if is_installed libboost1.74-dev; then
        echo "Wright needs Boost 1.81, and Boost 1.74 (libboost1.74-dev, often through libboost-dev)" >&2
        echo "is installed. Debian cannot have both. If nothing else of yours needs 1.74, run:" >&2
        echo "    apt-get remove libboost1.74-dev" >&2
        echo "and then this command again." >&2
        exit 1
      fi ;;
  esac
}

check_rights() {
  if [ "$(id -u)" -ne 0 ] && ! command -v sudo > /dev/null 2>&1; then
    echo "Some Debian packages are missing. As root, run:" >&2
    echo "    apt-get update && apt-get install -y --no-install-recommends $1" >&2
    exit 1
  fi
}

lists_are_new=
# Whoever holds the lock, file descriptor 9, installs. What apt-get starts must not: it may be a server that stays.
install() {
  if [ -z "$lists_are_new" ]; then
    as_root apt-get update 9<&- || return
    lists_are_new=yes
  fi
  as_root apt-get -o DPkg::Lock::Timeout=600 install -y --no-install-recommends "$@" 9<&-
}

lock() { flock 9 2> /dev/null || true; }  # some file systems have none: then apt-get waits by itself

check_sections() {
  lock
  missing=$(missing_of "$@" | xargs)
  [ -n "$missing" ] || return 0
  echo "Debian packages are missing: $missing" >&2
  echo "$0 $* installs them." >&2
  exit 1
}

install_sections() {
  [ -n "$(missing_of "$@")" ] || return 0
  lock
  missing=$(missing_of "$@" | xargs)  # another may have been installing them
  [ -n "$missing" ] || return 0
  check_boost "$missing"
  check_rights "$missing"
  echo "Installing Debian packages: $missing"
  log=$(mktemp)
  # shellcheck disable=SC2086  # a list of package names, one word each
  if ! install $missing > "$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    exit 1
  fi
  rm -f "$log"
}

install_sections_beside() {
  needs_no_password || { install_sections "$@"; return; }
  missing=$(missing_of "$@" | xargs)
  [ -n "$missing" ] || return 0
  echo "Installing Debian packages beside what follows: $missing"
  lock
  sudo_options=-n
  # shellcheck disable=SC2086  # a list of package names, one word each
  install $missing > /dev/null 2>&1 < /dev/null &
}

is_check=
if [ "${1:-}" = --check ]; then
  is_check=yes
  shift
fi
now=
while [ $# -gt 0 ] && [ "$1" != --beside ]; do
  packages_of "$1" > /dev/null
  now="$now $1"
  shift
done
[ $# -eq 0 ] || shift
for section in "$@"; do packages_of "$section" > /dev/null; done
[ -n "$now$*" ] || usage

if ! command -v dpkg-query > /dev/null 2>&1; then
  echo "This is not a Debian system, so nothing is installed. $list names what Wright needs." >&2
  exit 0
fi
exec 9< "$list"
if [ -n "$is_check" ]; then
  # shellcheck disable=SC2086  # names of sections, one word each
  check_sections $now
  exit 0
fi
# shellcheck disable=SC2086  # names of sections, one word each
install_sections $now
[ $# -eq 0 ] || install_sections_beside "$@"
