"""Many processes save into one state at once, on each backend: what was acknowledged stays."""

import os
import sys
import tempfile
import time
import unittest
from pathlib import Path

from processes import IS_LONG, Writer, all_at_once, bookmarks, possible_last
from stores import STORES

# Into one bookmark of each writer and one bookmark of all.
WRITERS, UPDATES = 32, 100
WRITERS_OF_BUCKETS, UPDATES_OF_BUCKETS = (32, 100) if IS_LONG else (8, 50)
# Nothing here rests on a disk, and the writers of one state would wait for it one behind the other.
MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else None


class WritersAtOnce:
    """The same on each backend; `store` names it."""

    writers, updates = WRITERS, UPDATES

    def test_what_was_acknowledged_stays(self):
        with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
            store = STORES[self.store](Path(folder))
            names = [f"w{number}" for number in range(self.writers)]
            writers = all_at_once([lambda name=name: Writer(store, name) for name in names])
            started = time.monotonic()
            saves = all_at_once([lambda writer=writer: writer.saves(f"update dev:x {writer.name} 1 {self.updates}")
                                 for writer in writers])
            self.report(sum(saves, []), time.monotonic() - started)
            state = bookmarks(writers[0].get("dev:x"))
            for writer in writers:
                writer.end()
        for name, of_one in zip(names, saves):
            self.assertEqual([save.why for save in of_one if save.outcome == "failed"], [])
            acknowledged = [save.number for save in of_one if save.outcome == "saved"]
            self.assertTrue(acknowledged, f"nobody let {name} save")
            self.assertEqual(state[name]["n"], acknowledged[-1], name)
        self.assertIn(state["shared"]["by"], possible_last(sum(saves, [])))

    def report(self, saves, seconds):
        counts = {outcome: sum(save.outcome == outcome for save in saves) for outcome in ("saved", "refused", "failed")}
        slowest = max(save.ended - save.begun for save in saves) / 1e9
        print(f"{self.store}: {self.writers} writers, {counts}, {seconds:.1f} s, the slowest save {slowest:.1f} s",
              file=sys.stderr)
        self.assertGreaterEqual(counts["saved"], 0.9 * self.writers * self.updates)


class FileTest(WritersAtOnce, unittest.TestCase):
    store = "file"


class SqliteTest(WritersAtOnce, unittest.TestCase):
    store = "sqlite"


class PostgresTest(WritersAtOnce, unittest.TestCase):
    store = "postgres"


class BucketTest(WritersAtOnce):
    writers, updates = WRITERS_OF_BUCKETS, UPDATES_OF_BUCKETS


class S3Test(BucketTest, unittest.TestCase):
    store = "s3"


class GcsTest(BucketTest, unittest.TestCase):
    store = "gcs"


class AzureTest(BucketTest, unittest.TestCase):
    store = "azure"


if __name__ == "__main__":
    unittest.main()
