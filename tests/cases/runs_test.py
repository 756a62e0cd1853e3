"""What must hold for runs of taps and targets where tools of this kind have failed. TIDEMARK_PROGRAM names the binary."""

import json
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "runner"))
from project_case import PROGRAM, ProjectCase, project_with  # noqa: E402

SECRET = "s3cr3t-zz9"
PROJECT = project_with(f"""\
    capabilities: [state]
    settings: [{{name: password, sensitive: true}}]
    config: {{password: {SECRET}}}""") + """\
  utilities:
  - name: util
    namespace: util
    executable: bin/util
    commands: {wait: wait}
"""
TAP = """\
#!/bin/sh
echo started >>started
echo '{"type": "STATE", "value": {"bookmarks": {"s": {"id": 1}}}}'
"""
TARGET = """\
#!/bin/sh
sed -n 's/.*"value": \\(.*\\)}$/\\1/p'
"""
# Until the test says that it is enough.
UTILITY = "#!/bin/sh\ntouch waiting\nwhile [ ! -e enough ]; do sleep 0.05; done\n"
LINE = ("run", "tap-x", "target-y")


class RunCases(ProjectCase):
    def setUp(self):
        self.make_project(PROJECT, TAP, TARGET)
        self.program("util", UTILITY)
        self.others = {"TIDEMARK_STATE_BACKEND_URI": f"file://{self.work}/store"}

    def start(self, *arguments, **variables):
        return subprocess.Popen([PROGRAM, *arguments], cwd=self.work, text=True, stdin=subprocess.DEVNULL,
                                env={**self.environment, **variables}, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def finish(self, process, code):
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, code, err)
        return out, err

    def starts(self):
        file = self.work / "started"
        return file.read_text().count("started") if file.exists() else 0

    def test_without_its_store_no_tap_is_started(self):
        stores = {
            "s3://bucket/at": {"AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": SECRET,
                               "TIDEMARK_STATE_BACKEND_S3_ENDPOINT_URL": "http://127.0.0.1:1"},
            "azure://box": {"TIDEMARK_STATE_BACKEND_AZURE_CONNECTION_STRING":
                            "AccountName=a;AccountKey=czNjcjN0LXp6OQ==;BlobEndpoint=http://127.0.0.1:1/a"},
        }
        for uri, variables in stores.items():
            with self.subTest(uri):
                said = self.finish(self.start(*LINE, TIDEMARK_STATE_BACKEND_URI=uri, **variables), 1)[1]
                self.assertIn(uri, said)
                self.assertNotIn(SECRET, said)
        self.write("store", "a file where a directory should be")
        self.assertIn(f"{self.work}/store", self.finish(self.start(*LINE, **self.others), 1)[1])
        self.assertEqual(self.starts(), 0)

    def test_a_line_is_held_until_its_last_block_whatever_its_system_database(self):
        first = self.start(*LINE, "util:wait", TIDEMARK_DATABASE_URI=f"sqlite:///{self.work}/one.db", **self.others)
        try:
            while not (self.work / "waiting").exists():
                self.assertIsNone(first.poll())
                time.sleep(0.02)
            began = time.strftime("%Y-%m-%d", time.gmtime())
            second = self.start(*LINE, TIDEMARK_DATABASE_URI=f"sqlite:///{self.work}/two.db", **self.others)
            said = self.finish(second, 11)[1]
            for part in (f"pid {first.pid}", "dev:tap-x-to-target-y", f"since {began}"):
                self.assertIn(part, said)
        finally:
            self.write("enough", "")
            self.finish(first, 0)
        self.assertEqual(self.starts(), 1)
        self.finish(self.start(*LINE, **self.others), 0)

    def test_where_a_state_is_required_nothing_is_loaded_from_the_beginning(self):
        line = ("run", "--require-state", "tap-x", "target-y")
        self.assertIn("no state is stored under dev:tap-x-to-target-y",
                      self.finish(self.start(*line, **self.others), 1)[1])
        self.assertEqual(self.starts(), 0)
        self.program("tap", TAP + 'cp "$4" seen\n')
        state = '{"singer_state": {"bookmarks": {"s": {"id": 41}}}}'
        self.finish(self.start("state", "set", "--force", "dev:tap-x-to-target-y", state, **self.others), 0)
        self.finish(self.start(*line, **self.others), 0)
        self.assertEqual(json.loads((self.work / "seen").read_text()), {"bookmarks": {"s": {"id": 41}}})
        self.finish(self.start(*line, "--full-refresh", **self.others), 2)
        self.write("meltano.yml", PROJECT.replace("capabilities: [state]", "capabilities: []"))
        self.assertIn("takes no state", self.finish(self.start(*line, **self.others), 1)[1])
        self.assertEqual(self.starts(), 1)

    def test_without_an_id_a_warning_says_that_nothing_is_remembered(self):
        said = self.finish(self.start("el", "tap-x", "target-y"), 0)[1]
        self.assertRegex(said, "warning: No state ID provided.*--state-id")

    def test_json_logs_of_a_failing_run_are_an_object_a_line(self):
        self.program("tap", "#!/bin/sh\necho 'Usage: tap [OPTIONS]' >&2\nprintf 'no end' >&2\nexit 3\n")
        for arguments in (LINE, ("run", "tap-x", "nope"), ("run", "util:nope"), ("el", "tap-x", "target-y")):
            out, err = self.finish(self.start("--log-format", "json", *arguments), 1)
            self.assertEqual(out, "")
            self.assertTrue(err)
            for line in err.splitlines():
                self.assertIsInstance(json.loads(line), dict, line)

    def test_no_secret_is_said_or_kept(self):
        self.program("target", TARGET + "exit 1\n")
        for arguments in (("-vv", *LINE), ("-vv", "invoke", "tap-x"), ("config", "list", "tap-x"),
                          ("config", "set", "tap-x", "password", SECRET)):
            process = self.start(*arguments, OTHER_PASSWORD=SECRET)
            said = "".join(process.communicate(timeout=60))
            self.assertTrue(said)
            self.assertNotIn(SECRET, said, arguments)
        for path in self.work.rglob("*"):
            if path.is_file() and path.name not in ("meltano.yml", ".env"):
                self.assertNotIn(SECRET.encode(), path.read_bytes(), path)


if __name__ == "__main__":
    unittest.main()
