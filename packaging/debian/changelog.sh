#!/bin/sh
# changelog.sh TREE VERSION MAINTAINER: the changelog of the Debian packages. What changed stands in CHANGELOG.md,
# which they hold as well; the date is that of the last commit, so that the same tree gives the same packages.
set -eu

epoch=${SOURCE_DATE_EPOCH:-$(git -C "$1" log -1 --format=%ct 2> /dev/null || date +%s)}
cat <<END
wright ($2-1) unstable; urgency=medium

  * Version $2; changelog.gz says what changed.

 -- $3  $(LC_ALL=C date -u -R -d "@$epoch")
END
