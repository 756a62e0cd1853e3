#!/usr/bin/env bash
# A PostgreSQL server of its own for tests, from the machine's packages: a free port of 127.0.0.1, passwords by
# SCRAM, a role `tidemark` that may make databases.
#   start-postgres.sh start DIR   starts it unless it runs; DIR/postgres.url is where it is
#   start-postgres.sh stop DIR    stops it and removes its data
set -euo pipefail

command=${1:?start or stop} dir=${2:?a directory}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
bin=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)

# The server refuses to run as root.
as_server() {
  if [ "$(id -u)" = 0 ]; then (cd / && runuser -u postgres -- "$@"); else "$@"; fi
}

data=$(cat "$dir/postgres.data" 2>/dev/null || true)
is_running() { [ -n "$data" ] && [ -d "$data" ] && as_server "$bin/pg_ctl" -D "$data/db" status >/dev/null 2>&1; }

stop() {
  if is_running; then as_server "$bin/pg_ctl" -D "$data/db" -m immediate stop >/dev/null; fi
  # Only what this script made.
  case "$data" in */tidemark-postgres.*) rm -rf "$data" ;; esac
  rm -f "$dir/postgres.data" "$dir/postgres.url"
}

free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

start() {
  # Outside of the build tree: the server's user may not be allowed into that.
  data=$(mktemp -d "${TMPDIR:-/tmp}/tidemark-postgres.XXXXXX")
  echo "$data" >"$dir/postgres.data"
  if [ "$(id -u)" = 0 ]; then chown postgres "$data"; fi
  local password=$data/password
  (umask 077 && echo tidemark >"$password")
  if [ "$(id -u)" = 0 ]; then chown postgres "$password"; fi
  as_server "$bin/initdb" -D "$data/db" -U tidemark --pwfile="$password" -A scram-sha-256 -E UTF8 \
    --locale=C.UTF-8 --no-sync >"$dir/postgres.log" 2>&1
  local port
  port=$(free_port)
  as_server "$bin/pg_ctl" -D "$data/db" -l "$data/log" -w -t 60 -o "-p $port -c listen_addresses=127.0.0.1 \
    -c unix_socket_directories= -c fsync=off -c max_connections=200" start >>"$dir/postgres.log" 2>&1 || {
    cat "$dir/postgres.log" "$data/log" >&2
    exit 1
  }
  echo "postgresql://tidemark:tidemark@127.0.0.1:$port/postgres" >"$dir/postgres.url"
}

case "$command" in
  start)
    if ! is_running; then
      stop
      start
    fi
    cat "$dir/postgres.url"
    ;;
  stop) stop ;;
  *) sed -n '2,5s/^# //p' "$0" >&2 && exit 2 ;;
esac
