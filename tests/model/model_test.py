"""The model of lease and save, checked exhaustively by spin; and with one rule left out each, which the
check must find."""

import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

MODEL = Path(__file__).resolve().parent / "save.pml"
BROKEN = ("BROKEN_SWAP", "BROKEN_ACK", "BROKEN_RELEASE", "BROKEN_JUDGE")


def errors(*defines):
    """How many errors the checker finds, and what it says about them."""
    with tempfile.TemporaryDirectory() as folder:
        options = [f"-D{define}" for define in defines]
        run(["spin", *options, "-a", str(MODEL)], folder)
        run(["cc", "-O2", "-DSAFETY", "-DVECTORSZ=512", "-DCOLLAPSE", "-DMEMLIM=2048", "-o", "check", "pan.c"], folder)
        output = run(["./check", "-m200000"], folder)
    if "max search depth too small" in output or "memory" in output.split("State-vector")[0]:
        raise AssertionError(f"the search was cut short:\n{output}")
    return int(re.search(r"errors: (\d+)", output).group(1)), output


def run(command, folder):
    done = subprocess.run(command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        raise AssertionError(f"{command}: {done.stdout}")
    return done.stdout


@unittest.skipUnless(shutil.which("spin"), "no spin: scripts/setup test installs it")
class ModelTest(unittest.TestCase):
    def test_no_acknowledged_save_is_lost_and_one_holder_saves(self):
        found, output = errors()
        self.assertEqual(found, 0, output)

    def test_the_check_finds_each_rule_that_is_left_out(self):
        for define in BROKEN:
            with self.subTest(define):
                found, output = errors(define)
                self.assertGreater(found, 0, output)


if __name__ == "__main__":
    unittest.main()
