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

    def test_looking_changes_nothing(self):
        self.set("x")
        self.set("x", {"singer_state": {"y": 1}})
        (self.work / "state/foreign").mkdir()
        (self.work / "state/foreign/state.json").write_text('{"completed": {}}')

        def everything():
            return {path: (path.stat().st_mtime_ns, path.read_bytes() if path.is_file() else None)
                    for path in [self.work / "state", *(self.work / "state").rglob("*")]}
        before = everything()
        for verb in (["list"], ["get", "x"], ["show", "x"], ["history", "x"], ["history", "foreign"], ["diff", "x"],
                     ["export"], ["locks"], ["recover"]):
            with self.subTest(verb=verb):
                self.succeed(*verb)
                self.assertEqual(everything(), before)

    def test_what_cannot_be_read_can_be_replaced_and_is_kept(self):
        for state_id in ("x", "y"):
            self.set(state_id)
            (self.work / f"state/{state_id}/state.json").write_text('{"completed": {"singer')
        message = self.fail(1, "set", "x", json.dumps(STATE), "--yes")
        self.assertIn("state set --force", message)
        self.set("x", {"singer_state": {"a": 1}})
        self.assertEqual(self.get("x"), {"singer_state": {"a": 1}})
        self.succeed("clear", "y", "--yes")
        self.assertEqual(list(self.stored()), ["x/state.json"])
        for state_id in ("x", "y"):
            [kept] = (self.work / f"state/.tidemark/{state_id}").glob("unreadable-*")
            self.assertEqual(kept.read_text(), '{"completed": {"singer')

    def test_a_lease_that_cannot_be_read_is_listed_and_broken(self):
        self.set("x")
        lease = self.work / "state/.tidemark/x/lease.json"
        lease.parent.mkdir(exist_ok=True)
        for torn in ("torn", "torn" * 100):
            lease.write_text(torn)
            self.assertIn("unlock", self.fail(11, "clear", "x", "--yes"))
            self.assertIn("cannot be read", self.succeed("unlock", "x", "--yes"))
        lease.write_text("torn" * 100)
        self.assertIn("cannot be read", self.succeed("locks"))
        self.succeed("unlock", "x", "--yes")
        self.assertEqual(self.succeed("locks"), "")
        self.succeed("clear", "x", "--yes")

    def test_a_whole_import_is_looked_at_before_anything_is_written(self):
        file = {"x": {"completed": STATE}, "y": {"completed": 5}}
        message = self.fail(1, "import", "--force", stdin=json.dumps(file))
        self.assertIn("state y of the input: `completed` must be an object", message)
        self.assertEqual(self.stored(), {})

    def leave_unsaved(self, state_id, state, base, store=None):
        """What a run leaves behind that could not save."""
        folder = self.work / ".meltano/unsaved-states"
        folder.mkdir(parents=True, exist_ok=True)
        document = None if base is None else {"completed": {"singer_state": base}, "partial": {}}
        (folder / f"r1-{state_id}.json").write_text(json.dumps({
            "state_id": state_id, "who": "me@host", "operation": "run a b", "run_id": "r1",
            "time": "2026-11-30T12:45:00+00:00", "store": store or f"file://{self.work}/state", "strategy": "auto",
            "state": state, "base": document, "seen": base}))

    def test_what_a_run_could_not_save_is_listed_and_saved_later(self):
        self.assertEqual(self.succeed("recover"), "")
        self.set("x", {"singer_state": {"bookmarks": {"a": 5, "b": 1}}})
        self.leave_unsaved("x", {"bookmarks": {"a": 6, "b": 1}}, {"bookmarks": {"a": 5, "b": 1}})
        self.leave_unsaved("y", {"bookmarks": {"a": 1}}, None)
        self.set("x", {"singer_state": {"bookmarks": {"a": 5, "b": 2}}})
        before = self.stored()
        self.assertEqual([row["state_id"] for row in json.loads(self.succeed("recover", "--json"))], ["x", "y"])
        self.assertIn("bookmarks.a: 6", self.fail(1, "recover", "r1"))
        self.assertIn("r9", self.fail(1, "recover", "r9"))
        self.assertEqual(self.stored(), before)
        self.succeed("recover", "r1", "--yes")
        self.assertEqual(self.get("x"), {"singer_state": {"bookmarks": {"a": 6, "b": 2}}})
        self.assertEqual(self.get("y"), {"singer_state": {"bookmarks": {"a": 1}}})
        newest = json.loads(self.succeed("history", "x", "--json"))[-1]
        self.assertEqual((newest["operation"], newest["run_id"]), ("state recover", "r1"))
        self.assertEqual(self.succeed("recover"), "")

    def test_what_was_for_another_store_is_not_saved_here_by_chance(self):
        self.leave_unsaved("x", {"bookmarks": {"a": 6}}, None, "s3://elsewhere/states")
        self.assertIn("s3://elsewhere/states", self.fail(1, "recover", "r1", "--yes"))
        self.succeed("recover", "r1", "--force")
        self.assertEqual(self.get("x"), {"singer_state": {"bookmarks": {"a": 6}}})

    def inject(self, fault, *arguments):
        """Runs the program while the kernel answers calls as strace's --inject says."""
        command = ["strace", "-f", "-qq", "-o", str(self.work / "trace"), *fault, PROGRAM, "state", *arguments]
        # LeakSanitizer cannot work beside another tracer.
        return subprocess.run(command, cwd=self.work, capture_output=True, text=True,
                              env={**self.environment, "ASAN_OPTIONS": "detect_leaks=0"})

    def test_a_file_system_without_hard_links_serves_by_its_renames(self):
        links = ["-e", "inject=?link,linkat:error=EPERM"]
        result = self.inject(links, "set", "--force", "x", json.dumps(STATE))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.get("x"), STATE)
        both = ["-e", "inject=?link,linkat:error=EOPNOTSUPP", "-e", "inject=renameat2:error=EINVAL"]
        result = self.inject(both, "set", "--force", "y", json.dumps(STATE))
        self.assertEqual(result.returncode, 1)
        self.assertIn("neither hard links nor renames", result.stderr)
        self.assertEqual(list(self.stored()), ["x/state.json"])

    def test_a_file_that_goes_stale_is_read_again(self):
        self.set("x")
        for file in ("x/state.json", ".tidemark/x/history.jsonl"):
            for call in ("read", "openat,?open", "newfstatat,?lstat,?stat"):
                with self.subTest(file=file, call=call):
                    path = self.work / "state" / file
                    result = self.inject(["-P", str(path), "-e", f"inject={call}:error=ESTALE:when=1..3"],
                                         "show", "x", "--json")
                    self.assertEqual(result.returncode, 0, result.stderr)
                    self.assertEqual(json.loads(result.stdout)["completed"], STATE)

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
