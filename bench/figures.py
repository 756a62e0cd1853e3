"""What the parts of the bench share: how a process is measured, and how a figure is shown beside its limit."""

import os
import subprocess
import time
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
WORK = TOP / "build/bench"
PROGRAM = TOP / "build/tidemark"


def measure(command, **options):
    """(seconds, peak resident megabytes, stdout) of a process that must succeed."""
    start = time.monotonic()
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               **options)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"bench: '{' '.join(map(str, command))}' exited with {process.returncode}")
    return seconds, usage.ru_maxrss / 1024, output.decode()


def report(what, figure, limit, holds):
    print(f"| {what} | {figure} | {limit} | {'yes' if holds else 'NO'} |", flush=True)
    return holds


def at_least(what, figure, limit):
    return report(what, f"{figure:.0f}", f"≥ {limit}", figure >= limit)


def at_most(what, figure, limit, digits=1):
    return report(what, f"{figure:.{digits}f}", f"≤ {limit}", figure <= limit)
