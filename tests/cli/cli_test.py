"""The program as users run it: stdout, stderr, exit code, files.

TIDEMARK_PROGRAM names the binary.
"""

import csv
import fcntl
import functools
import http.server
import io
import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

PROGRAM = os.environ["TIDEMARK_PROGRAM"]
ORDERS = [{"id": 1, "day": "2024-01-02", "tags": ["a", "b"]}, {"id": 2, "day": "2024-01-03", "tags": []}]


class CliTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = Path(folder.name)
        self.environment = {**os.environ, "NO_COLOR": "1", "DLT_DATA_DIR": str(self.work / "data")}
        self.write("orders.jsonl", ORDERS)

    def write(self, name, rows):
        (self.work / name).write_text("".join(json.dumps(row) + "\n" for row in rows))

    def run_program(self, *arguments, stdin=""):
        return subprocess.run([PROGRAM, *arguments], cwd=self.work, env=self.environment, input=stdin,
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
        self.assertIn("BLOCK", self.fail(2, "run"))
        self.assertIn("Usage: tidemark pipeline NAME drop", self.succeed("pipeline", "drop", "--help"))
        self.assertIn("did you mean --format?", self.fail(2, "ingest", "orders.jsonl", "--fromat", "csv"))
        self.assertIn("did you mean trace?", self.fail(2, "pipeline", "orders", "trase"))
        self.assertIn("say what to drop", self.fail(2, "pipeline", "orders", "drop"))
        self.assertIn("--full-refresh", self.fail(2, "run", "orders", "--full-refresh", "--refresh", "drop_data"))

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

    def test_init_writes_an_address_in_its_parts(self):
        (self.work / "served").mkdir()
        self.write("served/orders.json", ORDERS)

        class Files(http.server.SimpleHTTPRequestHandler):
            def log_message(self, *arguments):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=self.work / "served"))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        address = f"http://127.0.0.1:{server.server_port}"
        self.succeed("init", address + "/orders.json?state={open}&$TOP=1")
        project = (self.work / "tidemark.yml").read_text()
        self.assertRegex(project, rf"base_url: ['\"]?{address}['\"]?\n")
        self.assertRegex(project, r"path: ['\"]?orders.json\?state=")
        result = self.run_program("run", "orders")
        self.assertEqual(result.returncode, 1)  # the file is JSON lines, so JSON says where it ends
        self.assertIn("GET " + address + "/orders.json?state=%7Bopen%7D&$TOP=1", result.stderr)

    PROJECT = """pipelines:
- name: shop
  destination: {type: duckdb, path: shop.duckdb}
  source:
    type: files
    resources: [{name: orders, path: orders.jsonl}, {name: customers, path: orders.jsonl}]
"""

    def project(self, text=PROJECT):
        (self.work / "tidemark.yml").write_text(text)

    def test_a_project_is_the_same_from_any_folder_in_it(self):
        self.project()
        root, self.work = self.work, self.work / "below"
        self.work.mkdir()
        self.succeed("run", "shop")
        self.assertTrue((root / "shop.duckdb").exists())
        self.assertEqual(self.query("select count(*) as n from orders"), [{"n": 2}])

    def test_a_dry_run_heeds_the_selection(self):
        self.project()
        plan = self.succeed("run", "shop", "--dry-run", "--select", "orders")
        self.assertIn("orders into table", plan)
        self.assertNotIn("customers", plan)
        self.assertIn("it has orders, customers", self.fail(1, "run", "shop", "--dry-run", "--select", "order"))

    def test_an_option_that_no_block_heeds_is_refused(self):
        self.project()
        for option, *value in (("--timeout", "5"), ("--only-install",), ("--no-install",), ("--force",),
                               ("--database-uri", "sqlite:///x.db"), ("--state-backend-uri", "file:///x")):
            self.assertIn(option, self.fail(1, "run", "shop", option, *value))
        self.assertFalse((self.work / "pipelines/shop").exists())

    def test_a_window_is_read_again_and_moves_no_cursor(self):
        self.write("orders.jsonl", [{"id": i, "day": f"2024-01-{i:02}"} for i in range(1, 6)])
        self.project(self.PROJECT.replace("path: orders.jsonl}, ", "path: orders.jsonl, incremental: {cursor_path: day}}, "))
        self.assertIn("--to", self.fail(2, "run", "shop", "--from", "2024-01-02"))
        self.assertIn("--from", self.fail(2, "run", "shop", "--to", "2024-01-02"))
        self.assertIn("refresh", self.fail(2, "run", "shop", "--from", "1", "--to", "2", "--full-refresh"))
        self.succeed("run", "shop", "--select", "orders")
        window = ("run", "shop", "--from", "2024-01-02", "--to", "2024-01-04")
        self.assertIn("customers: it has no cursor", self.fail(1, *window))
        self.succeed(*window, "--select", "orders")
        self.assertEqual(self.query("select id, count(*) as n from orders group by id having n > 1 order by id"),
                         [{"id": 2, "n": 2}, {"id": 3, "n": 2}])
        self.assertIn("Nothing new", self.run_program("run", "shop", "--select", "orders").stderr)

    def test_an_error_in_the_destination_names_its_place(self):
        self.project(self.PROJECT.replace("path: shop", "pth: shop"))
        self.assertRegex(self.fail(1, "run", "shop"), r"tidemark.yml:3:\d+: .*no option pth")

    def test_what_cannot_be_loaded_is_refused_before_anything_is_read(self):
        self.project(self.PROJECT.replace("path: orders.jsonl}]", "path: orders.jsonl, primary_key: id, "
                                          "write_disposition: {disposition: merge, strategy: scd2}}]"))
        self.assertIn("merge strategy scd2 is not supported", self.fail(1, "run", "shop"))

    def test_a_key_without_an_effect_is_refused_with_its_place(self):
        for key, text in (("extract: {workers: 2}", "normalize.workers"), ("state: {backend: auto}", "not mirrored")):
            self.project(self.PROJECT + f"  {key}\n")
            self.assertRegex(self.fail(1, "run", "shop"), rf"tidemark.yml:7:\d+: .*{text}")
        self.project(self.PROJECT + "  state: {backend: none}\n")
        self.succeed("run", "shop")

    def test_load_workers_are_the_threads_of_the_database(self):
        threads = "select current_setting('threads')::int as n"
        self.project(self.PROJECT + "  load: {workers: 1}\n")
        self.succeed("run", "shop")
        self.assertEqual(self.query(threads), [{"n": 1}])
        self.environment["LOAD__WORKERS"] = "20"
        self.assertEqual(self.query(threads), [{"n": len(os.sched_getaffinity(0))}])
        self.environment["LOAD__WORKERS"] = "0"
        self.assertIn("LOAD__WORKERS: expected at least one", self.fail(1, "run", "shop"))

    def test_the_job_format_is_the_one_that_is_asked_for(self):
        def sealed():
            return {path.name.split(".", 3)[3] for path in (self.work / "data/pipelines/shop/load/loaded").glob("*/*_jobs/*")}

        self.project(self.PROJECT + "  loader_file_format: insert_values\n")
        self.succeed("run", "shop")
        self.assertEqual(sealed(), {"insert_values.gz"})
        self.project(self.PROJECT)
        shutil.rmtree(self.work / "data/pipelines")
        (self.work / "shop.duckdb").unlink()
        (self.work / ".dlt").mkdir()
        (self.work / ".dlt/config.toml").write_text('[normalize]\nloader_file_format = "jsonl"\n')
        self.succeed("run", "shop")
        self.assertEqual(sealed(), {"jsonl.gz"})
        self.environment["NORMALIZE__LOADER_FILE_FORMAT"] = "parquet"
        self.assertIn("packages are not written as parquet", self.fail(1, "run", "shop"))
        self.environment["NORMALIZE__LOADER_FILE_FORMAT"] = "jsnl"
        self.assertIn("did you mean 'jsonl'", self.fail(1, "run", "shop"))

    def test_a_service_is_asked_as_the_runtime_settings_say(self):
        asked = []

        class Service(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append(self.path)
                if self.path == "/silent":
                    time.sleep(2)
                self.send_error(503)

            def log_message(self, *arguments):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        address = f"http://127.0.0.1:{server.server_port}"
        (self.work / ".dlt").mkdir()
        (self.work / ".dlt/config.toml").write_text("[runtime]\nrequest_max_attempts = 3\nrequest_backoff_factor = 0\n")
        began = time.monotonic()
        self.assertIn("503", self.fail(1, "ingest", address + "/busy"))
        self.assertEqual(asked, ["/busy"] * 3)
        self.assertLess(time.monotonic() - began, 1.5)
        self.environment |= {"RUNTIME__REQUEST_MAX_ATTEMPTS": "1", "RUNTIME__REQUEST_TIMEOUT": "0.2"}
        self.project(f"""pipelines:
- name: hub
  destination: duckdb
  source: {{type: rest, client: {{base_url: "{address}"}}, resources: [silent]}}
""")
        began = time.monotonic()
        self.fail(1, "run", "hub")
        self.assertLess(time.monotonic() - began, 1.5)
        self.assertEqual(asked[3:], ["/silent"])
        trace = json.loads(self.succeed("pipeline", "hub", "trace", "--json"))
        self.assertIn("request_timeout", [value["key"] for value in trace["resolved_config_values"]])
        self.environment["RUNTIME__REQUEST_TIMEOUT"] = "soon"
        self.assertIn("RUNTIME__REQUEST_TIMEOUT: expected a number", self.fail(1, "run", "hub"))

    def test_dlt_settings_name_the_file_of_the_destination(self):
        (self.work / ".dlt").mkdir()
        (self.work / ".dlt/secrets.toml").write_text('destination.duckdb.credentials = "duckdb:///named.duckdb"\n')
        self.project(self.PROJECT.replace("{type: duckdb, path: shop.duckdb}", "duckdb"))
        self.succeed("run", "shop")
        self.assertTrue((self.work / "named.duckdb").exists())

    def test_a_secret_that_is_left_out_is_looked_up_where_dlt_has_it(self):
        self.project("""pipelines:
- name: hub
  destination: duckdb
  source: {type: rest, client: {base_url: "http://127.0.0.1:1", auth: {type: bearer}}, resources: [pulls]}
""")
        self.assertIn("SOURCES__HUB__TOKEN", self.fail(1, "run", "hub"))
        self.environment["SOURCES__HUB__TOKEN"] = "abc"
        self.assertIn("hub", self.succeed("run", "hub", "--dry-run"))

    def test_a_load_that_failed_names_the_commands_that_go_on(self):
        command = [PROGRAM, "ingest", "-", "--to", "out.duckdb"]
        with subprocess.Popen(command, cwd=self.work, env=self.environment, text=True, stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            while not list(self.work.glob("data/pipelines/*/load/new/*")):
                self.assertIsNone(process.poll())
            # The database could have been made when the run began; what is here now is none.
            (self.work / "out.duckdb").mkdir()
            _, errors = process.communicate('{"a": 1}\n', timeout=60)
        self.assertEqual(process.returncode, 1)
        self.assertIn("abort-packages' gives it up", errors)
        (self.work / "out.duckdb").rmdir()
        self.assertIn("is LOADED", self.succeed("pipeline", self.pipeline(), "retry"))

    def test_a_mistyped_path_is_told_before_there_is_a_pipeline(self):
        self.assertIn("the folder nowhere of the DuckDB database", self.fail(1, "ingest", "orders.jsonl", "--to",
                      "nowhere/orders.duckdb").replace(f"{self.work}/", ""))
        self.assertIn("no such file", self.fail(1, "ingest", "odrers.jsonl"))
        self.assertIn("no file matches", self.fail(1, "ingest", "odrers*.jsonl"))
        self.assertIn("--key", self.fail(2, "ingest", "orders.jsonl", "--write-disposition", "merge"))
        self.assertIn("--key", self.fail(2, "init", "orders.jsonl", "--write-disposition", "merge"))
        self.assertEqual(json.loads(self.succeed("pipeline", "-l", "--json"))["pipelines"], [])

    def test_a_database_that_is_held_is_noticed_before_a_source_is_read(self):
        self.project(self.PROJECT + "  restore_from_destination: false\n")
        for arguments in (("run", "shop"), ("ingest", "-", "--to", "shop.duckdb")):
            with open(self.work / "shop.duckdb", "wb") as held:
                fcntl.lockf(held, fcntl.LOCK_EX)
                self.assertIn("lock", self.fail(11, *arguments))
            self.assertEqual(list(self.work.glob("data/pipelines/*/load/*/*")), [])

    def test_ingest_names_the_command_that_shows_the_rows(self):
        hint = self.run_program("ingest", "orders.jsonl").stderr
        self.assertIn(f"tidemark pipeline {self.pipeline()} query \"from orders\"", hint)

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
        self.succeed("ingest", "orders.jsonl")
        name = self.pipeline()
        for arguments in ((), ("query", "select 1")):
            self.assertIn(f"did you mean '{name}'?", self.fail(1, "pipeline", f"{name}x", *arguments))
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
            with subprocess.Popen([PROGRAM, "ingest", "-"], cwd=self.work, env=self.environment,
                                  stdin=subprocess.PIPE, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                  text=True) as process:
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
