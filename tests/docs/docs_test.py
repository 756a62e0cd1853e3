"""What the documents say, done: their commands run, their settings bind, their formats are what is written.

A command is a line of a block fenced as `sh`, or of an indented block that starts with a program of ours.
Those of one document run in order, in one scratch directory; a YAML block that starts with `pipelines:`
or `plugins:` becomes the project file there. TIDEMARK_PROGRAM names the binary.
"""

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "demo"))
import replay_server  # noqa: E402

PROGRAM = os.environ["TIDEMARK_PROGRAM"]
DOCUMENTS = [*sorted(TOP.glob("*.md")), *sorted((TOP / "docs").rglob("*.md")), TOP / "bench/README.md"]
INDENTED_COMMAND = re.compile(r"(tidemark|make|cmake) .*")
TOKEN = "token-of-the-test"

# Commands that are not run here, and why.
NOT_RUN = {
    "make demo": "the test `demo` runs what stands behind it",
    "make test": "this test is part of it",
    "make bench": "minutes, and figures that depend on what else the machine does",
    "cmake --build build/test": "builds and runs one unit test; it needs the build directory of `make test`",
}


def blocks(document):
    """(language, text) of each fenced block, and ("", text) of each indented one."""
    language, lines, was_empty = None, [], True
    for line in [*document.read_text().splitlines(), ""]:
        is_fence = line.startswith("```")
        if language is None and is_fence:
            language = line[3:].strip() or "text"
        elif language is None and (line.startswith("    ") and was_empty):
            language, lines = "", [line[4:]]
        elif language is not None and (is_fence if language else not line.startswith("    ")):
            yield language, "\n".join(lines)
            language, lines = None, []
        elif language is not None:
            lines.append(line if language else line[4:])
        was_empty = not line.strip()


def steps(document):
    """("run", command) and ("project", yaml), in order."""
    for language, text in blocks(document):
        if language == "sh":
            yield "run", text
        elif language == "" and INDENTED_COMMAND.match(text):
            yield from (("run", line) for line in text.splitlines())
        elif language == "yaml" and text.startswith(("pipelines:", "plugins:")):
            yield "project", text + "\n"


def reason_not_to_run(command):
    return next((reason for start, reason in NOT_RUN.items() if command.startswith(start)), None)


PLUGINS = """\
default_environment: dev
environments:
- name: dev
plugins:
  extractors:
  - name: tap-x
    namespace: tap_x
    executable: ./tap
    capabilities: [catalog, discover, state]
  loaders:
  - name: target-y
    namespace: target_y
    executable: ./target
"""

# Looks at what is there while it runs.
TAP = """\
#!/bin/sh
case "$*" in *--discover*) echo '{"streams": []}'; exit;; esac
find .meltano "$HOME" -type f >>seen
echo '{"type": "STATE", "value": {"bookmarks": {"s": {"id": 1}}}}'
"""


class DocsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = Path(folder.name) / "work"
        self.data = Path(folder.name) / "data"
        programs = Path(folder.name) / "bin"
        for directory in (self.work, programs):
            directory.mkdir()
        (programs / "tidemark").symlink_to(PROGRAM)
        self.environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "NO_COLOR": "1",
                            "DLT_DATA_DIR": str(self.data), "GITHUB_TOKEN": TOKEN}

    def serve_github(self):
        service = replay_server.Service(TOKEN)
        service.faults = {}
        server = replay_server.Server(0, service)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        for cleanup in (thread.join, server.server_close, server.shutdown):
            self.addCleanup(cleanup)
        self.environment["GITHUB_API_URL"] = f"http://127.0.0.1:{server.server_address[1]}"

    def shell(self, command):
        done = subprocess.run(["sh", "-e", "-c", command], cwd=self.work, env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}{done.stderr}")
        return done.stdout

    def follow(self, document):
        count = 0
        for kind, text in steps(document):
            if kind == "project":
                (self.work / "tidemark.yml").write_text(text)
            elif not reason_not_to_run(text):
                self.shell(text)
                count += 1
        return count

    def test_the_commands_of_the_readme(self):
        self.serve_github()
        shutil.copy(TOP / "demo/tidemark.yml", self.work)
        (self.work / "events.jsonl.gz").write_bytes(gzip.compress(b'{"id": 1}\n{"id": 2}\n'))
        self.assertGreaterEqual(self.follow(TOP / "README.md"), 4)

    def test_the_commands_of_getting_started(self):
        self.assertGreaterEqual(self.follow(TOP / "docs/getting-started.md"), 5)

    def test_the_commands_of_settings(self):
        self.assertEqual(self.follow(TOP / "docs/settings.md"), 1)
        project = next(text for kind, text in steps(TOP / "docs/settings.md") if kind == "project")
        kept = project[:project.index("    config:")]
        self.assertEqual((self.work / "tidemark.yml").read_text(), kept)
        self.assertEqual((self.work / ".env").read_text(), "")

    def test_the_commands_of_state(self):
        self.assertEqual(self.follow(TOP / "docs/state.md"), 7)
        self.assertEqual(len(list((self.work / "store").glob("*/state.json"))), 1)

    def test_every_setting_of_a_store_is_named(self):
        (self.work / "tidemark.yml").write_text("plugins: {}\n")
        listed = json.loads(self.shell("tidemark --json config list meltano --all"))
        names = {setting["name"].removeprefix("state_backend.") for setting in listed
                 if setting["name"].startswith("state_backend.") and "lock_" not in setting["name"]}
        self.assertGreaterEqual(len(names), 14)
        text = (TOP / "docs/state.md").read_text()
        self.assertEqual({name for name in names if name not in text}, set())

    def test_the_commands_of_meltano(self):
        self.environment["HOME"] = str(self.work)
        self.environment.pop("XDG_STATE_HOME", None)
        self.assertEqual(self.follow(TOP / "docs/meltano.md"), 2)
        self.assertEqual(len(list((self.work / ".local/state/meltano/log").rglob("elt.log"))), 2)

    def test_no_other_document_has_commands_that_nothing_runs(self):
        followed = (TOP / "README.md", TOP / "docs/getting-started.md", TOP / "docs/settings.md",
                    TOP / "docs/meltano.md", TOP / "docs/state.md")
        left = [f"{document.relative_to(TOP)}: {text}" for document in DOCUMENTS if document not in followed
                for kind, text in steps(document) if kind == "run" and not reason_not_to_run(text)]
        self.assertEqual(left, [])

    def test_what_is_not_run_is_still_there(self):
        commands = [text for document in DOCUMENTS for kind, text in steps(document) if kind == "run"]
        for start in NOT_RUN:
            self.assertTrue(any(command.startswith(start) for command in commands), start)

    def test_every_source_in_yaml_binds(self):
        sources = [text for document in DOCUMENTS for language, text in blocks(document)
                   if language == "yaml" and text.startswith("source:")]
        self.assertGreaterEqual(len(sources), 2)
        for text in sources:
            with self.subTest(text.splitlines()[1].strip()):
                body = "".join(f"  {line}\n" for line in text.splitlines())
                (self.work / "tidemark.yml").write_text(
                    f"pipelines:\n- name: documented\n  destination: duckdb\n{body}")
                self.assertIn("into table", self.shell("tidemark run documented --dry-run"))

    def test_json_examples_are_json(self):
        for document in DOCUMENTS:
            for language, text in blocks(document):
                if language == "json" or (language == "" and text.startswith("{")):
                    with self.subTest(document.name):
                        json.loads(text.replace("[...]", "[]"))

    def test_formats_name_every_file_of_a_run(self):
        (self.work / "tidemark.yml").write_text(PLUGINS)
        for name, text in (("tap", TAP), ("target", "#!/bin/sh\nsed -n 's/.*\"value\": //; s/}$//p'\n")):
            (self.work / name).write_text(text)
            (self.work / name).chmod(0o755)
        self.environment.update({"HOME": str(self.data), "XDG_STATE_HOME": "", "XDG_CACHE_HOME": ""})
        self.shell("tidemark job add nightly --tasks 'tap-x target-y'")
        for _ in range(2):  # the second one has a state to start from
            self.shell("tidemark run nightly")
        uuid = r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
        files = {re.sub(uuid, "<uuid>", path) for path in (self.work / "seen").read_text().split()}
        files = {re.sub(r"(meltano\.db)-(wal|shm|journal)$", r"\1", path) for path in files}
        self.assertGreaterEqual(len(files), 11, files)
        text = (TOP / "docs/formats/run.md").read_text()
        for path in files:
            parts = re.sub(r"target\.(?=<uuid>|singer|pipe)", "tap.", path).split("/")
            with self.subTest(path):
                self.assertTrue(any(f" {'/'.join(parts[start:])}  " in text for start in range(len(parts)))
                                or "/log/elt/devtap-x-to-target-y/<uuid>/elt.log" in path)
        log = next((self.data / ".local/state/meltano/log/elt/devtap-x-to-target-y").glob("*/elt.log")).read_text()
        line = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z \[.{9}\] .{12} .*")
        examples = [text for document, text in blocks(TOP / "docs/formats/run.md") if "[info " in text]
        for said in (log, *examples):
            for text in said.strip().splitlines():
                self.assertRegex(text, line)

    def test_formats_name_every_key_that_is_written(self):
        (self.work / "orders.jsonl").write_text('{"id": 1, "tags": ["a"]}\n')
        self.shell("tidemark ingest orders.jsonl")
        pipeline = next((self.data / "pipelines").iterdir())
        trace = json.loads((pipeline / ".tidemark/trace.json").read_text())
        keys = {*trace, *(key for step in trace["steps"] for key in step)}
        for step in trace["steps"]:
            for part in ("step_info", "extract_info", "normalize_info", "load_info"):
                keys.update(step.get(part) or ())
        self.assert_named(keys, TOP / "docs/formats/trace.md")
        manifest = json.loads(next((pipeline / ".tidemark/packages").iterdir()).read_text())
        keys = {*manifest, *manifest["parts"][0]}
        keys.update(path.name for path in pipeline.iterdir())
        package = next((pipeline / "load/loaded").iterdir())
        keys.update(path.name for path in package.iterdir())
        self.assert_named(keys, TOP / "docs/formats/package.md")

    def assert_named(self, words, document):
        text = document.read_text()
        missing = {word for word in words if not re.search(rf"(?<![\w.]){re.escape(word)}(?!\w)", text)}
        self.assertEqual(missing, set(), document.name)


if __name__ == "__main__":
    unittest.main()
