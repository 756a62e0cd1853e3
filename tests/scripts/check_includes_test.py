"""scripts/check-includes on small source trees."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts/check-includes"


class CheckIncludes(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.top = Path(scratch.name)
        self.write("src/CMakeLists.txt", "foreach(module base json\n net)\nendforeach()\n")
        self.module("base", "")
        self.module("json", "DEPS base")
        self.write("src/tidemark/json/value.h", '#include "tidemark/base/error.h"\n')

    def write(self, path, text):
        path = self.top / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def module(self, name, rest):
        self.write(f"src/tidemark/{name}/CMakeLists.txt",
                   f"tidemark_module({name}\n  SOURCES a.cc\n  {rest})\n")

    def problems(self):
        run = subprocess.run([sys.executable, SCRIPT, self.top], capture_output=True, text=True)
        self.assertEqual(run.returncode, 1 if run.stderr else 0)
        return run.stderr

    def test_accepts_includes_that_are_declared_and_point_upwards(self):
        self.assertEqual(self.problems(), "")

    def test_reports_an_include_that_deps_does_not_name(self):
        self.module("json", "")
        self.assertIn("base is not in the DEPS of json", self.problems())

    def test_reports_a_dependency_on_a_module_below(self):
        self.module("base", "DEPS json")
        self.write("src/tidemark/base/error.h", '#include "tidemark/json/value.h"\n')
        self.assertIn("base may not depend on json", self.problems())

    def test_reports_a_dependency_that_nothing_includes(self):
        self.module("net", "DEPS json")
        self.assertIn("json is in DEPS, but nothing in net includes it", self.problems())

    def test_reports_a_directory_that_is_no_module(self):
        self.module("extra", "")
        self.assertIn("extra: not a module", self.problems())

    def test_reports_a_heavy_header_in_a_header(self):
        self.write("src/tidemark/base/error.h", "#include <simdjson.h>\n")
        self.assertIn("error.h: includes simdjson.h", self.problems())

    def test_reports_a_heavy_header_in_two_sources(self):
        for name in ("a.cc", "b.cc"):
            self.write(f"src/tidemark/base/{name}", "#include <simdjson.h>\n")
        self.assertIn("one file may", self.problems())

    def test_reports_a_header_that_another_module_owns(self):
        self.write("src/tidemark/base/a.cc", "#include <curl/curl.h>\n")
        self.assertIn("includes curl/curl.h, which only net may", self.problems())


if __name__ == "__main__":
    unittest.main()
