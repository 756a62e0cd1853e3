"""The completion script in a real bash. TIDEMARK_PROGRAM names the binary."""

import os
import pty
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = os.environ["TIDEMARK_PROGRAM"]
PROJECT = """default_environment: dev
plugins:
  extractors: [{name: tap-shop, namespace: tap_shop, executable: x}]
  loaders: [{name: target-lake, namespace: target_lake, executable: x}]
environments: [{name: dev}, {name: prod}]
jobs: [{name: nightly, tasks: [tap-shop target-lake]}]
schedules: [{name: early, interval: "@daily", job: nightly}]
pipelines:
- name: orders
  destination: duckdb
  source: {type: files, name: orders, path: orders.jsonl}
"""
# Runs the script as readline does and prints what it would put in.
BASH = r"""
set -euo pipefail
COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
source <("$TIDEMARK_PROGRAM" completion bash)
COMP_LINE=$1 COMP_POINT=${#1}
_tidemark "$TIDEMARK_PROGRAM" "" ""
((${#COMPREPLY[@]} == 0)) || printf '%s\n' "${COMPREPLY[@]}"
"""


class CompletionTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = Path(folder.name)
        (self.work / "tidemark.yml").write_text(PROJECT)
        self.environment = {**os.environ, "HOME": str(self.work), "DLT_DATA_DIR": str(self.work / "data"),
                            "TIDEMARK_STATE_BACKEND_URI": f"file://{self.work}/state", "TERM": "dumb"}

    def set(self, state_id, *options):
        subprocess.run([PROGRAM, "state", "set", "--force", state_id, '{"singer_state": {}}', *options], check=True,
                       cwd=self.work, env=self.environment, capture_output=True)

    def complete(self, line):
        result = subprocess.run(["bash", "-c", BASH, "bash", line], cwd=self.work, env=self.environment,
                                capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stderr), (0, ""), line)
        return result.stdout.splitlines()

    def test_commands_options_and_choices_are_completed(self):
        self.assertIn("state", self.complete("tidemark "))
        self.assertEqual(self.complete("tidemark state rol"), ["rollback"])
        self.assertEqual(self.complete("tidemark state clear x --pur"), ["--purge"])
        self.assertEqual(self.complete("tidemark state get x --format "), ["json", "pretty"])
        self.assertEqual(self.complete("tidemark state get x --format=p"), ["pretty"])
        self.assertEqual(self.complete("tidemark completion b"), ["bash"])

    def test_names_of_the_project_are_completed(self):
        self.assertEqual(self.complete("tidemark run "), ["nightly", "orders", "tap-shop", "target-lake"])
        self.assertEqual(self.complete("tidemark run tap-shop tar"), ["target-lake"])
        self.assertEqual(self.complete("tidemark config list ta"), ["tap-shop", "target-lake"])
        self.assertEqual(self.complete("tidemark invoke "), ["tap-shop", "target-lake"])
        self.assertEqual(self.complete("tidemark job remove "), ["nightly"])
        self.assertEqual(self.complete("tidemark schedule run "), ["early"])
        self.assertEqual(self.complete("tidemark config print m"), ["meltano"])
        self.assertIn("orders", self.complete("tidemark pipeline or"))
        self.assertEqual(self.complete("tidemark --environment p"), ["prod"])

    def test_state_ids_are_completed_behind_their_colons(self):
        for state_id in ("dev:tap-shop-to-target-lake", "prod:tap-shop-to-target-lake", "team/a b"):
            self.set(state_id)
        self.assertEqual(self.complete("tidemark state get d"), ["dev:tap-shop-to-target-lake"])
        self.assertEqual(self.complete("tidemark state get dev:"), ["tap-shop-to-target-lake"])
        self.assertEqual(self.complete("tidemark state clear prod:tap-s"), ["tap-shop-to-target-lake"])
        self.assertEqual(self.complete("tidemark state get te"), [r"team/a\ b"])
        self.assertEqual(self.complete("tidemark state merge x --from-state-id=dev:"), ["tap-shop-to-target-lake"])

    def test_the_store_that_was_typed_is_asked(self):
        other = f"file://{self.work}/other"
        self.set("elsewhere", "--state-backend-uri", other)
        self.assertEqual(self.complete("tidemark state get e"), [])
        self.assertEqual(self.complete(f"tidemark state --state-backend-uri {other} get e"), ["elsewhere"])

    def test_an_id_is_no_command(self):
        self.set("$(touch evil)")
        self.set("line\nbreak")
        completed = self.complete("tidemark state get ")
        self.assertEqual(len(completed), 1)
        self.assertEqual(subprocess.run(["bash", "-c", f"printf %s {completed[0]}"], cwd=self.work, capture_output=True,
                                        text=True, check=True).stdout, "$(touch evil)")
        self.assertFalse((self.work / "evil").exists())

    def test_what_cannot_be_looked_up_is_left_out_at_once(self):
        began = time.monotonic()
        for uri in ("s3://bucket", "snowflake://x"):
            self.environment["TIDEMARK_STATE_BACKEND_URI"] = uri
            self.environment["TIDEMARK_STATE_BACKEND_S3_ENDPOINT_URL"] = "http://127.0.0.1:1"
            self.assertEqual(self.complete("tidemark state get "), [])
        self.assertLess(time.monotonic() - began, 8)
        (self.work / "tidemark.yml").write_text("pipelines: 7\n")
        self.assertEqual(self.complete("tidemark run "), [])
        (self.work / "tidemark.yml").unlink()
        self.assertEqual(self.complete("tidemark config list t"), [])

    def test_looking_up_makes_nothing(self):
        before = sorted(self.work.rglob("*"))
        for line in ("tidemark state get ", "tidemark run ", "tidemark pipeline "):
            self.complete(line)
        self.assertEqual(sorted(self.work.rglob("*")), before)

    def test_a_key_completes_an_id_on_a_terminal(self):
        self.set("dev:tap-shop-to-target-lake")
        controller, terminal = pty.openpty()
        process = subprocess.Popen(["bash", "--norc", "-i"], cwd=self.work, stdin=terminal, stdout=terminal,
                                   stderr=terminal, start_new_session=True,
                                   env={**self.environment, "PATH": f"{Path(PROGRAM).parent}:{os.environ['PATH']}"})
        os.close(terminal)
        self.addCleanup(os.close, controller)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        os.write(controller, b"bind 'set enable-bracketed-paste off'; source <(tidemark completion bash); echo rea''dy\n")
        self.read_until(controller, b"ready\r\n")
        os.write(controller, b"echo tidemark; tidemark state get dev:tap\t")
        self.read_until(controller, b"dev:tap-shop-to-target-lake")
        os.write(controller, b"\n")
        self.read_until(controller, b'{"singer_state":{}}')

    def read_until(self, controller, text):
        shown = b""
        deadline = time.monotonic() + 30
        while text not in shown:
            self.assertLess(time.monotonic(), deadline, shown)
            shown += os.read(controller, 4096)


if __name__ == "__main__":
    unittest.main()
