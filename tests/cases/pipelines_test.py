"""What must hold for pipelines where tools of this kind have failed. TIDEMARK_PROGRAM names the binary."""

import http.server
import json
import os
import shutil
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

PROGRAM = os.environ["TIDEMARK_PROGRAM"]
SECRET = "s3cr3t-zz9"

FILES = """\
pipelines:
- name: shop
  destination: {{type: duckdb, path: shop.duckdb}}
  dataset: data
  source:
    type: files
    resources:
    - {{name: orders, path: orders.jsonl, write_disposition: {disposition}, primary_key: id{more}}}
"""


class Service(http.server.BaseHTTPRequestHandler):
    """Answers with what the test put there."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.server.asked.append(self.path)
        status, body = self.server.answers.get(self.path, (404, {}))
        self.server.before_answer()
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments):
        pass


class PipelineCases(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = Path(folder.name) / "home"
        self.work = Path(folder.name) / "work"
        self.home.mkdir()
        self.work.mkdir()
        self.environment = {"PATH": os.environ["PATH"], "NO_COLOR": "1", "HOME": str(self.home),
                            "RUNTIME__REQUEST_MAX_ATTEMPTS": "1"}

    def files(self, disposition="append", more=""):
        (self.work / "tidemark.yml").write_text(
            FILES.format(disposition=disposition, more=more))

    def service(self, answers):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
        server.asked, server.answers, server.before_answer = [], answers, lambda: None
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        for cleanup in (thread.join, server.server_close, server.shutdown):
            self.addCleanup(cleanup)
        return server

    def write(self, *rows):
        (self.work / "orders.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    def start(self, *arguments):
        return subprocess.run([PROGRAM, *arguments], cwd=self.work, env=self.environment, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL)

    def succeed(self, *arguments):
        result = self.start("--pipelines-dir", "p", *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def fail(self, *arguments):
        result = self.start("--pipelines-dir", "p", *arguments)
        self.assertEqual(result.returncode, 1, result.stderr)
        return result.stdout + result.stderr

    def rows(self, sql):
        return [list(row.values()) for row in json.loads(self.succeed("pipeline", "shop", "query", sql, "--json"))]

    # What is loaded.

    def test_what_comes_later_finds_its_place_and_is_told(self):
        self.files(more=", columns: {note: {data_type: text}}")
        self.write({"id": 1, "kids": None, "x": 8, "note": None, "never": None})
        self.assertIn("2 column(s) without any value left out", self.succeed("run", "shop"))
        self.write({"id": 2, "kids": [{"n": 2}], "x": 2.25})
        self.assertIn("1 variant column(s) made", self.succeed("run", "shop"))
        self.assertEqual(self.rows("select id, x, x__v_double, note from orders order by id"),
                         [[1, 8, None, None], [2, None, 2.25, None]])
        self.assertEqual(self.rows("select n from orders__kids"), [[2]])
        columns = json.loads(self.succeed("pipeline", "shop", "schema", "--format", "json"))["tables"]["orders"]["columns"]
        self.assertNotIn("kids", columns)

    def test_what_was_dropped_can_have_another_type(self):
        self.files("merge")
        self.write({"id": 1, "x": 1})
        self.succeed("run", "shop")
        self.succeed("-y", "pipeline", "shop", "drop", "orders")
        self.write({"id": 1, "x": "one"})
        self.succeed("run", "shop")
        self.assertEqual(self.rows("select x from orders"), [["one"]])

    def test_a_table_that_many_parents_feed_is_replaced_once(self):
        answers = {"/parents": (200, [{"id": n} for n in (1, 2, 3)])}
        for n in (1, 2, 3):
            answers[f"/parents/{n}/kids"] = (200, [{"id": 10 * n}, {"id": 10 * n + 1}])
        service = self.service(answers)
        (self.work / "tidemark.yml").write_text(f"""\
pipelines:
- name: shop
  destination: {{type: duckdb, path: shop.duckdb}}
  dataset: data
  source:
    type: rest
    client: {{base_url: "http://127.0.0.1:{service.server_port}", paginator: single_page}}
    resources:
    - parents
    - name: kids
      endpoint: {{path: "parents/{{resources.parents.id}}/kids"}}
      write_disposition: replace
""")
        for _ in range(2):
            self.succeed("run", "shop")
        service.answers["/parents/3/kids"] = (500, {})
        self.assertIn("kids", self.fail("run", "shop"))
        self.assertEqual(self.rows("select id from kids order by id"), [[n] for n in (10, 11, 20, 21, 30, 31)])

    # What a failed load leaves.

    def a_package_that_could_not_be_loaded(self):
        """Its service; the database can be opened again."""
        service = self.service({"/orders": (200, [{"id": 1}, {"id": 2}])})
        (self.work / "tidemark.yml").write_text(f"""\
pipelines:
- name: shop
  destination: {{type: duckdb, path: shop.duckdb}}
  dataset: data
  restore_from_destination: false
  source: {{type: rest, client: {{base_url: "http://127.0.0.1:{service.server_port}"}}, resources: [orders]}}
""")
        database = self.work / "shop.duckdb"

        def break_it():
            database.unlink(missing_ok=True)
            database.mkdir()

        service.before_answer = break_it
        self.assertIn("shop.duckdb", self.fail("run", "shop"))
        service.before_answer = lambda: None
        database.rmdir()
        return service

    def test_what_is_pending_is_loaded_with_what_comes_and_both_are_told(self):
        service = self.a_package_that_could_not_be_loaded()
        service.answers["/orders"] = (200, [{"id": 3}, {"id": 4}])
        shown = self.succeed("run", "shop")
        loads = [load for load, in self.rows("select load_id from _dlt_loads where status = 0 order by load_id")]
        self.assertEqual(len(loads), 2)
        for load in loads:
            self.assertIn(load, shown)
        self.assertEqual(self.rows("select id from orders order by id"), [[1], [2], [3], [4]])

    def test_a_copy_of_the_working_directory_brings_back_what_is_pending(self):
        self.a_package_that_could_not_be_loaded()
        shutil.copytree(self.work / "p", self.work / "copy")
        seen = []
        for _ in range(2):
            self.succeed("pipeline", "shop", "retry")
            seen.append((self.rows("select id from orders order by id"), self.rows("select load_id from _dlt_loads")))
            (self.work / "shop.duckdb").unlink()
            shutil.rmtree(self.work / "p")
            shutil.copytree(self.work / "copy", self.work / "p")
        self.assertEqual(seen[0][0], [[1], [2]])
        self.assertEqual(seen[0], seen[1])

    # What is asked and said.

    def test_verbs_stay_in_the_directory_that_is_named_and_looking_changes_nothing(self):
        self.files()
        self.write({"id": 1})
        self.succeed("run", "shop")

        def files():
            return {str(path): path.stat().st_mtime_ns for path in self.work.rglob("*")}

        before = files()
        for verb in (["info"], ["trace"], ["load-package"], ["failed-jobs"], ["schema"], ["query", "select 1"]):
            self.succeed("pipeline", "shop", *verb)
            self.assertEqual(files(), before, verb)
        self.succeed("pipeline", "--list-pipelines")
        self.succeed("run", "shop", "--dry-run")
        self.assertEqual(files(), before)
        for verb in (["sync"], ["retry"], ["abort-packages"], ["drop", "orders"]):
            self.succeed("-y", "pipeline", "shop", *verb)
        self.assertEqual(list(self.home.rglob("*")), [])

    def test_json_logs_of_a_failing_run_are_an_object_a_line(self):
        self.files()
        (self.work / "orders.jsonl").write_text('{"id": 1}\n{"id": \n')
        result = self.start("--log-format", "json", "run", "shop")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertTrue(result.stderr)
        for line in result.stderr.splitlines():
            self.assertIsInstance(json.loads(line), dict, line)

    def test_no_secret_is_said_or_stored(self):
        service = self.service({"/items": (401, {"error": f"token {SECRET} is not known"})})
        (self.work / "tidemark.yml").write_text(f"""\
pipelines:
- name: shop
  destination: {{type: duckdb, path: shop.duckdb}}
  source:
    type: rest
    client:
      base_url: "http://ada:{SECRET}@127.0.0.1:{service.server_port}"
      auth: {{type: bearer, token: "${{HUB_TOKEN}}"}}
    resources: [{{name: items, endpoint: {{path: items, params: {{api_key: "{SECRET}"}}}}}}]
""")
        self.environment["HUB_TOKEN"] = SECRET
        service.answers[f"/items?api_key={SECRET}"] = service.answers["/items"]
        said = self.fail("-vv", "run", "shop")
        self.assertIn(f"127.0.0.1:{service.server_port}", said)
        service.answers[f"/items?api_key={SECRET}"] = (200, [{"id": 1}])
        said += str(self.start("--pipelines-dir", "p", "-vv", "run", "shop"))
        said += self.succeed("-vv", "pipeline", "shop", "trace") + self.succeed("pipeline", "shop", "info", "-v")
        self.assertNotIn(SECRET, said)
        for path in (self.work / "p").rglob("*"):
            if path.is_file():
                self.assertNotIn(SECRET.encode(), path.read_bytes(), path)


if __name__ == "__main__":
    unittest.main()
