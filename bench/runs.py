"""Runs of taps and targets beside a plain shell pipe and Meltano's: what a run costs beyond its plugins."""

import os
import shutil
import statistics
import subprocess
import sys
import time

from figures import PROGRAM, TOP, WORK, at_least, at_most, measure, report

MELTANO = TOP / "build/venv-meltano/bin/meltano"
LINE = ("run", "--no-install", "bench-tap", "bench-target")

MEGABYTES, READINGS = 200, 5
PASSING_LIMIT, PASSING_MEMORY_LIMIT_MB = 1.02, 32
EMPTY_LIMIT, EMPTY_LIMIT_MS = 50, 50
STATES, STATE_BYTES = 2_000, 100_000
STATES_TIME_LIMIT = 1 / 0.8  # a loss of throughput of 20 %
# The state, its history as a whole, and the record of the run, which goes through SQLite's log into its file.
BYTES_PER_SAVE = STATE_BYTES + (1 << 20) + 4 * STATE_BYTES

PRINT_STATES = """
import sys
start = b"{\\"type\\": \\"STATE\\", \\"value\\": "
for line in sys.stdin.buffer:
    if line.startswith(start):
        sys.stdout.buffer.write(line[len(start):-2] + b"\\n")
        sys.stdout.buffer.flush()
"""

PROJECT = """\
default_environment: dev
environments: [{{name: dev}}]
state_backend: {{uri: {store}}}
plugins:
  extractors:
  - {{name: bench-tap, namespace: bench_tap, executable: ./tap, capabilities: [state]}}
  loaders:
  - {{name: bench-target, namespace: bench_target, executable: ./target}}
"""


class Runs:
    """A project with one tap and one target, as shell scripts, for both programs and for a shell."""

    def __init__(self, name, tap, target, store="systemdb"):
        self.folder = WORK / "runs" / name
        self.folder.mkdir(parents=True)
        (self.folder / "meltano.yml").write_text(PROJECT.format(store=store.format(folder=self.folder)))
        for program, script in (("tap", tap), ("target", target)):
            (self.folder / program).write_text(f"#!/bin/sh\n{script}\n")
            (self.folder / program).chmod(0o755)
        self.environment = {**os.environ, "NO_COLOR": "1", "XDG_STATE_HOME": str(self.folder / "logs"),
                            "MELTANO_SEND_ANONYMOUS_USAGE_STATS": "false", "MELTANO_CLI_DISABLE_VERSION_CHECK": "true"}

    def measure(self, command):
        return measure(command, cwd=self.folder, env=self.environment)

    def ours(self):
        return self.measure([PROGRAM, *LINE])

    def meltano(self):
        return self.measure([MELTANO, *LINE])

    def shell(self):
        return self.measure(["/bin/sh", "-c", "./tap | ./target >/dev/null"])


def lines_file():
    """200 MB of RECORD messages, about 0.96 million."""
    path = WORK / "singer_200mb.jsonl"
    if not path.exists():
        part = path.with_suffix(".part")
        with part.open("w") as file:
            size = number = 0
            while size < MEGABYTES * 1_000_000:
                number += 1
                size += file.write('{"type": "RECORD", "stream": "orders", "record": {"id": %d, "customer": "customer '
                                   'number %d", "note": "%s", "at": "2026-01-01T00:00:00Z"}}\n'
                                   % (number, number % 1000, "x" * 80))
        part.rename(path)
    return path


def passing():
    """Time from the tap's start to the target's end, which they write down themselves."""
    runs = Runs("passing", 'date +%s.%N >start\nexec cat $LINES', "cat >/dev/null\ndate +%s.%N >end")
    runs.environment["LINES"] = " ".join([str(lines_file())] * READINGS)

    def seconds():
        start, end = (float((runs.folder / name).read_text()) for name in ("start", "end"))
        return end - start

    ours, pipe, peak = [], [], 0
    for _ in range(11):  # in turn, so that a busy moment of the machine hits both
        peak = max(peak, runs.ours()[1])
        ours.append(seconds())
        runs.shell()
        pipe.append(seconds())
    runs.environment["LINES"] = str(lines_file())
    runs.meltano()
    ours, pipe, theirs = min(ours), min(pipe), READINGS * seconds()
    what = f"run, {READINGS} times {MEGABYTES} MB through it"
    return [at_most(f"{what}, time over a shell's pipe ({ours:.3f} s / {pipe:.3f} s; Meltano {theirs:.1f} s)",
                    ours / pipe, PASSING_LIMIT, 2),
            at_most(f"{what}, peak memory in MB", peak, PASSING_MEMORY_LIMIT_MB, 0)]


def empty_figures(name, store):
    """Whole processes, less what the plugins take by themselves."""
    runs = Runs(name, "exit 0", "exec cat", store)
    runs.ours()
    runs.meltano()
    ours, theirs, plugins = [], [], []
    for _ in range(3):
        ours += [runs.ours()[0] for _ in range(11)]
        plugins += [runs.shell()[0] for _ in range(11)]
        theirs.append(runs.meltano()[0])
    own = statistics.median(plugins)
    ours, theirs = statistics.median(ours) - own, statistics.median(theirs) - own
    what = f"run of plugins that do nothing, {name}"
    return [at_least(f"{what}, times faster than Meltano ({ours * 1000:.1f} ms / {theirs:.2f} s)", theirs / ours,
                     EMPTY_LIMIT),
            at_most(f"{what}, ms", ours * 1000, EMPTY_LIMIT_MS)]


def states():
    """A STATE of 100 kB behind each record; the target prints each."""
    marks = ", ".join('"stream_%04d": {"replication_key": "updated_at", "replication_key_value": "2026-01-01T00:%02d:00Z"}'
                      % (number, number % 60) for number in range(STATE_BYTES // 98))
    path = WORK / "singer_states.jsonl"
    with path.open("w") as file:
        for number in range(STATES):
            file.write('{"type": "RECORD", "stream": "orders", "record": {"id": %d}}\n' % number)
            file.write('{"type": "STATE", "value": {"bookmarks": {"orders": {"id": %d}, %s}}}\n'
                       % (number, marks))
    target = f"exec {sys.executable} -c '{PRINT_STATES}'"
    tap = f"exec cat {path}"
    runs, empty = Runs("states", tap, target, "file://{folder}/store"), Runs("no-states", "exit 0", target)
    for each in (runs, empty):
        each.ours()
    ours, pipe, none, no_pipe = [], [], [], []
    for _ in range(5):
        ours.append(runs.ours()[0])
        pipe.append(runs.shell()[0])
        none.append(empty.ours()[0])
        no_pipe.append(empty.shell()[0])
    best, beside = min(ours) - min(none), min(pipe) - min(no_pipe)
    saves, written, seconds = written_by(runs)
    what = f"run with {STATES:,} STATE messages of {STATE_BYTES // 1000} kB"
    return [
        at_most(f"{what}, time over a shell's pipe ({best:.2f} s / {beside:.2f} s)", best / beside, STATES_TIME_LIMIT, 2),
        report(f"{what}, saves in {seconds:.1f} s", saves, "≤ one a second, and two", saves <= seconds + 2),
        at_most(f"{what}, MB written to the backend and the system database", written / 1e6,
                round(saves * BYTES_PER_SAVE / 1e6, 1))]


def written_by(runs):
    """(saves, bytes written to disk, seconds) of one more run."""
    start = time.monotonic()
    process = subprocess.Popen([PROGRAM, *LINE], cwd=runs.folder, env=runs.environment, stderr=subprocess.PIPE)
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.stderr.close()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"bench: {said.decode()}")
    return said.count(b"Incremental state has been updated"), usage.ru_oublock * 512, time.monotonic() - start


def figures():
    shutil.rmtree(WORK / "runs", ignore_errors=True)
    try:
        return [*passing(), *empty_figures("SQLite", "systemdb"), *empty_figures("file", "file://{folder}/store"),
                *states()]
    finally:
        shutil.rmtree(WORK / "runs", ignore_errors=True)
