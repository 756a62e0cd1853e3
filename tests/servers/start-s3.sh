#!/usr/bin/env bash
# S3 for tests: versitygw, which verifies signatures and honours conditional writes. Region us-east-1, path style,
# keys tidemark and tidemark-secret. Use: tests/servers/lib.sh.
source "$(dirname "$0")/lib.sh"
name=s3
ready=/_health

run_server() { # PORT DATA
  # Where user attributes are not to be had, what it knows of an object goes into files beside it.
  local side=()
  if ! python3 -c 'import os, sys; os.setxattr(sys.argv[1], "user.t", b"1")' "$2" 2>/dev/null; then
    mkdir -p "$2/side" && side=(--sidecar "$2/side")
  fi
  mkdir -p "$2/buckets"
  export ROOT_ACCESS_KEY=tidemark ROOT_SECRET_KEY=tidemark-secret
  exec setsid "$tools"/bin/versitygw-* --port "127.0.0.1:$1" --region us-east-1 --quiet --health "$ready" \
    posix "${side[@]}" "$2/buckets"
}

main "$@"
