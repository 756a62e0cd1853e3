"""A project with a tap `bin/tap` and a target `bin/target`, and what tests of its runs share.

TIDEMARK_PROGRAM names the binary.
"""

import os
import sqlite3
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ["TIDEMARK_PROGRAM"]

PROJECT = """\
default_environment: dev
environments:
- name: dev
plugins:
  extractors:
  - name: tap-x
    namespace: tap_x
    executable: bin/tap
{tap}
  loaders:
  - name: target-y
    namespace: target_y
    executable: bin/target
"""


def project_with(tap):
    """The project file, with these lines of the tap's entry."""
    return PROJECT.format(tap=tap)


class ProjectCase(unittest.TestCase):
    def make_project(self, project, tap, target):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = Path(folder.name).resolve()
        self.environment = {"HOME": str(self.work / "home"), "PATH": os.environ["PATH"], "NO_COLOR": "1"}
        (self.work / "bin").mkdir()
        self.write("meltano.yml", project)
        self.program("tap", tap)
        self.program("target", target)

    def write(self, name, text):
        (self.work / name).write_text(text)

    def program(self, name, text):
        self.write(f"bin/{name}", text)
        (self.work / "bin" / name).chmod(0o755)

    def rows(self, query):
        """Of the system database."""
        connection = sqlite3.connect(self.work / ".meltano" / "meltano.db")
        try:
            return connection.execute(query).fetchall()
        finally:
            connection.close()
