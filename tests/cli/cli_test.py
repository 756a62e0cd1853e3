"""The program as users run it: stdout, stderr, exit code, files.

TIDEMARK_PROGRAM names the binary.
"""

import csv
import io
import json
import os
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ["TIDEMARK_PROGRAM"]
ORDERS = [{"id": 1, "day": "2024-01-02", "tags": ["a", "b"]}, {"id": 2, "day": "2024-01-03", "tags": []}]


class CliTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = Path(folder.name)
        self.write("orders.jsonl", ORDERS)

    def write(self, name, rows):
        (self.work / name).write_text("".join(json.dumps(row) + "\n" for row in rows))

    def run_program(self, *arguments, stdin=""):
        environment = {**os.environ, "NO_COLOR": "1", "DLT_DATA_DIR": str(self.work / "data")}
        return subprocess.run([PROGRAM, *arguments], cwd=self.work, env=environment, input=stdin,
                              capture_output=True, text=True)

    def succeed(self, *arguments, stdin=""):
        result = self.run_program(*arguments, stdin=stdin)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def fail(self, code, *arguments):
        result = self.run_program(*arguments)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(result.stdout, "")
        return result.stderr

    def pipeline(self):
        return json.loads(self.succeed("pipeline", "-l", "--json"))["pipelines"][0]["name"]

    def query(self, sql):
        return json.loads(self.succeed("pipeline", self.pipeline(), "query", sql, "--json"))

    def test_help_and_version_are_results_and_faults_are_not(self):
        self.assertIn("ingest", self.succeed("--help"))
        self.assertRegex(self.succeed("--version"), r"^tidemark \d+\.\d+\.\d+\n$")
        self.assertIn("--help", self.fail(2, "frobnicate"))
        self.assertIn("PIPELINE", self.fail(2, "run"))

    def test_ingest_loads_a_file_once(self):
        self.assertIn("is LOADED and contains no failed jobs", self.succeed("ingest", "orders.jsonl"))
        again = self.run_program("ingest", "orders.jsonl")
        self.assertEqual(again.returncode, 0)
        self.assertIn("Nothing new", again.stderr)
        self.assertEqual(self.query("select count(*) as n from orders"), [{"n": 2}])
        self.assertEqual(self.query("select count(*) as n from orders__tags"), [{"n": 2}])
        self.assertTrue((self.work / "orders.duckdb").exists())

    def test_ingest_reads_standard_input_into_the_table_it_was_told(self):
        self.succeed("ingest", "-", "--to", "out.duckdb", "--table", "facts", stdin='{"a": 1}\n{"a": 2}\n')
        self.assertEqual(self.query("select sum(a) as s from facts"), [{"s": 3}])

    def test_ingest_takes_only_rows_behind_the_cursor(self):
        arguments = ("ingest", "orders.jsonl", "--cursor", "day")
        self.succeed(*arguments)
        self.write("orders.jsonl", [*ORDERS, {"id": 3, "day": "2024-01-03", "tags": []},
                                    {"id": 4, "day": "2024-01-01", "tags": []}])
        self.succeed(*arguments)
        self.assertEqual(self.query("select id from orders order by id"), [{"id": 1}, {"id": 2}, {"id": 3}])

    def test_init_writes_the_project_that_does_the_same(self):
        self.succeed("init", "orders.jsonl", "--key", "id")
        self.assertIn("orders into table orders (merge)", self.succeed("run", "orders", "--dry-run"))
        self.assertFalse((self.work / "orders.duckdb").exists())
        self.succeed("run", "orders")
        self.write("orders.jsonl", [{**ORDERS[0], "day": "2024-02-01"}])
        self.succeed("run", "orders")
        self.assertEqual(self.query("select id, day::varchar as day from orders order by id"),
                         [{"id": 1, "day": "2024-02-01"}, {"id": 2, "day": "2024-01-03"}])
        self.assertIn("is there already", self.fail(1, "init"))

    def test_run_names_the_nearest_pipeline(self):
        self.assertIn("tidemark init", self.fail(1, "run", "orders"))
        self.succeed("init", "orders.jsonl")
        self.assertIn("did you mean 'orders'?", self.fail(1, "run", "order"))

    def test_a_bad_file_is_named_with_its_line_and_loads_nothing(self):
        (self.work / "bad.jsonl").write_text('{"a": 1}\n{"a": \n')
        errors = self.fail(1, "ingest", "bad.jsonl")
        self.assertIn("bad.jsonl", errors)
        self.assertIn("line 2", errors)

    def test_query_prints_tables_csv_and_json_and_writes_nothing(self):
        self.succeed("ingest", "orders.jsonl")
        name = self.pipeline()
        table = self.succeed("pipeline", name, "query", "select id from orders order by id")
        self.assertEqual(table, "id\n--\n 1\n 2\n(2 rows)\n")
        text = self.succeed("pipeline", name, "query", "select id from orders order by id", "--csv")
        self.assertEqual(list(csv.reader(io.StringIO(text))), [["id"], ["1"], ["2"]])
        self.fail(1, "pipeline", name, "query", "delete from orders")
        self.assertEqual(self.query("select count(*) as n from orders"), [{"n": 2}])

    def test_what_is_known_can_be_looked_at(self):
        self.succeed("ingest", "orders.jsonl")
        name = self.pipeline()
        self.assertIn("orders with 2 table(s)", self.succeed("pipeline", name))
        self.assertIn("orders__tags table", self.succeed("pipeline", name, "info", "-v"))
        self.assertIn("is in LOADED state", self.succeed("pipeline", name, "load-package"))
        self.assertIn("Schema update:", self.succeed("pipeline", name, "load-package", "-v"))
        self.assertIn("Step load COMPLETED", self.succeed("pipeline", name, "trace"))
        self.assertIn("No failed jobs found", self.succeed("pipeline", name, "failed-jobs"))
        self.assertEqual(json.loads(self.succeed("pipeline", name, "schema", "--format", "json"))["name"], "orders")
        for verb in ("info", "trace", "load-package", "failed-jobs", "schema"):
            json.loads(self.succeed("--json", "pipeline", name, verb))

    def test_an_unknown_pipeline_is_an_error_that_names_the_way_back(self):
        self.assertIn("tidemark pipeline nope sync", self.fail(1, "pipeline", "nope"))
        self.assertFalse((self.work / "data/pipelines/nope").exists())

    def test_drop_asks_first_and_takes_tables_and_state(self):
        self.succeed("ingest", "orders.jsonl")
        name = self.pipeline()
        self.assertIn("--yes", self.fail(1, "pipeline", name, "drop", "orders"))
        self.assertEqual(self.query("select count(*) as n from orders"), [{"n": 2}])
        self.succeed("-y", "pipeline", name, "drop", "orders")
        self.assertEqual(self.query("select count(*) as n from duckdb_tables() where table_name like 'orders%'"),
                         [{"n": 0}])
        self.succeed("ingest", "orders.jsonl")
        self.assertEqual(self.query("select count(*) as n from orders"), [{"n": 2}])
        self.assertIn("nothing to drop", self.fail(1, "-y", "pipeline", name, "drop", "nope"))

    def test_sync_restores_a_lost_working_directory(self):
        self.succeed("ingest", "orders.jsonl")
        name = self.pipeline()
        state = json.loads(self.succeed("pipeline", name, "--json"))["state"]["sources"]
        subprocess.run(["rm", "-r", self.work / "data/pipelines"], check=True)
        arguments = ("pipeline", name, "sync", "--destination", "orders.duckdb", "--dataset-name", "orders_dataset")
        self.assertIn("--yes", self.fail(1, *arguments))
        self.succeed("-y", *arguments)
        self.assertEqual(json.loads(self.succeed("pipeline", name, "--json"))["state"]["sources"], state)

    def test_a_signal_stops_a_run_that_waits_for_its_input(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            environment = {**os.environ, "DLT_DATA_DIR": str(self.work / "data")}
            with subprocess.Popen([PROGRAM, "ingest", "-"], cwd=self.work, env=environment, stdin=subprocess.PIPE,
                                  stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
                process.stdin.write('{"a": 1}\n')
                process.stdin.flush()
                # The package is there as soon as the run extracts.
                while not list(self.work.glob("data/pipelines/*/load/new/*")):
                    self.assertIsNone(process.poll())
                process.send_signal(number)
                self.assertEqual(process.wait(30), code)
            self.assertEqual(list(self.work.glob("data/pipelines/*/load/*/*")), [])

    def test_nothing_pending_needs_no_question(self):
        self.succeed("ingest", "orders.jsonl")
        name = self.pipeline()
        for verb in ("abort-packages", "drop-pending-packages", "retry"):
            self.assertIn("no pending packages", self.succeed("pipeline", name, verb))


if __name__ == "__main__":
    unittest.main()
