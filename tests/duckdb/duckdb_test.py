"""The program and DuckDB: statements that are interrupted, databases of DuckDB 1.

Run by build/venv-dlt, which has DuckDB 2, with the program's path in TIDEMARK_PROGRAM and in DUCKDB1_PYTHON a Python
with DuckDB 1.
"""

import json
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import duckdb

PROGRAM = os.environ["TIDEMARK_PROGRAM"]
DUCKDB1_PYTHON = os.environ["DUCKDB1_PYTHON"]
# Never ends by itself.
ENDLESS = "with recursive n(i) as (select 1 union all select i % 1000 from n) select count(*) from n"
SIGNALS = ((signal.SIGINT, 130), (signal.SIGTERM, 143))


def rows(first, end):
    return "".join(json.dumps({"id": i, "tags": [i, i]}) + "\n" for i in range(first, end))


class DuckDbTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = Path(folder.name)

    def start(self, *arguments):
        return subprocess.Popen([PROGRAM, "--pipelines-dir", "p", *arguments], cwd=self.work, text=True,
                                env={**os.environ, "NO_COLOR": "1"}, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def succeed(self, *arguments):
        with self.start(*arguments) as process:
            output, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, errors)
        return output

    def ingest(self, text):
        (self.work / "a.jsonl").write_text(text)
        self.succeed("ingest", "a.jsonl", "--table", "t", "--to", "out.duckdb")

    def pipeline(self):
        return next((self.work / "p").iterdir()).name

    def query(self, sql):
        return json.loads(self.succeed("pipeline", self.pipeline(), "query", sql, "--json"))

    def change(self, *statements):
        with duckdb.connect(str(self.work / "out.duckdb")) as connection:
            connection.execute("set schema 'a_dataset'")
            for statement in statements:
                connection.execute(statement)

    def wait_for_duckdb(self, process):
        maps = Path(f"/proc/{process.pid}/maps")
        while "libduckdb" not in maps.read_text():
            self.assertIsNone(process.poll())
            time.sleep(0.01)

    def test_a_signal_ends_a_query_that_runs(self):
        self.ingest(rows(0, 1))
        for number, code in SIGNALS:
            with self.subTest(number), self.start("pipeline", self.pipeline(), "query", ENDLESS) as process:
                self.wait_for_duckdb(process)
                time.sleep(0.5)
                process.send_signal(number)
                output, errors = process.communicate(timeout=30)
                self.assertEqual((process.returncode, output), (code, ""), errors)
                self.assertIn(f"stopped by {number.name}", errors)

    def test_a_signal_ends_a_load_that_runs_and_keeps_its_package(self):
        self.ingest(rows(0, 1))
        # Each row costs the database a good part of a millisecond.
        self.change("create table slow (id bigint, _dlt_load_id varchar not null, _dlt_id varchar not null, "
                    "check (length(md5(repeat('x', 50000 + id % 2))) = 32))",
                    "insert into slow from t", "drop table t", "alter table slow rename to t")
        (self.work / "a.jsonl").write_text(rows(1, 40_000))
        packages = 0
        for number, code in SIGNALS:
            arguments = ("pipeline", self.pipeline(), "retry") if packages else (
                "ingest", "a.jsonl", "--table", "t", "--to", "out.duckdb")
            with self.subTest(number), self.start(*arguments) as process:
                while not list(self.work.glob("p/*/load/normalized/*")):
                    self.assertIsNone(process.poll())
                time.sleep(1)
                process.send_signal(number)
                _, errors = process.communicate(timeout=60)
                self.assertEqual(process.returncode, code, errors)
                self.assertIn(f"stopped by {number.name}", errors)
                packages = len(list(self.work.glob("p/*/load/normalized/*")))
                self.assertEqual(packages, 1)
                self.assertEqual(self.query("select count(*) as n from t"), [{"n": 1}])
        self.change("create table quick as from t", "drop table t", "alter table quick rename to t")
        self.succeed("pipeline", self.pipeline(), "retry")
        self.assertEqual(self.query("select count(distinct id) as n, count(*) as m from t"), [{"n": 40_000, "m": 40_000}])
        self.assertEqual(self.query("select count(*) as n from t__tags"), [{"n": 80_000}])

    def duckdb1(self, *statements):
        """What the last of the statements answers when DuckDB 1 runs them."""
        script = ("import duckdb, json, sys\nconnection = duckdb.connect('out.duckdb')\n"
                  "for sql in sys.argv[1:]: answer = connection.execute(sql).fetchall()\n"
                  "print(json.dumps([duckdb.__version__, answer]))")
        result = subprocess.run([DUCKDB1_PYTHON, "-c", script, *statements], cwd=self.work, capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        version, answer = json.loads(result.stdout)
        self.assertTrue(version.startswith("1."), version)
        return answer

    def test_a_database_of_duckdb_1_stays_one(self):
        self.duckdb1("create table mine as select 42 as answer")
        self.ingest(rows(0, 3))
        self.assertEqual(self.duckdb1("select id from a_dataset.t order by id"), [[0], [1], [2]])
        self.duckdb1("insert into mine values (43)")
        self.ingest(rows(3, 5))
        self.assertEqual(self.duckdb1("select count(*), count(distinct _dlt_load_id) from a_dataset.t"), [[5, 2]])
        self.assertEqual(self.duckdb1("select count(*) from a_dataset.t__tags"), [[10]])
        self.assertEqual(self.duckdb1("select sum(answer) from mine"), [[85]])

    def test_a_new_database_can_be_one_of_duckdb_1(self):
        (self.work / "a.jsonl").write_text(rows(0, 3))
        (self.work / "tidemark.yml").write_text("""pipelines:
- name: old
  destination: {type: duckdb, path: out.duckdb, storage_version: v1.0.0}
  dataset: a_dataset
  source: {type: files, path: a.jsonl, table_name: t}
""")
        self.succeed("run", "old")
        self.assertEqual(self.duckdb1("select id from a_dataset.t order by id"), [[0], [1], [2]])


if __name__ == "__main__":
    unittest.main()
