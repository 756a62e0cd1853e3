"""What Meltano 4.4.1 did with each verb of `state`, done by tidemark on the same store.

Exit codes, standard output, stored bytes and the records of edits are Meltano's, but for what `answered` and
docs/state.md list. Run by build/venv-meltano; TIDEMARK_PROGRAM names the binary. A backend whose server is not
there is an error, not a skip: the build starts them.
"""

import json
import os
import sqlite3
import subprocess
import tempfile
import unittest
from pathlib import Path

import stores

PROGRAM = os.environ["TIDEMARK_PROGRAM"]
GOLDEN = stores.TOP / "tests/golden/meltano/state"
DATABASE = stores.TOP / "tests/golden/meltano/state-sqlite/meltano.db.sql"

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


class GoldenTest(unittest.TestCase):
    def replay(self, name, store_type, has_database=False):
        with tempfile.TemporaryDirectory() as folder:
            work = Path(folder)
            store = store_type(work)
            if has_database:
                make_system_database(work)
            (work / "meltano.yml").write_text(f"environments:\n- name: dev\n- name: prod\n{store.project()}\n")
            editor = work / "ed1"
            editor.write_text('#!/bin/sh\nprintf \'{"singer_state": {"edited": true}}\' > "$1"\n')
            editor.chmod(0o755)
            environment = {**os.environ, **store.environment, "NO_COLOR": "1", "XDG_CACHE_HOME": str(work / "cache")}
            was_run, self.seen_edits = False, 0
            for step in json.loads((GOLDEN / f"{name}.json").read_text()):
                if "argv" in step:
                    was_run = True
                    self.run_step(step, work, environment, editor)
                elif "skip" in step:
                    was_run = False  # what a run of Meltano stored is not there
                elif was_run:
                    self.compare_stored(store, step["snapshot"])

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
                self.assertEqual(store.objects(), without_null_halves(snapshot["files"]))
            if "rows" in snapshot:
                self.assertEqual(store.rows(), {state_id: [half or "{}" for half in halves]
                                                for state_id, halves in snapshot["rows"].items()})
                edits = store.edits()
                self.assertEqual(edits[self.seen_edits:], snapshot["edits"])
                self.seen_edits = len(edits)

    def test_sqlite(self):
        self.replay("sqlite", stores.SqliteStore)

    def test_postgres(self):
        self.replay("postgres", stores.PostgresStore)

    def test_file(self):
        self.replay("file", stores.FileStore, has_database=True)

    def test_s3(self):
        self.replay("s3", stores.S3Store)

    def test_azure(self):
        self.replay("azure", stores.AzureStore)


def make_system_database(work):
    """As Meltano makes it, empty: edits of states that are elsewhere are recorded in one that is there."""
    (work / ".meltano").mkdir()
    with sqlite3.connect(work / ".meltano/meltano.db") as database:
        database.executescript(DATABASE.read_text() + "delete from runs; delete from state;")
    database.close()


def without_null_halves(files):
    return {name: text.replace('"partial": null', '"partial": {}') for name, text in files.items()}


if __name__ == "__main__":
    unittest.main()
