"""Packages that tidemark has sealed in dlt's formats are finished by dlt, and by tidemark whatever kills it.

Run by build/venv-dlt with the program's path in TIDEMARK_PROGRAM.
"""

import http.server
import json
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

import duckdb

from shop import PROGRAM, Pipeline

PROJECT = """pipelines:
- name: shop
  destination: duckdb
  dataset: data
  source:
    type: rest
    client: {base_url: "ADDRESS"}
    resources:
    - name: event
      endpoint: {path: event, incremental: {cursor_path: at, initial_value: "2000-01-01"}}
      columns: {amount: {data_type: decimal}, extra: {data_type: json}, day: {data_type: date},
                local: {data_type: timestamp, timezone: false}, raw: {data_type: binary}}
    - {name: user, primary_key: id, write_disposition: merge, endpoint: {path: user}}
    - {name: plan, write_disposition: replace, endpoint: {path: plan}}
"""
# dlt lets DuckDB guess the types of JSON lines, which makes another text of a document and of base64, and which has no NUL.
GUESSED = ("raw", "extra", "note")


def events(first, end, is_plain):
    rows = [{"id": i, "at": f"2024-01-{i + 1:02}T00:00:00.123456Z", "amount": f"{i}.125", "ratio": 0.12345678901234568 * (i + 1),
             "small": -2**63 + i, "note": f"it's \\ {i}\n\r\t\"quoted\" \u00e9 \0", "raw": "AP8=", "extra": {"b": 1.0, "a": [i], "c": "x'"},
             "is_odd": bool(i % 2), "day": f"2024-02-{i + 1:02}", "local": "2024-01-01T12:30:00", "absent": i if i > 1 else None,
             "tags": [{"name": f"t{n}"} for n in range(i % 3)]} for i in range(first, end)]
    if is_plain:
        rows = [{key: value for key, value in row.items() if key not in GUESSED} for row in rows]
    return rows


class Service(http.server.ThreadingHTTPServer):
    """What there is on a day. From the last request on it holds the database, so that nobody can load."""

    def __init__(self, is_plain):
        super().__init__(("127.0.0.1", 0), Handler)
        self.is_plain, self.day, self.held, self.database = is_plain, 1, None, None
        self.has_plan = True
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def rows(self, name):
        if name == "plan" and self.database:
            self.held = duckdb.connect(str(self.database))
        return {"event": lambda: events(0, 4 + 3 * self.day, self.is_plain),
                "user": lambda: [{"id": i, "name": f"user {i} of day {self.day}", "mails": [f"{self.day}@{i}"] * self.day}
                                 for i in range(self.day, self.day + 4)],
                "plan": lambda: [{"id": i, "day": self.day, "parts": [self.day, i]} for i in range(3 + self.day)] * self.has_plan
                }[name]()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps(self.server.rows(self.path.strip("/"))).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


class SealTest(unittest.TestCase):
    maxDiff = 2000

    def folder(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return Path(folder.name)

    def start(self, form):
        self.service = Service(is_plain=form == "jsonl")
        self.addCleanup(self.service.server_close)
        self.addCleanup(self.service.shutdown)
        pipeline = Pipeline(self.folder())
        pipeline.environment["LOADER_FILE_FORMAT"] = form
        (pipeline.directory / "tidemark.yml").write_text(
            PROJECT.replace("ADDRESS", f"http://127.0.0.1:{self.service.server_port}"))
        return pipeline

    def seal(self, pipeline, day):
        """A run that cannot load, since another process holds the database."""
        self.service.day, self.service.database = day, pipeline.database
        process = subprocess.Popen([PROGRAM, "--pipelines-dir", pipeline.directory / "pipelines", "run", "shop"],
                                   cwd=pipeline.directory, env=pipeline.environment, stderr=subprocess.PIPE, text=True)
        for line in process.stderr:
            if "attempt 2 of" in line:
                break
        process.kill()
        process.communicate()
        self.service.held.close()
        self.service.database = None

    def sealed_by_tidemark(self, form):
        """One package loaded, a second one sealed."""
        pipeline = self.start(form)
        pipeline.tidemark("run", "shop")
        self.seal(pipeline, 2)
        self.assertTrue(all(path.name.endswith(f".0.{form}.gz") for path in pipeline.sealed().glob("new_jobs/*")))
        return pipeline

    def assert_same(self, found, expected):
        expected_content, content = expected.content(), found.content()
        for what in expected_content:
            self.assertEqual(content[what], expected_content[what], what)
        self.assertEqual(found.state(), expected.state())
        self.assertEqual(found.stages(), {"loaded"})

    def assert_finished_by_dlt(self, pipeline):
        own = pipeline.copy(self.folder())
        self.assertIn("is LOADED and contains no failed jobs", own.tidemark("pipeline", "shop", "retry"))
        pipeline.dlt(2, "load")
        self.assert_same(pipeline, own)
        # It is tidemark's again.
        kept = ("* from event", "* from event__tags", "id, name from user", "id, day from plan")
        before = [pipeline.query(what) for what in kept]
        pipeline.tidemark("run", "shop")
        self.assertEqual([pipeline.query(what) for what in kept], before)
        return own

    def test_dlt_finishes_insert_values(self):
        own = self.assert_finished_by_dlt(self.sealed_by_tidemark("insert_values"))
        # The same rows as from parts of our own.
        parts = self.start("columns")
        parts.tidemark("run", "shop")
        self.service.day = 2
        parts.tidemark("run", "shop")
        for what in ("* exclude (_dlt_id, _dlt_load_id) from event", "name from user", "value from user__mails",
                     "id, day from plan", "value from plan__parts", "name from event__tags"):
            self.assertEqual(own.query(what), parts.query(what), what)

    def test_dlt_finishes_json_lines(self):
        self.assert_finished_by_dlt(self.sealed_by_tidemark("jsonl"))

    def test_dlt_finishes_the_first_package_of_a_pipeline(self):
        pipeline = self.start("insert_values")
        self.seal(pipeline, 1)
        self.assert_finished_by_dlt(pipeline)

    def test_dlt_empties_what_is_replaced_by_nothing(self):
        pipeline = self.start("insert_values")
        pipeline.tidemark("run", "shop")
        self.service.has_plan = False
        self.seal(pipeline, 2)
        pipeline.dlt(2, "load")
        self.assertEqual(pipeline.query("* from plan"), [])
        self.assertEqual(pipeline.query("* from plan__parts"), [])

    def test_what_dlt_was_killed_in_is_finished(self):
        pipeline = self.sealed_by_tidemark("insert_values")
        reference = pipeline.copy(self.folder())
        reference.dlt(2, "load")
        for table in ("event", "user__mails", "plan"):
            with self.subTest(table):
                killed = pipeline.copy(self.folder())
                killed.dlt(2, f"killed:{table}", code=9)
                killed.tidemark("pipeline", "shop", "retry")
                self.assert_same(killed, reference)

    def test_a_killed_load_is_finished_once(self):
        for form in ("insert_values", "jsonl"):
            pipeline = self.sealed_by_tidemark(form)
            reference = pipeline.copy(self.folder())
            began = time.monotonic()
            reference.tidemark("pipeline", "shop", "retry")
            duration = time.monotonic() - began
            codes = set()
            for step in range(1, 9):
                killed = pipeline.copy(self.folder())
                process = subprocess.Popen([PROGRAM, "--pipelines-dir", killed.directory / "pipelines", "pipeline", "shop", "retry"],
                                           cwd=killed.directory, env=killed.environment, stdout=subprocess.DEVNULL,
                                           stderr=subprocess.DEVNULL)
                time.sleep(duration * step / 8)
                process.kill()
                codes.add(process.wait())
                killed.tidemark("pipeline", "shop", "retry")
                with self.subTest(form=form, step=step):
                    self.assert_same(killed, reference)
                shutil.rmtree(killed.directory)
            self.assertIn(-signal.SIGKILL, codes)

    def test_what_is_given_up_puts_the_cursor_back(self):
        pipeline = self.start("jsonl")
        pipeline.tidemark("run", "shop")
        before = pipeline.state()
        self.seal(pipeline, 2)
        self.assertNotEqual(pipeline.state(), before)
        pipeline.tidemark("pipeline", "shop", "abort-packages", "--yes")
        self.assertEqual(pipeline.state(), before)


if __name__ == "__main__":
    unittest.main()
