"""examples/github_pulls.cc against the replay server; its program is in EXAMPLE."""

import os
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "demo"))
import replay_server  # noqa: E402


class GithubPulls(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = scratch.name
        self.service = replay_server.Service("token-of-the-test")
        self.service.faults = {}
        server = replay_server.Server(0, self.service)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        for cleanup in (thread.join, server.server_close, server.shutdown):
            self.addCleanup(cleanup)
        self.url = f"http://127.0.0.1:{server.server_address[1]}"

    def run_example(self, token="token-of-the-test"):
        environment = {**os.environ, "DLT_DATA_DIR": self.directory, "SOURCES__SECRET_KEY": token}
        return subprocess.run([os.environ["EXAMPLE"], self.url], cwd=self.directory, env=environment,
                              capture_output=True, text=True)

    def test_loads_what_is_new_and_shows_the_row_counts(self):
        first = self.run_example()
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertIn("1 load package(s) were loaded", first.stdout)
        self.assertRegex(first.stdout, r"github_pulls: 66\b")
        second = self.run_example()
        self.assertEqual(second.returncode, 0, second.stderr)
        self.assertIn("0 load package(s) were loaded", second.stdout)
        self.service.move_to_day(2)
        third = self.run_example()
        self.assertEqual(third.returncode, 0, third.stderr)
        self.assertRegex(third.stdout, r"github_pulls: 44\b")

    def test_names_the_resource_when_the_token_is_refused_and_does_not_show_it(self):
        refused = self.run_example("another-token")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("github_pulls", refused.stderr)
        self.assertIn("401", refused.stderr)
        self.assertNotIn("another-token", refused.stdout + refused.stderr)


if __name__ == "__main__":
    unittest.main()
