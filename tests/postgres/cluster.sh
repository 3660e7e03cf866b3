#!/bin/bash
# A private PostgreSQL for tests and benchmarks: prints where it is, obeys what it reads from its
# input, line by line, and is gone with all its files when that ends, also when whoever started it
# was killed. Listens on a socket in a temporary folder and nowhere else.
#
#   immediate   stops it without a shutdown, as a crash would, and starts it again
#   stop        stops it likewise
#   start       starts it again
#
# Each is answered by one line. Options of postgres may follow on the command line: -c fsync=on
# With WRIGHT_TEST_POOLER=pgbouncer the way there leads through a PgBouncer in transaction mode; lines
# for its configuration may be in WRIGHT_TEST_POOLER_SETTINGS.
set -u
programs=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1)
[ -n "$programs" ] || programs=$(dirname "$(command -v initdb 2>/dev/null)" 2>/dev/null)
if [ ! -x "$programs/initdb" ]; then
  echo "PostgreSQL is missing: install Debian's package postgresql-15, as 'make test' does" >&2
  exit 1
fi
folder=$(mktemp -d "${TMPDIR:-/tmp}/wright_pg_XXXXXX") || exit 1
data=$folder/data
# initdb refuses to run as root.
as_user=()
if [ "$(id -u)" = 0 ]; then
  user=postgres
  id "$user" > /dev/null 2>&1 || user=nobody
  chown "$user" "$folder"
  as_user=(setpriv "--reuid=$user" "--regid=$(id -g "$user")" --clear-groups)
fi
chmod 755 "$folder"
cd "$folder" || exit 1
export LC_ALL=C.UTF-8

# Small, since many of them run beside each other, and without what only replicas and power cuts need.
postgres=0
start() {
  "${as_user[@]}" "$programs/postgres" -D "$data" -k "$folder" -c listen_addresses= -c fsync=off \
    -c full_page_writes=off -c shared_buffers=16MB -c wal_level=minimal -c max_wal_senders=0 \
    -c max_connections=200 -c log_min_messages=fatal -c log_min_error_statement=panic "$@" > "$folder/log" 2>&1 < /dev/null &
  postgres=$!
  for _ in $(seq 600); do
    "${as_user[@]}" "$programs/pg_isready" -q -h "$folder" -U wright && return 0
    kill -0 "$postgres" 2> /dev/null || break
    sleep 0.05
  done
  cat "$folder/log" >&2
  return 1
}
stop() {
  [ "$postgres" = 0 ] && return
  kill -QUIT "$postgres" 2> /dev/null
  wait "$postgres" 2> /dev/null
  postgres=0
}
pooler=0
start_pooler() {
  printf '"wright" ""\n"locked" ""\n' > "$folder/users"
  mkdir "$folder/pool"
  cat > "$folder/pgbouncer.ini" <<END
[databases]
* = host=$folder
[pgbouncer]
listen_addr =
unix_socket_dir = $folder/pool
auth_type = trust
auth_file = $folder/users
pool_mode = transaction
default_pool_size = 20
max_client_conn = 500
${WRIGHT_TEST_POOLER_SETTINGS:-}
END
  [ ${#as_user[@]} = 0 ] || chown -R "$user" "$folder/pool" "$folder/pgbouncer.ini" "$folder/users"
  "${as_user[@]}" pgbouncer -q "$folder/pgbouncer.ini" > "$folder/pool.log" 2>&1 < /dev/null &
  pooler=$!
  for _ in $(seq 100); do
    [ -S "$folder/pool/.s.PGSQL.6432" ] && return 0
    sleep 0.05
  done
  cat "$folder/pool.log" >&2
  return 1
}
trap '[ "$pooler" = 0 ] || kill "$pooler"; stop; cd /; rm -rf "$folder"' EXIT
trap 'exit 1' TERM INT HUP

"${as_user[@]}" "$programs/initdb" -D "$data" -U wright -A trust -E UTF8 --locale=C --no-sync \
  > "$folder/initdb.log" 2>&1 < /dev/null || { cat "$folder/initdb.log" >&2; exit 1; }
# Everybody may come in, but `locked`, who needs a password.
sed -i '1i local all locked scram-sha-256' "$data/pg_hba.conf" || exit 1
start "$@" || exit 1
if [ "${WRIGHT_TEST_POOLER:-}" = pgbouncer ]; then
  start_pooler || exit 1
  echo "postgresql://wright@/postgres?host=$folder/pool&port=6432"
else
  echo "postgresql://wright@/postgres?host=$folder"
fi
while read -r command; do
  case $command in
    immediate) stop; start "$@" && echo started ;;
    stop) stop; echo stopped ;;
    start) start "$@" && echo started ;;
    *) echo "unknown: $command" ;;
  esac
done
