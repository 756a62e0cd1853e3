#!/usr/bin/env bash
# Azure Blob Storage for tests: Azurite, which verifies signatures and keeps all in memory. The account is
# devstoreaccount1, its key the one that Microsoft publishes. Use: tests/servers/lib.sh.
source "$(dirname "$0")/lib.sh"
name=azure
ready=/

run_server() { # PORT
  exec setsid node "$tools"/azurite-*/node_modules/azurite/dist/src/blob/main.js --blobHost 127.0.0.1 \
    --blobPort "$1" --inMemoryPersistence --silent --skipApiVersionCheck --disableTelemetry
}

main "$@"
