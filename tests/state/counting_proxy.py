"""A reverse proxy that keeps what went through it, the requests that a server got, and can be slow."""

import http.client
import http.server
import threading
import time
import urllib.parse

OWN_HEADERS = {"connection", "keep-alive", "transfer-encoding", "content-length"}


class CountingProxy:
    """In front of the server at `upstream`, on a free port of 127.0.0.1, until close()."""

    def __init__(self, upstream):
        self.requests = []  # (method, path, {query}, host)
        self.delay = lambda method, path: 0  # seconds before such a request goes on
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler_of(self))
        self.server.daemon_threads = True
        self.upstream = urllib.parse.urlsplit(upstream).netloc
        self.port = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()

    def close(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def taken(self):
        """The requests since the last call."""
        requests, self.requests = self.requests, []
        return requests


def handler_of(proxy):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self):
            super().setup()
            self.server_side = http.client.HTTPConnection(proxy.upstream)

        def finish(self):
            self.server_side.close()
            super().finish()

        def forward(self):
            target = urllib.parse.urlsplit(self.path)
            query = dict(urllib.parse.parse_qsl(target.query, keep_blank_values=True))
            proxy.requests.append((self.command, urllib.parse.unquote(target.path), query, self.headers["Host"]))
            time.sleep(proxy.delay(self.command, urllib.parse.unquote(target.path)))
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            # The signature covers the host that the client named.
            self.server_side.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                self.server_side.putheader(name, value)
            self.server_side.endheaders(body or None)
            answer = self.server_side.getresponse()
            self.pass_on(answer, answer.read())

        def pass_on(self, answer, body):
            self.send_response_only(answer.status, answer.reason)
            for name, value in answer.getheaders():
                if name.lower() not in OWN_HEADERS:
                    self.send_header(name, value)
            length = answer.getheader("Content-Length", "0") if self.command == "HEAD" else len(body)
            if answer.status not in (204, 304):
                self.send_header("Content-Length", str(length))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = forward

        def log_message(self, *arguments):
            pass

    return Handler
