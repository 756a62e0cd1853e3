"""A real tap and a real target under tidemark and under Meltano: the same rows, states and records, also in turns.

Run by build/venv-meltano with the program's path in TIDEMARK_PROGRAM. The plugins are in build/venv-plugins-*.
"""

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
PROGRAM = os.environ["TIDEMARK_PROGRAM"]
MELTANO = Path(sys.executable).parent / "meltano"

PROJECT = """\
default_environment: dev
project_id: 00000000-0000-4000-8000-000000000001
send_anonymous_usage_stats: false
environments:
- name: dev
plugins:
  extractors:
  - name: tap-jsonl
    namespace: tap_jsonl
    executable: {plugins}-tap/bin/tap-jsonl
    capabilities: [catalog, state, discover, about, structured-logging]
    settings: [{{name: path}}, {{name: stream_name}}, {{name: primary_keys, kind: array}}]
    config: {{path: in/*.jsonl, stream_name: items, primary_keys: [id]}}
  loaders:
  - name: target-jsonl
    namespace: target_jsonl
    executable: {plugins}-target/bin/target-jsonl
    settings: [{{name: destination_path}}, {{name: do_timestamp_file, kind: boolean}}]
    config: {{destination_path: out, do_timestamp_file: false}}
"""


class Project:
    def __init__(self, test, store):
        folder = tempfile.TemporaryDirectory()
        test.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()
        self.time = 1_796_000_000
        for name in ("in", "out"):
            (self.folder / name).mkdir()
        (self.folder / "meltano.yml").write_text(PROJECT.format(plugins=TOP / "build/venv-plugins"))
        self.environment = {**os.environ, "HOME": str(self.folder / "home"), "NO_COLOR": "1",
                            "MELTANO_CLI_DISABLE_VERSION_CHECK": "1",
                            "MELTANO_STATE_BACKEND_URI": store.format(folder=self.folder)}
        self.add_rows("a", range(4))

    def add_rows(self, name, ids):
        file = self.folder / "in" / f"{name}.jsonl"
        file.write_text("".join(json.dumps({"id": number, "v": f"é{number}"}) + "\n" for number in ids))
        self.time += 60
        os.utime(file, (self.time, self.time))  # which the tap's bookmarks hold

    def run(self, tool):
        done = subprocess.run([tool, "run", "tap-jsonl", "target-jsonl"], cwd=self.folder, env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(f"{tool}: {done.stdout}{done.stderr}")

    def rows(self):
        return [json.loads(line) for file in sorted((self.folder / "out").iterdir())
                for line in file.read_text().splitlines()]

    def state(self):
        done = subprocess.run([PROGRAM, "state", "get", "dev:tap-jsonl-to-target-jsonl"], cwd=self.folder,
                              env=self.environment, capture_output=True, text=True, check=True)
        # What the tap says of its own time and place.
        return json.loads(done.stdout.replace(str(self.folder), "<folder>"))

    def records(self):
        connection = sqlite3.connect(self.folder / ".meltano/meltano.db")
        try:
            rows = connection.execute("select job_name, state, payload, payload_flags, \"trigger\" from runs "
                                      "order by id").fetchall()
        finally:
            connection.close()
        return [(*row[:2], json.loads(row[2].replace(str(self.folder), "<folder>")), *row[3:]) for row in rows]

    def everything(self):
        return {"rows": self.rows(), "state": self.state(), "records": self.records()}


class RunnerTest(unittest.TestCase):
    maxDiff = None

    def after(self, store, tools):
        project = Project(self, store)
        for number, tool in enumerate(tools):
            project.run(tool)
            project.add_rows(f"more{number}", range(10 * (number + 1), 10 * (number + 1) + 2))
        return project.everything()

    def compare(self, store):
        expected = self.after(store, [MELTANO, MELTANO, MELTANO])
        self.assertEqual(len(expected["records"]), 3)
        self.assertGreaterEqual(len(expected["rows"]), 8)
        for tools in ([PROGRAM, PROGRAM, PROGRAM], [MELTANO, PROGRAM, MELTANO], [PROGRAM, MELTANO, PROGRAM]):
            with self.subTest(tools=[Path(tool).name for tool in tools]):
                self.assertEqual(self.after(store, tools), expected)

    def test_in_the_system_database(self):
        self.compare("systemdb")

    def test_in_files(self):
        self.compare("file://{folder}/states")


if __name__ == "__main__":
    unittest.main()
