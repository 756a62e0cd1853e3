# What the start scripts of the object stores share:
#   start-NAME.sh start DIR   starts the server unless it runs; DIR/NAME.url is where it is
#   start-NAME.sh stop DIR    stops it and removes its data
# A script sets `name`, `ready` (the path that answers when it is up) and defines run_server PORT DATA, which
# replaces its process by the server, then calls main "$@". The server runs in the directory DATA
# or below it.
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
tools=${TIDEMARK_TOOLS_DIR:-$top/build/deps/servers}

free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# Only a process that was started here, and not one that got its number later.
is_running() {
  [ -s "$dir/$name.pid" ] && [[ "$(readlink "/proc/$(cat "$dir/$name.pid")/cwd")/" == "$data"/* ]]
}

stop_server() {
  if is_running; then
    local pid
    pid=$(cat "$dir/$name.pid")
    kill "$pid" 2>/dev/null || true
    for _ in $(seq 50); do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done
    kill -9 "$pid" 2>/dev/null || true
  fi
  rm -rf "$data"
  rm -f "$dir/$name.pid" "$dir/$name.url"
}

start_server() {
  "$top/scripts/fetch-servers" "$name" >&2
  local port
  port=$(free_port)
  mkdir -p "$data"
  (cd "$data" && run_server "$port" "$data") >"$dir/$name.log" 2>&1 </dev/null &
  echo $! >"$dir/$name.pid"
  for _ in $(seq 300); do
    if curl -s -o /dev/null -m 2 "http://127.0.0.1:$port$ready"; then
      echo "http://127.0.0.1:$port" >"$dir/$name.url"
      return
    fi
    kill -0 "$(cat "$dir/$name.pid")" 2>/dev/null || break
    sleep 0.1
  done
  echo "$name did not start:" >&2
  tail -20 "$dir/$name.log" >&2
  exit 1
}

main() {
  local command=${1:?start or stop}
  mkdir -p "${2:?a directory}"
  dir=$(cd "$2" && pwd -P)
  data=$dir/$name.data
  case "$command" in
    start)
      if ! is_running; then
        stop_server
        start_server
      fi
      cat "$dir/$name.url"
      ;;
    stop) stop_server ;;
    *) sed -n '2,3s/^# //p' "${BASH_SOURCE[0]}" >&2 && exit 2 ;;
  esac
}
