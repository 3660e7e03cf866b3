#!/bin/bash
# The ways of libpq to say where a PostgreSQL is and whom to trust: TLS that is checked in full, a
# service file, variables. A server of a stranger is refused.
#
#   over_tls.sh PROGRAM
set -u
wright=$1
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d "${TMPDIR:-/tmp}/wright_tls_XXXXXX") || exit 1
cluster=0
cleanup() {
  exec {to_cluster}>&- 2> /dev/null
  [ "$cluster" = 0 ] || wait "$cluster"
  rm -rf "$folder"
}
trap cleanup EXIT
fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# One whom we trust, a server that it signed, and a stranger.
make_ca() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=$1" \
    -keyout "$folder/$1.key" -out "$folder/$1.pem" 2> /dev/null || fail "openssl"
}
make_ca ours
make_ca stranger
openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost \
  -keyout "$folder/server.key" -out "$folder/server.csr" 2> /dev/null || fail "openssl"
openssl x509 -req -in "$folder/server.csr" -CA "$folder/ours.pem" -CAkey "$folder/ours.key" \
  -CAcreateserial -days 2 -extfile <(echo subjectAltName=DNS:localhost) \
  -out "$folder/server.pem" 2> /dev/null || fail "openssl"
chmod 600 "$folder"/*.key
chmod 755 "$folder"
if [ "$(id -u)" = 0 ]; then
  id postgres > /dev/null 2>&1 && owner=postgres || owner=nobody
  chown "$owner" "$folder/server.key" "$folder/server.pem"
fi

# A port that is free now; should somebody take it meanwhile, another.
start_cluster() {
  PGPORT=$((20000 + RANDOM % 10000))
  export PGPORT
  mkfifo "$folder/to.$PGPORT" "$folder/from.$PGPORT"
  bash "$here/cluster.sh" -c listen_addresses=127.0.0.1 -c ssl=on \
    -c "ssl_cert_file=$folder/server.pem" -c "ssl_key_file=$folder/server.key" \
    < "$folder/to.$PGPORT" > "$folder/from.$PGPORT" 2> "$folder/log" &
  cluster=$!
  exec {to_cluster}> "$folder/to.$PGPORT"
  read -r place < "$folder/from.$PGPORT"
}
place=
for _ in 1 2 3 4 5; do
  start_cluster
  [ -n "$place" ] && break
  exec {to_cluster}>&-
  wait "$cluster"
done
[ -n "$place" ] || fail "no PostgreSQL: $(cat "$folder/log")"
port=$PGPORT
unset PGPORT

export HOME=$folder XDG_CONFIG_HOME=$folder/config XDG_DATA_HOME=$folder/data
cd "$folder" || exit 1
ask() {  # ask STORE: a session that is stored there; its output in $folder/out
  "$wright" run codebase-analysis "What is 2 + 2?" --model offline --base-path "$folder" \
    --store "$1" > "$folder/out" 2>&1 < /dev/null
}
must_refuse() {  # must_refuse STORE WORDS
  ask "$1" && fail "$1 was taken"
  grep -q "$2" "$folder/out" || fail "$1: $(cat "$folder/out")"
  grep -q s3cret "$folder/out" && fail "the password was shown: $(cat "$folder/out")"
}
sessions() {
  "$wright" sessions list --json --store "$1" | jq length
}

tls="postgresql://wright:s3cret@localhost:$port/postgres"
ask "$tls?sslmode=verify-full&sslrootcert=$folder/ours.pem" || fail "$(cat "$folder/out")"
[ "$(sessions "$place&port=$port")" = 1 ] || fail "the session is not there"

# It is not whom we trust, or not who it says.
must_refuse "$tls?sslmode=verify-full&sslrootcert=$folder/stranger.pem" "certificate verify failed"
must_refuse "postgresql://wright:s3cret@127.0.0.1:$port/postgres?sslmode=verify-full&sslrootcert=$folder/ours.pem" \
  'does not match host name'

# By variables alone, and they are really asked.
PGSSLMODE=verify-full PGSSLROOTCERT=$folder/ours.pem ask "$tls" || fail "$(cat "$folder/out")"
PGSSLMODE=verify-full PGSSLROOTCERT=$folder/stranger.pem must_refuse "$tls" "certificate verify failed"

# By a service file, with a schema of our own beside it.
cat > "$folder/services" <<END
[office]
host=localhost
port=$port
user=wright
dbname=postgres
sslmode=verify-full
sslrootcert=$folder/ours.pem
END
export PGSERVICEFILE=$folder/services
ask "postgresql://?service=office" || fail "$(cat "$folder/out")"
[ "$(sessions "postgresql://?service=office")" = 3 ] || fail "a session is missing"
ask "postgresql://?service=office&schema=apart" || fail "$(cat "$folder/out")"
[ "$(sessions "postgresql://?service=office&schema=apart")" = 1 ] || fail "not apart"
must_refuse "postgresql://?service=nowhere" 'definition of service "nowhere" not found'

# Where only TLS is let in, plain words are not.
encrypted=$("$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)/psql" -At "service=office" \
  -c "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
[ "$encrypted" = t ] || fail "not encrypted: $encrypted"
echo "TLS, variables and a service file: as they should"
