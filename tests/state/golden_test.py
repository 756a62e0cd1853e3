"""What Meltano 4.4.1 did with each verb of `state`, done by tidemark on the same store.

Exit codes, standard output and stored bytes are Meltano's, but for what DIFFERENCES and docs/state.md list.
TIDEMARK_PROGRAM names the binary. A backend whose server is not there is an error, not a skip: the build
starts them.
"""

import json
import os
import sqlite3
import subprocess
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
PROGRAM = os.environ["TIDEMARK_PROGRAM"]
GOLDEN = TOP / "tests/golden/meltano/state"

# Where tidemark does something else on purpose. Each has its line in docs/state.md.
NO_TERMINAL = "a question that nobody can answer is no: exit 1 and nothing on stdout"
FAULTY_STATE = "a state whose halves contradict each other does not stop the listing of the others"
NULL_HALF = "a half that is missing or null counts as empty"


def answered(step):
    """(reason, arguments, exit code, stdout) where tidemark differs at this step, else None."""
    verb, arguments = step["argv"][0], step["argv"]
    if "[y/N]" in step["stdout"]:
        if step["exit"] == 0:
            return NO_TERMINAL, [*arguments, "--yes"], 0, ""
        return NO_TERMINAL, arguments, 1, ""
    if verb == "list" and step["exit"] == 1:
        return FAULTY_STATE, arguments, 0, "a\nb\n" if "[ab]" in arguments or "?" in arguments else None
    if verb == "get" and arguments[1] == "imp2":
        return NULL_HALF, arguments, 0, '{"singer_state":{"i":2}}\n'
    return None


def normalized(verb, stdout):
    """Meltano lists in the order of the store, tidemark in byte order."""
    if verb == "list":
        return sorted(stdout.splitlines())
    if verb == "export" and stdout:
        return json.loads(stdout)
    return stdout


class Store:
    """The store of one test: its settings, and what lies in it."""

    def __init__(self, work):
        self.work = work

    def files(self):
        return None

    def rows(self):
        database = self.work / ".meltano/meltano.db"
        if not database.exists():
            return None
        with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
            return {state_id: [completed, partial] for state_id, completed, partial in
                    connection.execute("select state_id, completed_state, partial_state from state")}


class FileStore(Store):
    uri = "file://{work}/state"

    def files(self):
        root = self.work / "state"
        return {str(file.relative_to(root)): file.read_text() for file in root.glob("*/state.json")}


class GoldenTest(unittest.TestCase):
    def replay(self, name, store_type, uri):
        with tempfile.TemporaryDirectory() as folder:
            work = Path(folder)
            (work / "meltano.yml").write_text("environments:\n- name: dev\n- name: prod\n")
            editor = work / "ed1"
            editor.write_text('#!/bin/sh\nprintf \'{"singer_state": {"edited": true}}\' > "$1"\n')
            editor.chmod(0o755)
            environment = {**os.environ, "NO_COLOR": "1", "TIDEMARK_STATE_BACKEND_URI": uri.format(work=work)}
            store = store_type(work)
            for step in json.loads((GOLDEN / f"{name}.json").read_text()):
                if "skip" in step:
                    return
                if "snapshot" in step:
                    self.compare_stored(store, step["snapshot"])
                else:
                    self.run_step(step, work, environment, editor)

    def run_step(self, step, work, environment, editor):
        difference = answered(step)
        _, arguments, code, stdout = difference or (None, step["argv"], step["exit"], step["stdout"])
        if "editor" in step:
            environment = {**environment, "EDITOR": {"ed1": str(editor), "true": "/bin/true"}[step["editor"]]}
        result = subprocess.run([PROGRAM, "state", *arguments], cwd=work, env=environment, text=True,
                                input=step.get("stdin", ""), capture_output=True)
        with self.subTest(step=step["n"], arguments=arguments):
            self.assertEqual(result.returncode, code, result.stderr)
            if stdout is not None:
                self.assertEqual(normalized(arguments[0], result.stdout), normalized(arguments[0], stdout))

    def compare_stored(self, store, snapshot):
        with self.subTest(after=snapshot["after"]):
            if "files" in snapshot:
                self.assertEqual(store.files(), without_null_halves(snapshot["files"]))
            elif "rows" in snapshot:
                self.assertEqual(store.rows(), {state_id: [half or "{}" for half in halves]
                                                for state_id, halves in snapshot["rows"].items()})

    def test_sqlite(self):
        self.replay("sqlite", Store, "systemdb")

    def test_file(self):
        self.replay("file", FileStore, FileStore.uri)


def without_null_halves(files):
    return {name: text.replace('"partial": null', '"partial": {}') for name, text in files.items()
            if name.endswith("state.json")}


if __name__ == "__main__":
    unittest.main()
