"""tidemark runs what Meltano ran: the same exit codes, state rows and rows of `runs` at each step.

TIDEMARK_PROGRAM names the binary. The plugins are those of the golden runs, `probe.py` under three names.
"""

import json
import os
import shutil
import sqlite3
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ["TIDEMARK_PROGRAM"]
HERE = Path(__file__).resolve().parent
GOLDEN = HERE.parent / "golden" / "meltano"


class GoldenTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = Path(folder.name)
        self.bin = self.work / "bin"
        self.bin.mkdir()
        for name in ("probe-tap", "probe-target", "probe-mapper"):
            shutil.copy(HERE / "probe.py", self.bin / name)
            (self.bin / name).chmod(0o755)
        self.project = self.work / "project"
        self.project.mkdir()
        self.environment = {"HOME": str(self.work / "home"), "LANG": "C.UTF-8", "PATH": f"{self.bin}:/usr/bin:/bin",
                            "MELTANO_CLI_LOG_FORMAT": "uncolored"}

    def run_step(self, step):
        return subprocess.run([PROGRAM, *step["argv"]], cwd=self.project,
                              env={**self.environment, **step.get("env", {})}, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True)

    def rows(self, query):
        database = self.project / ".meltano" / "meltano.db"
        if not database.exists():
            return []
        connection = sqlite3.connect(database)
        try:
            return connection.execute(query).fetchall()
        finally:
            connection.close()

    def states(self):
        return {row[0]: (json.loads(row[1]), json.loads(row[2])) for row in
                self.rows("select state_id, completed_state, partial_state from state")}

    def runs(self):
        return [(*row[:2], json.loads(row[2]), *row[3:]) for row in
                self.rows("select job_name, state, payload, payload_flags, \"trigger\" from runs order by id")]

    def replay(self, name, different=None, skipped=()):
        """`different`: what is meant to be otherwise, by the number of the step: {"exit", "reason", "run"}."""
        different = different or {}
        steps = json.loads((GOLDEN / name / "log.json").read_text())
        (self.project / "meltano.yml").write_text((GOLDEN / name / "meltano.yml").read_text())
        seen = 0
        last = None
        for number, step in enumerate(steps):
            if "snapshot" in step:
                with self.subTest(after=step["snapshot"]["after"]):
                    self.check_snapshot(step["snapshot"], self.runs()[seen:], different.get(last, {}))
                seen = len(self.runs())
                continue
            if step["argv"][0] in skipped:
                continue
            last = number
            result = self.run_step(step)
            with self.subTest(number=number, argv=step["argv"]):
                self.assertEqual(result.returncode, different.get(number, {}).get("exit", step["exit"]), result.stderr)
                self.assertEqual(self.shown(step, result.stdout), self.shown(step, step.get("stdout", "")))

    @staticmethod
    def shown(step, stdout):
        """Lists are sorted here, in Meltano they come as they are stored."""
        return sorted(stdout.splitlines()) if step["argv"][:2] == ["state", "list"] else stdout

    def check_snapshot(self, golden, runs, different):
        expected = {row["state_id"]: (json.loads(row["completed_state"]), json.loads(row["partial_state"]))
                    for row in golden["state"]}
        self.assertEqual(self.states(), {**expected, **different.get("state", {})})
        rows = [(row["job_name"], row["state"], json.loads(row["payload"]), row["payload_flags"], row["trigger"])
                for row in golden["runs_changed"]]
        self.assertEqual(runs, different.get("runs", rows))

    def test_incremental(self):
        self.replay("run-incremental", skipped=("logs",))

    def test_failures(self):
        state = {"bookmarks": {"users": {"id": 18}, "orders": {"id": 7}}}
        state_id = "dev:tap-probe-to-target-probe"
        self.replay("run-failures", skipped=("logs",), different={
            # A target that ends well while the tap has more to write has not loaded it.
            6: {"exit": 1, "runs": [(state_id, "FAIL", {"error": "Loader failed"}, 0, "cli")]},
            # Meltano cannot write a decimal from a variable.
            14: {"exit": 0, "state": {state_id: ({"singer_state": state}, {})},
                 "runs": [(state_id, "SUCCESS", {"singer_state": state}, 1, "cli")]}})

    def test_two_sets_and_mappers(self):
        # Without a block there is nothing to run: a usage error here.
        self.replay("run-two-sets", different={13: {"exit": 2}})

    def test_suffix(self):
        self.replay("run-suffix")

    def test_full_refresh(self):
        self.replay("run-full-refresh")

    def test_strategies(self):
        self.replay("run-strategies")

    def test_no_state_update(self):
        self.replay("run-no-state-update")

    def test_dry_run(self):
        # Meltano records a dry run of `el`.
        self.replay("run-dry", different={2: {"runs": []}})

    def test_lines_of_a_target_that_are_states_and_that_are_none(self):
        steps = json.loads((GOLDEN / "run-raw-states" / "log.json").read_text())
        (self.project / "meltano.yml").write_text((GOLDEN / "run-raw-states" / "meltano.yml").read_text())
        for step in steps:
            if step.get("argv", [""])[0] == "el":
                self.assertEqual(self.run_step(step).returncode, step["exit"])
        golden = next(step["snapshot"]["state"] for step in steps if "snapshot" in step)
        expected = {row["state_id"]: json.dumps(json.loads(row["completed_state"])) for row in golden}
        # What no tap can start from is no state here: 1, "x", [1], and what holds no value at any depth.
        for state_id in ("raw-6", "raw-7", "raw-8", "raw-13", "raw-14"):
            del expected[state_id]
        self.assertEqual({state_id: json.dumps(completed) for state_id, (completed, _) in self.states().items()},
                         expected)
        self.assertEqual([run[1] for run in self.runs()], ["SUCCESS"] * 16)


if __name__ == "__main__":
    unittest.main()
