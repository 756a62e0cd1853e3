"""tidemark and dlt take turns on one pipeline: the demo's, against the replay server.

Run by build/venv-dlt with the program's path in TIDEMARK_PROGRAM.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock
from urllib.parse import parse_qs, urlsplit

import dlt
import duckdb
from dlt.common.normalizers.utils import DLT_ID_LENGTH_BYTES
from dlt.common.utils import digest128

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "demo"))
import replay_server  # noqa: E402

PROGRAM = os.environ["TIDEMARK_PROGRAM"]
TOKEN = "token-of-the-test"
DATA_TABLES = ("github_pulls", "issues", "issues__assignees", "issues__labels")
# Random, or the time of the run.
VOLATILE = {"_dlt_id", "_dlt_load_id", "_dlt_parent_id", "_dlt_root_id"}
DLT, TIDEMARK = "dlt", "tidemark"


class Project:
    """One working directory, one DuckDB file, both programs."""

    def __init__(self, directory, url):
        self.directory, self.url = Path(directory), url
        self.database = self.directory / "github.duckdb"
        (self.directory / "tidemark.yml").write_text((TOP / "demo/tidemark.yml").read_text())
        # dlt's commands do not know the path that the code of a pipeline names.
        self.environment = {**os.environ, "DESTINATION__DUCKDB__CREDENTIALS": f"duckdb:///{self.database}", "GITHUB_API_URL": url, "GITHUB_TOKEN": TOKEN,
                            "RUNTIME__DLTHUB_TELEMETRY": "false", "RUNTIME__LOG_LEVEL": "ERROR"}

    def run(self, who):
        if who == DLT:
            return self.execute([sys.executable, TOP / "tests/interop/dlt_run.py", self.directory, self.url, TOKEN])
        return self.tidemark("run", "github_pipeline")

    def tidemark(self, *arguments):
        return self.execute([PROGRAM, "--pipelines-dir", self.directory / "pipelines", *arguments])

    def dlt(self, *arguments):
        return self.execute([Path(sys.executable).parent / "dlt", "--non-interactive", "-y", "pipeline",
                             "--pipelines-dir", self.directory / "pipelines", "github_pipeline", *arguments])

    def execute(self, command):
        result = subprocess.run([str(part) for part in command], cwd=self.directory, env=self.environment,
                                capture_output=True, text=True)
        if result.returncode != 0:
            raise AssertionError(f"{command} exited with {result.returncode}\n{result.stdout}\n{result.stderr}")
        return result.stdout

    def query(self, sql):
        with duckdb.connect(str(self.database), read_only=True) as connection:
            connection.execute("set schema 'github_data'")
            return connection.execute(sql).fetchall()

    def columns(self):
        return self.query("select table_name, column_name, data_type, is_nullable from information_schema.columns "
                          "where table_schema = 'github_data' order by table_name, ordinal_position")

    def rows(self, table):
        """All rows of a table as sorted text, without what differs from run to run."""
        names = [row[1] for row in self.columns() if row[0] == table and row[1] not in VOLATILE]
        selected = ", ".join(f'"{name}"' for name in names)
        return sorted(map(repr, self.query(f"select {selected} from {table}")))

    def schemas(self):
        """(version, hash, content) of each stored schema; the hashes it had before are not content."""
        stored = self.query("select version, version_hash, schema from _dlt_version order by version")
        return [(version, version_hash, {name: part for name, part in json.loads(schema).items()
                                         if name != "previous_hashes"})
                for version, version_hash, schema in stored]

    def state(self):
        path = self.directory / "pipelines/github_pipeline/state.json"
        return json.loads(path.read_text())["sources"]["github"]["resources"]


class Interop(unittest.TestCase):
    def setUp(self):
        self.service = replay_server.Service(TOKEN)
        self.service.faults = {}
        self.log = tempfile.NamedTemporaryFile("r", suffix=".jsonl")
        self.addCleanup(self.log.close)
        server = replay_server.Server(0, self.service, self.log.name)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        for cleanup in (thread.join, server.server_close, server.shutdown):
            self.addCleanup(cleanup)
        self.url = f"http://127.0.0.1:{server.server_address[1]}"

    def project(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        return Project(directory.name, self.url)

    def since(self):
        """What the service was asked for since the last call."""
        targets = [json.loads(line)["target"] for line in self.log.read().splitlines()]
        return {value for target in targets for value in parse_qs(urlsplit(target).query).get("since", [])}

    def assert_holds_the_service(self, project):
        """One row for each document, child rows those of the newest version, ids that lead to parents."""
        pulls, issues = (replay_server.on_day(resource.documents, self.service.day)
                         for resource in self.service.resources)
        for table, documents in (("github_pulls", pulls), ("issues", issues)):
            expected = sorted((document["id"], document["title"]) for document in documents)
            self.assertEqual(sorted(project.query(f"select id, title from {table}")), expected)
        for child in ("labels", "assignees"):
            found = project.query(f"select i.id, c._dlt_list_idx from issues__{child} c join issues i "
                                  "on c._dlt_parent_id = i._dlt_id and c._dlt_root_id = i._dlt_id")
            expected = [(d["id"], at) for d in issues for at in range(len(d.get(child, ())))]
            self.assertEqual(sorted(found), sorted(expected))
            self.assert_child_ids_are_derived(project, f"issues__{child}")

    def assert_child_ids_are_derived(self, project, table):
        for own, parent, at in project.query(f"select _dlt_id, _dlt_parent_id, _dlt_list_idx from {table}"):
            self.assertEqual(own, digest128(f"{parent}_{table}_{at}", DLT_ID_LENGTH_BYTES))

    def take_turns(self, *turns):
        project = self.project()
        shapes = []
        for day, who in enumerate(turns, start=1):
            self.service.move_to_day(day)
            project.run(who)
            newest = max(project.query("select max(updated_at) from issues"))[0]
            asked = self.since()
            if day > 1:
                self.assertEqual(asked, {cursor}, f"{who} did not start at the stored cursor")
            cursor = project.state()["issues"]["incremental"]["updated_at"]["last_value"]
            self.assertEqual(newest.strftime("%Y-%m-%dT%H:%M:%S"), cursor[:19])
            self.assert_holds_the_service(project)
            shapes.append((project.columns(), project.schemas()))
        for shape in shapes[1:]:
            self.assertEqual(shape, shapes[0], "the other one changed columns or schema")
        return project

    def test_tidemark_carries_on_what_dlt_started(self):
        self.take_turns(DLT, TIDEMARK)

    def test_dlt_carries_on_what_tidemark_started(self):
        self.take_turns(TIDEMARK, DLT)

    def test_both_alternate(self):
        self.take_turns(DLT, TIDEMARK, DLT)
        self.take_turns(TIDEMARK, DLT, TIDEMARK)

    def test_the_same_input_makes_the_same_dataset(self):
        theirs, ours = self.project(), self.project()
        theirs.run(DLT)
        ours.run(TIDEMARK)
        self.assertEqual(ours.columns(), theirs.columns())
        for table in DATA_TABLES:
            self.assertEqual(ours.rows(table), theirs.rows(table))
        self.assertEqual(ours.schemas(), theirs.schemas())
        self.assertEqual(ours.state(), theirs.state())

    def test_an_idle_run_writes_nothing_after_the_other_one(self):
        for first, second in ((DLT, TIDEMARK), (TIDEMARK, DLT)):
            project = self.project()
            project.run(first)
            before = project.query("select * from _dlt_loads"), project.query("select * from _dlt_pipeline_state")
            project.run(second)
            after = project.query("select * from _dlt_loads"), project.query("select * from _dlt_pipeline_state")
            self.assertEqual(after, before, f"{second} after {first}")

    def test_each_restores_on_a_clean_disk_what_the_other_one_loaded(self):
        for first, second in ((DLT, TIDEMARK), (TIDEMARK, DLT)):
            project = self.project()
            project.run(first)
            before = project.query("select count(*) from _dlt_loads")
            (project.directory / "pipelines/github_pipeline").rename(project.directory / "elsewhere")
            self.since()
            project.run(second)
            self.assertNotIn("2000-01-01", self.since(), f"{second} after {first}")
            self.assertEqual(project.query("select count(*) from _dlt_loads"), before)

    def test_the_commands_of_dlt_work_on_what_tidemark_left(self):
        project = self.project()
        project.run(TIDEMARK)
        self.assertIn("github_pulls with 1 table(s) and 1 resource state slot(s)", project.dlt("info"))
        load_id = project.query("select max(load_id) from _dlt_loads")[0][0]
        self.assertIn(load_id, project.dlt("load-package"))
        self.assertIn("Restoring from destination", project.dlt("sync"))
        project.dlt("drop", "issues")
        self.assertNotIn("issues", project.state())
        tables = {row[0] for row in project.columns()}
        self.assertIn("github_pulls", tables)
        self.assertFalse([table for table in tables if table.startswith("issues")])
        project.run(TIDEMARK)
        self.assert_holds_the_service(project)

    def test_the_commands_of_tidemark_work_on_what_dlt_left(self):
        project = self.project()
        project.run(DLT)
        self.assertIn("github_pulls with 1 table(s)", project.tidemark("pipeline", "github_pipeline", "info"))
        load_id = project.query("select max(load_id) from _dlt_loads")[0][0]
        self.assertIn(load_id, project.tidemark("pipeline", "github_pipeline", "load-package"))
        project.tidemark("--yes", "pipeline", "github_pipeline", "sync")
        project.tidemark("--yes", "pipeline", "github_pipeline", "drop", "issues")
        self.assertNotIn("issues", project.state())
        project.run(DLT)
        self.assert_holds_the_service(project)


SHOP = """\
pipelines:
- name: shop
  destination: {type: duckdb, path: shop.duckdb}
  dataset: data
  source: {type: files, name: shop, resources: [{name: Orders, path: orders.jsonl}]}
"""


class Naming(unittest.TestCase):
    def test_names_that_dlt_left_as_they_came_lead_children_to_their_parents(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        work = Path(folder.name)
        with mock.patch.dict(os.environ, SCHEMA__NAMING="sql_cs_v1", RUNTIME__DLTHUB_TELEMETRY="false"):
            dlt.pipeline("shop", pipelines_dir=str(work / "p"), dataset_name="data",
                         destination=dlt.destinations.duckdb(str(work / "shop.duckdb"))
                         ).run([{"ID": 0, "Kids": [{"N": 0}]}], table_name="Orders")
        (work / "tidemark.yml").write_text(SHOP)
        for number in (1, 2):
            (work / "orders.jsonl").write_text(json.dumps({"ID": number, "Kids": [{"N": number}]}) + "\n")
            subprocess.run([PROGRAM, "--pipelines-dir", "p", "run", "shop"], cwd=work, check=True, capture_output=True)
        with duckdb.connect(str(work / "shop.duckdb"), read_only=True) as connection:
            connection.execute("set schema 'data'")
            self.assertEqual(connection.execute("select ID, N from Orders o join Orders__Kids k on k._dlt_parent_id = "
                                                "o._dlt_id order by ID").fetchall(), [(0, 0), (1, 1), (2, 2)])
            self.assertEqual([name for name, *_ in connection.execute("describe Orders__Kids").fetchall()],
                             ["N", "_dlt_parent_id", "_dlt_list_idx", "_dlt_id"])


if __name__ == "__main__":
    unittest.main()
