"""tidemark and real Meltano write one state at once, on each backend. Meltano reads, and later writes what it read
without looking again: what it does to itself is counted and shown, what was acknowledged by tidemark stays.

The Meltano writers are processes that live as long as the test: each start takes seconds.
"""

import collections
import json
import select
import signal
import sys
import tempfile
import unittest
from pathlib import Path

from meltano_process import Meltano
from processes import IS_LONG, Writer, all_at_once, bookmarks
from proxies import Proxy
from stores import STORES, server

MELTANOS = 4
WRITERS = 4
UPDATES = 40 if IS_LONG else 8


class MeltanoWriter(Meltano):
    """Its stream has its name."""

    def __init__(self, name):
        super().__init__()
        self.name = name

    def merge(self, folder, number):
        return self.ask(folder, "merge", "dev:x", {"singer_state": {"bookmarks": {self.name: {"n": number}}}})


class BesideMeltanoTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.meltanos = [MeltanoWriter(f"m{number}") for number in range(MELTANOS)]
        for meltano in cls.meltanos:
            cls.addClassCleanup(meltano.end)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def project(self, store):
        (self.folder / "meltano.yml").write_text("project_id: 00000000-0000-4000-8000-000000000001\n" +
                                                 store.project())
        # The first one makes the system database, for which several at once are too many.
        for meltano in self.meltanos:
            self.assertEqual(meltano(self.folder, "list"), [])

    def write_at_once(self, store, of_tidemark, **options):
        """Every acknowledged save of tidemark is there in the end; what each Meltano said and kept is returned."""
        # tidemark waits for a Meltano that it has met on the ID within a day; it meets it here.
        self.assertIn("result", self.meltanos[0].merge(self.folder, 1))
        writers = [Writer(of_tidemark, f"w{number}", **options) for number in range(WRITERS)]
        ours = [lambda writer=writer: writer.saves(f"update dev:x {writer.name} 1 {UPDATES}") for writer in writers]
        theirs = [lambda meltano=meltano: [meltano.merge(self.folder, number + 2) for number in range(UPDATES)]
                  for meltano in self.meltanos]
        results = all_at_once(ours + theirs)
        # It parses, for both.
        state = bookmarks(writers[0].get("dev:x"))
        self.assertEqual(self.meltanos[0](self.folder, "get", "dev:x")["singer_state"]["bookmarks"], state)
        self.report(store, results, state)
        for writer, saves in zip(writers, results):
            writer.end()
            acknowledged = [save.number for save in saves if save.outcome == "saved"]
            self.assertGreater(len(acknowledged), UPDATES / 2, saves)
            # Or what was tried after it and not acknowledged.
            later = [save.number for save in saves if save.number > acknowledged[-1]]
            self.assertIn(state[writer.name]["n"], [acknowledged[-1], *later], writer.name)
        # What becomes of their saves is their own affair; that they wrote all the while is what this test rests on.
        for meltano, answers in zip(self.meltanos, results[WRITERS:]):
            self.assertGreater(sum("result" in answer for answer in answers), 0, (meltano.name, answers))

    def report(self, store, results, state):
        saved = collections.Counter(save.outcome for saves in results[:WRITERS] for save in saves)
        slowest = max(save.ended - save.begun for saves in results[:WRITERS] for save in saves) / 1e9
        answers = results[WRITERS:]
        errors = collections.Counter(answer["error"].partition(":")[0] for of_one in answers for answer in of_one
                                     if "error" in answer)
        lost = [meltano.name for meltano, of_one in zip(self.meltanos, answers)
                if state.get(meltano.name, {}).get("n", 0) <
                max((number + 2 for number, answer in enumerate(of_one) if "result" in answer), default=0)]
        print(f"{store.place}: tidemark {dict(saved)}, the slowest save {slowest:.1f} s; "
              f"Meltano failed {dict(errors)} of {MELTANOS * UPDATES}, the last save of {lost or 'none'} is lost",
              file=sys.stderr)

    def check_overwrites(self, pairs):
        """Of documents and what replaced them: tidemark changed its own bookmark only, so it had read the rest."""
        newest, count = collections.Counter(), 0
        for old, new in pairs:
            old, new = (of_streams(document) for document in (old, new))
            changed = {name for name in {*old, *new} if old.get(name) != new.get(name)}
            is_meltano = any(name.startswith("m") and new.get(name, 0) > newest[name] for name in changed)
            for name, number in new.items():
                newest[name] = max(newest[name], number)
            if not is_meltano:
                count += 1
                self.assertLessEqual(len(changed), 1, (old, new))
                self.assertTrue(all(name.startswith("w") for name in changed), (old, new))
        self.assertGreater(count, WRITERS)

    def test_file(self):
        store = STORES["file"](self.folder)
        self.project(store)
        log = self.folder / "overwrites"
        self.write_at_once(store, store, overwrites=log)
        lines = [json.loads(line or "{}") for line in log.read_text().splitlines()]
        self.check_overwrites(zip(lines[::2], lines[1::2]))

    def test_sqlite(self):
        store = STORES["sqlite"](self.folder)
        self.project(store)
        store.execute("CREATE TABLE overwrites (old TEXT, new TEXT); CREATE TRIGGER look AFTER UPDATE ON state BEGIN "
                      "INSERT INTO overwrites VALUES (OLD.partial_state, NEW.partial_state); END;")
        self.write_at_once(store, store)
        self.check_overwrites(half_documents(store.select("SELECT old, new FROM overwrites ORDER BY rowid")))

    def test_postgres(self):
        store = STORES["postgres"](self.folder)
        self.project(store)
        store.execute("CREATE TABLE overwrites (id SERIAL, old TEXT, new TEXT);"
                      "CREATE FUNCTION look() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
                      "INSERT INTO overwrites (old, new) VALUES (OLD.partial_state, NEW.partial_state); RETURN NEW; "
                      "END $$; CREATE TRIGGER look AFTER UPDATE ON state FOR EACH ROW EXECUTE FUNCTION look();")
        self.write_at_once(store, store)
        self.check_overwrites(half_documents(store.select("SELECT old, new FROM overwrites ORDER BY id")))

    def test_s3(self):
        self.in_bucket("s3")

    def test_gcs(self):
        self.in_bucket("gcs")

    def test_azure(self):
        self.in_bucket("azure")

    def in_bucket(self, name):
        store = STORES[name](self.folder)
        self.project(store)
        proxy = Proxy(server(name))
        self.addCleanup(proxy.close)
        self.write_at_once(store, store.behind(proxy.url))
        self.check_overwrites(overwrites(store, proxy.log))

    def test_a_meltano_that_was_killed_stands_in_nobodys_way(self):
        meltano = MeltanoWriter("dying")
        self.addCleanup(meltano.end)
        store = STORES["file"](self.folder)
        self.project(store)
        self.assertEqual(meltano(self.folder, "list"), [])
        stop_with_lock(meltano, self.folder, self.folder / "state/dev:x/lock")
        meltano.process.kill()
        meltano.process.wait()
        with Writer(store, "w") as writer:
            save = writer.save("update dev:x w 1")
            self.assertEqual(save.outcome, "saved", save)
            self.assertLess((save.ended - save.begun) / 1e9, 10 + 2 + 10)


def stop_with_lock(meltano, folder, lock):
    """Stopped while it saves, its lock in place."""
    while True:
        meltano.send(folder, "merge", "dev:x", {"singer_state": {"bookmarks": {"dying": {"n": 1}}}})
        while not select.select([meltano.process.stdout], [], [], 0)[0]:
            if lock.exists():
                meltano.process.send_signal(signal.SIGSTOP)
                if lock.exists():
                    return
                meltano.process.send_signal(signal.SIGCONT)
        meltano.process.stdout.readline()


def overwrites(store, log):
    """Of what tidemark asked of a service: each document that it replaced by its version, and by what."""
    documents, pairs = {}, []
    for request in log:
        if store.key_of(request) != "dev:x/state.json" or request.status // 100 != 2:
            continue
        if request.method in ("PUT", "POST"):
            condition, new = store.condition_of(request), json.loads(request.body)
            if not condition:
                raise AssertionError(f"{request.method} {request.path} has no condition")
            if condition not in ("*", "0"):
                pairs.append((documents[condition], new))
            documents[store.version_of(request)] = new
        elif request.method == "GET":
            documents[store.version_of(request)] = json.loads(request.answer)
    return pairs


def of_streams(document):
    return {name: value["n"] for name, value in bookmarks(document).items() if "n" in value}


def half_documents(rows):
    return [tuple({"partial": json.loads(half or "{}")} for half in row) for row in rows]


if __name__ == "__main__":
    unittest.main()
