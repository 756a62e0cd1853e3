"""demo/replay_server.py over HTTP: what a client of GitHub would see."""

import gzip
import http.client
import json
import re
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "demo"))
import replay_server  # noqa: E402

PULLS = "/repos/django/django/pulls"
ISSUES = "/repos/openframeworks/openFrameworks/issues"


class ReplayServer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pulls, cls.issues = replay_server.Pulls(), replay_server.Issues()

    def setUp(self):
        log = tempfile.NamedTemporaryFile("r", suffix=".jsonl")
        self.addCleanup(log.close)
        self.log = log
        service = replay_server.Service("secret")
        self.server = replay_server.Server(0, service, log.name)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.connection = http.client.HTTPConnection("127.0.0.1", self.server.server_address[1])
        self.addCleanup(self.connection.close)

    def request(self, target, method="GET", **headers):
        headers = {"Authorization": "Bearer secret", **headers}
        self.connection.request(method, target.removeprefix(self.url), headers=headers)
        response = self.connection.getresponse()
        return response, response.read()

    def pages(self, target):
        """All documents of all pages, by Link; faults are asked again."""
        documents = []
        while target:
            response, body = self.request(target)
            if response.status in (429, 502):
                continue
            self.assertEqual(response.status, 200)
            documents += json.loads(body)
            match = re.search('<([^>]*)>; rel="next"', response.headers.get("Link", ""))
            target = match and match.group(1)
        return documents

    def test_refuses_a_request_without_the_token(self):
        self.assertEqual(self.request(PULLS, Authorization="Bearer other")[0].status, 401)

    def test_serves_the_recorded_bytes_with_the_recorded_headers(self):
        response, body = self.request(PULLS)
        self.assertEqual(body, self.pulls.bodies[0])
        self.assertEqual(response.headers["ETag"], '"d569383640caddae1be3691245e757fc"')
        self.assertEqual(response.headers["X-RateLimit-Limit"], "60")

    def test_links_lead_over_three_pages_of_this_server(self):
        response, _ = self.request(PULLS + "?state=open")
        self.assertIn(f"<{self.url}/repositories/4164482/pulls?state=open&page=2>", response.headers["Link"])
        self.assertNotIn("api.github.com", response.headers["Link"])
        self.assertEqual(len({d["id"] for d in self.pages(PULLS)}), 66)

    def test_keeps_the_connection(self):
        self.request(PULLS)
        socket = self.connection.sock
        self.request(PULLS)
        self.assertIs(self.connection.sock, socket)

    def test_fails_once_with_502_and_once_with_429(self):
        statuses = [self.request(PULLS + "?page=2")[0].status for _ in range(3)]
        self.assertEqual(statuses, [502, 200, 200])
        response, _ = self.request(ISSUES + "?page=2")
        self.assertEqual((response.status, response.headers["Retry-After"]), (429, "1"))
        self.assertEqual(self.request(ISSUES + "?page=2")[0].status, 200)

    def test_pulls_ignore_since_and_issues_filter_before_paging(self):
        self.assertEqual(len(self.pages(PULLS + "?since=2030-01-01T00:00:00Z")), 66)
        all_issues = self.pages(ISSUES)
        since = sorted(d["updated_at"] for d in all_issues)[100]
        expected = [d["id"] for d in all_issues if d["updated_at"] >= since]
        self.assertEqual([d["id"] for d in self.pages(f"{ISSUES}?since={since}&per_page=5")], expected)
        self.assertEqual(self.pages(ISSUES + "?since=2030-01-01"), [])

    def test_answers_304_to_a_known_etag_and_gzip_when_asked(self):
        response, body = self.request(PULLS, **{"Accept-Encoding": "gzip"})
        self.assertEqual(gzip.decompress(body), self.pulls.bodies[0])
        response, body = self.request(PULLS, **{"If-None-Match": response.headers["ETag"]})
        self.assertEqual((response.status, body), (304, b""))

    def test_errors_are_those_of_the_service(self):
        self.assertEqual(self.request("/repos/django/django/nothing")[0].status, 404)
        self.assertEqual(self.request(PULLS + "?page=3")[0].status, 404)
        self.assertEqual(self.request(ISSUES + "?since=yesterday")[0].status, 422)

    def test_day_two_changes_a_third_adds_a_third_and_keeps_the_rest(self):
        for path in (PULLS, ISSUES):
            self.request("/-/day/1", "PUT")
            before = {d["id"]: d for d in self.pages(path)}
            self.request("/-/day/2", "PUT")
            listed = self.pages(path)
            after = {d["id"]: d for d in listed}
            self.assertEqual(len(listed), len(after))
            new = [d for i, d in after.items() if i not in before]
            edited = [d for i, d in after.items() if i in before and d != before[i]]
            self.assertEqual(len(new), (len(before) + 1) // 3)
            self.assertEqual(len(edited), (len(before) + 2) // 3)
            self.assertLessEqual(before.keys(), after.keys())
            newest = max(d["updated_at"] for d in before.values())
            self.assertTrue(all(d["updated_at"] > newest for d in new + edited))
            self.assertTrue(all(d["title"] != before[d["id"]]["title"] for d in edited))

    def test_logs_each_request_without_the_token(self):
        self.request(PULLS + "?page=2")
        self.request(ISSUES)
        lines = self.log.read().splitlines()
        entries = [json.loads(line) for line in lines]
        self.assertEqual([e["status"] for e in entries], [502, 200])
        self.assertEqual(entries[1]["rows"], 30)
        self.assertEqual(urlsplit(entries[0]["target"]).path, PULLS)
        self.assertNotIn("secret", "".join(lines))


if __name__ == "__main__":
    unittest.main()
