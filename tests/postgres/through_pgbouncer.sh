#!/bin/bash
# Runs tests of the store through a PgBouncer in transaction mode; see cluster.sh.
#
#   through_pgbouncer.sh PROGRAM ARGUMENTS…
#
# Ends with 77 where there is none: the test is skipped.
set -u
PATH=$PATH:/usr/sbin
if ! command -v pgbouncer > /dev/null; then
  echo "Skipped: PgBouncer is missing. Install Debian's package pgbouncer, as 'make test' does"
  exit 77
fi
export WRIGHT_TEST_POOLER=pgbouncer
exec "$@"
