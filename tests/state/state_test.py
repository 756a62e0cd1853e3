"""`tidemark state` as people and schedulers use it: questions, races, faults. TIDEMARK_PROGRAM names the binary."""

import json
import os
import pty
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

PROGRAM = os.environ["TIDEMARK_PROGRAM"]
STATE = {"singer_state": {"bookmarks": {"orders": {"id": 17}}}}


class StateTest(unittest.TestCase):
    """On a directory; what is the same on every store is not tested on all of them again."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = Path(folder.name)
        (self.work / "tidemark.yml").write_text(f"state_backend:\n  uri: file://{self.work}/state\n")
        self.environment = {**os.environ, "NO_COLOR": "1", "XDG_CACHE_HOME": str(self.work / "cache"),
                            "TMPDIR": str(self.work)}

    def run_program(self, *arguments, stdin="", **environment):
        return subprocess.run([PROGRAM, "state", *arguments], cwd=self.work, input=stdin, capture_output=True,
                              text=True, env={**self.environment, **environment})

    def succeed(self, *arguments, **options):
        result = self.run_program(*arguments, **options)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def fail(self, code, *arguments, **options):
        result = self.run_program(*arguments, **options)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(result.stdout, "")
        return result.stderr

    def set(self, state_id, state=None):
        self.succeed("set", "--force", state_id, json.dumps(state or STATE))

    def get(self, state_id):
        return json.loads(self.succeed("get", state_id))

    def stored(self):
        root = self.work / "state"
        return {str(file.relative_to(root)): file.read_bytes() for file in root.glob("*/state.json")}

    def editor(self, script):
        file = self.work / "editor"
        file.write_text("#!/bin/sh\n" + script)
        file.chmod(0o755)
        return {"VISUAL": str(file)}

    def test_no_answer_changes_nothing(self):
        for verb in (["set", "x", "{\"singer_state\": {}}"], ["copy", "y", "x"], ["move", "y", "x"], ["clear", "x"],
                     ["clear", "--all"], ["edit", "x"], ["rollback", "x", "1"]):
            self.set("x")
            self.set("y", {"singer_state": {"y": 1}})
            before = self.stored()
            for stdin in ("n\n", "", "y\n"):
                with self.subTest(verb=verb, stdin=stdin):
                    self.assertIn("--yes", self.fail(1, *verb, stdin=stdin))
                    self.assertEqual(self.stored(), before)

    def test_yes_on_a_terminal_goes_on_and_no_does_not(self):
        self.set("x")
        for typed, code, left in ((b"n\n", 1, 1), (b"y\n", 0, 0)):
            controller, terminal = pty.openpty()
            process = subprocess.Popen([PROGRAM, "state", "clear", "x"], cwd=self.work, env=self.environment,
                                       stdin=terminal, stdout=terminal, stderr=terminal)
            os.close(terminal)
            os.write(controller, typed)
            self.assertEqual(process.wait(timeout=30), code)
            os.close(controller)
            self.assertEqual(len(self.stored()), left)

    def test_get_is_the_input_of_set(self):
        self.set("x", {"singer_state": {"é": [1.50, 10**30, None], "b": {"z": 1, "a": 2}}})
        (self.work / "x.json").write_text(self.succeed("get", "x"))
        self.succeed("set", "--force", "y", "--input-file", "x.json")
        self.assertEqual(self.succeed("get", "x"), self.succeed("get", "y"))
        self.succeed("set", "--force", "z", "--input-file", "-", stdin=self.succeed("get", "x"))
        self.assertEqual(self.succeed("get", "x"), self.succeed("get", "z"))

    def test_number_text_survives(self):
        self.succeed("set", "--force", "x", '{"singer_state": {"a": 1.50, "b": 1E+2, "c": 12345678901234567890123}}')
        self.assertEqual(self.succeed("get", "x"),
                         '{"singer_state":{"a":1.50,"b":1E+2,"c":12345678901234567890123}}\n')

    def test_several_documents_are_refused_by_their_number(self):
        (self.work / "out").write_text('{"singer_state": {"a": 1}}\n{"singer_state": {"a": 2}}\n{"singer_sta')
        self.assertIn("3 lines, 2 of which", self.fail(1, "set", "--force", "x", "--input-file", "out"))

    def test_several_states_are_merged_in_order(self):
        self.set("x", {"singer_state": {"s": 5, "t": 1}})
        self.set("y", {"singer_state": {"s": 7}})
        before = self.stored()
        self.succeed("merge", "z", "--from-state-id", "x", "--from-state-id", "y")
        self.assertEqual(self.get("z"), {"singer_state": {"s": 7, "t": 1}})
        self.assertEqual({**self.stored(), **before}, self.stored())
        self.assertIn("nope", self.fail(1, "merge", "w", "--from-state-id", "x", "--from-state-id", "nope"))
        self.assertEqual(self.get("w"), {})

    def test_merge_takes_one_kind_of_source(self):
        for sources in ([], ["{}", "--input-file", "f"], ["{}", "--from-state-id", "x"]):
            self.assertIn("--from-state-id", self.fail(1, "merge", "z", *sources))

    def test_what_is_no_state_is_refused_by_its_fault(self):
        self.assertIn("singer_state", self.fail(1, "set", "--force", "x", '{"a": 1}'))
        self.assertIn("--no-validate", self.fail(1, "set", "--force", "x", '{"a": 1}'))
        self.assertIn("line 1", self.fail(1, "set", "--force", "x", "{"))
        self.assertIn("STATE, --input-file", self.fail(1, "set", "--force", "x"))
        self.assertIn("array", self.fail(2, "import", stdin="[1]"))
        self.assertEqual(self.stored(), {})

    def test_move_onto_itself_is_refused(self):
        self.set("x")
        before = self.stored()
        self.assertIn("x", self.fail(1, "move", "--force", "x", "x"))
        self.assertEqual(self.stored(), before)

    def test_an_edit_that_does_not_parse_is_kept(self):
        self.set("x")
        before = self.stored()
        error = self.fail(1, "edit", "--force", "x", **self.editor('printf "{" > "$1"\n'))
        kept = Path(error.rsplit("kept in ", 1)[1].strip())
        self.assertEqual(kept.read_text(), "{")
        self.assertEqual(self.stored(), before)

    def test_an_edit_beside_another_write_is_kept_and_shown(self):
        self.set("x")
        script = f'''printf '{{"singer_state": {{"mine": 1}}}}' > "$1"
cd {self.work} && {PROGRAM} state set --force x '{{"singer_state": {{"theirs": 1}}}}' 2>/dev/null'''
        self.assertIn("theirs", self.fail(1, "edit", "--yes", "x", **self.editor(script)))
        self.assertEqual(self.get("x"), {"singer_state": {"theirs": 1}})

    def test_an_edit_that_changes_nothing_writes_nothing(self):
        self.set("x")
        for script, text in (("true", "Edit cancelled"), ('printf " " > "$1"', "Empty content"),
                             ('printf \'{"singer_state": {"bookmarks": {"orders": {"id": 17}}}}\' > "$1"', "No changes")):
            result = self.run_program("edit", "--force", "x", **self.editor(script))
            self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)
            self.assertIn(text, result.stderr)
        self.assertEqual(len(json.loads(self.succeed("history", "x", "--json"))), 1)
        self.assertEqual(list(self.work.glob("tidemark-edit-*")), [])

    def test_a_cleared_state_comes_back_unless_it_was_purged(self):
        self.set("x")
        self.succeed("clear", "--force", "x")
        self.assertEqual(self.get("x"), {})
        self.succeed("rollback", "--force", "x", "1")
        self.assertEqual(self.get("x"), STATE)
        self.succeed("clear", "--force", "--purge", "x")
        self.assertIn("history", self.fail(1, "rollback", "--force", "x", "1"))

    def test_history_and_diff_show_who_changed_what(self):
        self.set("x")
        self.set("x", {"singer_state": {"bookmarks": {"orders": {"id": 18}}}})
        first, second = json.loads(self.succeed("history", "x", "--json"))
        self.assertEqual((first["revision"], second["revision"], second["parent"]), (1, 2, first["hash"]))
        self.assertEqual(second["operation"], "state set")
        lines = "- completed.singer_state.bookmarks.orders.id: 17\n+ completed.singer_state.bookmarks.orders.id: 18\n"
        for revisions in ([], ["1"], ["1", "2"], [first["hash"][:8]]):
            self.assertEqual(self.succeed("diff", "x", *revisions), lines)
        self.assertIn("no revision 9", self.fail(1, "diff", "x", "9"))

    def test_reading_makes_nothing(self):
        for verb in (["list"], ["get", "x"], ["export"], ["locks"]):
            self.succeed(*verb)
        self.assertEqual(sorted(path.name for path in self.work.iterdir()), ["tidemark.yml"])

    def test_ids_that_leave_the_store_are_refused(self):
        for state_id in ("../x", "/etc/x", "a/../../x", ".tidemark", ""):
            with self.subTest(state_id=state_id):
                self.fail(1, "set", "--force", state_id, json.dumps(STATE))

    def test_outside_of_a_project_a_store_must_be_named(self):
        (self.work / "tidemark.yml").unlink()
        self.assertIn("--state-backend-uri", self.fail(1, "list"))
        uri = f"file://{self.work}/other"
        self.succeed("set", "--force", "x", json.dumps(STATE), "--state-backend-uri", uri)
        self.assertEqual(self.succeed("list", TIDEMARK_STATE_BACKEND_URI=uri), "x\n")
        self.assertEqual(self.succeed("list", MELTANO_STATE_BACKEND_URI=uri), "x\n")

    def test_two_writers_lose_nothing(self):
        def write(stream):
            for number in range(20):
                self.succeed("merge", "x", json.dumps({"singer_state": {"bookmarks": {stream: number}}}))
        writers = [threading.Thread(target=write, args=(stream,)) for stream in ("a", "b")]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        self.assertEqual(self.get("x"), {"singer_state": {"bookmarks": {"a": 19, "b": 19}}})


if __name__ == "__main__":
    unittest.main()
