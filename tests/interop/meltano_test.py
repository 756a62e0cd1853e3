"""tidemark and Meltano on one state store: each reads, lists, changes and clears what the other wrote.

Run by build/venv-meltano with the program's path in TIDEMARK_PROGRAM.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
PROGRAM = os.environ["TIDEMARK_PROGRAM"]
FIRST = {"singer_state": {"bookmarks": {"é": {"n": 1.50}, "b": [1, None, True]}}}


class Meltano:
    """One long-lived process, since each start takes seconds."""

    def __init__(self, folder, environment):
        self.folder = str(folder)
        self.process = subprocess.Popen([sys.executable, TOP / "tests/interop/meltano_driver.py"], cwd=folder,
                                        env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)

    def __call__(self, *command):
        self.process.stdin.write(json.dumps([self.folder, *command]) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise AssertionError(answer["error"])
        return answer["result"]

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


class Interchange:
    """The same on each store; `uri` is the store's, `{work}` the folder of the test."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = Path(folder.name)
        (self.work / "meltano.yml").write_text("project_id: 00000000-0000-4000-8000-000000000001\n"
                                               "environments:\n- name: dev\n")
        self.environment = {**os.environ, "NO_COLOR": "1", "XDG_CACHE_HOME": str(self.work / "cache"),
                            "MELTANO_SEND_ANONYMOUS_USAGE_STATS": "false",
                            "MELTANO_STATE_BACKEND_URI": self.uri.format(work=self.work)}

    def meltano(self):
        driver = Meltano(self.work, self.environment)
        self.addCleanup(driver.close)
        return driver

    def tidemark(self, *arguments, code=0):
        result = subprocess.run([PROGRAM, "state", *arguments], cwd=self.work, env=self.environment,
                                capture_output=True, text=True)
        self.assertEqual(result.returncode, code, result.stderr)
        return result.stdout

    def get(self, state_id):
        return json.loads(self.tidemark("get", state_id))

    def test_a_store_made_by_tidemark_opens_in_meltano(self):
        self.tidemark("set", "--force", "dev:a", json.dumps(FIRST))
        meltano = self.meltano()
        self.assertEqual(meltano("list"), ["dev:a"])
        self.assertEqual(meltano("get", "dev:a"), FIRST)
        meltano("set", "dev:a", {"singer_state": {"by": "meltano"}})
        self.assertEqual(self.get("dev:a"), {"singer_state": {"by": "meltano"}})

    def test_each_reads_changes_and_clears_what_the_other_wrote(self):
        meltano = self.meltano()
        meltano("set", "dev:a", FIRST)
        self.assertEqual(self.get("dev:a"), FIRST)
        self.assertEqual(self.tidemark("list"), "dev:a\n")
        self.tidemark("merge", "dev:a", json.dumps({"singer_state": {"bookmarks": {"c": 1}}}))
        meltano("merge", "dev:a", {"singer_state": {"bookmarks": {"d": 2}}})
        both = {"singer_state": {"bookmarks": {**FIRST["singer_state"]["bookmarks"], "c": 1, "d": 2}}}
        self.assertEqual(meltano("get", "dev:a"), both)
        self.assertEqual(self.get("dev:a"), both)
        self.assertEqual(json.loads(self.tidemark("export")), meltano("export"))
        self.tidemark("copy", "--force", "dev:a", "dev:b")
        self.assertEqual(meltano("get", "dev:b"), both)
        meltano("clear", "dev:b")
        self.assertEqual(self.tidemark("list"), "dev:a\n")
        self.tidemark("clear", "--force", "dev:a")
        self.assertEqual(meltano("list"), [])
        self.assertEqual(meltano("get", "dev:a"), {})

    def test_the_history_tells_what_meltano_wrote(self):
        self.tidemark("set", "--force", "dev:a", json.dumps(FIRST))
        self.meltano()("set", "dev:a", {"singer_state": {"by": "meltano"}})
        entries = json.loads(self.tidemark("history", "dev:a", "--json"))
        self.assertEqual([entry["is_foreign"] for entry in entries], [False, True])
        self.tidemark("rollback", "--force", "dev:a", "1")
        self.assertEqual(self.get("dev:a"), FIRST)


class LockObjects:
    """A `lock` of either makes the other wait."""

    def test_tidemark_waits_for_a_lock_of_meltano(self):
        lock = self.lock_of("dev:a")
        lock.write(f"{time.time()}")
        threading.Timer(2, lock.remove).start()
        start = time.monotonic()
        self.tidemark("set", "--force", "dev:a", json.dumps(FIRST))
        self.assertGreater(time.monotonic() - start, 1.5)

    def test_meltano_waits_for_a_lock_of_tidemark(self):
        meltano = self.meltano()
        meltano("list")
        lock = self.lock_of("dev:a")
        lock.write(f"{time.time():.6f}0123456789")
        threading.Timer(2, lock.remove).start()
        start = time.monotonic()
        meltano("set", "dev:a", FIRST)
        self.assertGreater(time.monotonic() - start, 1.5)


class FileLock:
    def __init__(self, file):
        self.file = file

    def write(self, text):
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(text)

    def remove(self):
        self.file.unlink()


class SqliteTest(Interchange, unittest.TestCase):
    uri = "systemdb"


class FileTest(Interchange, LockObjects, unittest.TestCase):
    uri = "file://{work}/state"

    def lock_of(self, state_id):
        return FileLock(self.work / "state" / state_id / "lock")


if __name__ == "__main__":
    unittest.main()
