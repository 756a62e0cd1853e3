"""A process that holds a state's lease and lock is killed, or stopped past its time, before each thing that it does
outside of itself: what it writes to files, and what it sends to servers. Time is faster: at ten times its speed a lease
lasts 6.5 s until it is taken, a lock 1.2 s."""

import collections
import contextlib
import signal
import sys
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from processes import IS_LONG, Unanswered, Writer, bookmarks
from stores import STORES

LEASE_SECONDS, LOCK_SECONDS = 60, 12
# Cases wait for most of their time.
CASES_AT_ONCE = 10


class HoldersTest:
    """The same on each backend; `store` names it, one step of `every` is taken in the short form. Where others are kept
    out by a lock of the kernel's for as long as a holder is stopped, `blocked_by` is what they are told."""

    every, rate, blocked_by = 4, 10, "nothing"

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.place = cls.new_place("all")
        cls.idle = collections.defaultdict(list)
        cls.addClassCleanup(lambda: [writer.end() for writers in cls.idle.values() for writer in writers])
        with cls.writer("first") as first:
            first.save("update dev:count first 1")
        with cls.writer("holder") as holder:
            holder("stop_at 0")
            cls.assert_saved(holder.save("run dev:count holder 1"))
            cls.steps = int(holder("effects")[0].split()[1])

    @classmethod
    def new_place(cls, name):
        folder = cls.folder / name
        folder.mkdir()
        return STORES[cls.store](folder)

    @classmethod
    def writer(cls, name, place=None, **options):
        return Writer(place or cls.place, name, rate=cls.rate, **options)

    @classmethod
    def place_of(cls, state_id):
        """Where the case of this ID is."""
        return cls.place

    @classmethod
    @contextlib.contextmanager
    def lasting(cls, place, boot=""):
        """A writer that lives as long as the class, for one case at a time: each start costs more than a save."""
        if place is not cls.place:
            with cls.writer("next", place, boot=boot) as writer:
                yield writer
            return
        try:
            writer = cls.idle[boot].pop()
        except IndexError:
            writer = cls.writer("next", boot=boot)
        yield writer
        cls.idle[boot].append(writer)

    @staticmethod
    def assert_saved(save):
        if save.outcome != "saved":
            raise AssertionError(f"{save.writer}: {save.outcome} {save.why}")
        return save

    def at_each_step(self, case, name, count=None):
        """case(state_id, step) in threads; each says what became of it."""
        count = self.steps if count is None else count
        steps = range(1, count + 1, 1 if IS_LONG else self.every)
        start, outcomes = time.monotonic(), collections.Counter()
        with ThreadPoolExecutor(CASES_AT_ONCE) as pool:
            running = {step: pool.submit(case, f"dev:{name}{step}", step) for step in steps}
            for step, future in running.items():
                with self.subTest(step=step):
                    outcomes[future.result()] += 1
        print(f"{self.store}: {name} at {len(steps)} of {count} steps in {time.monotonic() - start:.0f} s, "
              f"{dict(outcomes)}", file=sys.stderr)
        self.assertGreater(sum(outcomes.values()), outcomes["was done"], "no holder was stopped at any step")
        return outcomes

    def holder_at(self, place, state_id, step):
        """A holder that stopped there, unless it was done before."""
        with self.lasting(place) as first:
            self.assert_saved(first.save(f"update {state_id} first 1"))
        holder = self.writer("holder", place)
        holder(f"stop_at {step}")
        return holder, holder.stops(f"run {state_id} holder 1")

    def assert_old_or_new(self, document):
        state = bookmarks(document)
        new = {"first": {"n": 1}, "holder": {"n": 1}, "shared": {"by": "holder/1"}}
        old = {"first": {"n": 1}, "shared": {"by": "first/1"}}
        self.assertIn(state, (old, new))
        return state == new

    def killed(self, state_id, step, boot=""):
        """Whether it held the lease, and how long the next one waited for it."""
        place = self.place_of(state_id)
        holder, is_stopped = self.holder_at(place, state_id, step)
        holder.kill()
        held = is_stopped and any(line.startswith("held") for line in holder.lines)
        with self.lasting(place, boot) as following:
            was_new = self.assert_old_or_new(following.get(state_id))
            lines = following(f"run {state_id} next 1")
            self.assertEqual([line.split()[0] for line in lines], ["begin", "held", "saved"], lines)
            state = bookmarks(following.get(state_id))
        self.assertEqual(state["first"], {"n": 1})
        self.assertEqual(state["next"], {"n": 1})
        self.assertEqual("holder" in state, was_new)
        begun, got = (int(line.split()[2]) / 1e9 for line in lines[:2])
        return held, got - begun

    def test_after_a_kill_the_next_one_here_goes_on_at_once(self):
        def case(state_id, step):
            held, waited = self.killed(state_id, step)
            self.assertLess(waited, LEASE_SECONDS / 2 / self.rate)
            return "held" if held else "did not hold yet"

        outcomes = self.at_each_step(case, "killed")
        self.assertGreater(outcomes["held"], 0)

    def test_after_a_kill_the_next_one_elsewhere_waits_for_the_end_of_the_lease(self):
        def case(state_id, step):
            held, waited = self.killed(state_id, step, boot="another-boot")
            if held and step < self.steps / 2:
                self.assertGreater(waited, (LEASE_SECONDS - 20) / self.rate)
            return "held" if held else "did not hold yet"

        outcomes = self.at_each_step(case, "elsewhere")
        self.assertGreater(outcomes["held"], 0)

    def test_after_a_kill_in_the_first_save_of_a_store_the_next_one_goes_on(self):
        with self.writer("holder", self.new_place("count")) as holder:
            holder("stop_at 0")
            self.assert_saved(holder.save("update dev:x holder 1"))
            steps = int(holder("effects")[0].split()[1])

        def case(state_id, step):
            place = self.new_place(state_id)
            holder = self.writer("holder", place)
            holder(f"stop_at {step}")
            is_stopped = holder.stops("update dev:x holder 1")
            holder.kill()
            with self.writer("next", place) as following:
                was_new = "holder" in bookmarks(following.get("dev:x"))
                self.assert_saved(following.save("update dev:x next 1"))
                self.assertEqual("holder" in bookmarks(following.get("dev:x")), was_new)
            return "killed" if is_stopped else "was done"

        self.at_each_step(case, "first", steps)

    def test_a_holder_that_wakes_up_late_writes_nothing(self):
        self.at_each_step(self.late, "late")

    def late(self, state_id, step):
        place = self.place_of(state_id)
        holder, is_stopped = self.holder_at(place, state_id, step)
        if not is_stopped:
            holder.end()
            return "was done"
        with self.lasting(place) as following:
            try:
                found = following.get(state_id)
            except Unanswered as error:
                return self.blocked(state_id, holder, following, str(error))
            was_new = self.assert_old_or_new(found)
            take = following.save(f"take {state_id}")
            save = following.save(f"save {state_id} next 1") if take.outcome == "saved" else take
            if save.outcome != "saved":
                if take.outcome == "saved":
                    following(f"release {state_id}")
                self.assertEqual(save.outcome, "failed", save)
                return self.blocked(state_id, holder, following, save.why)
            after = following.get(state_id)
            holder.signal(signal.SIGCONT)
            (late,) = [line.split(" ", 3) for line in holder.expect("done") if not line.startswith("held")]
            self.assertEqual(following.get(state_id), after)
            self.assertEqual(bookmarks(after)["next"], {"n": 1})
            self.assertEqual("holder" in bookmarks(after), was_new)
            self.assertIn(late[0], ("saved", "refused", "failed") if was_new else ("refused", "failed"), late)
            following(f"release {state_id}")
            holder.end()
            self.assert_saved(following.save(f"run {state_id} next 2"))
            return f"{'saved before, ' if was_new else ''}{late[0]}"

    def blocked(self, state_id, holder, following, why):
        """Stopped with a lock of the kernel's or the database's in hand, it keeps others out for as long: they give up,
        naming who holds what, and nothing is lost."""
        self.assertRegex(why, self.blocked_by)
        holder.signal(signal.SIGCONT)
        holder.expect("done")
        holder.end()
        self.assert_saved(following.save(f"run {state_id} next 2"))
        self.assertEqual(bookmarks(following.get(state_id))["first"], {"n": 1})
        return "blocked"


class FileTest(HoldersTest, unittest.TestCase):
    store = "file"
    blocked_by = r"flock is held by (put|remove|another process)"


class SqliteTest(HoldersTest, unittest.TestCase):
    store = "sqlite"
    # `locking protocol`: it was stopped while it opened the database, and readers are kept out too.
    blocked_by = "in sqlite:////.* (database is locked|locking protocol)"

    @classmethod
    def place_of(cls, state_id):
        """A holder that was stopped keeps all others out of its file."""
        return cls.new_place(state_id)


class PostgresTest(HoldersTest, unittest.TestCase):
    # The server ends a client that was stopped in a transaction after 5 s, which do not pass faster.
    store, rate = "postgres", 4


class S3Test(HoldersTest, unittest.TestCase):
    store = "s3"


class GcsTest(HoldersTest, unittest.TestCase):
    store = "gcs"


class AzureTest(HoldersTest, unittest.TestCase):
    store = "azure"


class DeadMeltanoTest(unittest.TestCase):
    """A `lock` that a Meltano left behind, whatever its clock said."""

    def test_the_next_one_goes_on_within_its_time_out(self):
        for name in ("file", "s3", "gcs", "azure"):
            with tempfile.TemporaryDirectory() as folder:
                store = STORES[name](Path(folder))
                with Writer(store, rate=HoldersTest.rate) as writer:
                    for text in (f"{time.time()}", f"{time.time() - 3600}", f"{time.time() + 3600}", "no number", ""):
                        with self.subTest(store=name, lock=text):
                            store.write_lock("dev:x", text)
                            save = HoldersTest.assert_saved(writer.save("update dev:x w 1"))
                            waited = (save.ended - save.begun) / 1e9
                            self.assertGreater(waited, LOCK_SECONDS / HoldersTest.rate - 0.1)
                            self.assertLess(waited, LOCK_SECONDS / HoldersTest.rate + 10)


if __name__ == "__main__":
    unittest.main()
