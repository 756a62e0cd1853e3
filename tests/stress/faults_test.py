"""Stores that fail while a state is saved: services that refuse, connections that break, a full disk, a directory that
cannot be written, clocks that are an hour apart. Each fault has its right outcome, what fails names store and
operation, what was acknowledged stays, and nobody waits for ever."""

import collections
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from processes import IS_LONG, WRITER, Pool, Writer, all_at_once, bookmarks, each, possible_last
from proxies import Proxy, StreamProxy
from stores import STORES, server

# Waits between tries are so much shorter; time-outs of requests (5 s) and of answers (30 s) are not.
RATE = 10
BUCKETS = ("s3", "gcs", "azure")
# Faults that are over at once, and those that take as long as a request may.
QUICK = ("500", "503", "409", "reset", "drop", "lie", "half")
SILENT = ("hang", "late")
# Seconds that a save may take: with one fault, where a silent one takes one time-out; and under a fault that stays,
# where each try of a request takes one.
LONGEST = {**dict.fromkeys(QUICK, 10), **dict.fromkeys(SILENT, 20)}
LONGEST_OUTAGE = {**dict.fromkeys(QUICK, 20), "hang": 60}
# Of one message to PostgreSQL, which is waited for as long as locks may be, and 2 s more.
LONGEST_MESSAGE = 30
CASES_AT_ONCE = 12


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def new_store(self, name):
        folder = self.folder / name
        folder.mkdir()
        return STORES[name](folder)

    def new_proxy(self, name, kind=Proxy):
        proxy = kind(server(name))
        self.addCleanup(proxy.close)
        return proxy

    def saved(self, save):
        self.assertEqual(save.outcome, "saved", save)

    def check(self, writer, state_id, save, place, right, longest):
        """Of a save of n = 2 over n = 1 under a fault: its outcome is `right`, and true; another one works."""
        self.assertEqual(save.outcome, right, save)
        self.assertLess((save.ended - save.begun) / 1e9, longest, save)
        number = bookmarks(writer.get(state_id))["w"]["n"]
        if save.outcome == "saved":
            self.assertEqual(number, 2, save)
        else:
            self.assertIn(number, (1, 2), save)
            self.assertRegex(save.why, rf"\b(get|put|remove|load|save|ask the time)\b.* in {re.escape(place)}", save)
        self.saved(writer.save(f"update {state_id} w 3"))
        self.assertEqual(bookmarks(writer.get(state_id))["w"], {"n": 3})


class ServiceTest(Case):
    """All services side by side."""

    def setUp(self):
        super().setUp()
        self.stores = {name: self.new_store(name) for name in BUCKETS}
        self.pools = {name: Pool(lambda name=name: ProxiedWriter(self, name)) for name in BUCKETS}
        for pool in self.pools.values():
            self.addCleanup(pool.close)

    def requests_of(self, name, verb):
        with self.pools[name].lend() as (proxy, writer):
            self.saved(writer.save(f"update dev:{verb} w 1"))
            proxy.start()
            self.saved(writer.save(f"{verb} dev:{verb} w 2"))
            self.assertTrue(proxy.log, "the writer goes past the proxy")
            return proxy.taken()

    def test_one_fault_at_each_request(self):
        verbs = ("update", "set", "run") if IS_LONG else ("update", "set")
        requests = {(name, verb): self.requests_of(name, verb) for name in BUCKETS for verb in verbs}
        cases = [(name, verb, fault, request.number) for (name, verb), log in requests.items() for request in log
                 for fault in (*SILENT, *QUICK) if fault in QUICK or IS_LONG or request.method in ("PUT", "POST")]
        # The slow ones begin first.
        cases.sort(key=lambda case: case[2] in QUICK)

        def one_fault(name, verb, fault, number):
            request = requests[name, verb][number - 1]
            state_id = f"dev:{verb}-{fault}-{number}"
            with self.pools[name].lend() as (proxy, writer):
                proxy.start()
                self.saved(writer.save(f"update {state_id} w 1"))
                proxy.start(lambda request: fault if request.number == number else "")
                save = writer.save(f"{verb} {state_id} w 2")
                proxy.start()
                right = right_outcome(fault, request, self.stores[name])
                self.check(writer, state_id, save, self.stores[name].place, right, LONGEST[fault])
            return save.outcome

        outcomes = each(self, cases, one_fault, CASES_AT_ONCE)
        for name in BUCKETS:
            count = collections.Counter(outcome for case, outcome in outcomes.items() if case[0] == name)
            print(f"{name}: one fault, {dict(count)}", file=sys.stderr)

    def test_a_service_that_is_down_is_said_so(self):
        def down(name):
            with self.pools[name].lend() as (proxy, writer):
                self.saved(writer.save("update dev:x w 1"))
                for fault, longest in LONGEST_OUTAGE.items():
                    proxy.start(lambda request, fault=fault: fault)
                    save = writer.save("update dev:x w 2")
                    proxy.start()
                    self.check(writer, "dev:x", save, self.stores[name].place, "failed", longest)
                    self.saved(writer.save("update dev:x w 1"))

        each(self, [(name,) for name in BUCKETS], down, len(BUCKETS))

    def test_writers_over_a_bad_network_lose_nothing(self):
        each(self, [(name,) for name in BUCKETS], self.over_a_bad_network, len(BUCKETS))

    def over_a_bad_network(self, name):
        count, updates, seed = (8, 100, random.randrange(10**6)) if IS_LONG else (4, 20, 1)
        dice = random.Random(seed)
        proxy = self.new_proxy(name)
        proxy.start(lambda request: dice.choice(QUICK) if dice.random() < 0.05 else "")
        store = self.stores[name].behind(proxy.url)
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
        print(f"{name}: bad network, {dict(collections.Counter(save.outcome for save in sum(saves, [])))}",
              file=sys.stderr)


class ProxiedWriter:
    """A writer behind a proxy of its own."""

    def __init__(self, test, name):
        self.proxy = test.new_proxy(name)
        self.writer = Writer(test.stores[name].behind(self.proxy.url), rate=RATE)

    def __iter__(self):
        return iter((self.proxy, self.writer))

    def end(self):
        self.writer.end()


def right_outcome(fault, request, store):
    """Of a save with this fault at that request: one fault stops nobody. What only reads is asked again, what writes is
    looked for, a lock that was not removed is found dead, and a history without its newest entry is told.

    But 409 is an answer, and none to ask again. Only S3 says so to who writes; to others it is a refusal."""
    name = store.key_of(request).rpartition("/")[2]
    is_write = request.method in ("PUT", "POST")
    is_dispensable = (name == "history.jsonl" and is_write) or (name == "lock" and not is_write)
    is_conflict = store.settings["state_backend"]["uri"].startswith("s3:") and is_write
    return "failed" if fault == "409" and not is_conflict and not is_dispensable else "saved"


class PostgresTest(Case):
    """Faults at each piece of what a client sends."""

    def test_one_fault_at_each_message(self):
        store = self.new_store("postgres")
        faults = ("reset", "drop", "hang") if IS_LONG else ("reset", "drop")

        def at_each_message(verb, fault):
            proxy = self.new_proxy("postgres", StreamProxy)
            number, is_hit = 0, True
            while is_hit:
                number += 1
                state_id = f"dev:{verb}-{fault}-{number}"
                # A new process, so that its first connection is counted too.
                proxy.start()
                with Writer(store.behind(proxy.url), rate=RATE) as writer:
                    self.saved(writer.save(f"update {state_id} w 1"))
                    proxy.start(fault, number)
                    save = writer.save(f"{verb} {state_id} w 2")
                    is_hit = proxy.count >= number
                    proxy.start()
                    self.check(writer, state_id, save, store.place, "saved", LONGEST_MESSAGE)
            return number - 1

        cases = [(verb, fault) for verb in ("update", "set") for fault in faults]
        for (verb, fault), messages in each(self, cases, at_each_message, len(cases)).items():
            print(f"postgres: {verb}, {fault}, saved at each of {messages} messages", file=sys.stderr)


class DiskTest(Case):
    """A disk that is full from some step on, and then has room again."""

    def test_a_disk_that_fills_up_at_each_step(self):
        stores = {name: self.new_store(name) for name in ("file", "sqlite")}
        cases = [(name, verb) for name in stores for verb in ("update", "set")]
        found = each(self, cases, lambda name, verb: self.fill_at_each_step(stores[name], name, verb), len(cases))
        for (name, verb), outcomes in found.items():
            print(f"{name}: {verb}, a full disk at {len(outcomes)} steps, {dict(collections.Counter(outcomes))}",
                  file=sys.stderr)

    def fill_at_each_step(self, store, name, verb):
        """A save fails until its document is written, and is one whatever cannot be written after it."""
        outcomes, step, steps = [], 0, 1
        with Writer(store, rate=RATE) as writer:
            while step < steps:
                step += 1
                state_id = f"dev:{name}-{verb}-{step}"
                self.saved(writer.save(f"update {state_id} w 1"))
                writer(f"full_at {step}")
                save = writer.save(f"{verb} {state_id} w 2")
                steps = int(writer("effects")[0].split()[1])
                writer("full_at 0")
                right = "saved" if "saved" in outcomes else save.outcome
                self.assertIn(right, ("saved", "failed"))
                self.check(writer, state_id, save, store.place, right, LONGEST["500"])
                if right == "failed":
                    self.assertRegex(save.why, "No space left|disk is full|disk I/O error")
                outcomes.append(save.outcome)
        self.assertEqual(set(outcomes), {"saved", "failed"})
        return outcomes

    def test_a_full_file_system(self):
        disk = self.folder / "disk"
        disk.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", "size=256k", "stress", disk]
        mount = subprocess.run(command, capture_output=True, text=True)
        if mount.returncode != 0:
            self.skipTest(f"no right to mount: {mount.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", disk], check=True)
        for name in ("file", "sqlite"):
            folder = disk / name
            folder.mkdir()
            store = STORES[name](folder)
            with self.subTest(store=name), Writer(store, rate=RATE) as writer:
                self.saved(writer.save("update dev:x w 1"))
                filler = disk / "filler"
                with filler.open("wb", buffering=0) as file:
                    for size in (4096, 1):
                        with self.assertRaises(OSError):
                            while True:
                                file.write(bytes(size))
                save = writer.save("update dev:x w 2")
                filler.unlink()
                self.check(writer, "dev:x", save, store.place, "failed", LONGEST["500"])

    def test_a_read_only_directory(self):
        for name in ("file", "sqlite"):
            store = self.new_store(name)
            with self.subTest(store=name):
                with Writer(store, rate=RATE) as writer:
                    self.saved(writer.save("update dev:x w 1"))
                # A program that anybody may run, where anybody may enter.
                program = shutil.copy(WRITER, self.folder / "writer")
                set_modes(self.folder, 0o555, 0o444)
                program.chmod(0o555)
                with Writer(store, rate=RATE, user=ordinary_user(), program=program) as writer:
                    save = writer.save("update dev:x w 2")
                    self.assertIn("unauthorized", save.why)
                set_modes(self.folder, 0o755, 0o644)
                with Writer(store, rate=RATE) as writer:
                    self.check(writer, "dev:x", save, store.place, "failed", LONGEST["500"])


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
        names = ("file", "postgres", "s3", "gcs", "azure")
        each(self, [(name,) for name in names], self.two_hosts, len(names))

    def two_hosts(self, name):
        store = self.new_store(name)
        proxy = self.new_proxy(name) if name == "s3" else None
        of_hosts = store.behind(proxy.url) if proxy else store
        with Writer(of_hosts, "a", rate=RATE, clock=3600) as ahead, \
                Writer(of_hosts, "b", rate=RATE, clock=-3600, boot="another-boot") as behind:
            for holder, other in ((ahead, behind), (behind, ahead)):
                self.hand_over(holder, other, f"dev:{holder.name}")
            all_at_once([lambda: self.all_saved(ahead, "update dev:x a 1 10"),
                         lambda: self.all_saved(behind, "update dev:x b 1 10")])
            state = bookmarks(ahead.get("dev:x"))
            self.assertEqual((state["a"], state["b"]), ({"n": 10}, {"n": 10}))
        if proxy:
            self.check_refusals(proxy.taken())

    def check_refusals(self, requests):
        """The service looks at the time of a request: each host was refused, and then signs with the service's."""
        refused = [request for request in requests if request.status == 403]
        self.assertEqual({b"RequestTimeTooSkewed" in request.answer for request in refused}, {True})
        self.assertGreaterEqual(len(refused), 2)
        self.assertLess(len(refused), 10)

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
