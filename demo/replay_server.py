#!/usr/bin/env python3
"""Serves recorded GitHub REST responses on loopback, as GitHub would.

  /repos/django/django/pulls                     66 pull requests, pages of 30, 30 and 6
  /repos/openframeworks/openFrameworks/issues    142 issues with labels, paged on request

The Link headers point at this server (a client that followed the recorded ones would send its token to
the real service). Recorded page 2 of the pulls links to page 3, which was never recorded: it links to the
last page, 4, here. A bearer token is required. Once each, on the way, page 2 of the pulls is answered
with 502 and page 2 of the issues with 429 and Retry-After. /pulls ignores `since`; /issues keeps
`updated_at >= since` and then cuts pages.

usage: replay_server.py [--port N] [--token TEXT] [--log FILE]

Prints "listening on URL" once it does. `PUT /-/day/2` moves the service to its second day (NEXT_DAY_RULE);
--log appends one JSON object for each request.
"""

import argparse
import copy
import datetime
import gzip
import hashlib
import json
import re
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

TOP = Path(__file__).resolve().parent.parent
PULLS = TOP / "demo/recordings/gidgethub"
ISSUES = TOP / "build/deps/recordings/openframeworks_issues.json"
TOKEN = "token-of-the-demo"

NEXT_DAY_RULE = """\
the next day, by the position of a document in the list of the day before:
  1st, 4th, 7th, ... keep their id; title, labels (where there are any) and updated_at change
  2nd, 5th, 8th, ... come again as new documents, under a new id and number, created that day
  3rd, 6th, 9th, ... and the originals of those that come again are unchanged"""

# What belongs to the recorded connection, not to the answer.
DROPPED_HEADERS = {"transfer-encoding", "content-encoding", "content-length", "connection", "date", "server",
                   "status", "link", "etag", ""}


def parse_time(text):
    time = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return time if time.tzinfo else time.replace(tzinfo=datetime.timezone.utc)


def changed(document, time):
    document = copy.deepcopy(document)
    document["title"] += " (edited)"
    document["updated_at"] = time
    if "labels" in document:
        url = document["url"].split("/issues/")[0] + "/labels/triaged"
        document["labels"] = [{"url": url, "name": "triaged", "color": "ededed"}] + document["labels"][1:]
    return document


def reopened(document, time, place, documents):
    """The same post as a new document: ids and numbers go on from the highest there are."""
    document = copy.deepcopy(document)
    for name in ("id", "number"):
        document[name] = max(other[name] for other in documents) + 1 + place
    document["created_at"] = document["updated_at"] = time
    return document


def next_day(documents):
    """NEXT_DAY_RULE; newest first, as the service lists them. Its date follows the newest change."""
    newest = max(parse_time(document["updated_at"]) for document in documents)
    midnight = newest.replace(hour=0, minute=0, second=0) + datetime.timedelta(days=1)
    new, kept = [], []
    for position, document in enumerate(documents):
        time = (midnight + datetime.timedelta(seconds=position)).strftime("%Y-%m-%dT%H:%M:%SZ")
        kept.append(changed(document, time) if position % 3 == 0 else document)
        if position % 3 == 1:
            new.append(reopened(document, time, len(new), documents))
    return new[::-1] + kept


def on_day(documents, day):
    """What has become of the recorded documents on that day, counted from 1."""
    for _ in range(day - 1):
        documents = next_day(documents)
    return documents


@dataclass
class Answer:
    status: int
    headers: dict = field(default_factory=dict)
    body: bytes = b""
    rows: int = 0


def message(status, text, **headers):
    body = {"message": text, "documentation_url": "https://docs.github.com/rest"}
    return Answer(status, {"content-type": "application/json; charset=utf-8", **headers},
                  json.dumps(body).encode())


def links(url, params, current, pages):
    """The Link header of page number `current`; `pages` are the numbers of all pages, in order."""
    at = pages.index(current)
    relations = {}
    if at + 1 < len(pages):
        relations.update(next=pages[at + 1], last=pages[-1])
    if at > 0:
        relations.update(first=pages[0], prev=pages[at - 1])
    return ", ".join(f'<{url}?{urlencode({**params, "page": page})}>; rel="{relation}"'
                     for relation, page in relations.items())


def kept_headers(recorded):
    return {name.lower(): value for name, value in recorded if name.lower() not in DROPPED_HEADERS}


class Pulls:
    """Day 1 is the recorded bytes."""

    paths = ("/repos/django/django/pulls", "/repositories/4164482/pulls")
    numbers = [1, 2, 4]

    def __init__(self, directory=PULLS):
        self.headers, self.bodies, self.documents = [], [], []
        for name in ("pr_page_1", "pr_page_2", "pr_page_last"):
            self.headers.append(json.loads((directory / name / "200.json").read_text()))
            self.bodies.append(gzip.decompress((directory / name / "body.gz").read_bytes()))
            self.documents += json.loads(self.bodies[-1])

    def answer(self, day, params, server):
        number = int(params.get("page", 1))
        if number not in self.numbers:
            return message(404, "Not Found")
        at = self.numbers.index(number)
        headers = kept_headers(self.headers[at].items())
        headers["link"] = links(server + self.paths[1], without_page(params), number, self.numbers)
        if day == 1:
            headers["etag"] = self.headers[at]["etag"]
            body = self.bodies[at]
            return Answer(200, headers, body, len(json.loads(body)))
        end = None if number == self.numbers[-1] else 30 * (at + 1)
        return documents_answer(headers, on_day(self.documents, day)[30 * at:end])


class Issues:
    paths = ("/repos/openframeworks/openFrameworks/issues", "/repositories/345337/issues")

    def __init__(self, file=ISSUES):
        if not file.exists():
            raise SystemExit(f"replay_server: {file} is missing; run scripts/fetch-recordings")
        recorded = json.loads(file.read_text())
        self.headers = kept_headers(recorded["headers"])
        self.documents = recorded["documents"]

    def answer(self, day, params, server):
        documents = on_day(self.documents, day)
        if "since" in params:
            since = parse_time(params["since"])
            documents = [d for d in documents if parse_time(d["updated_at"]) >= since]
        size = min(int(params.get("per_page", 30)), 100)
        number = int(params.get("page", 1))
        pages = list(range(1, max(1, -(-len(documents) // size)) + 1))
        headers = dict(self.headers)
        if number in pages and len(pages) > 1:
            headers["link"] = links(server + self.paths[1], without_page(params), number, pages)
        return documents_answer(headers, documents[size * (number - 1):size * number])


def without_page(params):
    return {name: value for name, value in params.items() if name != "page"}


def documents_answer(headers, documents):
    body = json.dumps(documents, separators=(",", ":")).encode()
    headers["etag"] = f'W/"{hashlib.sha256(body).hexdigest()[:32]}"'
    return Answer(200, headers, body, len(documents))


class Service:
    """All that does not depend on HTTP's bytes. Thread-safe."""

    def __init__(self, token=TOKEN):
        self.token = token
        self.resources = [Pulls(), Issues()]
        self.day = 1
        self.lock = threading.Lock()
        self.faults = {(Pulls.paths[1], 2): message(502, "Server Error"),
                       (Issues.paths[1], 2): message(429, "Too many requests", **{"retry-after": "1"})}

    def answer(self, method, target, request_headers, server):
        url = urlsplit(target)
        if method == "PUT" and re.fullmatch("/-/day/[1-9]", url.path):
            return self.move_to_day(int(url.path[-1]))
        if request_headers.get("Authorization") != f"Bearer {self.token}":
            return message(401, "Bad credentials")
        params = {name: values[-1] for name, values in parse_qs(url.query).items()}
        for resource in self.resources:
            if method == "GET" and url.path in resource.paths:
                return self.answer_list(resource, params, request_headers, server)
        return message(404, "Not Found")

    def move_to_day(self, day):
        with self.lock:
            self.day = day
        return Answer(200, {"content-type": "application/json"}, json.dumps({"day": day}).encode())

    def answer_list(self, resource, params, request_headers, server):
        try:
            with self.lock:
                fault = self.faults.pop((resource.paths[1], int(params.get("page", 1))), None)
                day = self.day
            answer = fault or resource.answer(day, params, server)
        except ValueError as error:
            return message(422, f"Validation Failed: {error}")
        if answer.status == 200 and request_headers.get("If-None-Match") == answer.headers["etag"]:
            return Answer(304, answer.headers)
        return answer


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "GitHub.com (replayed)"
    sys_version = ""
    # Headers and body are two writes; with Nagle's algorithm the second waits 40 ms for an ack.
    disable_nagle_algorithm = True

    def respond(self):
        start = time.monotonic()
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        host, port = self.server.server_address[:2]
        answer = self.server.service.answer(self.command, self.path, self.headers, f"http://{host}:{port}")
        body = answer.body
        zipped = "gzip" in self.headers.get("Accept-Encoding", "") and len(body) > 1000
        if zipped:
            body = gzip.compress(body, compresslevel=1)
            answer.headers["content-encoding"] = "gzip"
        # Logged before it is sent: who has the answer finds it in the log.
        self.server.log(method=self.command, target=self.path, status=answer.status, rows=answer.rows,
                        bytes=len(body), gzip=zipped, day=self.server.service.day,
                        milliseconds=round((time.monotonic() - start) * 1000, 2))
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if answer.status != 304:
            self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_PUT = do_POST = respond

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port, service, log_file=None):
        super().__init__(("127.0.0.1", port), Handler)
        self.service = service
        self.log_stream = open(log_file, "a", encoding="utf-8", buffering=1) if log_file else None
        self.log_lock = threading.Lock()

    def log(self, **entry):
        if self.log_stream:
            with self.log_lock:
                self.log_stream.write(json.dumps(entry) + "\n")

    def server_close(self):
        super().server_close()
        if self.log_stream:
            self.log_stream.close()


def main():
    parser = argparse.ArgumentParser(description="Serves recorded GitHub REST responses on loopback.")
    parser.add_argument("--port", type=int, default=0, help="0 (default): one that is free")
    parser.add_argument("--token", default=TOKEN, help="the bearer token to ask for")
    parser.add_argument("--log", help="file that gets one JSON object for each request")
    arguments = parser.parse_args()
    server = Server(arguments.port, Service(arguments.token), arguments.log)
    print(f"listening on http://127.0.0.1:{server.server_address[1]}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
