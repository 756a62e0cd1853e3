"""A process that holds a state's lease and lock is killed, or stopped past its time, before each thing that it does
outside of itself: what it writes to files, and what it sends to servers. Time is faster: at ten times its speed a lease
lasts 6.5 s until it is taken, a lock 1.2 s.

All stores and steps side by side, for the cases wait for most of their time.
"""

import collections
import re
import signal
import sys
import tempfile
import time
import unittest
from dataclasses import dataclass
from pathlib import Path

from processes import Pool, Unanswered, Writer, all_at_once, bookmarks, each
from proxies import Proxy
from stores import STORES, server

LEASE_SECONDS, LOCK_SECONDS = 60, 12
RATE = 10
CASES_AT_ONCE = 32
# Other hosts, and containers of this one: a process there cannot be seen from here.
ELSEWHERE = ({"boot": "another-boot"}, {"other_pids": 1})


@dataclass
class Kind:
    name: str
    rate: int = RATE
    # Where others are kept out by a lock of the kernel's for as long as a holder is stopped: what they are told.
    blocked_by: str = "nothing"
    # Whether that lock is of the whole store, not of one state.
    blocks_all: bool = False
    # Whether the server, unlike its service, answers nobody while it waits for the rest of a request.
    is_patient: bool = False


KINDS = (Kind("file", blocked_by=r"flock is held by (put|remove|another process)"),
         # `locking protocol`: it was stopped while it opened the database, and readers are kept out too.
         Kind("sqlite", blocked_by="in sqlite:////.* (database is locked|locking protocol)", blocks_all=True),
         # The server ends a client that was stopped in a transaction after 5 s, which do not pass faster.
         Kind("postgres", rate=4), Kind("s3"), Kind("gcs", is_patient=True), Kind("azure"))


class Place:
    """A store that the cases share, and writers that live as long: each start costs more than a save."""

    def __init__(self, kind, folder):
        self.kind, self.folder = kind, folder
        # It passes on requests that are complete.
        self.proxy = Proxy(server(kind.name)) if kind.is_patient else None
        self.store = self.new_store("all")
        self.pools = {}
        with self.writer(self.store, "first") as first:
            assert_saved(first.save("update dev:count first 1"))
        with self.writer(self.store, "holder") as holder:
            holder("stop_at 0")
            assert_saved(holder.save("run dev:count holder 1"))
            self.steps = effects_of(holder)
        with self.writer(self.new_store("count"), "holder") as holder:
            holder("stop_at 0")
            assert_saved(holder.save("update dev:x holder 1"))
            self.steps_of_first_save = effects_of(holder)

    def close(self):
        for pool in self.pools.values():
            pool.close()
        if self.proxy:
            self.proxy.close()

    def new_store(self, name):
        folder = self.folder / name
        folder.mkdir(parents=True)
        store = STORES[self.kind.name](folder)
        return store.behind(self.proxy.url) if self.proxy else store

    def writer(self, store, name, **options):
        return Writer(store, name, rate=self.kind.rate, **options)

    def lend(self, store, **options):
        """A writer for one case at a time."""
        if store is not self.store:
            return self.writer(store, "next", **options)
        return self.pools.setdefault(str(options), Pool(lambda: self.writer(store, "next", **options))).lend()


class Case:
    """A holder that stopped at a step, unless it was done before."""

    def __init__(self, place, name, step):
        self.place, self.step = place, step
        self.id = f"dev:{name}{step}"
        self.store = place.new_store(self.id) if place.kind.blocks_all else place.store
        with place.lend(self.store) as first:
            assert_saved(first.save(f"update {self.id} first 1"))
        self.holder = place.writer(self.store, "holder")
        self.holder(f"stop_at {step}")
        # The lease is younger.
        self.begun = time.monotonic_ns()
        self.is_stopped = self.holder.stops(f"run {self.id} holder 1")
        self.is_holding = self.is_stopped and any(line.startswith("held") for line in self.holder.lines)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.holder.kill()

    def wake(self):
        """What it says of its save in the end."""
        self.holder.signal(signal.SIGCONT)
        *_, last = self.holder.expect("done")
        return last.split()[0]

    def is_over(self, save):
        """Whether the lease may have ended by itself before that."""
        return save.ended - self.begun > LEASE_SECONDS * 1e9 / self.place.kind.rate

    def sleep_until_over(self):
        end = self.begun / 1e9 + LEASE_SECONDS / self.place.kind.rate
        time.sleep(max(0.0, end - 0.5 - time.monotonic()))


class HoldersTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        places = all_at_once([lambda kind=kind: Place(kind, Path(folder.name) / kind.name) for kind in KINDS])
        cls.places = {place.kind.name: place for place in places}
        for place in places:
            cls.addClassCleanup(place.close)

    def at_each_step(self, case, steps="steps"):
        """case(place, step) for each store and step; what became of each: {store: [outcome of each step]}."""
        start = time.monotonic()
        # The slow ones begin first, and no store is asked for all of its steps at once.
        cases = sorted(((name, step) for name, place in self.places.items()
                        for step in range(1, getattr(place, steps) + 1)),
                       key=lambda pair: (self.places[pair[0]].kind.rate == RATE, pair[1]))
        found = each(self, cases, lambda name, step: case(self.places[name], step), CASES_AT_ONCE)
        outcomes = {name: [found.get((name, step)) for step in range(1, getattr(place, steps) + 1)]
                    for name, place in self.places.items()}
        for name, of_store in outcomes.items():
            print(f"{name}: {self._testMethodName[5:]}, {len(of_store)} steps, {dict(collections.Counter(of_store))}",
                  file=sys.stderr)
        print(f"{time.monotonic() - start:.0f} s", file=sys.stderr)
        return outcomes

    def assert_old_or_new(self, document):
        """Whether it is the new one."""
        state = bookmarks(document)
        new = {"first": {"n": 1}, "holder": {"n": 1}, "shared": {"by": "holder/1"}}
        old = {"first": {"n": 1}, "shared": {"by": "first/1"}}
        self.assertIn(state, (old, new))
        return state == new

    def save_next(self, following, case, was_new):
        """Under a lease that was taken, over what the holder left, which stays."""
        assert_saved(following.save(f"save {case.id} next 1"))
        state = bookmarks(following.get(case.id))
        self.assertEqual((state["first"], state["next"]), ({"n": 1}, {"n": 1}))
        self.assertEqual("holder" in state, was_new)

    def assert_held_without_gap(self, outcomes):
        """Once the lease is there nobody else gets it until it was released, whatever the step."""
        for name, of_store in outcomes.items():
            with self.subTest(store=name):
                waited = [step for step, outcome in enumerate(of_store) if outcome and outcome.startswith("waited")]
                self.assertGreater(len(waited), len(reached(of_store)) / 3)
                self.assertNotIn("at once", of_store[waited[0]:waited[-1]])

    def test_after_a_kill_the_next_one_here_goes_on_at_once(self):
        def killed(place, step):
            with Case(place, "killed", step) as case:
                pass
            with place.lend(case.store) as following:
                was_new = self.assert_old_or_new(following.get(case.id))
                # It waits for nobody.
                take = assert_saved(following.save(f"try {case.id}"))
                self.save_next(following, case, was_new)
                following(f"release {case.id}")
            return "at once" if case.is_holding and not case.is_over(take) else "not held"

        for name, of_store in self.at_each_step(killed).items():
            with self.subTest(store=name):
                self.assertGreater(of_store.count("at once"), len(of_store) / 3)

    def test_after_a_kill_the_next_one_elsewhere_waits_for_the_end_of_the_lease(self):
        def killed(place, step):
            with Case(place, "elsewhere", step) as case:
                pass
            with place.lend(case.store, **ELSEWHERE[step % 2]) as following:
                was_new = self.assert_old_or_new(following.get(case.id))
                outcome, take = self.take_from(case, following)
                assert_saved(take)
                self.save_next(following, case, was_new)
                following(f"release {case.id}")
            return outcome

        self.assert_held_without_gap(self.at_each_step(killed))

    def take_from(self, case, following):
        """Takes the lease when nobody has it, else not before its end."""
        take = following.save(f"try {case.id}")
        if take.outcome == "saved":
            return ("too late to tell" if case.is_over(take) else "at once"), take
        if re.search(case.place.kind.blocked_by, take.why):
            return "blocked", take
        if take.outcome == "refused":
            self.assertRegex(take.why, "lease of pid")
        case.sleep_until_over()
        take = following.save(f"take {case.id}")
        if take.outcome == "saved":
            self.assertTrue(case.is_over(take), take)
        return "waited", take

    def test_after_a_kill_in_the_first_save_of_a_store_the_next_one_goes_on(self):
        def killed(place, step):
            store = place.new_store(f"first{step}")
            holder = place.writer(store, "holder")
            holder(f"stop_at {step}")
            is_stopped = holder.stops("update dev:x holder 1")
            holder.kill()
            with place.writer(store, "next") as following:
                was_new = "holder" in bookmarks(following.get("dev:x"))
                assert_saved(following.save("update dev:x next 1"))
                self.assertEqual("holder" in bookmarks(following.get("dev:x")), was_new)
            return "killed" if is_stopped else "was done"

        for name, of_store in self.at_each_step(killed, "steps_of_first_save").items():
            with self.subTest(store=name):
                self.assertGreater(of_store.count("killed"), len(of_store) / 2)

    def test_a_holder_that_wakes_up_late_writes_nothing(self):
        outcomes = self.at_each_step(self.late)
        self.assert_held_without_gap(outcomes)
        for name, of_store in outcomes.items():
            with self.subTest(store=name):
                counts = collections.Counter(of_store)
                woken = sum(count for outcome, count in counts.items() if outcome and ", then" in outcome)
                self.assertGreater(counts["waited, then refused"] + counts["waited, then failed"], 0)
                self.assertGreater(woken, len(reached(of_store)) / 3)

    def late(self, place, step):
        with Case(place, "late", step) as case, place.lend(case.store) as following:
            if not case.is_stopped:
                return "was done"
            try:
                was_new = self.assert_old_or_new(following.get(case.id))
            except Unanswered as error:
                return self.blocked(case, following, str(error))
            outcome, take = self.take_from(case, following)
            save = following.save(f"save {case.id} next 1") if take.outcome == "saved" else take
            if save.outcome != "saved":
                self.assertEqual(save.outcome, "failed", save)
                if take.outcome == "saved":
                    following(f"release {case.id}")
                return self.blocked(case, following, save.why)
            return f"{outcome}, then {self.wake(case, following, was_new)}"

    def wake(self, case, following, was_new):
        """What the holder says of its save, now that another has gone on."""
        after = following.get(case.id)
        self.assertEqual(bookmarks(after)["next"], {"n": 1})
        self.assertEqual("holder" in bookmarks(after), was_new)
        late = case.wake()
        self.assertEqual(following.get(case.id), after)
        # What it had saved before it says so of; what it had not it must not.
        self.assertIn(late, ("saved", "refused", "failed") if was_new else ("refused", "failed"))
        # Nor has it touched the lease.
        assert_saved(following.save(f"save {case.id} next 2"))
        following(f"release {case.id}")
        return late

    def blocked(self, case, following, why):
        """Stopped with a lock of the kernel's or the database's in hand, it keeps others out for as long: they give up,
        naming who holds what, and nothing is lost."""
        self.assertRegex(why, case.place.kind.blocked_by)
        case.wake()
        assert_saved(following.save(f"run {case.id} next 2"))
        self.assertEqual(bookmarks(following.get(case.id))["first"], {"n": 1})
        return "blocked"


class DeadMeltanoTest(unittest.TestCase):
    """A `lock` that a Meltano left behind, whatever its clock said."""

    def test_the_next_one_goes_on_within_its_time_out(self):
        texts = (f"{time.time()}", f"{time.time() - 3600}", f"{time.time() + 3600}", "no number", "")
        with tempfile.TemporaryDirectory() as folder:
            stores = {}
            for name in ("file", "s3", "gcs", "azure"):
                (Path(folder) / name).mkdir()
                stores[name] = STORES[name](Path(folder) / name)

            def goes_on(name, text):
                state_id = f"dev:{texts.index(text)}"
                with Writer(stores[name], rate=RATE) as writer:
                    stores[name].put(f"{state_id}/lock", text)
                    save = assert_saved(writer.save(f"update {state_id} w 1"))
                waited = (save.ended - save.begun) / 1e9
                self.assertGreater(waited, LOCK_SECONDS / RATE - 0.1)
                self.assertLess(waited, LOCK_SECONDS / RATE + 10)

            cases = [(name, text) for name in stores for text in texts]
            each(self, cases, goes_on, CASES_AT_ONCE)


def reached(of_store):
    """Without the steps at which a stopped holder keeps all others out."""
    return [outcome for outcome in of_store if outcome != "blocked"]


def assert_saved(save):
    if save.outcome != "saved":
        raise AssertionError(f"{save.writer}: {save.outcome} {save.why}")
    return save


def effects_of(writer):
    return int(writer("effects")[0].split()[1])


if __name__ == "__main__":
    unittest.main()
