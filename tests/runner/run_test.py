"""`tidemark run` with small taps and targets that misbehave in one way each.

TIDEMARK_PROGRAM names the binary.
"""

import contextlib
import json
import signal
import sqlite3
import subprocess
import time
import unittest
from pathlib import Path

from project_case import PROGRAM, ProjectCase, project_with

STATE_ID = "dev:tap-x-to-target-y"

PROJECT = project_with("""\
    capabilities: [state]
    config: {password: tap-secret}""")

# One STATE a record, for as long as it is told.
TAP = """\
#!/bin/sh
n=0
while [ $n -lt ${TAP_RECORDS:-3} ]; do
  n=$((n + 1))
  echo '{"type": "RECORD", "stream": "s", "record": {"id": '$n'}}'
  echo '{"type": "STATE", "value": {"bookmarks": {"s": {"id": '$n'}}}}'
  [ -z "$TAP_SLEEP" ] || sleep $TAP_SLEEP
done
"""

# Hands on the value of each STATE.
TARGET = """\
#!/bin/sh
exec sed -n -u 's/.*"type": "STATE", "value": \\(.*\\)}$/\\1/p'
"""


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def wait_until(condition, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


class RunTest(ProjectCase):
    def setUp(self):
        self.make_project(PROJECT, TAP, TARGET)

    def start(self, *arguments, **variables):
        return subprocess.Popen([PROGRAM, *arguments], cwd=self.work, env={**self.environment, **variables},
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def finish(self, process, code):
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, code, err)
        return out, err

    def run_program(self, code, *arguments, **variables):
        return self.finish(self.start(*arguments, **variables), code)

    def run_line(self, code=0, *arguments, **variables):
        """What the run says on stderr."""
        return self.run_program(code, "run", *arguments, "tap-x", "target-y", **variables)[1]

    def runs(self):
        return [(state, json.loads(payload)) for state, payload in
                self.rows("select state, payload from runs order by id")]

    def bookmark(self):
        rows = self.rows("select completed_state from state")
        return json.loads(rows[0][0])["singer_state"]["bookmarks"]["s"]["id"] if rows else 0

    def leftovers(self):
        return list((self.work / ".meltano" / "run" / "tidemark").iterdir())

    def test_a_run_starts_where_the_last_one_stopped(self):
        self.program("tap", "#!/bin/sh\necho \"$@\" >args\ncat \"${4:-/dev/null}\" >seen\n" + TAP)
        said = self.run_line()
        self.assertIn("No state was found, complete import.", said)
        self.assertIn(f"Running job with name '{STATE_ID}' and run ID ", said)
        self.assertEqual(self.bookmark(), 3)
        self.assertEqual((self.work / "seen").read_text(), "")
        self.run_line(TAP_RECORDS="5")
        self.assertEqual(json.loads((self.work / "seen").read_text()), {"bookmarks": {"s": {"id": 3}}})
        self.assertEqual(self.bookmark(), 5)
        self.assertRegex((self.work / "args").read_text(),
                         r"--config \S+/tap\.[0-9a-f-]{36}\.config\.json --state \S+/state\.json\n")
        self.assertEqual([state for state, _ in self.runs()], ["SUCCESS", "SUCCESS"])
        self.assertEqual(self.leftovers(), [])

    def test_what_plugins_say_is_shown_with_their_name_and_kept_in_a_log(self):
        self.program("tap", "#!/bin/sh\nprintf 'from the tap \\377\\n\\n' >&2\n" + TAP)
        said = self.run_line()
        self.assertRegex(said, r"(?m)^\S+Z \[info     \] tap-x        from the tap \ufffd$")
        logs = list((self.work / "home/.local/state/meltano/log/elt/devtap-x-to-target-y").glob("*/elt.log"))
        self.assertEqual(len(logs), 1)
        self.assertIn("] tap-x        from the tap", logs[0].read_text())
        self.assertIn("Block run completed", logs[0].read_text())
        line = next(line for line in self.run_program(0, "run", "tap-x", "target-y", "--log-format", "json")[1]
                    .splitlines() if "from the tap" in line)
        self.assertEqual(json.loads(line)["name"], "tap-x")

    def test_a_log_that_cannot_be_written_does_not_stop_a_run(self):
        self.write("file", "")
        said = self.run_line(XDG_STATE_HOME=str(self.work / "file"))
        self.assertIn("the run has no log file", said)
        self.assertEqual(self.bookmark(), 3)

    def test_a_tap_that_dies_is_named_with_its_last_lines(self):
        self.program("tap", "#!/bin/sh\nTAP_RECORDS=2\n" + TAP.split("\n", 1)[1] + "echo oops >&2\nexit 7\n")
        said = self.run_line(1)
        self.assertIn("Extractor failed: tap-x ended with exit code 7; its last lines:\n  oops", said)
        self.assertEqual(self.runs(), [("FAIL", {"singer_state": {"bookmarks": {"s": {"id": 2}}},
                                                 "error": "Extractor failed"})])
        self.assertEqual(self.bookmark(), 2)

    def test_a_target_that_dies_ends_the_run_in_seconds(self):
        self.program("target", "#!/bin/sh\nread a\nread b\necho '{\"bookmarks\": {\"s\": {\"id\": 1}}}'\n"
                               "echo no space left >&2\nexit 4\n")
        for tap in ("#!/bin/sh\nexec yes\n", "#!/bin/sh\necho 1\necho 2\nexec sleep 1000\n"):
            self.program("tap", tap)
            start = time.monotonic()
            said = self.run_line(1)
            self.assertLess(time.monotonic() - start, 10)
            self.assertIn("Loader failed: target-y ended with exit code 4; its last lines:\n  no space left", said)
            self.assertEqual(self.runs()[-1][1]["error"], "Loader failed")
            self.assertEqual(self.bookmark(), 1)

    def test_a_plugin_that_is_killed_is_named_with_the_signal(self):
        self.program("tap", "#!/bin/sh\nkill -9 $$\n")
        self.assertIn("tap-x ended with signal 9 (Killed)", self.run_line(1))

    def test_lines_that_are_no_state_are_passed_over(self):
        self.program("target", "#!/bin/sh\ncat >/dev/null\n"
                               "printf '%s\\n' '{\"bookmarks\": {\"s\": {\"id\": 8}}}' 'hello' '{}' '[1]' '' "
                               "'{\"bookmarks\": {}}' 'null'\n")
        said = self.run_line()
        self.assertEqual(said.count("Received state is invalid, incremental state has not been updated"), 2)
        self.assertEqual(said.count("Received empty state, incremental state has not been updated"), 3)
        self.assertEqual(self.bookmark(), 8)

    def test_a_line_longer_than_a_message_may_be_fails_the_run(self):
        self.write("meltano.yml", PROJECT + "elt.buffer_size: 100000\n")
        self.program("target", "#!/bin/sh\ncat >/dev/null\nhead -c 60000 /dev/zero | tr '\\0' x\n")
        self.assertIn("Output line length limit exceeded: target-y", self.run_line(1))

    def test_a_plugin_that_cannot_be_started_is_named(self):
        (self.work / "bin/target").unlink()
        said = self.run_line(1)
        self.assertIn("Executable 'bin/target' could not be found. Loader 'target-y'", said)
        self.assertIn("tidemark install --plugin-type loader target-y", said)
        self.assertEqual(self.runs()[0][0], "FAIL")

    def test_plugins_get_no_key_to_the_state(self):
        self.program("tap", "#!/bin/sh\nenv >variables\ncat \"$2\" >config\nstat -c %a \"$2\" >mode\n" + TAP)
        self.run_line(MELTANO_STATE_BACKEND_AZURE_CONNECTION_STRING="secret", MELTANO_HUB_URL_AUTH="secret",
                      TIDEMARK_DATABASE_URI=f"sqlite:///{self.work}/.meltano/meltano.db")
        variables = (self.work / "variables").read_text()
        self.assertNotIn("secret\n", variables.replace("tap-secret", ""))
        self.assertNotIn("DATABASE_URI", variables)
        self.assertIn("TAP_X_PASSWORD=tap-secret\n", variables)
        self.assertEqual(json.loads((self.work / "config").read_text()), {"password": "tap-secret"})
        self.assertEqual((self.work / "mode").read_text(), "600\n")

    def stop_with(self, number):
        """Sends a signal to a run once a state of it is saved."""
        before = self.saved_runs()
        process = self.start("run", "tap-x", "target-y", TAP_RECORDS="1000", TAP_SLEEP="0.1")
        self.assertTrue(wait_until(lambda: self.saved_runs() > before))
        process.send_signal(number)
        return process

    def saved_runs(self):
        try:
            return sum("singer_state" in payload for _, payload in self.runs())
        except sqlite3.Error:
            return 0

    def test_what_passes_is_counted_and_stays_as_it_is(self):
        self.program("tap", TAP + "printf 'rubbish \\377\\n'; echo '{\"type\": \"RECORD\", \"stream\": \"t\"}'\n")
        self.program("target", "#!/bin/sh\ntee got | " + TARGET.split("exec ")[1])
        self.run_line()
        passed = (self.work / "got").read_bytes()
        said = self.run_line(0, "--observe")
        self.assertEqual((self.work / "got").read_bytes(), passed)
        self.assertIn(f"From tap-x to target-y: 4 records, 3 states, 1 other line, {len(passed)} bytes\n"
                      "s: 3 records, 165 bytes\nt: 1 record, 34 bytes\n", said)
        self.assertEqual(self.bookmark(), 3)
        counts = next(json.loads(line) for line in self.run_program(
            0, "--log-format", "json", "run", "--observe", "tap-x", "target-y")[1].splitlines() if '"streams"' in line)
        self.assertEqual((counts["states"], counts["other_lines"], counts["streams"]["s"]["records"]), (3, 1, 3))
        self.assertIn("[debug    ] tap-x        rubbish \ufffd\n", self.run_program(0, "-v", "run", "tap-x", "target-y")[1])

    def test_a_run_that_fails_says_how_to_look_at_what_passes(self):
        self.program("target", "#!/bin/sh\nread a\nexit 4\n")
        self.assertIn("--observe", self.run_line(1))
        self.assertRegex(self.run_line(1, "--observe"), r"From tap-x to target-y: \d records?")

    def test_a_signal_stops_the_tap_and_saves_what_was_acknowledged(self):
        for number, code, reason in ((signal.SIGTERM, 143, "The process was terminated"),
                                     (signal.SIGINT, 130, "The process was interrupted")):
            self.program("tap", TAP.replace("#!/bin/sh\n", "#!/bin/sh\necho $$ >pid\n"))
            self.finish(self.stop_with(number), code)
            self.assertFalse(alive(int((self.work / "pid").read_text())))
            state, payload = self.runs()[-1]
            self.assertEqual((state, payload["error"]), ("FAIL", reason))
            self.assertEqual(payload["singer_state"]["bookmarks"]["s"]["id"], self.bookmark())

    def test_a_target_finishes_what_it_has_when_the_tap_is_stopped(self):
        self.program("target", TARGET.replace("exec ", "") + "sleep 0.3\necho '{\"bookmarks\": {\"s\": {\"id\": 77}}}'\n")
        self.finish(self.stop_with(signal.SIGTERM), 143)
        self.assertEqual(self.bookmark(), 77)

    def test_kill_9_leaves_nobody_running_and_the_next_run_goes_on(self):
        self.program("tap", TAP.replace("#!/bin/sh\n", "#!/bin/sh\necho $$ >tap-pid\n"))
        self.program("target", TARGET.replace("#!/bin/sh\n", "#!/bin/sh\necho $$ >target-pid\n"))
        process = self.stop_with(signal.SIGKILL)
        self.finish(process, -9)
        for name in ("tap-pid", "target-pid"):
            pid = int((self.work / name).read_text())
            self.assertTrue(wait_until(lambda: not alive(pid), 5), name)
        self.assertEqual(self.runs()[0][0], "RUNNING")
        reached = self.bookmark()
        said = self.run_line(TAP_RECORDS=str(reached + 2))
        self.assertIn("Marked stale run", said)
        self.assertEqual([state for state, _ in self.runs()], ["FAIL", "SUCCESS"])
        self.assertEqual(self.bookmark(), reached + 2)

    def test_a_second_start_is_refused_and_names_the_first(self):
        first = self.start("run", "tap-x", "target-y", TAP_RECORDS="1000", TAP_SLEEP="0.1")
        try:
            self.assertTrue(wait_until(self.saved_runs))
            said = self.run_line(11)
            self.assertIn(f"{STATE_ID} is under way", said)
            self.assertIn(f"pid {first.pid}", said)
            self.assertEqual(len(self.runs()), 1)
        finally:
            first.terminate()
            self.finish(first, 143)
        self.run_line()

    def test_a_holder_that_cannot_be_read_is_said_so(self):
        self.run_line()
        with contextlib.closing(sqlite3.connect(self.work / ".meltano" / "meltano.db")) as connection, connection:
            connection.execute("update tidemark_records set content = x'78', version = 'x' "
                               f"where name = '.tidemark/{STATE_ID}/lease.json'")
        said = self.run_line(11)
        self.assertIn(f"{STATE_ID} is under way: somebody whose lease cannot be read; 'tidemark state unlock", said)
        self.assertNotIn("pid 0", said)

    def test_a_run_of_meltano_under_way_is_respected(self):
        self.run_line()
        connection = sqlite3.connect(self.work / ".meltano" / "meltano.db")
        connection.execute("insert into runs (job_name, state, started_at, last_heartbeat_at, payload, payload_flags, "
                           "run_id, \"trigger\") values (?, 'RUNNING', datetime('now'), datetime('now'), '{}', 0, ?, "
                           "'cli')", (STATE_ID, "0" * 32))
        connection.commit()
        connection.close()
        self.assertIn(f"Another '{STATE_ID}' pipeline is already running", self.run_line(11))
        self.assertIn("Force option is enabled", self.run_line(0, "--force"))

    def test_a_timeout_stops_the_run(self):
        said = self.run_line(1, "--timeout", "1", TAP_RECORDS="1000", TAP_SLEEP="0.1")
        self.assertIn("Run timed out", said)
        state, payload = self.runs()[-1]
        self.assertEqual((state, payload["error"]), ("FAIL", "The process was interrupted"))
        self.assertGreater(self.bookmark(), 0)

    def test_commands_of_utilities_run_between_the_sets(self):
        self.write("meltano.yml", PROJECT + "  utilities:\n  - name: util\n    namespace: util\n    executable: bin/util\n"
                                            "    commands: {go: \"say 'a b' $WORD\", bad: fail}\n"
                                            "jobs:\n- {name: nightly, tasks: [tap-x target-y, 'util:go']}\n")
        self.program("util", "#!/bin/sh\n[ \"$1\" = say ] || exit 5\nprintf '%s|' \"$@\"; echo\necho err >&2\n")
        said = self.run_program(0, "run", "nightly", WORD="w")[1]
        self.assertIn("] util         say|a b|w|", said)
        self.assertIn("] util         err", said)
        said = self.run_program(1, "run", "util:bad", "tap-x", "target-y")[1]
        self.assertIn("`util bad` failed with exit code 5", said)
        self.assertEqual(len(self.runs()), 1)

    def test_options_that_no_block_takes_are_refused(self):
        self.assertIn("are for pipelines", self.run_line(1, "--select", "a"))
        self.assertIn("--timeout", self.run_program(2, "run", "tap-x", "target-y", "--timeout", "0")[1])
        self.assertIn("did you mean 'target-y'?", self.run_program(1, "run", "tap-x", "target-yy")[1])

    def test_without_an_environment_there_is_no_state_id(self):
        self.assertIn("A Meltano environment must be specified", self.run_line(1, "--no-environment"))

    def test_a_native_loader_is_refused_by_name(self):
        self.write("meltano.yml", PROJECT.replace("executable: bin/target", "destination: duckdb"))
        self.assertIn("native loaders are not run by this version", self.run_line(1))


if __name__ == "__main__":
    unittest.main()
