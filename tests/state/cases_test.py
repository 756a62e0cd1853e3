"""What must hold for states where tools of this kind have failed. TIDEMARK_PROGRAM names the binary."""

import json
import os
import pty
import sqlite3
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

PROGRAM = os.environ["TIDEMARK_PROGRAM"]
SECRET = "s3cr3t-zz9"


def bookmarks(**streams):
    return {"singer_state": {"bookmarks": streams}}


class StateCases(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = Path(folder.name)
        self.root = self.work / "state"
        (self.work / "tidemark.yml").write_text("default_environment: dev\n")
        self.environment = {**os.environ, "NO_COLOR": "1", "XDG_CACHE_HOME": str(self.work / "cache"),
                            "HOME": str(self.work), "TIDEMARK_STATE_BACKEND_URI": f"file://{self.root}"}
        for name in [name for name in self.environment if name.startswith(("AWS_", "AZURE_", "GOOGLE_"))]:
            del self.environment[name]

    def start(self, *arguments, **options):
        environment = {**self.environment, **options.pop("environment", {})}
        return subprocess.run([PROGRAM, *arguments], cwd=self.work, env=environment, capture_output=True, text=True,
                              **{"stdin": subprocess.DEVNULL, **options})

    def succeed(self, *arguments, **options):
        result = self.start("state", *arguments, **options)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def fail(self, code, *arguments, **options):
        result = self.start("state", *arguments, **options)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(result.stdout, "")
        return result.stderr

    def set(self, state_id, state, *options):
        self.succeed("set", "--force", state_id, json.dumps(state), *options)

    def get(self, state_id, *options):
        return json.loads(self.succeed("get", state_id, *options))

    def hold(self, state_id):
        """A lease of another host that lives for a day."""
        record = self.root / ".tidemark" / state_id / "lease.json"
        record.parent.mkdir(parents=True, exist_ok=True)
        moment = "%Y-%m-%dT%H:%M:%S+00:00"
        record.write_text(json.dumps({
            "who": "ada@elsewhere", "host": "elsewhere", "boot_id": "b", "pid_namespace": 1, "pid": 12, "start_ticks": 3,
            "children": [], "operation": "run tap-x target-y", "run_id": "0192", "since": "2026-01-02T03:04:05+00:00",
            "expires": time.strftime(moment, time.gmtime(time.time() + 86400)), "fence": 1, "nonce": "00",
            "released": False}) + "\n")
        return record

    def on_terminal(self, *arguments, answer=b"", meanwhile=None):
        """What a terminal gets. The answer is typed, after meanwhile(), once there is a question."""
        controller, terminal = pty.openpty()
        process = subprocess.Popen([PROGRAM, *arguments], cwd=self.work, env=self.environment, stdin=terminal,
                                   stdout=terminal, stderr=terminal)
        os.close(terminal)
        shown = b""
        while True:
            try:
                piece = os.read(controller, 65536)
            except OSError:  # all of the other side is closed
                break
            if not piece:
                break
            shown += piece
            if answer and b"[y/N]" in shown:
                if meanwhile:
                    meanwhile()
                os.write(controller, answer)
                answer = b""
        os.close(controller)
        return process.wait(timeout=60), shown

    # What is stored.

    def test_an_empty_store_takes_a_first_state(self):
        for uri in (f"file://{self.work}/new", "systemdb"):
            for verb in ("set", "merge"):
                options = ("--state-backend-uri", uri)
                force = ("--force",) if verb == "set" else ()
                result = self.start("state", verb, *force, verb, json.dumps(bookmarks(a=1)), *options)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertNotRegex(result.stderr, "(?i)not found|no such|error|warning")
                self.assertEqual(self.get(verb, *options), bookmarks(a=1))

    def test_a_merge_keeps_the_streams_that_it_does_not_name(self):
        self.set("x", bookmarks(a=5, b=9))
        self.succeed("merge", "x", json.dumps(bookmarks(a=7, c=3)))
        self.assertEqual(self.get("x"), bookmarks(a=7, b=9, c=3))

    def test_a_merge_of_nothing_wipes_nothing(self):
        self.set("x", bookmarks(a=5))
        for nothing in ({}, {"bookmarks": {}}):
            self.succeed("merge", "x", json.dumps({"singer_state": nothing}))
            self.assertEqual(self.get("x"), bookmarks(a=5))

    def test_a_state_of_any_shape_is_kept_as_it_came(self):
        shapes = ['{"bookmarks":{"public-a.b-c":{"v":1}}}', '{"last_id":17}', '{}', '{"currently_syncing":null}',
                  '{"type":"GLOBAL","global":{"shared_state":{"cdc":"0/16B3748"},"stream_states":[{"n":"a"}]}}',
                  '{"bookmarks":{"a":{"partitions":[{"context":{"id":1},"v":1.50}]}},"x":[1,[2],{}]}']
        for number, shape in enumerate(shapes):
            text = f'{{"singer_state":{shape}}}\n'
            self.succeed("set", "--force", f"set{number}", text)
            self.assertEqual(self.succeed("get", f"set{number}"), text)
            self.succeed("merge", f"merge{number}", text)
            self.assertEqual(self.succeed("get", f"merge{number}"), text)

    def test_a_start_can_be_set_before_anything_ran(self):
        self.set("dev:tap-x-to-target-y", bookmarks(orders={"replication_key_value": "2026-01-01"}))
        self.assertEqual(self.succeed("list"), "dev:tap-x-to-target-y\n")

    def test_the_store_is_exactly_the_place_that_is_named(self):
        place = self.work / "acme-data" / "data"  # the name of its parent ends with its own letters
        beside = ("--state-backend-uri", f"file://{place}2")
        inside = ("--state-backend-uri", f"file://{place}")
        self.set("a", bookmarks(a=1), *inside)
        self.set("z", bookmarks(z=1), *beside)
        self.assertTrue((place / "a" / "state.json").exists())
        self.assertEqual(self.succeed("list", *inside), "a\n")
        self.assertEqual(self.succeed("list", *beside), "z\n")

    def test_states_move_between_stores_by_a_pattern(self):
        database = ("--state-backend-uri", "systemdb")
        for state_id in ("prod:a", "prod:b", "dev:c"):
            self.set(state_id, bookmarks(id=state_id), *database)
        before = self.succeed("export", *database)
        self.succeed("migrate", "--from", "systemdb", "--to", f"file://{self.root}", "--pattern", "prod:*")
        self.assertEqual(self.succeed("list"), "prod:a\nprod:b\n")
        for state_id in ("prod:a", "prod:b"):
            self.assertEqual(self.succeed("get", state_id), self.succeed("get", state_id, *database))
        self.assertEqual(self.succeed("export", *database), before)

    def test_what_works_on_all_states_leaves_out_no_id_with_a_slash(self):
        self.set("team/a", bookmarks(a=1))
        self.set("b", bookmarks(b=1))
        self.assertEqual(sorted(json.loads(self.succeed("export"))), ["b", "team/a"])
        self.succeed("clear", "--all", "--force")
        self.assertEqual(self.succeed("export"), "{}\n")

    def test_a_directory_of_states_may_be_elsewhere(self):
        for name in ("disk", "other"):
            (self.work / name).mkdir()
        self.root.symlink_to(self.work / "disk")
        (self.work / "disk" / "x").symlink_to(self.work / "other")
        self.set("x", bookmarks(a=1))
        self.succeed("merge", "x", json.dumps(bookmarks(b=2)))
        self.assertEqual(self.get("x"), bookmarks(a=1, b=2))
        self.assertTrue((self.work / "other" / "state.json").exists())
        self.assertEqual(self.succeed("list"), "x\n")
        self.succeed("clear", "--force", "x")
        self.assertTrue((self.work / "disk" / "x").is_symlink())
        self.assertEqual(self.get("x"), {})

    # Who works on it.

    def test_whoever_holds_a_state_is_named_with_code_11(self):
        self.set("x", bookmarks(a=1))
        self.set("y", bookmarks(a=2))
        self.hold("x")
        for verb in (("set", "x", json.dumps(bookmarks(a=3))), ("copy", "y", "x"), ("clear", "x")):
            result = self.start("--yes", "state", *verb)
            self.assertEqual(result.returncode, 11, result.stderr)
            for part in ("ada@elsewhere", "pid 12", "run tap-x target-y", "2026-01-02 03:04:05"):
                self.assertIn(part, result.stderr)
        self.assertEqual(self.get("x"), bookmarks(a=1))
        self.succeed("merge", "x", json.dumps(bookmarks(b=2)))
        self.assertEqual(self.get("x"), bookmarks(a=1, b=2))

    def test_a_migration_leaves_alone_what_somebody_works_on(self):
        self.set("x", bookmarks(a=1))
        self.set("y", bookmarks(a=2))
        self.hold("x")
        result = self.start("state", "migrate", "--to", f"file://{self.work}/new")
        self.assertEqual(result.returncode, 11, result.stderr)
        self.assertRegex(result.stdout, r"x: held by ada@elsewhere .*\ny: copied\n")
        self.assertEqual(self.succeed("list", "--state-backend-uri", f"file://{self.work}/new"), "y\n")

    def test_readers_and_writers_do_not_disturb_each_other(self):
        self.set("x", bookmarks(a=0))
        stop = threading.Event()
        read = []

        def look():
            while not stop.is_set():
                read.append(self.start("state", "get", "x"))

        reader = threading.Thread(target=look)
        reader.start()
        for number in range(15):
            self.succeed("merge", "x", json.dumps(bookmarks(a=number)))
        stop.set()
        reader.join()
        values = [json.loads(result.stdout)["singer_state"]["bookmarks"]["a"] for result in read]
        self.assertEqual([result.returncode for result in read], [0] * len(read))
        self.assertEqual(values, sorted(values))

    # What is asked and said.

    def test_a_closed_input_answers_no_question(self):
        self.set("x", bookmarks(a=1))
        self.set("y", bookmarks(a=2))
        for verb in ("set x {}", "copy y x", "move y x", "clear x", "clear --all"):
            result = subprocess.run(["sh", "-c", f'exec "$0" state {verb} <&-', PROGRAM], cwd=self.work,
                                    env=self.environment, capture_output=True, text=True)
            self.assertEqual(result.returncode, 1, verb + result.stderr)
            self.assertEqual((self.get("x"), self.get("y")), (bookmarks(a=1), bookmarks(a=2)), verb)

    def test_a_state_that_is_gone_meanwhile_is_cleared(self):
        for state_id in ("a", "b", "c"):
            self.set(state_id, bookmarks(a=1))
        code, shown = self.on_terminal("state", "clear", "--all", answer=b"y\n",
                                       meanwhile=lambda: self.succeed("clear", "--force", "b"))
        self.assertEqual(code, 0, shown)
        self.assertIn(b"2 state(s) were successfully cleared", shown)
        self.assertEqual(self.succeed("list"), "")

    def test_several_lines_are_counted_wherever_one_document_is_read(self):
        lines = '{"singer_state": {"a": 1}}\n{"singer_state": {"a": 2}}\n{"singer_sta'
        (self.work / "out").write_text(lines)
        for verb in (("set", "--force", "x", "--input-file", "out"), ("merge", "x", "--input-file", "out"),
                     ("import", "out"), ("set", "--force", "x", lines)):
            self.assertIn("3 lines, 2 of which", self.fail(1, *verb))
        self.assertEqual(self.succeed("list"), "")

    def test_looking_changes_nothing(self):
        self.set("x", bookmarks(a=1))

        def files():
            return {str(path): path.stat().st_mtime_ns for path in self.work.rglob("*")}

        before = files()
        for verb in (["list"], ["get", "x"], ["get", "nope"], ["show", "x"], ["history", "x"], ["diff", "x"], ["export"],
                     ["locks"], ["migrate", "--to", f"file://{self.work}/new", "--dry-run"]):
            self.succeed(*verb)
            self.assertEqual(files(), before, verb)

    def test_json_logs_are_an_object_a_line(self):
        self.set("x", bookmarks(a=1))
        self.hold("x")
        for arguments in (("state", "set", "x", "{}"), ("state", "clear", "x"), ("state", "get", "../x"),
                          ("state", "nope"), ("state", "set", "--force", "x", "{"), ("state", "show", "nope")):
            result = self.start("--log-format", "json", *arguments)
            self.assertNotEqual(result.returncode, 0)
            self.assertEqual(result.stdout, "")
            self.assertTrue(result.stderr)
            for line in result.stderr.splitlines():
                self.assertIsInstance(json.loads(line), dict, line)

    def test_no_text_of_others_takes_control_of_a_terminal(self):
        self.set("x", bookmarks(a="\x1b[2J"))
        (self.root / "x" / "lock").write_text("1\x1b]0;title\x07\nerror: all is lost")
        record = self.hold("y")
        record.write_text(record.read_text().replace("ada@", "\\u001b[31mada\\n@"))
        self.set("\x1b[2J", bookmarks(a=1))
        for verb in (["locks"], ["list"], ["show", "x"], ["get", "x"], ["unlock", "y"], ["clear", "--all"]):
            _, shown = self.on_terminal("state", *verb, answer=b"n\n")
            self.assertTrue(shown)
            self.assertNotIn(b"\x1b", shown, verb)
            self.assertNotIn(b"\nerror: all", shown, verb)
        self.assertIn("\x1b[2J\n", self.succeed("list"), "a program gets the ID as it is")

    # A store that does not answer.

    def test_a_store_that_does_not_answer_is_never_an_empty_one(self):
        keys = {"AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": SECRET}
        stores = [
            ("s3://bucket/at", "s3://bucket/at",
             {**keys, "TIDEMARK_STATE_BACKEND_S3_ENDPOINT_URL": "http://127.0.0.1:1"}),
            ("azure://box", "azure://box", {"TIDEMARK_STATE_BACKEND_AZURE_CONNECTION_STRING":
             "AccountName=a;AccountKey=czNjcjN0LXp6OQ==;BlobEndpoint=http://127.0.0.1:1/a"}),
            ("systemdb", "127.0.0.1", {"TIDEMARK_DATABASE_URI": f"postgresql://ada:{SECRET}@127.0.0.1:1/db",
                                       "TIDEMARK_DATABASE_MAX_RETRIES": "0"}),
        ]
        for uri, name, environment in stores:
            for verb in (["get", "x"], ["list"]):
                with self.subTest(uri=uri, verb=verb):
                    error = self.fail(1, *verb, "--state-backend-uri", uri, environment=environment)
                    self.assertIn(name, error)
                    self.assertNotIn(SECRET, error)

    def test_no_password_of_a_database_is_shown(self):
        for part in (f"ada:{SECRET}@", f"ada:{SECRET}%40x@", f"ada:p%40{SECRET}@", f":{SECRET}@"):
            uri = f"postgresql://{part}127.0.0.1:1/db"
            result = self.start("-vv", "state", "get", "x", "--state-backend-uri", "systemdb", "--database-uri", uri,
                                environment={"TIDEMARK_DATABASE_MAX_RETRIES": "0"})
            self.assertEqual(result.returncode, 1)
            self.assertIn("127.0.0.1", result.stderr)
            self.assertNotIn(SECRET, result.stderr + result.stdout)

    def test_a_setting_that_is_no_number_is_named_at_once(self):
        name = "MELTANO_STATE_BACKEND_LOCK_TIMEOUT_SECONDS"
        for value in ("10", "0.5"):
            self.succeed("list", environment={name: value})
        error = self.fail(1, "list", environment={name: "abc"})
        self.assertIn(name, error)
        self.assertIn("state_backend.lock_timeout_seconds: expected a number", error)

    def test_a_misspelt_setting_sends_no_state_elsewhere(self):
        (self.work / "tidemark.yml").write_text("state_backend:\n  url: file:///elsewhere\n")
        self.assertRegex(self.fail(1, "list"), r"tidemark.yml:2:\d+: .*did you mean 'state_backend.uri'")

    def test_a_failing_system_database_keeps_no_state_from_being_saved(self):
        database = self.work / "old.db"
        with sqlite3.connect(database) as connection:
            connection.execute("CREATE TABLE runs (other TEXT)")
        result = self.start("state", "set", "--force", "x", json.dumps(bookmarks(a=1)), "--database-uri",
                            f"sqlite:///{database}")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("warning: the edit of state x is not recorded", result.stderr)
        self.assertEqual(self.get("x"), bookmarks(a=1))


if __name__ == "__main__":
    unittest.main()
