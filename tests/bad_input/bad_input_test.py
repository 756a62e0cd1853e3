"""The program against input, disks and moments that nobody wishes for.

Each case ends in an error that says what and where, with the exit code that belongs to it, or in a
result that is written down here; never in half of one. TIDEMARK_PROGRAM names the binary.
"""

import fcntl
import gzip
import http.server
import json
import os
import resource
import signal
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

PROGRAM = os.environ["TIDEMARK_PROGRAM"]
DEEP = 10_000

# What cannot be read: name of the file, its bytes, what the message says. Nothing is loaded.
REFUSED = [
    ("literal.jsonl", b'{"a":1}\n{"a":2}\n{"a": tru}\n', "literal.jsonl: line 3, byte 7: expected a value"),
    ("element.json", b'[{"a":1},\n{"a": tru}]', "element.json: line 2, byte 7: expected a value"),
    ("cut.jsonl", b'{"a":1}\n{"a":[1,2', "line 2, byte 10: expected ',' or ']' in an array"),
    ("cut.json", b'[{"a":1},{"a":[1,2', "line 1, byte 19: expected ',' or ']' in an array"),
    ("two.jsonl", b'{"a":1} {"a":2}\n', "line 1, byte 9: expected nothing after the value"),
    ("nan.jsonl", b'{"a":NaN}\n', "line 1, byte 6: expected a value"),
    ("utf8.jsonl", b'{"a":1}\n{"a":"x\xff"}\n', "line 2, byte 8: invalid UTF-8"),
    ("key.jsonl", b'{"a\xff":1}\n', "line 1, byte 4: invalid UTF-8"),
    ("utf16.jsonl", '{"a":1}\n'.encode("utf-16"), "the text is UTF-16; expected UTF-8"),
    ("control.jsonl", b'{"a":"x\x00"}\n', "line 1, byte 8: expected an escape in place of a control character"),
    ("lists.jsonl", b'{"a":' + b"[" * DEEP + b"]" * DEEP + b"}\n", "line 1, byte 1029: nested deeper than 1024"),
    ("objects.json", b'{"a":' * DEEP + b"1" + b"}" * DEEP, "line 1, byte 5121: nested deeper than 1024"),
    ("empty.json", b"", "empty.json: line 1, byte 1: expected a value, found the end"),
    ("short.csv", b"a,b,c\n1,2\n", "short.csv: line 2: expected 3 fields, found 2"),
    ("quote.csv", b'a,b\n"x,2\n', "quote.csv: line 2: a quoted field does not end"),
    ("cut.jsonl.gz", gzip.compress(b'{"a":1}\n' * 1000)[:-9], "cut.jsonl.gz: the gzip data ends too early"),
    ("keys.json", json.dumps({f"k{i}": i for i in range(20_000)}).encode(), "--as-json"),
    ("nested.json", json.dumps({f"k{i}": {"v": [i]} for i in range(20_000)}).encode(), "data_type json"),
]

# What is read: name of the file, its bytes, the rows in their order, what the load info says of it.
LOADED = [
    ("lone.jsonl", b'{"a":"x\\ud800y"}\n', [{"a": "x\ufffdy"}], ""),
    ("twice.jsonl", b'{"a":1,"a":2}\n', [{"a": 2}], "1 value(s) replaced by a later one under the same key"),
    ("wei.jsonl", b'{"a":9223372036854775807}\n{"a":18446744073709551616}\n',
     [{"a": 9223372036854775807, "a__v_wei": None}, {"a": None, "a__v_wei": 18446744073709551616}],
     "1 variant column(s) made"),
    ("huge.jsonl", b'{"a":' + b"9" * 41 + b',"b":1e400}\n', [{"a": "9" * 41, "b": "1e400"}], "2 number(s) kept as text"),
    ("double.jsonl", b'{"a":0.5}\n{"a":9007199254740993}\n',
     [{"a": 0.5, "a__v_bigint": None}, {"a": None, "a__v_bigint": 9007199254740993}], "1 variant column(s) made"),
    ("scalar.json", b"42", [{"value": 42}], ""),
    ("mark.jsonl", b'\xef\xbb\xbf{"a":1}\r\n', [{"a": 1}], ""),
    ("emoji.jsonl", '{"🚲":1}\n'.encode(), [{"x": 1}], ""),
    ("names.jsonl", b'{"a":{"b":1},"a__b":2,"A__B":3}\n', [{"a__b": 2, "a__b_7on8bg": 3, "a__b_lrga2q": 1}],
     "2 name(s) collided"),
    ("system.jsonl", b'{"_dlt_load_id":"mine","a":1}\n', [{"a": 1}], "1 value(s) dropped"),
]


def rows(count, first=0):
    return "".join(json.dumps({"id": i, "text": "x" * 40, "tags": [i, i]}) + "\n" for i in range(first, count))


class SlowService(http.server.BaseHTTPRequestHandler):
    """Answers the first page and never the second."""

    def do_GET(self):
        if "page=2" in self.path:
            self.server.asked_again.set()
            self.server.released.wait()
            return
        body = b'[{"id":1}]'
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Link", f'<http://127.0.0.1:{self.server.server_port}/r?page=2>; rel="next"')
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


class BadInputTest(unittest.TestCase):
    def setUp(self):
        self.start_in_new_folder()

    def start_in_new_folder(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = Path(folder.name)

    def environment(self):
        return {**os.environ, "NO_COLOR": "1"}

    def start(self, *arguments, **options):
        return subprocess.Popen([*options.pop("prefix", []), PROGRAM, "--pipelines-dir", "p", *arguments], cwd=self.work,
                                env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                **options)

    def run_program(self, *arguments, **options):
        with self.start(*arguments, **options) as process:
            output, errors = process.communicate(timeout=120)
            return process.returncode, output, errors

    def ingest(self, name, **options):
        return self.run_program("ingest", name, "--table", "t", "--to", "out.duckdb", **options)

    def ingests(self, name):
        code, output, errors = self.ingest(name)
        self.assertEqual(code, 0, errors)
        return output

    def query(self, sql):
        name = next((self.work / "p").iterdir()).name
        code, output, errors = self.run_program("pipeline", name, "query", sql, "--json")
        self.assertEqual(code, 0, errors)
        return json.loads(output)

    def packages(self):
        return [path for path in self.work.glob("p/*/load/*/*") if path.parent.name != "loaded"]

    def assert_nothing_is_left(self):
        self.assertEqual(self.packages(), [])
        self.assertEqual(list(self.work.glob("p/*/.tidemark/tmp/*")), [])
        self.assertFalse((self.work / "out.duckdb").exists())

    def test_what_cannot_be_read_is_named_with_its_place(self):
        for name, content, message in REFUSED:
            with self.subTest(name):
                self.start_in_new_folder()
                (self.work / name).write_bytes(content)
                code, output, errors = self.ingest(name)
                self.assertEqual((code, output), (1, ""), errors)
                self.assertIn("error: step extract: ", errors)
                self.assertIn(message, errors)
                self.assert_nothing_is_left()

    def test_what_is_odd_but_readable_loses_nothing_silently(self):
        for name, content, expected, remark in LOADED:
            with self.subTest(name):
                self.start_in_new_folder()
                (self.work / name).write_bytes(content)
                self.assertIn(remark, self.ingests(name))
                self.assertEqual(self.query("select * exclude (_dlt_id, _dlt_load_id) from t order by rowid"), expected)

    def test_a_file_without_rows_is_a_run_without_rows(self):
        (self.work / "none.jsonl").write_text("\n \n")
        self.assertIn("LOADED", self.ingests("none.jsonl"))
        self.assertEqual(self.query("select count(*) as n from duckdb_tables() where table_name = 't'"), [{"n": 0}])

    def test_a_text_of_50_megabytes_is_one_value(self):
        (self.work / "long.jsonl").write_text('{"a":"' + "x" * 50_000_000 + '"}\n')
        self.ingests("long.jsonl")
        self.assertEqual(self.query("select length(a) as n from t"), [{"n": 50_000_000}])

    def test_keys_that_are_data_fit_a_json_column(self):
        data = {"id": 1, "compat": {f"k{i}": {"v": [i]} for i in range(20_000)}}
        (self.work / "data.json").write_text(json.dumps(data))
        for name, setting in (("nesting", "max_table_nesting: 0"), ("column", "columns: {compat: {data_type: json}}")):
            with self.subTest(setting):
                (self.work / "tidemark.yml").write_text(f"""pipelines:
- name: {name}
  destination: {{type: duckdb, path: {name}.duckdb}}
  source: {{type: files, name: t, path: data.json, {setting}}}
""")
                code, _, errors = self.run_program("run", name)
                self.assertEqual(code, 0, errors)
                sql = "select json_array_length(json_keys(compat)) as n from t"
                _, output, errors = self.run_program("pipeline", name, "query", sql, "--json")
                self.assertEqual(json.loads(output), [{"n": 20_000}], errors)

    def test_keys_that_are_data_in_the_rows_themselves_fit_one_json_column(self):
        data = {f"k{i}": {"v": [i]} for i in range(20_000)}
        (self.work / "data.json").write_text(json.dumps(data))
        (self.work / "tidemark.yml").write_text("""pipelines:
- name: whole
  destination: {type: duckdb, path: whole.duckdb}
  source: {type: files, name: t, path: data.json, as_json: true}
""")
        code, _, errors = self.run_program("ingest", "data.json", "--as-json", "--to", "out.duckdb", "--table", "t")
        self.assertEqual(code, 0, errors)
        self.assertEqual(self.query("select value from t"), [{"value": data}])
        code, _, errors = self.run_program("run", "whole")
        self.assertEqual(code, 0, errors)
        _, output, errors = self.run_program("pipeline", "whole", "query", "select value from t", "--json")
        self.assertEqual(json.loads(output), [{"value": data}], errors)

    def test_a_system_table_is_no_table_for_rows(self):
        (self.work / "a.jsonl").write_text('{"load_id":"1","status":0}\n')
        code, _, errors = self.run_program("ingest", "a.jsonl", "--table", "_dlt_loads", "--to", "out.duckdb")
        self.assertEqual(code, 1)
        self.assertIn("give it another table_name", errors)
        self.assert_nothing_is_left()

    def test_a_disk_that_takes_no_more_leaves_no_package(self):
        (self.work / "a.jsonl").write_text(rows(20_000))
        limit = 200_000
        code, _, errors = self.ingest("a.jsonl", restore_signals=False,
                                      preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.assertEqual(code, 1)
        self.assertRegex(errors, r"cannot write .*\.columns: File too large")
        self.assert_nothing_is_left()
        self.ingests("a.jsonl")
        self.assertEqual(self.query("select count(distinct id) as n, count(*) as m from t"), [{"n": 20_000, "m": 20_000}])

    def test_a_database_that_somebody_holds_is_locked(self):
        (self.work / "a.jsonl").write_text(rows(2))
        with open(self.work / "out.duckdb", "wb") as held:
            fcntl.lockf(held, fcntl.LOCK_EX)
            code, _, errors = self.ingest("a.jsonl")
        self.assertEqual(code, 11, errors)
        self.assertIn(f"PID {os.getpid()}", errors)

    def test_a_folder_that_cannot_be_written_is_named_at_once(self):
        # Root passes modes by, unless it is told not to.
        prefix = ["setpriv", "--bounding-set=-dac_override"] if os.geteuid() == 0 else []
        (self.work / "a.jsonl").write_text(rows(2))
        (self.work / "p").mkdir(mode=0o555)
        code, _, errors = self.ingest("a.jsonl", prefix=prefix)
        self.assertEqual(code, 1)
        self.assertRegex(errors, r"cannot create directory .*/p/\S+: Permission denied")
        (self.work / "p").chmod(0o755)

        (self.work / "closed").mkdir(mode=0o555)
        arguments = ("ingest", "a.jsonl", "--table", "t", "--to", "closed/out.duckdb")
        code, _, errors = self.run_program(*arguments, prefix=prefix)
        self.assertEqual(code, 1)
        self.assertIn("Permission denied", errors)
        self.assertNotIn("attempt 2", errors)
        self.assertIn("abort-packages", errors)

        # The rows wait for the day when the folder is open.
        (self.work / "closed").chmod(0o755)
        self.assertEqual(self.run_program(*arguments)[0], 0)
        self.assertEqual(self.query("select count(*) as n from t"), [{"n": 2}])

    def test_a_damaged_state_says_how_it_comes_back(self):
        (self.work / "a.jsonl").write_text(rows(2))
        self.ingests("a.jsonl")
        state = next(self.work.glob("p/*/state.json"))
        state.write_text('{"_state')
        code, _, errors = self.ingest("a.jsonl")
        self.assertEqual(code, 1)
        self.assertIn(f"{state}: line 1, byte 9", errors)
        self.assertIn("Remove this file", errors)
        state.unlink()
        self.assertEqual(self.ingest("a.jsonl")[0], 0)
        self.assertEqual(self.query("select count(*) as n from t"), [{"n": 2}])

    def test_a_signal_while_a_service_is_read_loads_nothing(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), SlowService)
        server.asked_again, server.released = threading.Event(), threading.Event()
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.addCleanup(server.released.set)
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            with self.subTest(number):
                server.asked_again.clear()
                url = f"http://127.0.0.1:{server.server_port}/r"
                with self.start("ingest", url, "--to", "out.duckdb") as process:
                    self.assertTrue(server.asked_again.wait(60))
                    process.send_signal(number)
                    _, errors = process.communicate(timeout=30)
                self.assertEqual(process.returncode, code, errors)
                self.assertIn(f"stopped by {number.name}", errors)
                self.assert_nothing_is_left()

    def test_a_signal_while_the_package_is_loaded_keeps_it(self):
        (self.work / "a.jsonl").write_text(rows(60_000))
        with self.start("ingest", "a.jsonl", "--table", "t", "--to", "out.duckdb") as process:
            while not list(self.work.glob("p/*/load/normalized/*")):
                self.assertIsNone(process.poll())
            process.send_signal(signal.SIGTERM)
            _, errors = process.communicate(timeout=60)
        # The commit may have been quicker than the signal.
        self.assertIn(process.returncode, (0, 143), errors)
        if process.returncode == 143:
            self.assertEqual(len(self.packages()), 1)
            self.assertIn("Its rows are kept", errors)
        self.assertEqual(self.ingest("a.jsonl")[0], 0)
        self.assertEqual(self.query("select count(distinct id) as n, count(*) as m from t"), [{"n": 60_000, "m": 60_000}])

    def test_a_run_killed_at_any_moment_is_carried_on(self):
        (self.work / "a.jsonl").write_text(rows(20_000))
        began = time.monotonic()
        self.ingests("a.jsonl")
        whole = time.monotonic() - began
        done = 20_000
        for part in (0.3, 0.5, 0.65, 0.8, 0.95):
            with self.subTest(part):
                (self.work / "a.jsonl").write_text(rows(done + 20_000, done))
                done += 20_000
                with self.start("ingest", "a.jsonl", "--table", "t", "--to", "out.duckdb") as process:
                    time.sleep(part * whole)
                    process.kill()
                    process.communicate()
                self.assertEqual(self.ingest("a.jsonl")[0], 0)
                sql = "select count(*) as n, count(distinct id) as d, (select count(*) from t__tags) as tags from t"
                self.assertEqual(self.query(sql), [{"n": done, "d": done, "tags": 2 * done}])
                self.assertEqual(self.packages(), [])


if __name__ == "__main__":
    unittest.main()
