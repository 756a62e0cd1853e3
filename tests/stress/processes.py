"""The writers that the stress tests start, and what they say."""

import atexit
import contextlib
import json
import os
import queue
import signal
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

WRITER = os.environ["STRESS_WRITER"]
IS_LONG = os.environ.get("TIDEMARK_STRESS") == "long"


@dataclass
class Save:
    """One save of one writer; times by the monotonic clock that all processes share."""
    writer: str
    number: int
    begun: int
    ended: int
    outcome: str  # saved, refused or failed
    why: str


class Unanswered(AssertionError):
    """What a writer says when it cannot read."""


def options_of(store):
    backend = store.settings["state_backend"]
    s3, azure = backend.get("s3", {}), backend.get("azure", {})
    return {"uri": backend["uri"], "directory": store.work, "database_uri": store.database_uri,
            "key_id": s3.get("aws_access_key_id"), "secret": s3.get("aws_secret_access_key"),
            "endpoint": s3.get("endpoint_url"), "connection_string": azure.get("connection_string")}


class Writer:
    """A process of stress_writer. `name` is its stream."""

    def __init__(self, store, name="w", user=None, program=WRITER, **options):
        self.name = name
        options = {key: value for key, value in {**options_of(store), **options}.items() if value}
        environment = {**os.environ, **store.environment}
        self.process = subprocess.Popen([program, *(f"{key}={value}" for key, value in options.items())],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env=environment, user=user)
        # One that was stopped would stay for ever.
        atexit.register(self.process.kill)
        self.unread = b""
        self.lines = []  # all that it said
        self.expect("ready")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def read_line(self):
        """Nothing when it has ended."""
        output = self.process.stdout.fileno()
        while b"\n" not in self.unread:
            piece = os.read(output, 65536)
            if not piece:
                return None
            self.unread += piece
        line, _, self.unread = self.unread.partition(b"\n")
        self.lines.append(line.decode())
        return self.lines[-1]

    def expect(self, last):
        """The lines in front of `last`."""
        start = len(self.lines)
        while (line := self.read_line()) is not None:
            if line == last:
                return self.lines[start:-1]
        self.process.wait()
        raise Ended(f"writer {self.name} ended with {self.process.returncode}: {self.process.stderr.read().decode()}")

    def send(self, command):
        self.process.stdin.write(command.encode() + b"\n")
        self.process.stdin.flush()

    def __call__(self, command):
        self.send(command)
        return self.expect("done")

    def saves(self, command):
        return saves_of(self.name, self(command))

    def save(self, command):
        """The one save of a command."""
        (save,) = self.saves(command)
        return save

    def get(self, state_id):
        (line,) = self(f"get {state_id}")
        if not line.startswith("state "):
            raise Unanswered(line)
        return json.loads(line[len("state "):])

    def signal(self, number):
        os.kill(self.process.pid, number)

    def stops(self, command):
        """Whether it stopped itself in the command; else it is done with it."""
        self.send(command)
        while (line := self.read_line()) not in ("stopped", "done", None):
            pass
        if line != "stopped":
            return False
        # It says so a moment before.
        os.waitid(os.P_PID, self.process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        return True

    def kill(self):
        self.signal(signal.SIGKILL)
        self.end()

    def end(self):
        """As a process that has nothing more to do."""
        if self.process.poll() is None:
            try:
                self.process.communicate(timeout=60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.communicate()
                raise
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()


class Ended(AssertionError):
    pass


def saves_of(writer, lines):
    saves, begun = [], {}
    for line in lines:
        kind, number, moment, *why = line.split(" ", 3)
        if kind == "begin":
            begun[number] = int(moment)
        elif kind in ("saved", "refused", "failed"):
            saves.append(Save(writer, int(number), begun.pop(number), int(moment), kind, "".join(why)))
        elif kind == "lost":
            raise AssertionError(f"writer {writer}: save {number} was acknowledged and then lost")
    return saves


def all_at_once(calls):
    """What each call returns, all of them run in threads; the first error of one of them."""
    results, errors = [None] * len(calls), []

    def run(index, call):
        try:
            results[index] = call()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results


def each(test, cases, work, at_once):
    """{case: what work(case) returned}, in threads; a case, which is a tuple, fails in a subtest of its own."""
    results = {}
    with ThreadPoolExecutor(at_once) as pool:
        running = {case: pool.submit(work, *case) for case in cases}
        for case, future in running.items():
            with test.subTest(case=case):
                results[case] = future.result()
    return results


class Pool:
    """Things that are expensive to make, each lent to one thread at a time."""

    def __init__(self, make):
        self.make = make
        self.idle = queue.SimpleQueue()

    @contextlib.contextmanager
    def lend(self):
        try:
            thing = self.idle.get_nowait()
        except queue.Empty:
            thing = self.make()
        yield thing
        # One that met an error is not lent again.
        self.idle.put(thing)

    def close(self):
        while not self.idle.empty():
            self.idle.get().end()


def bookmarks(document):
    """Of the effective state, the partial half over the completed one."""
    merged = {}
    for half in ("completed", "partial"):
        merged.update((document or {}).get(half, {}).get("singer_state", {}).get("bookmarks", {}))
    return merged


def possible_last(saves):
    """Of saves into one stream those that may have been the last one: no acknowledged one began after their
    acknowledgement. A failed one may have taken effect at any time, or never."""
    newest_begin = max((save.begun for save in saves if save.outcome == "saved"), default=0)
    return {f"{save.writer}/{save.number}" for save in saves
            if save.outcome == "failed" or (save.outcome == "saved" and save.ended >= newest_begin)}
