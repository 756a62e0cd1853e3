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

    def fail_with(self, *arguments):
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
        self.assertIn("kids", self.fail_with("run", "shop"))
        self.assertEqual(self.rows("select id from kids order by id"), [[n] for n in (10, 11, 20, 21, 30, 31)])

    def test_a_row_without_its_cursor_comes_each_time_and_once(self):
        self.files("merge", ", incremental: {cursor_path: ended_at, on_cursor_value_missing: include}")
        self.write({"id": 1, "ended_at": None}, {"id": 2, "ended_at": "2024-01-01"}, {"id": 3, "ended_at": None})
        self.succeed("run", "shop")
        self.write({"id": 1, "ended_at": None, "run": 2}, {"id": 3, "ended_at": "2024-02-01", "run": 2})
        self.succeed("run", "shop")
        self.assertEqual(self.rows("select id, run, ended_at::varchar from orders order by id"),
                         [[1, 2, None], [2, None, "2024-01-01"], [3, 2, "2024-02-01"]])

    def test_a_cursor_does_not_pass_the_end_that_was_set(self):
        self.files("merge", ", incremental: {cursor_path: at}")
        self.write({"id": 1, "at": "2024-01-01T11:00:00Z"})
        self.succeed("run", "shop")
        self.write({"id": 3, "at": "2024-01-01T12:17:00Z"}, {"id": 2, "at": "2024-01-01T11:50:00Z"})
        self.succeed("run", "shop", "--from", "2024-01-01T11:00:00Z", "--to", "2024-01-01T12:00:00Z")
        self.assertEqual(self.rows("select id from orders order by id"), [[1], [2]])
        self.succeed("run", "shop")
        self.assertEqual(self.rows("select id from orders order by id"), [[1], [2], [3]])

    def test_windows_that_touch_have_each_row_once_when_clocks_change(self):
        """Days of Berlin around the night of 29 March 2026, which has 23 hours; rows at 23:30 and 00:30."""
        self.files(more=", incremental: {cursor_path: at, initial_value: '2026-03-27T00:00:00+01:00'}")
        self.write(*({"id": n, "at": at} for n, at in enumerate((
            "2026-03-27T23:30:00+01:00", "2026-03-28T00:30:00+01:00", "2026-03-28T23:30:00+01:00",
            "2026-03-29T00:30:00+01:00", "2026-03-29T23:30:00+02:00", "2026-03-30T00:30:00+02:00",
            "2026-03-30T23:30:00+02:00", "2026-03-31T00:30:00+02:00"))))
        days = ("2026-03-28T00:00:00+01:00", "2026-03-29T00:00:00+01:00", "2026-03-30T00:00:00+02:00",
                "2026-03-31T00:00:00+02:00")
        for start, end in zip(days, days[1:]):
            self.succeed("run", "shop", "--from", start, "--to", end)
        self.assertEqual(self.rows("select min(id) as lo, max(id), count(*) from orders group by _dlt_load_id order by lo"),
                         [[1, 2, 2], [3, 4, 2], [5, 6, 2]])

    def test_what_is_read_as_a_whole_takes_along_what_went_of_it_and_no_more(self):
        def answer(*links):
            return 200, {"links": [{"contact": contact, "link": link} for contact, link in links], "next": None}

        service = self.service({"/links": answer((7, "a"), (7, "b"), (7, "c"), (8, "a"))})
        (self.work / "tidemark.yml").write_text(f"""\
pipelines:
- name: shop
  destination: {{type: duckdb, path: shop.duckdb}}
  dataset: data
  source:
    type: rest
    client: {{base_url: "http://127.0.0.1:{service.server_port}", paginator: {{type: json_link, next_url_path: next}}}}
    resources:
    - name: links
      endpoint: {{path: links, data_selector: links}}
      write_disposition: merge
      primary_key: [contact, link]
      merge_key: contact
""")
        self.succeed("run", "shop")
        service.answers["/links"] = answer((7, "a"))
        service.answers["/links"][1]["next"] = "/rest"
        service.answers["/rest"] = (500, {})
        self.fail_with("run", "shop")
        everything = "select contact, link from links order by all"
        self.assertEqual(self.rows(everything), [[7, "a"], [7, "b"], [7, "c"], [8, "a"]])
        service.answers["/rest"] = answer((7, "c"))
        self.succeed("run", "shop")
        self.assertEqual(self.rows(everything), [[7, "a"], [7, "c"], [8, "a"]])

    def test_pages_whose_types_differ_can_be_read_together(self):
        for number, x in enumerate((1, 5_000_000_000, None, 2.5)):
            (self.work / f"part{number}.jsonl").write_text(json.dumps({"id": number, "x": x}) + "\n")
        for columns, select, rows in (("", "x, x__v_double", [[1, None], [5_000_000_000, None], [None, None], [None, 2.5]]),
                                      (", columns: {x: {data_type: double}}", "x", [[1], [5_000_000_000], [None], [2.5]])):
            self.files(more=columns)
            file = self.work / "tidemark.yml"
            file.write_text(file.read_text().replace("orders.jsonl", "part*.jsonl"))
            self.assertEqual("variant" in self.succeed("run", "shop"), not columns)
            self.assertEqual(self.rows(f"select {select} from orders order by id"), rows)
            shutil.rmtree(self.work / "p")
            (self.work / "shop.duckdb").unlink()

    def test_a_page_without_a_column_does_not_make_it_nullable(self):
        self.files(more=", columns: {b: {data_type: text, nullable: false}}")
        self.write({"id": 1, "b": "x"})
        self.succeed("run", "shop")
        self.write({"id": 2}, {"id": 3})
        self.assertIn("row 1 of table orders has no value for b, which may not be null", self.fail_with("run", "shop"))
        self.assertEqual(self.rows("select id, b from orders"), [[1, "x"]])
        self.assertEqual(self.rows("select is_nullable from information_schema.columns where column_name = 'b'"),
                         [["NO"]])

    def test_a_column_that_comes_while_pages_are_read_is_taken_along(self):
        def page(next_page, **row):
            return 200, {"rows": [row], "next": next_page}

        service = self.service({"/rows": page("/2", id=1), "/2": page("/3", id=2), "/3": page(None, id=3, email="x@y")})
        (self.work / "tidemark.yml").write_text(f"""\
pipelines:
- name: shop
  destination: {{type: duckdb, path: shop.duckdb}}
  dataset: data
  source:
    type: rest
    client: {{base_url: "http://127.0.0.1:{service.server_port}", paginator: {{type: json_link, next_url_path: next}}}}
    resources: [{{name: rows, endpoint: {{path: rows, data_selector: rows}}}}]
""")
        self.succeed("run", "shop")
        self.assertEqual(self.rows("select id, email from rows order by id"), [[1, None], [2, None], [3, "x@y"]])

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
        self.assertIn("shop.duckdb", self.fail_with("run", "shop"))
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
        said = self.fail_with("-vv", "run", "shop")
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
