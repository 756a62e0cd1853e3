"""A process of meltano_driver.py."""

import json
import os
import subprocess
import sys
from pathlib import Path

from stores import server


class Meltano:
    """Meltano's state service, for any number of projects. Run by build/venv-meltano."""

    def __init__(self):
        self.process = subprocess.Popen([sys.executable, Path(__file__).with_name("meltano_driver.py")],
                                        env={**os.environ, "STORAGE_EMULATOR_HOST": server("gcs")}, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def send(self, folder, *command):
        self.process.stdin.write(json.dumps([str(folder), *command]) + "\n")
        self.process.stdin.flush()

    def ask(self, folder, *command):
        """{"result": …} or {"error": text}."""
        self.send(folder, *command)
        return json.loads(self.process.stdout.readline())

    def __call__(self, folder, *command):
        answer = self.ask(folder, *command)
        if "error" in answer:
            raise AssertionError(answer["error"])
        return answer["result"]

    def end(self):
        self.process.kill()
        self.process.communicate()
