"""tidemark and Meltano on one state store: each reads, lists, changes and clears what the other wrote.

On every kind of store that both know, each on a real server. Run by build/venv-meltano with the program's path in
TIDEMARK_PROGRAM. Meltano's own state service runs in one long-lived process, its command line where a command
does something that the service does not.
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
sys.path.insert(0, str(TOP / "tests/state"))
import stores  # noqa: E402
from meltano_process import Meltano  # noqa: E402
from proxies import Proxy  # noqa: E402

PROGRAM = os.environ["TIDEMARK_PROGRAM"]
FIRST = {"singer_state": {"bookmarks": {"é": {"n": 1.50}, "b": [1, None, True]}}}
ENVIRONMENT = {**os.environ, "NO_COLOR": "1", "MELTANO_SEND_ANONYMOUS_USAGE_STATS": "false",
               "MELTANO_CLI_DISABLE_VERSION_CHECK": "true"}


def setUpModule():
    global SERVICE
    SERVICE = Meltano()
    unittest.addModuleCleanup(SERVICE.end)


class Interchange:
    """The same on each store; `store_type` is the store's."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = Path(folder.name)
        self.store = self.store_type(self.work)
        (self.work / "meltano.yml").write_text(f"project_id: 00000000-0000-4000-8000-000000000001\n"
                                               f"environments:\n- name: dev\n{self.store.project()}\n")
        self.environment = {**ENVIRONMENT, **self.store.environment, "HOME": str(self.work),
                            "XDG_CACHE_HOME": str(self.work / "cache")}

    def meltano(self, *command):
        return SERVICE(self.work, *command)

    def run_command(self, *command, **environment):
        result = subprocess.run(command, cwd=self.work, env={**self.environment, **environment},
                                capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def tidemark(self, *arguments, **environment):
        return self.run_command(PROGRAM, "state", *arguments, **environment)

    def meltano_command(self, *arguments, **environment):
        return self.run_command(Path(sys.executable).with_name("meltano"), "state", *arguments, **environment)

    def editor(self, state):
        """An environment whose editor writes that state."""
        file = self.work / "editor"
        file.write_text(f"#!/bin/sh\ncat >\"$1\" <<'end'\n{json.dumps(state)}\nend\n")
        file.chmod(0o755)
        return {"EDITOR": str(file)}

    def get(self, state_id):
        return json.loads(self.tidemark("get", state_id))

    def set(self, state_id, state):
        self.tidemark("set", "--force", state_id, json.dumps(state))

    def stored(self, state_id):
        """What is stored of an ID, as the store has it."""
        if self.store.rows():
            return self.store.rows()[state_id]
        return {key: (text, self.store.content_type(key)) for key, text in self.store.objects().items()
                if f"{state_id}/" in key}

    def test_a_store_made_by_tidemark_opens_in_meltano(self):
        self.set("dev:a", FIRST)
        self.assertEqual(self.meltano("list"), ["dev:a"])
        self.assertEqual(self.meltano("get", "dev:a"), FIRST)
        self.meltano("set", "dev:a", {"singer_state": {"by": "meltano"}})
        self.assertEqual(self.get("dev:a"), {"singer_state": {"by": "meltano"}})

    def test_each_reads_changes_and_clears_what_the_other_wrote(self):
        self.meltano("set", "dev:a", FIRST)
        self.assertEqual(self.get("dev:a"), FIRST)
        self.assertEqual(self.tidemark("list"), "dev:a\n")
        self.tidemark("merge", "dev:a", json.dumps({"singer_state": {"bookmarks": {"c": 1}}}))
        self.meltano("merge", "dev:a", {"singer_state": {"bookmarks": {"d": 2}}})
        both = {"singer_state": {"bookmarks": {**FIRST["singer_state"]["bookmarks"], "c": 1, "d": 2}}}
        self.assertEqual(self.meltano("get", "dev:a"), both)
        self.assertEqual(self.get("dev:a"), both)
        self.assertEqual(json.loads(self.tidemark("export")), self.meltano("export"))
        self.tidemark("copy", "--force", "dev:a", "dev:b")
        self.assertEqual(self.meltano("get", "dev:b"), both)
        self.meltano("set", "dev:b", FIRST)
        self.tidemark("edit", "--force", "dev:b", **self.editor(both))
        self.assertEqual(self.meltano("get", "dev:b"), both)
        self.meltano("clear", "dev:b")
        self.assertEqual(self.tidemark("list"), "dev:a\n")
        self.tidemark("clear", "--force", "dev:a")
        self.assertEqual(self.meltano("list"), [])
        self.assertEqual(self.meltano("get", "dev:a"), {})

    def test_both_store_and_record_the_same(self):
        partial = {"singer_state": {"bookmarks": {"é": {"n": 2}, "c": "\"\\/\u007f\u2028😀"}}}
        self.meltano("set", "dev:m", FIRST)
        self.meltano("merge", "dev:m", partial)
        self.set("dev:t", FIRST)
        self.tidemark("merge", "dev:t", json.dumps(partial))
        ours, theirs = self.stored("dev:t"), self.stored("dev:m")
        self.assertTrue(ours)
        self.assertEqual(json.loads(json.dumps(ours).replace("dev:t", "dev:m")), json.loads(json.dumps(theirs)))
        edits = self.store.edits()
        self.assertEqual([edit[0] for edit in edits], ["dev:m", "dev:m", "dev:t", "dev:t"])
        self.assertEqual([edit[1:] for edit in edits[2:]], [edit[1:] for edit in edits[:2]])

    def test_the_history_tells_what_meltano_wrote(self):
        self.set("dev:a", FIRST)
        self.meltano("set", "dev:a", {"singer_state": {"by": "meltano"}})
        entries = json.loads(self.tidemark("history", "dev:a", "--json"))
        self.assertEqual([entry["is_foreign"] for entry in entries], [False, True])
        self.tidemark("rollback", "--force", "dev:a", "1")
        self.assertEqual(self.get("dev:a"), FIRST)

    def test_the_command_line_of_meltano_gets_it(self):
        self.set("dev:a", FIRST)
        self.assertEqual(self.meltano_command("get", "dev:a"), self.tidemark("get", "dev:a"))


class LockObjects:
    """A `lock` of either makes the other wait."""

    def test_tidemark_waits_for_a_lock_of_meltano(self):
        self.meltano("hold", "dev:a", 1.5)
        start = time.monotonic()
        self.set("dev:a", FIRST)
        self.assertGreater(time.monotonic() - start, 1)
        self.assertEqual(self.meltano("get", "dev:a"), FIRST)


class LocksInBuckets(LockObjects):
    def test_meltano_waits_for_a_lock_of_tidemark(self):
        self.meltano("list")
        proxy = Proxy(stores.server(self.server))
        self.addCleanup(proxy.close)
        proxy.start(lambda request: time.sleep(2) if is_removal_of_lock(request) else None)
        writer = threading.Thread(target=self.tidemark, args=("set", "--force", "dev:a", json.dumps(FIRST)),
                                  kwargs=self.store.through(proxy.url))
        writer.start()
        self.addCleanup(writer.join)
        while f"{self.store.prefix}/dev:a/state.json" not in self.store.keys():
            self.assertTrue(writer.is_alive())
            time.sleep(0.05)
        self.assertIn(f"{self.store.prefix}/dev:a/lock", self.store.keys())
        start = time.monotonic()
        self.meltano("merge", "dev:a", {"singer_state": {"by": "meltano"}})
        self.assertGreater(time.monotonic() - start, 1)
        self.assertEqual(self.meltano("get", "dev:a"), {"singer_state": {**FIRST["singer_state"], "by": "meltano"}})


def is_removal_of_lock(request):
    return request.method == "DELETE" and request.target.endswith("/lock")


class SqliteTest(Interchange, unittest.TestCase):
    store_type = stores.SqliteStore


class PostgresTest(Interchange, unittest.TestCase):
    store_type = stores.PostgresStore


class FileTest(Interchange, LockObjects, unittest.TestCase):
    store_type = stores.FileStore

    def test_meltano_waits_for_a_lock_of_tidemark(self):
        self.meltano("list")
        # As tidemark writes one; it holds it for too short a time to be met.
        self.store.put("dev:a/lock", f"{time.time():.6f}0123456789")
        threading.Timer(1, self.store.remove, ["dev:a/lock"]).start()
        start = time.monotonic()
        self.meltano("set", "dev:a", FIRST)
        self.assertGreater(time.monotonic() - start, 1)


class S3Test(Interchange, LocksInBuckets, unittest.TestCase):
    server, store_type = "s3", stores.S3Store

    def test_the_command_line_of_meltano_lists_edits_merges_and_clears(self):
        self.set("dev:a", FIRST)
        self.set("dev:b", FIRST)
        self.meltano_command("edit", "--force", "dev:a", **self.editor({"singer_state": {"edited": True}}))
        self.assertEqual(self.get("dev:a"), {"singer_state": {"edited": True}})
        self.meltano_command("merge", "dev:a", "--from-state-id", "dev:b")
        self.assertEqual(self.get("dev:a"), {"singer_state": {"edited": True, **FIRST["singer_state"]}})
        self.assertEqual(sorted(self.meltano_command("list").split()), ["dev:a", "dev:b"])
        self.meltano_command("clear", "--force", "dev:b")
        self.assertEqual(self.tidemark("list"), "dev:a\n")


class GcsTest(Interchange, LocksInBuckets, unittest.TestCase):
    server, store_type = "gcs", stores.GcsStore


class AzureTest(Interchange, LocksInBuckets, unittest.TestCase):
    server, store_type = "azure", stores.AzureStore


if __name__ == "__main__":
    unittest.main()
