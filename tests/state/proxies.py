"""Servers in front of others, on free ports of 127.0.0.1: they keep what was asked, and do to it what a bad network or
a bad service does."""

import http.client
import socket
import struct
import threading
import urllib.parse
from dataclasses import dataclass, field


@dataclass
class Request:
    method: str
    path: str  # with the query, as it was sent
    headers: list
    body: bytes
    number: int = 0  # since the last plan, from 1
    status: int = 0  # of the server's answer; 0: it was not asked
    answer_headers: dict = field(default_factory=dict)
    answer: bytes = b""

    def header(self, name):
        return next((value for key, value in self.headers if key.lower() == name), "")

    @property
    def target(self):
        """The path alone, decoded."""
        return urllib.parse.unquote(urllib.parse.urlsplit(self.path).path)

    @property
    def query(self):
        return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query, keep_blank_values=True))


class Listener:
    """serve(connection) in a thread for each connection."""

    def __init__(self, upstream):
        parts = urllib.parse.urlsplit(upstream)
        self.upstream = parts.hostname, parts.port
        self.lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self.accept, daemon=True).start()

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)  # ends a thread that waits for somebody
        self.listener.close()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()


class Proxy(Listener):
    """Of HTTP. Faults are decided by plan(request), which may take its time and returns one of these or nothing:

    `500`, `503`, `409`   that answer instead of the server's
    reset, hang           the connection is reset, or stays silent, before the server hears of the request
    drop, late            the same after the server has done it
    lie                   500 after the server has done it
    half                  the first half of the answer, then the end of the connection
    """

    def __init__(self, upstream):
        self.plan = None
        self.log = []
        self.count = 0
        super().__init__(upstream)

    def start(self, plan=None):
        """From now on, counting requests from 1 again."""
        with self.lock:
            self.plan, self.count, self.log = plan, 0, []

    def taken(self):
        """The requests since the last call."""
        with self.lock:
            requests, self.log = self.log, []
        return requests

    def serve(self, connection):
        server = http.client.HTTPConnection(*self.upstream)
        try:
            with connection, connection.makefile("rb") as lines:
                while (request := read_request(lines)) and self.answer(connection, server, request):
                    pass
        except (OSError, http.client.HTTPException):
            pass
        finally:
            server.close()

    def answer(self, connection, server, request):
        """Whether the connection goes on."""
        with self.lock:
            self.count += 1
            request.number = self.count
            self.log.append(request)
            plan = self.plan
        fault = (plan and plan(request)) or ""
        if fault.isdigit():
            connection.sendall(refusal(int(fault)))
            return True
        if fault not in ("reset", "hang"):
            answer = forward(server, request)
        if fault in ("reset", "drop"):
            reset(connection)
            return False
        if fault in ("hang", "late"):
            while connection.recv(65536):
                pass
            return False
        if fault == "lie":
            connection.sendall(refusal(500))
            return True
        connection.sendall(answer[:len(answer) // 2] if fault == "half" else answer)
        return fault != "half"


class StreamProxy(Listener):
    """Of a protocol whose requests are not told apart: a fault comes at a piece of what a client sends, counted from 1;
    reset, hang and drop."""

    def __init__(self, upstream):
        self.fault, self.at, self.count = "", 0, 0
        super().__init__(upstream)

    def start(self, fault="", at=0):
        with self.lock:
            self.fault, self.at, self.count = fault, at, 0

    def serve(self, client):
        server = socket.create_connection(self.upstream)
        dropped = threading.Event()
        threading.Thread(target=self.to_client, args=(client, server, dropped), daemon=True).start()
        self.to_server(client, server, dropped)

    def next_fault(self):
        with self.lock:
            self.count += 1
            return self.fault if self.count == self.at else ""

    def to_server(self, client, server, dropped):
        try:
            while piece := client.recv(65536):
                fault = self.next_fault()
                if fault == "reset":
                    reset(client)
                    break
                if fault == "drop":
                    dropped.set()
                if fault != "hang":
                    server.sendall(piece)
            server.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def to_client(self, client, server, dropped):
        try:
            while piece := server.recv(65536):
                if dropped.is_set():
                    break
                client.sendall(piece)
            # The other thread waits for the client.
            client.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        finally:
            server.close()
            client.close()


def reset(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def read_request(lines):
    """Nothing at the end of the connection, also when that comes in the middle of a request."""
    first = lines.readline().decode("latin-1").split()
    if len(first) != 3:
        return None
    headers = []
    while (line := lines.readline().decode("latin-1").rstrip("\r\n")):
        name, _, value = line.partition(":")
        headers.append((name, value.strip()))
    request = Request(first[0], first[1], headers, b"")
    length = int(request.header("content-length") or 0)
    request.body = lines.read(length)
    return request if len(request.body) == length else None


def forward(server, request):
    # The signature covers the host that the client named.
    server.putrequest(request.method, request.path, skip_host=True, skip_accept_encoding=True)
    for name, value in request.headers:
        server.putheader(name, value)
    server.endheaders(request.body or None)
    answer = server.getresponse()
    body = answer.read()
    request.status, request.answer = answer.status, body
    request.answer_headers = {name.lower(): value for name, value in answer.getheaders()}
    lines = [f"HTTP/1.1 {answer.status} {answer.reason}"]
    has_length = False
    for name, value in answer.getheaders():
        if name.lower() not in ("transfer-encoding", "connection", "keep-alive"):
            lines.append(f"{name}: {value}")
            has_length |= name.lower() == "content-length"
    if not has_length and answer.status not in (204, 304):
        lines.append(f"Content-Length: {len(body)}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + body


def refusal(status):
    """As S3 words it; the others go by the status alone."""
    codes = {500: "InternalError", 503: "SlowDown", 409: "ConditionalRequestConflict"}
    body = f"<?xml version=\"1.0\"?><Error><Code>{codes[status]}</Code><Message>a fault of the test</Message></Error>"
    return (f"HTTP/1.1 {status} Refused\r\nContent-Type: application/xml\r\nContent-Length: {len(body)}\r\n\r\n"
            f"{body}").encode()
