"""Stores that fail while a state is saved: services that refuse, connections that break, a full disk, a directory that
cannot be written, clocks that are an hour apart. What was acknowledged stays, what is said to have failed or met a
conflict names store and operation, and nobody waits for ever."""

import collections
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from fault_proxy import Proxy, StreamProxy
from processes import IS_LONG, WRITER, Writer, all_at_once, bookmarks, possible_last
from stores import STORES

# Waits between tries are so much shorter; time-outs of requests (5 s) and of answers (30 s) are not.
RATE = 10
# Of one save: three tries of a request that nobody answers, and what else may hang behind it.
LONGEST_SAVE = 60


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def saved(self, save):
        self.assertEqual(save.outcome, "saved", save)

    def check_after(self, writer, state_id, save, place):
        """What became of a save of n = 2 over n = 1 under a fault."""
        self.assertLess((save.ended - save.begun) / 1e9, LONGEST_SAVE, save)
        number = bookmarks(writer.get(state_id))["w"]["n"]
        if save.outcome == "saved":
            self.assertEqual(number, 2, save)
        elif save.outcome == "refused":
            self.assertEqual(number, 1, save)
        else:
            self.assertIn(number, (1, 2), save)
            self.assertRegex(save.why, rf"(get|put|remove|load|save|ask the time)\b.* in {place}", save)


class HttpFaults:
    """The same on each service."""

    once = ("500", "503", "409", "reset", "drop", "lie", "half")
    # They take as long as a request may.
    silent = ("hang", "late")
    verbs = ("update", "set", "run") if IS_LONG else ("update", "set")

    def setUp(self):
        super().setUp()
        self.place = STORES[self.store](self.folder)

    def proxy(self):
        proxy = Proxy(self.place.address())
        self.addCleanup(proxy.close)
        return proxy, self.place.through(proxy.address)

    def count_requests(self, verb):
        proxy, store = self.proxy()
        with Writer(store, rate=RATE) as writer:
            self.saved(writer.save(f"update dev:{verb} w 1"))
            proxy.start()
            self.saved(writer.save(f"{verb} dev:{verb} w 2"))
        self.assertTrue(proxy.log, "the writer goes past the proxy")
        return proxy.log

    def test_one_fault_at_each_request(self):
        requests = {verb: self.count_requests(verb) for verb in self.verbs}
        cases = [(verb, fault, number + 1)
                 for verb, log in requests.items() for number, request in enumerate(log)
                 for fault in (*self.once, *self.silent)
                 if fault in self.once or IS_LONG or request.method in ("PUT", "POST")]
        outcomes = collections.Counter()

        def work(mine):
            proxy, store = self.proxy()
            with Writer(store, rate=RATE) as writer:
                for verb, fault, number in mine:
                    with self.subTest(verb=verb, fault=fault, request=number):
                        outcomes[fault, self.one_fault(proxy, writer, verb, fault, number)] += 1

        workers = 8
        all_at_once([lambda at=at: work(cases[at::workers]) for at in range(workers)])
        print(f"{self.store}: {dict(outcomes)}", file=sys.stderr)
        self.assertEqual(sum(outcomes.values()), len(cases))

    def one_fault(self, proxy, writer, verb, fault, number):
        state_id = f"dev:{verb}-{fault}-{number}"
        proxy.start()
        self.saved(writer.save(f"update {state_id} w 1"))
        proxy.start(lambda request: fault if request.number == number else "")
        save = writer.save(f"{verb} {state_id} w 2")
        proxy.start()
        self.check_after(writer, state_id, save, self.place.options()["uri"])
        self.saved(writer.save(f"update {state_id} w 3"))
        self.assertEqual(bookmarks(writer.get(state_id))["w"], {"n": 3})
        return save.outcome

    def test_a_service_that_is_down_is_said_so(self):
        proxy, store = self.proxy()
        with Writer(store, rate=RATE) as writer:
            self.saved(writer.save("update dev:x w 1"))
            for fault in ("500", "503", "409", "reset", "drop", "lie"):
                proxy.start(lambda request, fault=fault: fault)
                save = writer.save("update dev:x w 2")
                self.assertEqual(save.outcome, "failed", (fault, save))
                proxy.start()
                self.check_after(writer, "dev:x", save, self.place.options()["uri"])
                self.saved(writer.save("update dev:x w 1"))

    def test_writers_over_a_bad_network_lose_nothing(self):
        count, updates, seed = (8, 100, random.randrange(10**6)) if IS_LONG else (4, 20, 1)
        dice = random.Random(seed)
        proxy, store = self.proxy()
        proxy.start(lambda request: dice.choice(self.once) if dice.random() < 0.05 else "")
        writers = [Writer(store, f"w{number}", rate=RATE) for number in range(count)]
        saves = all_at_once([lambda writer=writer: writer.saves(f"update dev:x {writer.name} 1 {updates}")
                             for writer in writers])
        proxy.start()
        state = bookmarks(writers[0].get("dev:x"))
        for writer, of_one in zip(writers, saves):
            writer.end()
            acknowledged = max((save.number for save in of_one if save.outcome == "saved"), default=0)
            self.assertGreaterEqual(state[writer.name]["n"], acknowledged, f"seed {seed}")
            self.assertGreater(acknowledged, 0, of_one)
        self.assertIn(state["shared"]["by"], possible_last(sum(saves, [])), f"seed {seed}")
        print(f"{self.store}: {collections.Counter(save.outcome for save in sum(saves, []))}", file=sys.stderr)


class S3Test(HttpFaults, Case):
    store = "s3"


class GcsTest(HttpFaults, Case):
    store = "gcs"


class AzureTest(HttpFaults, Case):
    store = "azure"


class PostgresTest(Case):
    """Faults at each piece of what a client sends."""

    def test_one_fault_at_each_message(self):
        place = STORES["postgres"](self.folder)
        # A silent server is waited for 30 s.
        faults = ("reset", "drop", "hang") if IS_LONG else ("reset", "drop")
        outcomes = collections.Counter()

        def work(verb, fault):
            proxy = StreamProxy(place.address())
            self.addCleanup(proxy.close)
            store = STORES["postgres"].__new__(STORES["postgres"])
            store.__dict__.update(place.__dict__)
            store.options = lambda: place.options(f"127.0.0.1:{proxy.address[1]}")
            number, is_hit = 0, True
            while is_hit:
                number, is_hit = number + 1, False
                state_id = f"dev:{verb}-{fault}-{number}"
                with self.subTest(verb=verb, fault=fault, piece=number):
                    # A new process, so that its first connection is counted too.
                    proxy.start()
                    with Writer(store, rate=RATE) as writer:
                        self.saved(writer.save(f"update {state_id} w 1"))
                        proxy.start(fault, number)
                        save = writer.save(f"{verb} {state_id} w 2")
                        is_hit = proxy.count >= number
                        proxy.start()
                        self.check_after(writer, state_id, save, "postgresql://")
                        self.saved(writer.save(f"update {state_id} w 3"))
                        outcomes[fault, save.outcome] += is_hit

        all_at_once([lambda pair=(verb, fault): work(*pair) for verb in ("update", "set") for fault in faults])
        print(f"postgres: {dict(outcomes)}", file=sys.stderr)
        self.assertGreater(outcomes["drop", "saved"], 0)


class DiskTest(Case):
    """A disk that is full from some step on, and then has room again."""

    def test_a_disk_that_fills_up_at_each_step(self):
        for name in ("file", "sqlite"):
            folder = self.folder / name
            folder.mkdir()
            store = STORES[name](folder)
            place = store.options()["uri" if name == "file" else "database_uri"]
            outcomes = collections.Counter()
            for verb in ("update", "set"):
                step, steps = 0, 1
                with Writer(store, rate=RATE) as writer:
                    while step < steps:
                        step += 1
                        state_id = f"dev:{verb}{step}"
                        with self.subTest(store=name, verb=verb, step=step):
                            self.saved(writer.save(f"update {state_id} w 1"))
                            writer(f"full_at {step}")
                            save = writer.save(f"{verb} {state_id} w 2")
                            steps = int(writer("effects")[0].split()[1])
                            writer("full_at 0")
                            self.check_after(writer, state_id, save, place)
                            self.saved(writer.save(f"update {state_id} w 3"))
                            outcomes[save.outcome] += 1
            print(f"{name}: {dict(outcomes)}", file=sys.stderr)
            self.assertGreater(outcomes["failed"], 0)

    def test_a_full_file_system(self):
        disk = self.folder / "disk"
        disk.mkdir()
        mount = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "stress", disk], capture_output=True, text=True)
        if mount.returncode != 0:
            self.skipTest(f"no right to mount: {mount.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", disk], check=True)
        for name in ("file", "sqlite"):
            folder = disk / name
            folder.mkdir()
            with self.subTest(store=name), Writer(STORES[name](folder), rate=RATE) as writer:
                self.saved(writer.save("update dev:x w 1"))
                filler = disk / "filler"
                with filler.open("wb", buffering=0) as file:
                    for size in (4096, 1):
                        with self.assertRaises(OSError):
                            while True:
                                file.write(bytes(size))
                save = writer.save("update dev:x w 2")
                self.assertEqual(save.outcome, "failed", save)
                self.check_after(writer, "dev:x", save, "(file|sqlite):///")
                filler.unlink()
                self.saved(writer.save("update dev:x w 3"))

    def test_a_read_only_directory(self):
        for name in ("file", "sqlite"):
            folder = self.folder / name
            folder.mkdir()
            store = STORES[name](folder)
            with self.subTest(store=name):
                with Writer(store, rate=RATE) as writer:
                    self.saved(writer.save("update dev:x w 1"))
                # A program that anybody may run, where anybody may enter.
                program = shutil.copy(WRITER, self.folder / "writer")
                set_modes(self.folder, 0o555, 0o444)
                program.chmod(0o555)
                with Writer(store, rate=RATE, user=ordinary_user(), program=program) as writer:
                    save = writer.save("update dev:x w 2")
                    self.assertEqual(save.outcome, "failed", save)
                    self.assertIn("unauthorized", save.why)
                    self.check_after(writer, "dev:x", save, "(file|sqlite):///")
                set_modes(self.folder, 0o755, 0o644)
                with Writer(store, rate=RATE) as writer:
                    self.saved(writer.save("update dev:x w 3"))


def ordinary_user():
    """The superuser may write anywhere."""
    return 65534 if os.getuid() == 0 else None


def set_modes(folder, of_folders, of_files):
    for path in (folder, *folder.rglob("*")):
        path.chmod(of_folders if path.is_dir() else of_files)


class ClocksTest(Case):
    """Two hosts whose clocks are an hour off, one to each side."""

    def test_a_lease_and_the_saves_of_two_hosts(self):
        # A SQLite file is of one host.
        all_at_once([lambda name=name: self.two_hosts(name) for name in ("file", "postgres", "s3", "gcs", "azure")])

    def two_hosts(self, name):
        folder = self.folder / name
        folder.mkdir()
        store = STORES[name](folder)
        with self.subTest(store=name), Writer(store, "a", rate=RATE, clock=3600) as ahead, \
                Writer(store, "b", rate=RATE, clock=-3600, boot="another-boot") as behind:
            for holder, other in ((ahead, behind), (behind, ahead)):
                self.hand_over(holder, other, f"dev:{holder.name}")
            all_at_once([lambda: self.all_saved(ahead, "update dev:x a 1 10"),
                         lambda: self.all_saved(behind, "update dev:x b 1 10")])
            state = bookmarks(ahead.get("dev:x"))
            self.assertEqual((state["a"], state["b"]), ({"n": 10}, {"n": 10}))

    def all_saved(self, writer, command):
        self.assertEqual({save.outcome for save in writer.saves(command)}, {"saved"})

    def hand_over(self, holder, other, state_id):
        """The lease lives as long as it is renewed, and is over when it was released."""
        self.saved(holder.save(f"take {state_id}"))
        started = time.monotonic()
        other.send(f"run {state_id} {other.name} 1")
        # Longer than a lease lasts that nobody renews.
        while time.monotonic() - started < 75 / RATE:
            self.saved(holder.save(f"save {state_id} {holder.name} 1"))
            time.sleep(0.5)
        holder(f"release {state_id}")
        lines = other.expect("done")
        self.assertEqual([line.split()[0] for line in lines], ["begin", "held", "saved"], lines)
        waited = (int(lines[1].split()[2]) - int(lines[0].split()[2])) / 1e9
        self.assertGreater(waited, 70 / RATE)


if __name__ == "__main__":
    unittest.main()
