"""The state service beside Meltano's, on the same stores with the same states: time and memory."""

import json
import os
import shutil
import statistics
import subprocess

from figures import PROGRAM, TOP, WORK, at_least, at_most, measure

SERVERS = WORK / "servers"
PYTHON = TOP / "build/venv-meltano/bin/python"
MELTANO = PYTHON.with_name("meltano")
STORES = ("file", "SQLite", "S3", "PostgreSQL")
COUNTS = (10, 1_000, 10_000)
MANY = 100_000

GET_LIMITS = {"file": 100, "SQLite": 100, "S3": 100, "PostgreSQL": 50}
GET_LIMIT_MS = {"file": 10, "SQLite": 10}
LIST_LIMITS = {"file": 50, "SQLite": 50, "S3": 15}
PAGES_LIMIT, MEMORY_LIMIT_MB = 1.2, 64


class Store:
    """One store of states, filled by bench/state_data.py, which lives while the store is used."""

    def __init__(self, name):
        self.name, self.count = name, 0
        self.folder = WORK / "states" / name
        self.folder.mkdir(parents=True)
        # A process of its own: what it has in memory would count as the peak of those that it starts.
        self.data = subprocess.Popen([PYTHON, TOP / "bench/state_data.py", name, self.folder],
                                     stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment())
        self.ask("open")

    def ask(self, *command):
        self.data.stdin.write(json.dumps(command) + "\n")
        self.data.stdin.flush()
        return json.loads(self.data.stdout.readline())

    def fill(self, count):
        self.ask("fill", self.count, count)
        self.count = count

    def run(self, command):
        return measure(command, cwd=self.folder, env=environment())

    def tidemark(self, *verb):
        return self.run([PROGRAM, "state", *verb])

    def meltano(self, *verb):
        return self.run([MELTANO, "state", *verb])

    def close(self):
        self.data.stdin.close()
        self.data.wait()
        self.data.stdout.close()


def environment():
    return {**os.environ, "NO_COLOR": "1", "MELTANO_SEND_ANONYMOUS_USAGE_STATS": "false",
            "MELTANO_CLI_DISABLE_VERSION_CHECK": "true", "TIDEMARK_SERVERS_DIR": str(SERVERS),
            "XDG_CACHE_HOME": str(WORK / "cache")}


def get_figures(store):
    wanted = f"dev:tap-{store.count // 2:06}-to-target"
    ours, theirs = [], []
    for _ in range(3):  # in turn, so that a busy moment of the machine hits both
        ours += [store.tidemark("get", wanted)[0] for _ in range(11)]
        theirs.append(store.meltano("get", wanted)[0])
    ours, theirs = statistics.median(ours), statistics.median(theirs)
    what = f"state get, {store.name}, {store.count:,} IDs"
    results = [at_least(f"{what}, times faster than Meltano ({ours * 1000:.1f} ms / {theirs:.2f} s)", theirs / ours,
                        GET_LIMITS[store.name])]
    if store.name in GET_LIMIT_MS:
        results.append(at_most(f"{what}, ms", ours * 1000, GET_LIMIT_MS[store.name]))
    return results


def list_figures(store):
    ours, pages = [], []
    for _ in range(5):  # in turn too
        seconds, _, output = store.tidemark("list")
        ours.append(seconds)
        if store.name == "S3":
            pages.append(store.ask("pages"))
    if len(output.splitlines()) != store.count:
        raise SystemExit(f"bench: {len(output.splitlines())} IDs of {store.count} on {store.name}")
    theirs = store.meltano("list")[0]
    what = f"state list, {store.name}, {store.count:,} IDs"
    best = min(ours)
    results = [at_least(f"{what}, times faster than Meltano ({best:.3f} s / {theirs:.1f} s)", theirs / best,
                        LIST_LIMITS[store.name])]
    if pages:
        results.append(at_most(f"{what}, time over a bare loop of signed pages ({best:.3f} s / {min(pages):.3f} s)",
                               best / min(pages), PAGES_LIMIT, 2))
    return results


def memory_figure(store):
    store.fill(MANY)
    _, peak, output = store.tidemark("list")
    if len(output.splitlines()) != MANY:
        raise SystemExit(f"bench: {len(output.splitlines())} IDs of {MANY} on {store.name}")
    return at_most(f"state list, {store.name}, {MANY:,} IDs, peak memory in MB", peak, MEMORY_LIMIT_MB, 0)


def store_figures(name):
    store = Store(name)
    results = []
    try:
        for count in COUNTS:
            store.fill(count)
            results += get_figures(store)
        if name in LIST_LIMITS:
            results += list_figures(store)
        results.append(memory_figure(store))
    finally:
        store.close()
    return results


def servers(command):
    for name in ("postgres", "s3"):
        script = TOP / f"tests/servers/start-{name}.sh"
        subprocess.run([script, command, SERVERS], check=True, stdout=subprocess.DEVNULL)


def figures():
    shutil.rmtree(WORK / "states", ignore_errors=True)
    servers("start")
    try:
        return [result for name in STORES for result in store_figures(name)]
    finally:
        servers("stop")
        shutil.rmtree(WORK / "states", ignore_errors=True)
