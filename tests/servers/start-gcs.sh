#!/usr/bin/env bash
# Google Cloud Storage for tests: fake-gcs-server, which honours the preconditions of uploads, asks nobody who he is
# and keeps all in memory. Use: tests/servers/lib.sh.
source "$(dirname "$0")/lib.sh"
name=gcs
ready=/_internal/healthcheck

run_server() { # PORT
  exec setsid "$tools"/bin/fake-gcs-server-* -scheme http -host 127.0.0.1 -port "$1" -backend memory \
    -external-url "http://127.0.0.1:$1" -log-level error
}

main "$@"
