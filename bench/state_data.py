"""The states of bench/state.py: fills one store, and reads a bucket's pages with as little as that takes.

usage: state_data.py file|SQLite|S3|PostgreSQL FOLDER    Run by build/venv-meltano.
Each line of standard input is one of ["open"], ["fill", FROM, TO] and ["pages"]; each line of output its answer.
"""

import http.client
import json
import re
import sqlite3
import subprocess
import sys
import time
import urllib.parse
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests/state"))
import stores  # noqa: E402

STATE = json.dumps({"singer_state": {"bookmarks": {f"stream_{number}": {
    "replication_key": "updated_at", "replication_key_value": "2026-11-30T12:32:24Z"} for number in range(10)}}})
DOCUMENT = f'{{"completed": {STATE}, "partial": {{}}}}'
INSERT = "insert into state (state_id, completed_state, partial_state) values ({0}, {0}, '{{}}')"


def ids(first, last):
    return (f"dev:tap-{number:06}-to-target" for number in range(first, last))


class Files(stores.FileStore):
    def fill(self, first, last):
        for state_id in ids(first, last):
            self.put(f"{state_id}/state.json", DOCUMENT)


class Rows(stores.SqliteStore):
    def fill(self, first, last):
        with sqlite3.connect(self.work / ".meltano/meltano.db") as connection:
            connection.executemany(INSERT.format("?"), ((state_id, STATE) for state_id in ids(first, last)))
        connection.close()


class PostgresRows(stores.PostgresStore):
    def fill(self, first, last):
        with self.connect(self.url) as connection:
            connection.cursor().executemany(INSERT.format("%s"), [(state_id, STATE) for state_id in ids(first, last)])


class Objects(stores.S3Store):
    # More would take minutes by requests; what is asked is only that they are listed.
    MOST_REQUESTS = 10_000

    def fill(self, first, last):
        by_request = min(last, self.MOST_REQUESTS)
        for state_id in ids(first, by_request):
            self.put(f"{state_id}/state.json", DOCUMENT)
        self.put_many((f"{state_id}/state.json" for state_id in ids(max(first, by_request), last)), DOCUMENT)

    def pages(self):
        """Seconds to sign, send and receive each page of a listing, one behind the other."""
        import botocore.auth
        import botocore.awsrequest
        import botocore.credentials
        credentials = botocore.credentials.Credentials("tidemark", "tidemark-secret")
        signer = botocore.auth.S3SigV4Auth(credentials, "s3", "us-east-1")
        connection = http.client.HTTPConnection(urllib.parse.urlsplit(stores.server("s3")).netloc)
        token, start = None, time.monotonic()
        while True:
            query = {"list-type": "2", "prefix": self.prefix, **({"continuation-token": token} if token else {})}
            target = f"/{self.bucket}?{urllib.parse.urlencode(sorted(query.items()), quote_via=urllib.parse.quote)}"
            request = botocore.awsrequest.AWSRequest("GET", stores.server("s3") + target)
            signer.add_auth(request)
            connection.request("GET", target, headers=dict(request.headers.items()))
            answer = connection.getresponse()
            body = answer.read()
            if answer.status != 200:
                raise SystemExit(body.decode())
            found = re.search(rb"<NextContinuationToken>(.*?)</NextContinuationToken>", body)
            if not found:
                return time.monotonic() - start
            token = found[1].decode()


STORES = {"file": Files, "SQLite": Rows, "S3": Objects, "PostgreSQL": PostgresRows}


def open_store(name, folder):
    store = STORES[name](folder)
    (folder / "meltano.yml").write_text(store.project() + "\n")
    # Makes the tables, and is gone again.
    for verb in (["set", "--force", "first", STATE], ["clear", "--force", "--purge", "first"]):
        subprocess.run([stores.TOP / "build/tidemark", "state", *verb], cwd=folder, check=True,
                       stderr=subprocess.DEVNULL)
    return store


def main():
    name, folder = sys.argv[1], Path(sys.argv[2])
    for line in sys.stdin:
        verb, *arguments = json.loads(line)
        if verb == "open":
            store, answer = open_store(name, folder), None
        else:
            answer = getattr(store, verb)(*arguments)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
